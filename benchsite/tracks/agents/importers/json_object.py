"""JSON objects in the files of other harnesses, which may be of another form than expected.

Read by the standard library's parser: NaN and infinity are null, and of two equal names the last counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.run_lines import FOREIGN

__all__ = ["loaded", "objects", "part"]


def loaded(files: Mapping[str, bytes], path: str) -> Mapping[str, Any]:
    """Return the JSON object in a file.

    Raises:
        InputError: it is no JSON object.
    """
    try:
        value = json.loads(files[path], parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: no JSON: {error}"[:300], hint="the file may be truncated: copy it whole"
        ) from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: must be a JSON object", hint=FOREIGN)
    return value


def part(value: Any, name: str) -> Mapping[str, Any]:
    """Return a member that is an object; an empty one if there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the items of a list that are objects; none if it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
