"""The documents that an imported run retrieved, as one action of the run: `retrieved: ["11", "12"]`.

Official run files list these documents and no calls. The only calls that the harness records as text are those that were refused,
and their text starts with the refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.tracks.agents.benchmarks.packaged.functions import ToolError

__all__ = ["read", "written"]

_MARK: Final = "retrieved: "


def written(ids: Iterable[str]) -> str:
    """Return the action of a run that retrieved documents: each id once, in order."""
    return _MARK + canonical.dumps(sorted(set(ids))).decode("utf-8")


def read(action: str) -> tuple[str, ...]:
    """Return the ids of an action, the inverse of `written`; raises `ToolError` for any other text."""
    try:
        found = canonical.loads(action.removeprefix(_MARK).encode("utf-8", "replace"))
    except JsonError:
        found = None
    if not action.startswith(_MARK) or not isinstance(found, list):
        raise ToolError("not a call of a tool")
    return tuple(one for one in found if isinstance(one, str))
