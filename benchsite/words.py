"""Numbers as English prose says them, for the site's pages and the tracks' alike.

Owns the one list of number words. Figures in tables are `benchsite.site.formats`' business.
"""

from __future__ import annotations

from typing import Final

_NUMBERS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def number_word(value: int) -> str:
    """`eleven` up to twelve, `no` for 0, figures with commas between thousands otherwise."""
    return _NUMBERS[value] if 0 <= value < len(_NUMBERS) else f"{value:,}"


def counted(value: int, noun: str) -> str:
    """`one system`, `no systems`, `13 systems`."""
    return f"{number_word(value)} {noun}{'' if value == 1 else 's'}"
