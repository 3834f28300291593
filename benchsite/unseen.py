"""Characters that nobody sees: the one table of them, for pages, schemas and the comparison of names.

Owns `INVISIBLE`, the code points that are not drawn or that reorder what is drawn beside them: of Unicode 16
Default_Ignorable_Code_Point, the general categories Cc, Cf, Zl and Zp, the noncharacters, and the blank of braille
(U+2800). Spaces (Zs) are no part of it: they leave a gap that a reader can see. Nor are surrogates,
which show as a replacement character and are written out all the same, because no file can hold one. `theme/verify/unseen.js` has the same
table, and tests compare the two, and both with Unicode's own properties, over every code point.
"""

from __future__ import annotations

import re
from typing import Final

INVISIBLE: Final = (
    "\\x00-\\x1f\\x7f-\\x9f\\xad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160"
    "\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164"
    "\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff"
    "\\U000110bd\\U000110cd\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"
    + "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(1, 17))
)
"""The ranges, as the inside of a character class."""

_ANY: Final = re.compile(f"[{INVISIBLE}]")
_BUT_LAYOUT: Final = re.compile(f"(?![\\t\\n])[{INVISIBLE}\\ud800-\\udfff]")
_BUT_SPACE: Final = re.compile(f"(?![\\t\\n\\v\\f\\r\\u2028\\u2029])[{INVISIBLE}]")
SPACE: Final = " \xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_DRAWN: Final = re.compile(f"[^{INVISIBLE}{SPACE}]")


def is_invisible(character: str) -> bool:
    """Whether one character is in the table."""
    return _ANY.fullmatch(character) is not None


def is_blank(text: str) -> bool:
    """Whether there is nothing to see: no characters at all, or spaces and invisible ones alone."""
    return _DRAWN.search(text) is None


def escaped(text: str) -> str:
    r"""Text with every invisible character but tabs and line feeds written out, as `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return _BUT_LAYOUT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def without_invisible(text: str) -> str:
    """Text without its invisible characters; ends of lines and tabs stay, as the white space that they are."""
    return _BUT_SPACE.sub("", text)
