"""RFC 3339 timestamps, checked exactly and made comparable, without a clock or a date library.

Pure: the fixture's validation refuses what `instant` cannot read, and the `recency` adapter orders by it.
Leap seconds are accepted where UTC can have them (23:59:60 on the last day of a month); local times without
an offset are refused, because two of them cannot be ordered.
"""

from __future__ import annotations

import re

from benchsite.dates import is_in_calendar, posix_seconds, utc_text

_RFC3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))",
    re.ASCII,
)


def instant(text: str) -> tuple[int, str] | None:
    """The moment a timestamp names, as a key that sorts in time.

    Returns:
        (seconds since 1970-01-01T00:00:00Z, fraction digits without trailing zeros), or `None` where `text`
        is not RFC 3339 or names a day or time that does not exist.
    """
    match = _RFC3339.fullmatch(text)
    if match is None or not is_in_calendar(midnight := f"{match[1]}T00:00:00Z"):
        return None
    hour, minute, second = int(match[2]), int(match[3]), int(match[4])
    sign, offset_hour, offset_minute = match[6] or "+", int(match[7] or 0), int(match[8] or 0)
    if hour > 23 or minute > 59 or second > 60 or offset_hour > 23 or offset_minute > 59:
        return None
    offset = (offset_hour * 60 + offset_minute) * (1 if sign == "+" else -1)
    began = posix_seconds(midnight) + (hour * 60 + minute - offset) * 60
    if second == 60 and not utc_text(began + 60).endswith("-01T00:00:00Z"):
        return None
    return began + second, (match[5] or "").rstrip("0")
