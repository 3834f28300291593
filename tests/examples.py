"""How much of a slow or broad test the gate tries, and how much `make test-full`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings


def examples(count: int, *, full: int) -> int:
    """`count` in `make test`, `full` in `make test-full`: a number written at a test outweighs the profile's."""
    return full if settings.get_current_profile_name() == "full" else count


def some(values: Iterable[Any], *named: str, gate: int = 0) -> list[Any]:
    """Parameters of a test: the gate takes those that are named and the first `gate` ones, `make test-full` all.

    Args:
        values: the value or values of each case, a `pytest.param`, or the cases by their id.
        named: ids of cases, or cases that are texts themselves.
        gate: how many of the first ones.
    """
    pairs = values.items() if isinstance(values, dict) else ((None, value) for value in values)
    cases = list(pairs)
    ids = [value if name is None else name for name, value in cases]
    assert named or gate
    assert [name for name in named if name not in ids] == []
    return [
        _case(value, name, full=number >= gate and ids[number] not in named)
        for number, (name, value) in enumerate(cases)
    ]


def spread(values: Iterable[Any], *, gate: int) -> list[Any]:
    """What a test goes through: the gate takes `gate` of it at equal distances, `make test-full` all."""
    found = list(values)
    count = min(len(found), examples(gate, full=len(found)))
    return [found[place * len(found) // count] for place in range(count)]


def _case(value: Any, name: str | None, *, full: bool) -> Any:
    marks: list[Any] = [pytest.mark.full] if full else []
    if isinstance(value, type(pytest.param())):
        return pytest.param(*value.values, id=value.id, marks=[*value.marks, *marks])
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), id=name, marks=marks)
