"""When two texts pass for one, a note says nothing and a day is in no calendar: the same in Python and in JavaScript.

Owns rules that both languages compute alike (theme/verify/rubric-likeness.js). Names and questions are compared as a
reader takes them in: without characters that are not drawn; NFKC; lower, upper and again lower case; NFKC again; and one
space for any white space. JavaScript has no case folding, and these mappings join whatever folding joins. They end in
lower case, because letters gain capitals as Unicode grows; languages can part only over letters that are newer than the
Unicode of one of them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_DAYS: Final = {"04": 30, "06": 30, "09": 30, "11": 30}
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800"
    "\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Default_Ignorable_Code_Point of Unicode 16, but for the byte order mark, and the blank of braille: they are not drawn."""


def alike(text: str) -> str:
    """Equal for texts that a reader would take for one."""
    cased = unicodedata.normalize("NFKC", _UNSEEN.sub("", text)).lower().upper().lower()
    return " ".join(_spaced(unicodedata.normalize("NFKC", cased)).split())


def is_blank(text: str) -> bool:
    """Whether there is nothing to see."""
    return not _spaced(_UNSEEN.sub("", text)).strip()


def in_calendar(date: str) -> bool:
    """Whether a text of the shape 2026-02-28 names a day that there is."""
    year, month, day = int(date[:4]), date[5:7], int(date[8:])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= {**_DAYS, "02": 29 if leap else 28}.get(month, 31)


def _spaced(text: str) -> str:
    """JavaScript counts the byte order mark as white space."""
    return text.replace("\ufeff", " ")
