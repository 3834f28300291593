"""When two texts count as equal, and which dates are valid: the same in Python and in JavaScript.

Owns rules that both languages compute alike (theme/verify/rubric-normalization.js). Names and questions are compared as a
reader takes them in: without characters that are not drawn; NFKC; lower, upper and again lower case; NFKC again; and one
space for any white space. JavaScript has no case folding, and these mappings join whatever folding joins. They end in
lower case, because letters gain capitals as Unicode grows; the languages can differ only over letters that are newer than the
Unicode of one of them.
"""

from __future__ import annotations

import unicodedata

from benchsite.dates import is_in_calendar
from benchsite.unseen import without_invisible


def normalized(text: str) -> str:
    """Equal for texts that a reader takes for the same."""
    cased = unicodedata.normalize("NFKC", without_invisible(text)).lower().upper().lower()
    return " ".join(unicodedata.normalize("NFKC", cased).split())


def is_valid_date(date: str) -> bool:
    """Whether a text of the shape 2026-02-28 is a valid date."""
    return is_in_calendar(f"{date}T00:00:00Z")
