"""Signatures: which answers are the same (specs/agents.md, "Termination")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.systems.agent.signature import distance, signature

TEXTS = st.text(max_size=40) | st.text("aB1 .-−+,2", max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-5", "-5"),  # keep the sign
        ("\N{MINUS SIGN}5", "-5"),
        ("-.5", "-.5"),
        ("3.14", "3.14"),  # keep the decimal point
        ("$-3.50", "-3.50"),
        ("10-5", "10 5"),  # between digits it is no sign
        ("2023-11-01", "2023 11 01"),
        ("The answer: 42.", "the answer 42"),
        ("  PARIS\n", "paris"),
        ("Stra\N{LATIN SMALL LETTER SHARP S}e", "strasse"),  # casefold
        ("\N{FULLWIDTH DIGIT FOUR}\N{FULLWIDTH DIGIT TWO}", "42"),  # NFKC
        ("東京", "東京"),
        ("हिन्दी", "हिन्दी"),  # marks are part of words
        ("U.S.A.", "u s a"),
        ("?!", "?!"),
        ("", ""),
    ],
)
def test_a_signature(text: str, expected: str) -> None:
    assert signature(text) == expected


@pytest.mark.parametrize(("one", "other"), [("-5", "5"), ("3.14", "314"), ("東京", "京都"), ("?", "!")])
def test_different_answers_stay_different(one: str, other: str) -> None:
    assert signature(one) != signature(other)


@given(TEXTS)
def test_the_signature_of_a_signature_is_itself(text: str) -> None:
    assert signature(signature(text)) == signature(text)


@given(TEXTS)
def test_case_and_outer_space_change_nothing(text: str) -> None:
    assert signature(f" {text}\n") == signature(text)
    assert signature(text.casefold()) == signature(text)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2))
def test_a_number_keeps_its_digits_sign_and_point(number: object) -> None:
    text = str(number)
    if "E" not in text:
        assert signature(f"= {text} kg") == f"{text} kg"


@given(TEXTS, TEXTS)
def test_distance_is_0_for_the_same_answer_and_at_most_1(one: str, other: str) -> None:
    assert 0 <= distance(one, other) <= 1
    assert distance(one, f"{one} ") == 0
