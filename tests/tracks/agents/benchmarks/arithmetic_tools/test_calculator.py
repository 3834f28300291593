"""The calculator: exact on what it takes, a sentence on what it refuses, and bounded in size and time."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.benchmarks.arithmetic_tools.calculator import calculate
from benchsite.tracks.agents.benchmarks.packaged import ToolError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(12 * 31 - 17) * 4", "1420"),
        ("0.1 + 0.2", "0.3"),
        ("10 / 3", "3.3333333333"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("2 ** -2", "0.25"),
        ("6 × 7 − 2", "40"),
        ("-0.00000000001", "0"),
        (".5 * 4.", "2"),
        ("2 ** 64", "18446744073709551616"),
        ("1\n+ 1", "2"),
    ],
)
def test_values_worked_out_by_hand(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("9**9**9", "an exponent"),
        ("2 ** 0.5", "an exponent"),
        ("10 ** 31", "beyond"),
        ("(1/3) ** 64 * (1/7) ** 64 * (1/11) ** 64 * (1 / 13) ** 64", "too many digits"),
        ("1 / 0", "division by zero"),
        ("5 % 0", "division by zero"),
        ("0 ** -1", "division by zero"),
        ("nan", "only numbers"),
        ("inf - inf", "only numbers"),
        ("1e400", "only numbers"),
        ("__import__('os').system('true')", "only numbers"),
        ("2(3)", "only numbers"),
        ("1,250 * 3", "only numbers"),
        ("1 2", "malformed"),
        ("(1", "malformed"),
        ("007 + 1", "malformed"),
        ("", "empty"),
        ("-" * 150 + "1", "nested"),
        ("1+" * 99 + "1", "nested"),
        ("1" * 201, "more than 200 characters"),
    ],
)
def test_what_is_refused_is_refused_with_a_sentence(expression: str, sentence: str) -> None:
    with pytest.raises(ToolError, match=sentence):
        calculate(expression)


_OPERATORS = {"+": Fraction.__add__, "-": Fraction.__sub__, "*": Fraction.__mul__}
_decimals = st.decimals(-1000, 1000, places=2).map(lambda value: f"{value:f}")


@given(_decimals, st.sampled_from("+-*"), _decimals)
def test_two_decimals_are_computed_exactly(left: str, operator: str, right: str) -> None:
    expected = _OPERATORS[operator](Fraction(left), Fraction(right))
    assert Fraction(calculate(f"({left}) {operator} ({right})")) == expected


@given(st.text(alphabet="0123456789.+-*/%() ", max_size=60))
def test_any_text_of_its_characters_gives_digits_or_a_refusal(text: str) -> None:
    try:
        assert len(calculate(text)) <= 45
    except ToolError as error:
        assert str(error)
