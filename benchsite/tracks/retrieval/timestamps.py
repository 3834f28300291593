"""RFC 3339 timestamps, checked exactly and made comparable, without a clock or a calendar library.

Pure: the fixture's validation refuses what `instant` cannot read, and the `recency` adapter orders by it.
Leap seconds are accepted where UTC can have them (23:59:60 on the last day of a month); local times without
an offset are refused, because two of them cannot be ordered.
"""

from __future__ import annotations

import re

_RFC3339 = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))",
    re.ASCII,
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAY_MINUTES = 1440


def instant(text: str) -> tuple[int, str] | None:
    """The moment a timestamp names, as a key that sorts in time.

    Returns:
        (seconds since 0000-01-01T00:00:00Z, fraction digits without trailing zeros), or `None` where `text`
        is not RFC 3339 or names a day or time that does not exist.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
    sign, offset_hour, offset_minute = match[8] or "+", int(match[9] or 0), int(match[10] or 0)
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        return None
    if hour > 23 or minute > 59 or second > 60 or offset_hour > 23 or offset_minute > 59:
        return None
    offset = (offset_hour * 60 + offset_minute) * (1 if sign == "+" else -1)
    day_shift, minute_of_day = divmod(hour * 60 + minute - offset, _DAY_MINUTES)
    if second == 60:
        last_day = day + day_shift in (0, days_in_month(year, month))
        if minute_of_day != _DAY_MINUTES - 1 or not last_day:
            return None
    days = _days_before_year(year) + sum(days_in_month(year, past) for past in range(1, month)) + day - 1
    minutes = (days + day_shift) * _DAY_MINUTES + minute_of_day
    return minutes * 60 + second, (match[7] or "").rstrip("0")


def days_in_month(year: int, month: int) -> int:
    """Length of a month (1 to 12) in the proleptic Gregorian calendar."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS[month - 1]


def _days_before_year(year: int) -> int:
    # Year 0 is a leap year, hence the ceilings.
    return year * 365 + -(-year // 4) - -(-year // 100) + -(-year // 400)
