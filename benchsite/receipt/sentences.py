"""The words in which the envelope of a receipt is refused, whatever its track.

Owns what reading a receipt says here and in the browser: `theme/verify/sentences-receipt.js` is written from this module
(`make reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from benchsite.words import message

MESSAGES: Final[Mapping[str, str]] = {
    "not-an-object": "a receipt is a JSON object",
    "schema-unknown": "receipt schema {schema} is not one this release can check",
    "schema-unnamed": "the file names no receipt schema that this release can check",
    "other-methodology": "field methodology.id: a receipt of track {track} cannot name the methodology of {other}",
    "no-track": "no track '{track}' is installed here",
}

said: Final = partial(message, MESSAGES)
"""The message of a name, its braces filled in."""
