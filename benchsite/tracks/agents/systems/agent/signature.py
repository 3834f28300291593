"""The signature of an answer: equal signatures are the same answer (specs/agents.md, "Termination").

NFKC and casefold; letters, digits and marks of every script stay, and so do the sign and the decimal point of a number, so
that -5 is not 5 and 3.14 not 314. Everything else is a space. A text without any letter or digit is its own signature.
"""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher

__all__ = ["distance", "signature"]

_MINUS = "-\N{MINUS SIGN}\N{HYPHEN}\N{FULLWIDTH HYPHEN-MINUS}"


def signature(text: str) -> str:
    """Return the signature; that of a signature is itself."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(_kept(folded, place) for place in range(len(folded)))
    return " ".join((kept if any(map(_is_word, kept)) else folded).split())


def distance(one: str, other: str) -> float:
    """Return 1 - SequenceMatcher(signatures).ratio(): 0 for the same answer, 1 for nothing in common."""
    return 1 - SequenceMatcher(None, signature(one), signature(other)).ratio()


def _kept(text: str, place: int) -> str:
    char = text[place]
    if _is_word(char):
        return char
    before, after = text[place - 1 : place], text[place + 1 : place + 3]
    is_point = char == "." and after[:1].isdigit()
    if is_point and (before.isdigit() or not _is_word(before)):
        return "."
    is_sign = char in _MINUS and (after[:1].isdigit() or (after[:1] == "." and after[1:].isdigit()))
    return "-" if is_sign and not _is_word(before) else " "


def _is_word(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] in "LNM"
