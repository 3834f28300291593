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
        values: a parameter each, or the parameters by their id.
        gate: how many of them.
    """
    return [
        pytest.param(
            *(values[value] if isinstance(values, dict) else [value]),
            id=value if isinstance(values, dict) else None,
            marks=() if number < gate else pytest.mark.full,
        )
        for number, value in enumerate(values)
    ]
