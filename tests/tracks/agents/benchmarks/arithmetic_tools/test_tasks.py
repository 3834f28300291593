"""The shipped tasks of arithmetic-tools: each expected answer from the parameters, by exact fractions."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace as P
from typing import Any, Final

import packaged_benchmarks
import pytest

NAME = "arithmetic-tools"
RAW: Final = packaged_benchmarks.raw(NAME)

ORACLE: Final[dict[str, Callable[[Any], Any]]] = {
    "crates-of-jars": lambda p: p.b * p.k - p.s,
    "seats-taken": lambda p: p.b * p.k - p.s,
    "tickets-and-fee": lambda p: p.n * p.p + p.f,
    "tiles-and-spares": lambda p: p.b * p.k + p.s,
}
"""The story of each wording as arithmetic on whole numbers and fractions."""


@pytest.mark.parametrize("task", RAW["tasks"], ids=lambda task: task["id"])
def test_the_expected_answer_follows_from_the_parameters(task: dict[str, Any]) -> None:
    values = {name: Fraction(value) for name, value in task["parameters"].items()}
    assert Fraction(task["expected"]["answer"]) == ORACLE[task["wording"]](P(**values))
    written = [int(number) for number in re.findall(r"[0-9]+", task["query"])]
    assert not set(task["parameters"].values()) - set(written), "every parameter is in the query"
