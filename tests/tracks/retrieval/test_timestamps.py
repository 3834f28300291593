"""Oracle: the standard library's calendar (`datetime`), which the module itself may not use."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.retrieval.timestamps import instant

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


FIRST, LAST = datetime.fromisoformat("0002-01-01"), datetime.fromisoformat("9998-12-30")


@given(st.datetimes(FIRST, LAST, timezones=OFFSETS))
def test_seconds_agree_with_the_calendar(moment: datetime) -> None:
    seconds = (moment - EPOCH) // timedelta(seconds=1)
    fraction = f"{moment.microsecond:06}".rstrip("0")
    zero = instant("1970-01-01T00:00:00Z")
    assert zero is not None
    assert instant(moment.isoformat()) == (zero[0] + seconds, fraction)


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-29T00:00:00Z",
        "2000-02-29T00:00:00Z",
        "0000-02-29T00:00:00Z",
        "2023-05-08t13:56:00z",
        "2023-05-08T13:56:00.000123456789+23:59",
        "2016-12-31T23:59:60Z",
        "2017-01-01T00:59:60+01:00",
        "2016-12-31T18:59:60-05:00",
    ],
)
def test_moments_that_exist(text: str) -> None:
    assert instant(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2023-04-31T00:00:00Z",
        "2023-13-01T00:00:00Z",
        "2023-00-01T00:00:00Z",
        "2023-01-00T00:00:00Z",
        "2023-01-01T24:00:00Z",
        "2023-01-01T00:60:00Z",
        "2023-01-01T00:00:61Z",
        "2023-01-01T12:00:60Z",
        "2017-01-02T00:59:60+01:00",
        "2023-01-01T00:00:00",
        "2023-01-01 00:00:00Z",
        "2023-01-01T00:00:00+24:00",
        "2023-01-01T00:00:00+01:60",
        "2023-01-01T00:00:00.Z",
        "2023-01-01T00:00:00Z\n",
        "2023-1-1T00:00:00Z",
        "٢٠٢٣-01-01T00:00:00Z",
    ],
)
def test_moments_that_do_not(text: str) -> None:
    assert instant(text) is None


def test_one_moment_in_two_zones_is_one_key() -> None:
    assert instant("2024-03-01T00:30:00+01:00") == instant("2024-02-29T23:30:00Z")


def test_fractions_order_as_numbers() -> None:
    texts = [
        "2024-01-01T00:00:00Z",
        "2024-01-01T00:00:00.05Z",
        "2024-01-01T00:00:00.5Z",
        "2024-01-01T00:00:01Z",
    ]
    assert sorted(texts, key=lambda text: instant(text) or (-1, "")) == texts
    assert instant("2024-01-01T00:00:00.50Z") == instant("2024-01-01T00:00:00.5Z")
