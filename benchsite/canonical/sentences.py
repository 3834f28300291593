"""The words in which strict JSON is refused: one message a `Reason`, and one more after a slash for a value.

Owns what `loads` and `dumps` say here and in the browser: `theme/verify/sentences-canonical.js` is written from this
module (`make reference`). Two refusals are in Python only: JavaScript has no integers beside its numbers, and its keys are text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from benchsite.words import message

MESSAGES: Final[Mapping[str, str]] = {
    "size": "document of {count} bytes is over the limit of {most}",
    "bom": "a byte order mark is not allowed",
    "utf8": "bytes are not UTF-8",
    "end": "document ends too early",
    "unexpected": "unexpected {found}",
    "trailing": "something follows the document's end",
    "control": "control character in a string must be escaped",
    "escape": "unknown or incomplete escape",
    "lone-surrogate": "lone surrogate is not text",
    "duplicate-key": "key {key} occurs twice in one object",
    "proto-key": "key __proto__ is not allowed",
    "integer-range": "integer is beyond 2^53-1",
    "non-finite": "number is too large for a double",
    "negative-zero": "negative zero is not allowed",
    "depth": "nesting is deeper than {most}",
    "depth/value": "is nested deeper than {most}",
    "type/value": "is of type {kind}, which JSON cannot hold",
    "proto-key/value": "is a key that is not allowed",
    "lone-surrogate/value": "has a lone surrogate, which is not text",
    "non-finite/value": "is not a finite number",
    "negative-zero/value": "is negative zero",
    "float-range/value": "is a float that would be read back as an integer beyond 2^53-1",
}

said: Final = partial(message, MESSAGES)
"""The message of a name, its braces filled in."""
