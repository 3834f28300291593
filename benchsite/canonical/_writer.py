"""Writing RFC 8785 (JCS) bytes: the canonical form that is hashed and signed.

rfc8785 is the reference writer. Values that came out of `loads` nearly always satisfy a condition under which
CPython's C encoder writes the same bytes many times faster; `plain_shapes` states that condition, and only what
fails it takes the long way: checked node by node, so that a refusal can name its path, and whole floats made integers,
which are written alike. What still fails the condition is handed to rfc8785.

`dumps` refuses whatever `loads` would not give back as the same value, and raises `JsonError` only.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, Final

import rfc8785

from benchsite.canonical._limits import MAX_DEPTH, MAX_INTEGER, Json, JsonError, Reason
from benchsite.canonical.sentences import said

_write_plain: Final = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode

_BETWEEN: Final = "\0|"
_CUT: Final = b',"\\u0000|",'
_FIRST_EXPONENT: Final = 1e21
"""From here on ECMAScript writes numbers with an exponent, so that they are read back as floats."""


def dumps(value: Json) -> bytes:
    """The JCS bytes of a value.

    Args:
        value: None, bool, int, float, str, list, tuple, or a mapping with str keys, or of a subclass of these.

    Raises:
        JsonError: for an integer beyond ±(2^53-1), a float with 2^53 <= |x| < 1e21 (it would be read back as a
            forbidden integer), negative zero, NaN or infinity, a lone surrogate, a key that is no str, a key
            `__proto__`, nesting over `MAX_DEPTH`, or any other type.
    """
    is_plain = plain_shapes(value) is not None
    if not is_plain:
        value = _admitted(value)
        is_plain = plain_shapes(value) is not None
    try:
        return _write_plain(value).encode("utf-8") if is_plain else rfc8785.dumps(value)
    except UnicodeEncodeError:
        return rfc8785.dumps(_admitted(value))


def dumps_each(values: Sequence[Json]) -> list[bytes]:
    """Return the JCS bytes of each value, faster than one by one if there are many; errors as `dumps`.

    The values are written as one list with a text between them. No text within a value looks like it in JSON, and an item
    of a list that does adds a part, which is noticed.
    """
    if len(values) > 1 and plain_shapes(values) is not None:
        parted = [part for value in values for part in (_BETWEEN, value)][1:]
        try:
            found = _write_plain(parted)[1:-1].encode("utf-8").split(_CUT)
        except UnicodeEncodeError:
            found = []
        if len(found) == len(values):
            return found
    return [dumps(value) for value in values]


def digest(value: Json) -> str:
    """SHA-256, as 64 lower-case hex digits, of the JCS bytes of a value; errors as `dumps`."""
    return sha256_hex(dumps(value))


def sha256_hex(data: bytes) -> str:
    """SHA-256 of bytes as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def without(value: Mapping[str, Json], data: bytes, key: str) -> bytes:
    """The JCS bytes of an object less one member, cut out of the object's own JCS bytes.

    Only that member is written again, to find it: a signature is taken off a receipt for the price of a short field.

    Args:
        value: the object.
        data: `dumps(value)`.
        key: the member to leave out, present or not.

    Returns:
        `dumps` of the object without that key.
    """
    if key not in value:
        return data
    member = encode_basestring(key).encode("utf-8") + b":" + dumps(value[key])
    start = data.index(member)
    if data.rfind(member) != start:  # the same bytes are elsewhere in the object too
        return dumps({name: item for name, item in value.items() if name != key})
    before, after = data[:start], data[start + len(member) :]
    return before + after[1:] if after.startswith(b",") else before.removesuffix(b",") + after


