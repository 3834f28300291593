"""Foreign text inside LaTeX and Markdown, where it is only text.

LaTeX: Lamport, "LaTeX", appendix C.1, has the ten special characters. Markdown: CommonMark 0.31.2, section 2.4, lets any
ASCII punctuation be escaped; here it becomes a numeric character reference, which no extension gives a meaning.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from benchsite.unseen import escaped
from benchsite.words import shortened

__all__ = ["LONGEST", "latex", "markdown", "plain_name"]

LONGEST: Final = 300
"""Characters of a text that are quoted."""

_COMMANDS: Final = {
    **{char: f"\\{char}" for char in "&%$#_"},
    "\\": "\\textbackslash{}",
    "{": "\\textbraceleft{}",
    "}": "\\textbraceright{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "−": "\\ensuremath{-}",
    "≥": "\\ensuremath{\\geq}",
    "Δ": "\\ensuremath{\\Delta}",
}
_PLAIN: Final = str.maketrans(_COMMANDS)
_VARIANTS: Final = dict.fromkeys(map(ord, "\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"))
"""What only changes how the emoji before it looks."""
_REFERENCES: Final = str.maketrans({char: f"&#{ord(char)};" for char in "[]{}!\\*`#~^$|@_<>&"})


def plain_name(text: str) -> str:
    """Return foreign text as part of a title: visible, on one line, in composed form."""
    return escaped(" ".join(unicodedata.normalize("NFC", text).split()))


@lru_cache(maxsize=1_024)
def latex(text: str) -> str:
    """Return foreign text on one line, at most `LONGEST` characters, with LaTeX's special characters as commands."""
    name = plain_name(text.translate(_VARIANTS))
    plain = shortened(name, LONGEST).translate(_PLAIN)
    return plain if plain.isascii() else "".join(map(_symbol, plain))


@lru_cache(maxsize=1_024)
def markdown(text: str) -> str:
    """Return foreign text on one line of Markdown, at most `LONGEST` characters, without markup."""
    return shortened(plain_name(text), LONGEST).translate(_REFERENCES)


def _symbol(char: str) -> str:
    """`[fox face]` for an emoji; any other character as it is."""
    is_symbol = unicodedata.category(char) == "So" and char not in "©®°"
    return f"[{unicodedata.name(char, 'symbol').lower()}]" if is_symbol else char
