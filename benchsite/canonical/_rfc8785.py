"""RFC 8785 for any I-JSON document: the command `canonicalize`, which is no part of verification.

`loads` and `dumps` follow a profile of RFC 8785: what their readers could take for another value is refused. This module
refuses only what RFC 8785 (section 3.1, I-JSON) excludes: duplicate keys, lone surrogates, numbers beyond a double.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn

import rfc8785

from benchsite.canonical._limits import MAX_BYTES, JsonError, Reason
from benchsite.canonical._scanner import scan
from benchsite.canonical.sentences import said

_PROFILE: Final = frozenset({Reason.INTEGER_RANGE, Reason.NEGATIVE_ZERO, Reason.PROTO_KEY})
"""What `loads` refuses and RFC 8785 has a form for."""


def canonicalize(data: bytes, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the canonical form of a JSON document by RFC 8785.

    Numbers are IEEE 754 doubles, so minus zero becomes 0 and an integer beyond 2^53 the nearest double (Appendix B).

    Args:
        data: the document; UTF-8 without byte order mark.
        max_bytes: the largest length that is read.

    Raises:
        JsonError: no I-JSON document, too long, or nested too deep.
    """
    try:
        scan(data, max_bytes=max_bytes)
    except JsonError as error:
        if error.reason not in _PROFILE:
            raise
    try:
        return rfc8785.dumps(_PARSE(data.decode("utf-8")))
    except JsonError:
        raise
    except (ValueError, RecursionError, UnicodeError, rfc8785.CanonicalizationError) as error:
        raise JsonError(Reason.UNEXPECTED, f"not I-JSON: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return value


def _number(token: str) -> float:
    value = float(token)
    if not math.isfinite(value):
        raise JsonError(Reason.NON_FINITE, said("non-finite"))
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_PARSE: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_no_constant
).decode
