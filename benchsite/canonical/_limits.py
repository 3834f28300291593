"""The bounds of strict JSON and the one error both directions raise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

from benchsite.errors import InputError

MAX_BYTES = 8 * 1024 * 1024
"""Largest document that is read, in bytes."""

MAX_DEPTH = 64
"""Most arrays and objects open at once; a scalar has depth 0 and `[]` depth 1."""

MAX_INTEGER = 2**53 - 1
"""Largest magnitude for which every integer has its own IEEE 754 double (JavaScript's MAX_SAFE_INTEGER)."""

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""What `loads` returns (arrays as list, objects as dict) and `dumps` takes (arrays also as tuple)."""


class Reason(StrEnum):
    """Why a document or a value is refused. The words are shared with JavaScript and never change."""

    SIZE = "size"
    BOM = "bom"
    UTF8 = "utf8"
    END = "end"
    UNEXPECTED = "unexpected"
    TRAILING = "trailing"
    CONTROL = "control"
    ESCAPE = "escape"
    LONE_SURROGATE = "lone-surrogate"
    DUPLICATE_KEY = "duplicate-key"
    PROTO_KEY = "proto-key"
    INTEGER_RANGE = "integer-range"
    NON_FINITE = "non-finite"
    NEGATIVE_ZERO = "negative-zero"
    DEPTH = "depth"
    FLOAT_RANGE = "float-range"
    KEY_TYPE = "key-type"
    TYPE = "type"


class JsonError(InputError):
    """A document that is not strict JSON, or a value that has no strict JSON.

    Attributes:
        reason: one of `Reason`.
        offset: byte offset in the document; `None` when a value was refused by `dumps`, whose message gives
            the path instead.
    """

    def __init__(self, reason: Reason, what: str, *, offset: int | None = None, hint: str = "") -> None:
        place = "" if offset is None else f" at byte {offset}"
        super().__init__(f"JSON: {what}{place}", hint=hint or _next_step(reason, offset))
        self.reason = reason
        self.offset = offset
        self._made_of = (reason, what, offset, hint)

    def __reduce__(self) -> tuple[Callable[..., JsonError], tuple[object, ...]]:
        """Pickled as what it was made of: workers hand their errors to the parent process."""
        return _again, self._made_of


def _next_step(reason: Reason, offset: int | None) -> str:
    if reason is Reason.SIZE and offset is not None:
        return f"give a document of at most {offset:,} bytes"
    return "replace that value by one that JSON can hold"


def look_at(data: bytes, offset: int) -> str:
    """The line and column of a byte offset, both from 1, and the command that shows what is there."""
    before = data[:offset]
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    line = before.count(b"\n") + 1
    return f"look at line {line}, column {column} of the file: od -c -j {offset} -N 60 FILE"


def _again(reason: Reason, what: str, offset: int | None, hint: str) -> JsonError:
    return JsonError(reason, what, offset=offset, hint=hint)
