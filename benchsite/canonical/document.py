"""A document read together with its canonical form: what verifying ten thousand receipts needs.

`loads` looks at every value, and `dumps` does again. A published file is canonical already, and then one look is
enough: pydantic's reader and writer, several times faster, are lenient in nothing that the comparison of bytes and
`plain_shapes` let through. The value was read right if the same bytes can be written from it, whatever was read.

Imported where a document is read only: pydantic takes longer to import than some commands to run.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic_core import from_json, to_json

from benchsite.canonical._limits import MAX_BYTES, Json
from benchsite.canonical._reader import loads
from benchsite.canonical._writer import dumps, plain_shapes


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


def read_document(data: bytes, *, max_bytes: int = MAX_BYTES) -> Document:
    """Read one strict JSON document and its canonical form; arguments and errors as `loads`.

    A document can be strict and yet have no canonical form that would be read back: a float from 2^53 up to
    1e21, written with a point or an exponent. `JsonError` then carries the reason `float-range`.
    """
    if len(data) <= max_bytes:
        try:
            value: Json = from_json(data, allow_inf_nan=False, cache_strings="keys")
        except ValueError:
            pass
        else:
            if _is_canonical(value, data):
                return Document(value, data, is_canonical=True)
    value = loads(data, max_bytes=max_bytes)
    canonical = dumps(value)
    return Document(value, canonical, is_canonical=canonical == data)


def read_again(data: bytes) -> Json:
    """The value of a document that `read_document` has read before: the bytes are not checked once more."""
    value: Json = from_json(data, cache_strings="keys")
    return value


def _is_canonical(value: Json, data: bytes) -> bool:
    """Whether the bytes that a value was read from are known to be its JCS bytes.

    A repeated key, an escape that JCS does not write and whitespace are not written again, so the bytes differ.
    """
    shapes = plain_shapes(value)
    return (
        shapes is not None and all(list(keys) == sorted(keys) for keys in shapes) and to_json(value) == data
    )
