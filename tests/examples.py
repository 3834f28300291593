"""How much of a slow or broad test the gate tries, and how much `make test-full`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings


def examples(count: int, *, full: int) -> int:
    """`count` in `make test`, `full` in `make test-full`: a number written at a test outweighs the profile's."""
    return full if settings.get_current_profile_name() == "full" else count


def some(values: Iterable[Any], *, gate: int) -> list[Any]:
    """Parameters of a test: the gate takes the first ones, and `make test-full` all.

    Args:
        values: the value or values of each case, a `pytest.param`, or the cases by their id.
        gate: how many of them.
    """
    cases = values.items() if isinstance(values, dict) else ((None, value) for value in values)
    return [_case(value, name, full=number >= gate) for number, (name, value) in enumerate(cases)]


def _case(value: Any, name: str | None, *, full: bool) -> Any:
    marks: list[Any] = [pytest.mark.full] if full else []
    if isinstance(value, type(pytest.param())):
        return pytest.param(*value.values, id=value.id, marks=[*value.marks, *marks])
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), id=name, marks=marks)
