"""One line of a record: a unit that is done, with everything that is read of it.

Refuses a line that lacks a member or has one of another type, such as that of another release: its unit is not done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import NoneType
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.scores.stages import STAGES, Spent

__all__ = ["LARGEST", "unit_line"]

LARGEST: Final = 512 * 1024 * 1024

_Types = Mapping[str, tuple[type, ...]]
_NUMBER: Final = (int, float)
_LINE: Final[_Types] = {
    "unit": (str,),
    "result": (dict,),
    "trace": (str,),
    "actions": (list,),
    "answer": (str, NoneType),
    "skipped": (list,),
    "difference": (list,),
}
_RESULT: Final[_Types] = {
    "benchmark": (str,),
    "system": (str,),
    "success": (bool,),
    "score": _NUMBER,
    "harmful": (bool, NoneType),
    "outcome": (str,),
    "limit": (str, NoneType),
    "error": (str,),
    "columns": (dict,),
    "responded": (dict,),
    "tries": (int,),
    "provider_failed": (bool,),
    "stages": (dict,),
    "failure_tags": (list,),
    "metrics": (dict,),
}
_COLUMNS: Final[_Types] = dict.fromkeys(traced_columns(()), (*_NUMBER, bool, NoneType))
_SPENT: Final[_Types] = dict.fromkeys((field.name for field in fields(Spent)), (*_NUMBER, NoneType))


def unit_line(data: bytes) -> Mapping[str, Any] | None:
    """Return the object of a line; None if it is damaged or no unit."""
    if not data.endswith(b"\n"):
        return None
    try:
        found: Any = canonical.loads(data, max_bytes=LARGEST)
    except JsonError:
        return None
    if not _has(found, _LINE) or not _has(found["result"], _RESULT):
        return None
    columns, stages = found["result"]["columns"], found["result"]["stages"]
    whole = _has(columns, _COLUMNS) and all(_has(stages.get(stage), _SPENT) for stage in STAGES)
    return found if whole else None


def _has(value: Any, types: _Types) -> bool:
    """Whether a value is an object with these members."""
    return isinstance(value, dict) and all(
        name in value and isinstance(value[name], allowed) for name, allowed in types.items()
    )
