"""What the gate takes of a long list, and that `make test-full` takes the rest."""

from __future__ import annotations

from typing import Any

import pytest
from examples import some, spread


def gated(cases: list[Any]) -> list[Any]:
    return [case.values for case in cases if not case.marks]


def test_the_gate_takes_the_named_and_the_first():
    assert gated(some("abcd", "c", gate=1)) == [("a",), ("c",)]
    assert [case.values for case in some("abcd", "c", gate=1)] == [("a",), ("b",), ("c",), ("d",)]


def test_cases_with_an_id_are_named_by_it():
    cases = some({"one": (1, 2), "two": (3, 4)}, "two")
    assert gated(cases) == [(3, 4)]
    assert [case.id for case in cases] == ["one", "two"]


def test_a_name_that_is_no_case_or_a_gate_without_any_is_an_error():
    with pytest.raises(AssertionError):
        some("ab", "c")
    with pytest.raises(AssertionError):
        some("ab")


def test_the_gate_goes_through_as_many_as_it_says_at_equal_distances(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("examples.examples", lambda count, **_: count)
    assert spread(range(19), gate=10) == [0, 1, 3, 5, 7, 9, 11, 13, 15, 17]
    assert spread(range(3), gate=10) == [0, 1, 2]
    assert spread([], gate=10) == []


def test_the_whole_is_gone_through_by_make_test_full(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("examples.examples", lambda _, *, full: full)
    assert spread(range(19), gate=10) == list(range(19))
