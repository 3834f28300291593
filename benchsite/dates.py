"""Seconds since 1970 and RFC 3339 UTC texts, each from the other (POSIX.1-2024, "Seconds Since the Epoch").

Owns the arithmetic of the Gregorian calendar, so that the pure core has no clock library. Refuses nothing: shapes are checked where the values come from. A day
that no month has (30 February) counts on into the next month, and years above 9999 are written with more digits.
"""

from __future__ import annotations

_DAY = 86_400
_ERA = 146_097
"""Days of 400 Gregorian years, after which the calendar repeats."""
_TO_1970 = 719_468
"""Days from 1 March of year 0 to 1 January 1970."""


def posix_seconds(text: str) -> int:
    """The seconds of a text such as `2026-11-22T00:45:56Z`, whose shape the schema has checked."""
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    # Years begin in March here, so that the leap day is the last one.
    era, of_era = divmod(year - (month <= 2), 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days = era * _ERA + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _TO_1970
    return days * _DAY + int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])


def is_in_calendar(text: str) -> bool:
    """Whether a text of that shape names a day and a time that there are."""
    return utc_text(posix_seconds(text)) == text


def utc_text(seconds: int) -> str:
    """The inverse of `posix_seconds`."""
    days, rest = divmod(seconds, _DAY)
    era, of_era = divmod(days + _TO_1970, _ERA)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // (_ERA - 1)) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    year += era * 400 + (month <= 2)
    hours, rest = divmod(rest, 3600)
    return f"{year:04}-{month:02}-{day:02}T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"
