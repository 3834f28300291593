"""The words in which a schema refuses a value of a document.

Owns what the models of `benchsite.schema` say here and the checks of `theme/verify/shape.js` in the browser:
`theme/verify/sentences-schema.js` is written from this module (`make reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from benchsite.words import message

MESSAGES: Final[Mapping[str, str]] = {
    "not-text": "must be text",
    "few-characters": "must have at least {count} characters",
    "many-characters": "must have at most {count} characters",
    "other-form": "is not of the required form",
    "only-unseen": "holds only spaces or invisible characters",
    "not-integer": "must be a whole number",
    "not-number": "must be a number",
    "too-low": "must be at least {bound}",
    "too-high": "must be at most {bound}",
    "not-above": "must be more than {bound}",
    "not-below": "must be less than {bound}",
    "not-boolean": "must be true or false",
    "other-value": "must be {values}",
    "not-list": "must be a list",
    "not-object": "must be an object",
    "few-entries": "must have at least {count} entries",
    "many-entries": "must have at most {count} entries",
    "absent-field": "is missing",
    "unknown-field": "is not a field of this schema",
}

said: Final = partial(message, MESSAGES)
"""The message of a name, its braces filled in."""
