from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.dates import is_in_calendar, posix_seconds, utc_text

LAST = 253_402_300_799  # 9999-12-31T23:59:59Z, the last moment the oracle knows


@given(seconds=st.integers(0, LAST))
def test_both_ways_agree_with_the_standard_library(seconds: int):
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert utc_text(seconds) == text
    assert posix_seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        # The example of C2SP tlog-cosignature, "Ed25519 signed message".
        ("2023-03-20T12:25:47Z", 1_679_315_147),
        ("2000-02-29T23:59:59Z", 951_868_799),
        ("2100-03-01T00:00:00Z", 4_107_542_400),
        ("0001-01-01T00:00:00Z", -62_135_596_800),
    ],
)
def test_known_moments(text: str, seconds: int):
    assert posix_seconds(text) == seconds
    assert utc_text(seconds) == text


def test_a_day_that_no_month_has_counts_on():
    assert posix_seconds("2026-02-30T00:00:00Z") == posix_seconds("2026-03-02T00:00:00Z")


def test_the_largest_time_of_a_cosignature_can_be_written():
    assert utc_text(2**53 - 1).endswith("Z")


def test_moments_there_are() -> None:
    there = ("2024-02-29T00:00:00Z", "0000-02-29T00:00:00Z", "9999-12-31T23:59:59Z")
    nowhere = ("1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z")
    assert [text for text in (*there, *nowhere) if is_in_calendar(text)] == list(there)
