"""Strict JSON in, RFC 8785 (JCS) bytes out: what every hash and every signature of benchsite is taken over.

Owns the two directions: `loads` and its inverse `dumps`; the module `document` is both at once, for files that are read to be
verified. `canonicalize` is RFC 8785 without the profile, for the command of that name. It follows RFC 8259, RFC 8785 and the section "Strict JSON" of the log
specification; `theme/verify` holds the same behaviour in JavaScript, and both read the same cases from
`tests/vectors/json/`. What it refuses is listed, one word each, in `Reason`.

This package is the only importer of rfc8785.
"""

from __future__ import annotations

from benchsite.canonical._limits import MAX_BYTES, MAX_DEPTH, MAX_INTEGER, Json, JsonError, Reason
from benchsite.canonical._reader import loads
from benchsite.canonical._rfc8785 import canonicalize
from benchsite.canonical._writer import digest, dumps, dumps_each, sha256_hex, without

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_INTEGER",
    "Json",
    "JsonError",
    "Reason",
    "canonicalize",
    "digest",
    "dumps",
    "dumps_each",
    "loads",
    "sha256_hex",
    "without",
]
