"""The marks of a text, against a search for each of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.importers.marks import Marks

LISTED = ("sk-", "ghp_", "AKIA", "-----BEGIN ", "é/", "aa")
MARKS = Marks(LISTED)
PIECES = st.sampled_from([*LISTED, "sk", "-", "gh", "p_", "AK", "KIA", "a", "é", "/", "\n", "日"])


@given(st.lists(PIECES, max_size=8), st.sampled_from([0, 4_095, 4_096, 9_001]))
def test_marks_are_those_that_a_search_finds(pieces: list[str], padding: int) -> None:
    text = "." * padding + "".join(pieces)
    assert MARKS.within(text.encode()) == [mark for mark in LISTED if mark in text]


@pytest.mark.parametrize("before", [4_999, 5_000])
def test_a_mark_at_an_odd_or_even_place_and_at_the_end_is_found(before: int) -> None:
    assert MARKS.within(b"." * before + b"sk-") == ["sk-"]
    assert MARKS.within(b"sk" + b"." * before + b"k-") == []
