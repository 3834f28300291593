"""Sheets as YAML: the inverse of `sheet.parse`.

Every text stands in double quotes, and every character in it that YAML, or a reader's eye, could take for something
else is an escape: `parse(dump(sheet))` is the sheet, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.tracks.rubric.sheet import Sheet

_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_STEP: Final = "  "


def dump(sheet: Sheet) -> bytes:
    """The sheet as a file that `parse` reads back as the same sheet."""
    lines = list(_mapping(sheet.model_dump(by_alias=True, exclude_none=True, mode="json"), ""))
    return ("\n".join(lines) + "\n").encode()


def quoted(text: str) -> str:
    """A text as YAML's double-quoted scalar; what is not printable is escaped."""
    return f'"{"".join(_SHORT.get(char) or _escaped(char) for char in text)}"'


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    return f"\\u{ord(char):04X}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08X}"


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield f"{indent}{key}:"
            yield from _mapping(item, indent + _STEP)
        elif isinstance(item, list) and item:
            yield f"{indent}{key}:"
            yield from _sequence(item, indent + _STEP)
        else:
            yield f"{indent}{key}: {_scalar(item)}"


def _sequence(value: Sequence[Mapping[str, Any]], indent: str) -> Iterator[str]:
    """A list of mappings; a sheet has no other."""
    for item in value:
        mark = "- "
        for line in _mapping(item, ""):
            yield f"{indent}{mark}{line}"
            mark = _STEP


def _scalar(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return quoted(value)
        case _:
            return "[]"
