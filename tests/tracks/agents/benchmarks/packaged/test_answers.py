"""Normalization of answers: each row is the rule of the module's docstring, applied by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.benchmarks.packaged.answers import is_empty, matches, numbers, score, words


@pytest.mark.parametrize(
    ("answer", "expected", "form", "equal"),
    [
        ("1420", "1420", "number", True),
        ("The total is 1,420 coins.", "1420", "number", True),
        ("1420.00", "1420", "number", True),
        ("-5", "5", "number", False),
        ("−5", "-5", "number", True),
        ("$12.50", "12.5", "number", True),
        ("12,5", "12.5", "number", False),
        ("between 3 and 4", "3", "number", False),
        ("1,25", "125", "number", False),
        ("12 * 3 = 36", "36", "number", False),
        ("1e3", "1000", "number", True),
        ("thirty", "30", "number", False),
        ("", "0", "number", False),
        ("1.2.3", "1.2", "number", False),
        ("Orsa Works.", "orsa works", "text", True),
        ("ORSA  WORKS", "Orsa-Works", "text", True),
        ("the Orsa Works", "Orsa Works", "text", True),
        ("Orsa Works", "The Orsa Works", "text", True),
        ("Orsa Works in Velmar", "Orsa Works", "text", False),
        ("The", "a", "text", False),
        ("the loft, an attic", "loft, attic", "list", True),
        ("STRASSE", "Straße", "text", True),
        ("東京", "東京", "text", True),
        ("京都", "東京", "text", False),
        ("Oslo, Bergen", "Oslo,Bergen", "list", True),
        ('["Oslo", "Bergen"]', "Oslo, Bergen", "list", True),
        ("Bergen, Oslo", "Oslo, Bergen", "list", False),
        ("Oslo; Bergen;", "Oslo, Bergen", "list", True),
        ("1.0, 2", "1, 2", "list", True),
        ("-1, 2", "1, 2", "list", False),
    ],
)
def test_an_answer_equals_the_expected_one(*, answer: str, expected: str, form: str, equal: bool) -> None:
    assert matches(answer, expected, form) is equal  # type: ignore[arg-type]


def test_no_answer_and_an_endless_one_are_wrong() -> None:
    assert not matches(None, "1", "number")
    assert not matches("1" + " " * 6000, "1", "number")
    assert score(None, "a, b", "list") == 0.0


def test_a_list_scores_the_share_of_its_places() -> None:
    assert score("Oslo, Bergen, Voss", "Oslo, Bergen", "list") == pytest.approx(2 / 3)
    assert score("Bergen, Oslo", "Oslo, Bergen", "list") == 0.0
    assert score("Oslo", "Oslo, Bergen", "list") == 0.5
    assert score("Oslo is right", "Oslo", "text") == 0.0


def test_an_expected_answer_that_nothing_equals_is_empty() -> None:
    assert is_empty("none", "number")
    assert is_empty("1 or 2", "number")
    assert is_empty("?!", "text")
    assert is_empty(", ;", "list")
    assert not is_empty("-1.5", "number")


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_every_number_is_read_back_from_a_sentence(value: int, places: int) -> None:
    number = Decimal(value).scaleb(-places)
    assert numbers(f"It is {number:,f} g.") == (number,)
    assert numbers(f"It is {number:f}.") == (number,)


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert words(words(text)) == words(text)


@given(st.text(max_size=60))
def test_any_text_can_be_an_answer(text: str) -> None:
    for form in ("number", "text", "list"):
        assert 0.0 <= score(text, "7", form) <= 1.0  # type: ignore[arg-type]
