"""What search tools share: patterns, and moments written in text.

A query is a regular expression, as in the original. Python's engine can take exponential time on a hostile one,
so a pattern with a repeated group, or with more than two repetitions, is refused, and of a cell the first 300
characters are searched. No searched cell of the published tables is longer than 100.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from benchsite.dates import is_in_calendar

__all__ = ["Instant", "contains", "day", "moment"]

MAX_PATTERN: Final = 1000
MAX_SEARCHED: Final = 300
_MOMENT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2}))?)?", re.ASCII
)
_REPETITIONS: Final = re.compile(r"(?<!\\)[*+?{]")
_REPEATED_GROUP: Final = re.compile(r"\)[*+?{]|\(\?")


class Instant:
    """A moment that a tool wrote into a table. It is no text: it has no order with text, and no lower case."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Timestamp('{self.text}')"


def contains(pattern: Any, *, ignore_case: bool) -> Callable[[Any], bool]:
    """Whether a cell has a match; a missing cell has none.

    Raises:
        TypeError: the pattern is no text.
        ValueError: it is too long, or could take too long.
        re.error: it is no regular expression.
    """
    if not isinstance(pattern, str):
        raise TypeError("first argument must be string or compiled pattern")
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"the pattern has more than {MAX_PATTERN} characters")
    if _REPEATED_GROUP.search(pattern) or len(_REPETITIONS.findall(pattern)) > 2:
        raise ValueError("the pattern repeats too much")
    search = re.compile(pattern, re.IGNORECASE if ignore_case else 0).search
    return lambda cell: isinstance(cell, str) and search(cell[:MAX_SEARCHED]) is not None


def moment(value: Any) -> str:
    """`YYYY-MM-DD HH:MM:SS` of a text that names a day or a moment; such texts have the order of time.

    Raises:
        ValueError: it does not.
    """
    found = _MOMENT.fullmatch(str(value).strip())
    if found is None:
        raise ValueError(f"Unknown datetime string format, unable to parse: {str(value)[:100]}")
    date, minutes, seconds = found.groups()
    text = f"{date} {minutes or '00:00'}:{seconds or '00'}"
    if not is_in_calendar(f"{text.replace(' ', 'T')}Z"):
        raise ValueError(f"day is out of range for month: {text}")
    return text


def day(value: Any) -> str:
    """`YYYY-MM-DD` of such a text.

    Raises:
        ValueError: it names no moment.
    """
    return moment(value)[:10]
