"""Values of the sandbox, compared and written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.benchmarks.code_repair.cases import Case, failure, is_same, marked, python

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_equals_itself_and_is_written_as_python_writes_it(value: Any) -> None:
    assert is_same(marked(value), marked(value))
    text = python(marked(value))
    assert text == repr(value) or text.endswith("…")


@given(VALUES, VALUES)
def test_values_are_the_same_if_python_says_so_and_no_truth_value_is_a_number(one: Any, other: Any) -> None:
    assert is_same(marked(one), marked(other)) == (repr(one) == repr(other) or _same(one, other))


def _same(one: Any, other: Any) -> bool:
    """Equality by Python with truth values kept apart from numbers; the order of a dict does not count."""

    def tagged(value: Any) -> Any:
        if isinstance(value, list):
            return [tagged(item) for item in value]
        if isinstance(value, dict):
            return {name: tagged(item) for name, item in value.items()}
        return (type(value).__name__, value) if isinstance(value, bool) else value

    return bool(tagged(one) == tagged(other))


@pytest.mark.parametrize(
    ("value", "expected", "same"),
    [
        (3, 3.0, True),
        (True, 1, False),
        ({"tuple": [1, 2]}, [1, 2], False),
        ({"dict": {"a": 1}}, {"a": 1}, True),
        ({"set": [1]}, [1], False),
        ({"other": "Fraction"}, 1, False),
        ("3", 3, False),
        (None, 0, False),
    ],
)
def test_a_value_must_be_of_the_kind_that_is_expected(value: Any, expected: Any, *, same: bool) -> None:
    assert is_same(value, marked(expected)) is same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"tuple": [1]}, "(1,)"),
        ({"tuple": []}, "()"),
        ({"set": []}, "set()"),
        ({"set": [1, 2]}, "{1, 2}"),
        ({"other": "Fraction"}, "<Fraction>"),
        ("x" * 300, "'" + "x" * 199 + "…"),
    ],
)
def test_marked_values_are_written_as_python_writes_them(value: Any, text: str) -> None:
    assert python(value) == text


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"value": 3, "after": [[1]]}, None),
        ({"value": 4, "after": [[1]]}, "returned 4"),
        ({"value": 3, "after": [[1, 2]]}, "changed its arguments to [1, 2]"),
        ({"raised": "KeyError", "text": ""}, "raised KeyError"),
        ({"raised": "E", "text": "<f at 0x7f00aa11bb22>\nmore"}, "raised E: <f at 0x…> more"),
        ({"value": {"other": "\ud800"}}, "returned <?>"),
        ({}, "returned None"),
        (None, "took too long"),
    ],
)
def test_a_failure_is_told_in_words_that_are_the_same_each_time(
    result: dict[str, Any] | None, said: str | None
) -> None:
    case = Case(arguments=([1],), returns=3, leaves=([1],))
    assert failure(case, result, "cpu") == said
