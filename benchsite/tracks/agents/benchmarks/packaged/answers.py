"""Answers, normalized and compared: a number, a text, or a list in order.

- number: the answer has exactly one number, of equal value. "It is 1,250 g." equals 1250, "-5" does not equal "5".
- text: equal after NFKC and case folding, with one space for every run of characters other than letters and digits, and
  without an English article in front.
- list: split at commas, semicolons and line ends. Entries are equal in order, numbers by value, others as texts.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

__all__ = ["Form", "is_empty", "matches", "numbers", "score", "words"]

Form: TypeAlias = Literal["number", "text", "list"]

MOST: Final = 6000
"""Characters of an answer that are read; a longer one is wrong."""

_NUMBER: Final = re.compile(
    r"(?<![\w.])[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,40})(?:\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,3})?"
    r"(?!\.?[0-9])"
)
_MINUS: Final = str.maketrans({"−": "-", "–": "-", "‐": "-", "‑": "-"})
_ARTICLE: Final = re.compile(r"\A(?:the|an?) (?=.)")
_SEPARATOR: Final = re.compile(r"[,;\n]")


def numbers(text: str) -> tuple[Decimal, ...]:
    """Return the numbers in a text, in order, with sign and decimals; `1,250` is one, `1, 250` are two."""
    found = []
    for match in _NUMBER.finditer(text.translate(_MINUS)):
        try:
            found.append(Decimal(match.group().replace(",", "")))
        except InvalidOperation:  # an exponent out of range
            continue
    return tuple(found)


def words(text: str) -> str:
    """Return a text folded: NFKC, case folding, letters and digits with single spaces between them."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = (char if unicodedata.category(char)[0] in "LNM" else " " for char in folded)
    return " ".join("".join(kept).split())


def is_empty(expected: str, form: Form) -> bool:
    """Whether nothing could equal an expected answer."""
    if form == "number":
        return len(numbers(expected)) != 1
    return not any(_entries(expected)) if form == "list" else not words(expected)


def matches(answer: str | None, expected: str, form: Form) -> bool:
    """Whether an answer equals the expected one after normalization."""
    if answer is None or len(answer) > MOST:
        return False
    if form == "number":
        return numbers(answer) == numbers(expected)
    if form == "text":
        return _bare(answer) == _bare(expected)
    return _entries(answer) == _entries(expected)


def score(answer: str | None, expected: str, form: Form) -> float:
    """Return 1 for a match, for a list the share of the places that match, else 0."""
    if matches(answer, expected, form):
        return 1.0
    if form != "list" or answer is None or len(answer) > MOST:
        return 0.0
    pairs = list(zip_longest(_entries(answer), _entries(expected)))
    return len([1 for given, wanted in pairs if given == wanted]) / len(pairs)


def _entries(text: str) -> tuple[str | Decimal, ...]:
    parts = (part for part in _SEPARATOR.split(text) if words(part))
    return tuple(_entry(part) for part in parts)


def _entry(part: str) -> str | Decimal:
    """Return the value of an entry that is one number and no word; else its folded text."""
    found = numbers(part)
    return found[0] if len(found) == 1 and not re.search(r"[^\W\d_]", part) else _bare(part)


def _bare(text: str) -> str:
    """Return the folded text without the article in front."""
    return _ARTICLE.sub("", words(text))