def plain_shapes(value: object) -> set[tuple[str, ...]] | None:
    """The shapes of a value of which C encoders are known to write the JCS bytes, key order and lone surrogates apart.

    Exact types only. Keys below U+E000, where code points sort as UTF-16 code units do. Floats that are no integers
    and that all languages write without exponent: all then print the shortest digits that read back equal.

    Returns:
        The keys of every object, in its own order; None where there is anything else in the value.
    """
    shapes: set[tuple[Any, ...]] = set()
    level: list[Any] = [value]
    for depth in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is str or kind is bool or item is None:
                continue
            if kind is dict and depth < MAX_DEPTH:
                shapes.add(tuple(item))
                below += item.values()
            elif (kind is list or kind is tuple) and depth < MAX_DEPTH:
                below += item
            elif kind is int:
                if not -MAX_INTEGER <= item <= MAX_INTEGER:
                    return None
            elif kind is not float or not _is_plain_float(item):
                return None
        if not below:
            break
        level = below
    return shapes if all(map(_is_plain_key, set().union(*shapes))) else None


def _is_plain_key(key: object) -> bool:
    return type(key) is str and (key.isascii() or max(key) < "\ue000") and key != "__proto__"


def _is_plain_float(value: float) -> bool:
    """Whether Python's repr is what ECMAScript writes: no integer, and no exponent in either language."""
    return 1e-4 <= abs(value) < 1e16 and value % 1.0 != 0.0


def _admitted(value: object) -> Json:
    """The value in Python's own types, whole numbers as int; its first offence as the JsonError that names it."""
    try:
        return _checked(value, 0)
    except _RefusedError as refused:
        path = "$" + "".join(f"[{_shown(step)}]" for step in reversed(refused.path[-20:]))
        raise JsonError(refused.reason, f"{path} {refused.what}") from None


class _RefusedError(Exception):
    """An offence on its way out; each container adds its step, so that no path is built for good values."""

    def __init__(self, reason: Reason, what: str) -> None:
        super().__init__(what)
        self.reason = reason
        self.what = what
        self.path: list[object] = []


def _refused(name: str, **values: int | str) -> _RefusedError:
    return _RefusedError(Reason(name.removesuffix("/value")), said(name, **values))


def _checked(value: object, depth: int) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _checked_text(value)
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise _RefusedError(Reason.INTEGER_RANGE, "is an integer beyond 2^53-1")
        return int(value)
    if isinstance(value, float):
        return _checked_float(float(value))
    if not isinstance(value, (list, tuple, Mapping)):
        raise _refused("type/value", kind=type(value).__name__)
    if depth == MAX_DEPTH:
        raise _refused("depth/value", most=MAX_DEPTH)
    return _checked_container(value, depth + 1)


def _checked_container(container: Mapping[object, object] | Sequence[object], depth: int) -> Json:
    step: object = None
    try:
        if isinstance(container, Mapping):
            fields: dict[str, Json] = {}
            for step, item in container.items():  # the handler below reads how far this came
                fields[_checked_key(step)] = _checked(item, depth)
            return fields
        items: list[Json] = []
        for step, item in enumerate(container):  # noqa: B007  # as above
            items.append(_checked(item, depth))
    except _RefusedError as refused:
        refused.path.append(step)
        raise
    return items


def _checked_key(key: object) -> str:
    if not isinstance(key, str):
        raise _RefusedError(Reason.KEY_TYPE, f"is a key of type {type(key).__name__}, not str")
    if key == "__proto__":
        raise _refused("proto-key/value")
    return _checked_text(key)


def _checked_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _refused("lone-surrogate/value") from None
    return str.__str__(text)


def _checked_float(value: float) -> float | int:
    if not math.isfinite(value):
        raise _refused("non-finite/value")
    if value == 0.0 and math.copysign(1.0, value) < 0:
        raise _refused("negative-zero/value")
    if MAX_INTEGER < abs(value) < _FIRST_EXPONENT:
        raise _refused("float-range/value")
    return int(value) if abs(value) <= MAX_INTEGER and value.is_integer() else value


def _shown(step: object) -> str:
    """One step of a path: an index, or a key cut short and in ASCII, as keys may be hostile."""
    return ascii(step[:40]) if isinstance(step, str) else ascii(step)[:40]
