from __future__ import annotations

import pytest

from benchsite.words import counted, number_word


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
