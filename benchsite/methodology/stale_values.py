"""Lines of a methodology version that still have the old value of a parameter that the version changed.

Formulas in `methodology.yaml` and sentences in `text.md` are for readers; no engine reads them. A copied version whose
parameter changed contradicts itself until they change too. A fraction or decimal number is found anywhere, as a percentage
too. A whole number of two digits or more is found anywhere in the prose, as in `ndcg_at_10`; elsewhere, and with one
digit, only where a word of the parameter's name is on the line. Numbers in letters are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from benchsite.methodology import DATA_FILE, TEXT_FILE, Methodology
from benchsite.methodology.difference import leaves

__all__ = ["StaleLine", "stale_lines"]


_WORD: Final = re.compile(r"[A-Z]?[a-z]+")


class StaleLine(NamedTuple):
    """A line with an old value: the parameter, its old and new value, the file, the line number from 1, the line."""

    parameter: str
    old: str
    new: str
    file: str
    number: int
    line: str


def stale_lines(before: Methodology, document: Methodology) -> Iterator[StaleLine]:
    """Find the old value of each changed parameter in the words of a version, as a fraction, number or percentage."""
    values = dict(leaves(document.data.parameters))
    for name, old in leaves(before.data.parameters):
        new = values.get(name)
        if new is None or new == old:
            continue
        shown = [text for text in _renderings(old) if text not in _renderings(new)]
        if not shown:
            continue
        pattern = re.compile(rf"(?<![\d./])(?:{'|'.join(map(re.escape, shown))})(?![\d/]|\.\d)")
        words = [word.lower() for word in _WORD.findall(name) if len(word) > 2]
        for file in (DATA_FILE, TEXT_FILE):
            anywhere = bool(set("./") & set(old)) or (file == TEXT_FILE and len(old) > 1)
            lines = document.files[file].decode("utf-8").splitlines()
            for number, line in enumerate(lines, 1):
                if pattern.search(line) and (anywhere or any(word in line.lower() for word in words)):
                    yield StaleLine(name, old, new, file, number, line.strip())


def _renderings(value: str) -> list[str]:
    """A value as documents write it: as it is, and a share as a percentage."""
    try:
        share = Fraction(value)
    except (ValueError, ZeroDivisionError):
        return []
    percent = share * 100
    is_share = 0 < share < 1
    return [value, f"{percent.numerator}%"] if is_share and percent.denominator == 1 else [value]
