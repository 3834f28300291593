"""Reading strict JSON: CPython's C parser for good documents, the scanner for everything else.

The C parser is lenient where strict JSON is not, so each leniency is closed by a hook or by a look at the bytes,
chosen to cost little on a receipt (10 KB, about 700 tokens). A check here may be over-careful, never
under-careful: whatever it turns away is read again by `_scanner`, which alone decides.
"""

from __future__ import annotations

import json
import math
from typing import Final

from benchsite.canonical._limits import MAX_BYTES, MAX_DEPTH, MAX_INTEGER, Json
from benchsite.canonical._scanner import scan

_STRUCTURE: Final = bytes.maketrans(b"{}", b"[]")
_NOT_STRUCTURE: Final = bytes(set(range(256)) - set(b'[]{}"'))


class _NotServedError(ValueError):
    """A fast path does not vouch for this document."""


class _Integers(dict[str, int]):
    """Integer token to value: a table for the small ones, which are nearly all, and a check for the rest."""

    def __missing__(self, digits: str) -> int:
        if digits == "-0" or len(digits) > len("-9007199254740991"):
            raise _NotServedError
        value = int(digits)
        if abs(value) > MAX_INTEGER:
            raise _NotServedError
        return value


def _real(token: str) -> int | float:
    """Value of a token with a fraction or an exponent; integral ones become int, as 1.0 is 1 in JavaScript."""
    value = float(token)
    # True of every fraction; infinity leaves NaN, and an integral value or either zero leaves zero.
    if value % 1.0 > 0.0:
        return value
    if value == 0.0 and token[0] == "-":
        raise _NotServedError
    if abs(value) <= MAX_INTEGER:
        return int(value)
    if math.isfinite(value):
        return value
    raise _NotServedError


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs) or "__proto__" in value:
        raise _NotServedError
    return value


def _no_constant(_: str) -> float:
    """What becomes of NaN and Infinity, which the C parser would accept."""
    raise _NotServedError


_INTEGERS: Final = _Integers((str(value), value) for value in range(1024))
_parse: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_INTEGERS.__getitem__,
    parse_float=_real,
    parse_constant=_no_constant,
).decode
_write: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def loads(data: bytes, *, max_bytes: int = MAX_BYTES) -> Json:
    """Read one strict JSON document.

    Args:
        data: the document; UTF-8 without byte order mark, whitespace around the value allowed.
        max_bytes: the largest length that is read.

    Returns:
        None, bool, int, float, str, list or dict. A number whose value is integral and within ±(2^53-1) is an
        int, however it was written.

    Raises:
        JsonError: with `reason` and the byte `offset` of the first broken rule.
    """
    if len(data) <= max_bytes:
        try:
            return _read_good(data)
        except (ValueError, RecursionError):
            pass
    return scan(data, max_bytes=max_bytes)


def _read_good(data: bytes) -> Json:
    """The document's value.

    Raises:
        ValueError: the document is bad, or so unusual that only the scanner can tell.
        RecursionError: the document is deeper than the interpreter's stack.
    """
    value: Json = _parse(data.decode("utf-8"))
    if not _is_shallow(data, value):
        raise _NotServedError
    # Only an escape can bring a surrogate into text decoded from UTF-8; a lone one has no UTF-8 form.
    if b"\\ud" in data or b"\\uD" in data:
        _write(value).encode("utf-8")
    return value


def _is_shallow(data: bytes, value: Json) -> bool:
    """Whether a document that was parsed, and its value, are nested no deeper than `MAX_DEPTH`."""
    depth = _depth_from_brackets(data)
    return _is_shallow_value(value) if depth is None else depth <= MAX_DEPTH


def _depth_from_brackets(data: bytes) -> int | None:
    """Nesting depth of a valid document, or None where its strings hold brackets or escaped quotes.

    Without escaped quotes every quote byte opens or closes a string, so a string without brackets leaves an
    adjacent pair of quotes. The first string with a bracket leaves a run of quotes of odd length before that
    bracket: one quote survives the removal of pairs, and the answer is None. Each round then removes exactly
    the innermost level.
    """
    if b'\\"' in data:
        return None
    brackets = data.translate(_STRUCTURE, _NOT_STRUCTURE).replace(b'""', b"")
    if b'"' in brackets:
        return None
    depth = 0
    while brackets and depth <= MAX_DEPTH:
        outer = brackets.replace(b"[]", b"")
        if len(outer) == len(brackets):
            return None
        brackets = outer
        depth += 1
    return depth


def _is_shallow_value(value: Json) -> bool:
    containers = [value]
    for _ in range(MAX_DEPTH):
        below: list[Json] = []
        for container in containers:
            if isinstance(container, dict):
                below.extend(container.values())
            elif isinstance(container, list):
                below.extend(container)
        containers = [item for item in below if isinstance(item, (dict, list))]
        if not containers:
            return True
    return False
