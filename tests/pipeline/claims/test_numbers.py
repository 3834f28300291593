"""Numbers read from texts, and whether a score rounds to them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.pipeline.claims.numbers import numbers


def _read(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in numbers(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0.534", [("value", "0.534")]),
        ("0.534, 95% CI [0.472, 0.597]", [("value", "0.534"), ("low", "0.472"), ("high", "0.597")]),
        ("75.6% (93/123)", [("value", "75.6%"), ("count", "93/123")]),
        ("1,234.5 tokens", [("value", "1,234.5")]),
        ("−0.053", [("value", "−0.053")]),
        ("p = 0.058, n = 123", []),
        ("bm25 v1.0.0, p95, nDCG@10, 2026-11-27", []),
        (".5", [("value", ".5")]),
        ("1 234.5", [("value", "1 234.5")]),
        ("12'345", [("value", "12'345")]),
        ("5.34e-1 and 1e309", [("value", "5.34e-1"), ("value", "1e309")]),
        ("3e is no number, nor is 2e5x", []),
    ],
)
def test_results_are_read_and_names_are_not(text: str, found: list[tuple[str, str]]) -> None:
    assert _read(text) == found


@pytest.mark.parametrize(
    ("text", "score", "equal"),
    [
        ("0.53", 0.5343, True),
        ("0.54", 0.5343, False),
        ("0.535", 0.5345, True),  # halves in either direction
        ("0.534", 0.5345, True),
        ("53.4%", 0.5343, True),
        ("53%", 0.5343, True),
        ("0.534%", 0.5343, False),
        ("1,234", 1234.4, True),
        ("1,234", 1234.6, False),
        ("1", 0.534, False),
        ("0", 0.4, False),
        ("1", 1.0, True),
        ("5.34e-1", 0.5343, True),
        ("5.35e-1", 0.5343, False),
        ("1.2e3", 1249.0, True),
        ("1.2e3", 1251.0, False),
        ("1e309", 0.534, False),
    ],
)
def test_a_number_equals_a_score_at_its_own_decimals(text: str, score: float, equal: bool) -> None:  # noqa: FBT001
    (number,) = numbers(text)
    assert number.equals(score) is equal


@given(st.floats(0, 1e6), st.integers(0, 6), st.booleans())
def test_every_rounded_score_is_read_back_as_equal(score: float, digits: int, separated: bool) -> None:  # noqa: FBT001
    text = f"{score:,.{digits}f}" if separated else f"{score:.{digits}f}"
    (number,) = numbers(text)
    assert number.value == Decimal(text.replace(",", ""))
    assert number.equals(score, full=1e6)  # a share without decimals must be equal
