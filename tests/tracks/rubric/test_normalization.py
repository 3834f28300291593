from __future__ import annotations

import pytest

from benchsite.tracks.rubric.normalization import is_valid_date, normalized


@pytest.mark.parametrize(
    "other",
    ["ada", " Ada\t", "ＡＤＡ", "\ufeffAda\u00a0", "A\u200bda\u00ad", "\u202eAda\U000e0041", "Ada\ufe0f"],
)
def test_names_that_a_reader_takes_for_one(other: str) -> None:
    assert normalized(other) == normalized("Ada")
    assert normalized("Ada B") != normalized("AdaB")


@pytest.mark.full
@pytest.mark.stories
def test_whatever_case_folding_joins_is_alike() -> None:
    """The mapping that JavaScript lacks (The Unicode Standard, 5.18), for every character there is."""
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert [char for char in every if normalized(char) != normalized(char.casefold())] == []
    assert normalized("Straße") == normalized("STRASSE")


def test_the_days_there_are() -> None:
    there = ("2024-02-29", "2000-02-29", "2026-12-31", "2026-04-30")
    nowhere = ("2026-02-29", "1900-02-29", "2026-04-31", "2026-02-31", "2026-01-00")
    assert [day for day in (*there, *nowhere) if is_valid_date(day)] == list(there)
