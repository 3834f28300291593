from __future__ import annotations

import pytest

from benchsite.words import counted, number_word, ordinal, rank, rank_words


@pytest.mark.parametrize(
    ("number", "text"), [(0, "no"), (1, "one"), (12, "twelve"), (13, "13"), (1000, "1,000"), (-1, "-1")]
)
def test_numbers_are_words_up_to_twelve(number: int, text: str):
    assert number_word(number) == text


def test_nouns_follow_their_number():
    assert [counted(number, "floor") for number in (0, 1, 2, 20)] == [
        "no floors",
        "one floor",
        "two floors",
        "20 floors",
    ]


@pytest.mark.parametrize(("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd")])
def test_ordinals(number: int, text: str):
    assert ordinal(number) == text


@pytest.mark.parametrize(
    ("first", "last", "short", "said"),
    [
        (1, 1, "1", "1st"),
        (2, 4, "2–4", "2nd to 4th"),
        (11, 12, "11–12", "11th to 12th"),
        (None, None, "", "not ranked"),
    ],
)
def test_ranks(first: int | None, last: int | None, short: str, said: str):
    assert (rank(first, last), rank_words(first, last)) == (short, said)
