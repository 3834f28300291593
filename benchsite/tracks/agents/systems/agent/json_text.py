"""JSON in what a model says: the object in a fence, the whole text, or from the first brace to the last."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["object_in"]

_FENCE: Final = re.compile(r"```(?:json|JSON)?[ \t]*\n?(.*?)```", re.DOTALL)


def object_in(text: str, member: str = "") -> dict[str, Any] | None:
    """Return the first of these that is a JSON object, with a member if one is named; None if none is."""
    for part in _parts(text):
        try:
            found = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and (not member or member in found):
            return found
    return None


def _parts(text: str) -> Iterator[str]:
    yield from _FENCE.findall(text)
    yield text
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]
