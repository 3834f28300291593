"""A document read together with its canonical form: what verifying ten thousand receipts needs.

Reading with `loads` and writing with `dumps` looks at every value twice and more. For a document that is
canonical already, as every published file is, less will do: parse it in C, write it back in C, compare. A writer
repeats no key and knows one spelling, so equal bytes prove at once that the document is strict and that it is its
own canonical form. `_is_reproduced` adds what a comparison cannot see.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from benchsite.canonical._limits import MAX_BYTES, Json
from benchsite.canonical._reader import INTEGERS, NotServedError, is_shallow, loads, no_constant
from benchsite.canonical._writer import dumps, is_plain_float, write_plain

_BELOW_U_E000: Final = bytes(range(0xEE))


@dataclass(frozen=True, slots=True)
class Document:
    """A strict JSON document.

    Attributes:
        value: what `loads` gives.
        data: its JCS bytes, what `dumps(value)` gives.
        is_canonical: whether those are the very bytes that were read.
    """

    value: Json
    data: bytes
    is_canonical: bool


def _plain_real(token: str) -> float:
    value = float(token)
    if is_plain_float(value):
        return value
    raise NotServedError


_parse: Final = json.JSONDecoder(
    parse_int=INTEGERS.__getitem__, parse_float=_plain_real, parse_constant=no_constant
).decode


def document(data: bytes, *, max_bytes: int = MAX_BYTES) -> Document:
    """Read one strict JSON document and its canonical form; arguments and errors as `loads`.

    A document can be strict and yet have no canonical form that would be read back: a float from 2^53 up to
    1e21, written with a point or an exponent. `JsonError` then carries the reason `float-range`.
    """
    if len(data) <= max_bytes:
        try:
            value = _parse(data.decode("utf-8"))
            if _is_reproduced(data, value):
                return Document(value, data, is_canonical=True)
        except (ValueError, RecursionError):
            pass
    value = loads(data, max_bytes=max_bytes)
    canonical = dumps(value)
    return Document(value, canonical, is_canonical=canonical == data)


def _is_reproduced(data: bytes, value: Json) -> bool:
    """Whether writing the leniently parsed value gives the same bytes, and these are strict and JCS.

    A comparison cannot see nesting, nor the key `__proto__`, nor that JCS orders keys by UTF-16 code units:
    below U+E000 that is the order of code points, and no such character's UTF-8 has a byte from 0xEE on.
    Numbers are no matter here: `_parse` serves only those that both languages spell alike.
    """
    return (
        b"__proto__" not in data
        and is_shallow(data, value)
        and (data.isascii() or not data.translate(None, _BELOW_U_E000))
        and write_plain(value).encode("utf-8") == data
    )
