"""Which cases of a long list `make test` takes: a tab for each costs about a second, and the gate has 25 minutes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[str], *always: str) -> list[Any]:
    """All cases, those not named marked for `make test-full` only."""
    found = list(cases)
    assert set(always) <= set(found)
    return [case if case in always else pytest.param(case, marks=pytest.mark.full) for case in found]
