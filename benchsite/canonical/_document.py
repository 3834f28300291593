"""A document read together with its canonical form: what verifying ten thousand receipts needs.

`dumps` looks at every value before it writes. A document that is canonical already, as every published file is,
needs no such look: it was read strictly, so equal bytes from CPython's writer prove that it is its own canonical
form. `_is_comparable` is what that comparison cannot see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from benchsite.canonical._limits import MAX_BYTES, Json
from benchsite.canonical._reader import loads
from benchsite.canonical._writer import dumps, write_plain

_EXPONENT: Final = re.compile(rb"e[+-](?<=[0-9]e[+-])[0-9]")
_INTEGRAL: Final = re.compile(rb"\.0(?:[,}\]]|\Z)")
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


def document(data: bytes, *, max_bytes: int = MAX_BYTES) -> Document:
    """Read one strict JSON document and its canonical form; arguments and errors as `loads`.

    A document can be strict and yet have no canonical form that would be read back: a float from 2^53 up to
    1e21, written with a point or an exponent. `JsonError` then carries the reason `float-range`.
    """
    value = loads(data, max_bytes=max_bytes)
    if _is_comparable(data) and write_plain(value).encode("utf-8") == data:
        return Document(value, data, is_canonical=True)
    canonical = dumps(value)
    return Document(value, canonical, is_canonical=canonical == data)


def _is_comparable(data: bytes) -> bool:
    """Whether CPython and RFC 8785 write a document alike that CPython writes as these bytes.

    They differ in numbers with an exponent or that end in `.0`, and in the order of keys: JCS goes by UTF-16 code
    units. Below U+E000 that is the order of code points, and no such character's UTF-8 has a byte from 0xEE on.
    """
    return (
        _EXPONENT.search(data) is None
        and _INTEGRAL.search(data) is None
        and (data.isascii() or not data.translate(None, _BELOW_U_E000))
    )
