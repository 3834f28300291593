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

PARTS: Final = {"third": Fraction(1, 3), "quarter": Fraction(1, 4), "fifth": Fraction(1, 5)}


def before(p: Any) -> Fraction:
    """Count forward from every whole start until the story ends with the marbles that are left."""
    (start,) = [n for n in range(1, 1000) if n - n * PARTS[p.f] - p.g == p.k]
    return Fraction(start)


ORACLE: Final[dict[str, Callable[[Any], Any]]] = {
    "crates-of-jars": lambda p: p.b * p.k - p.s,
    "seats-taken": lambda p: p.b * p.k - p.s,
    "tickets-and-fee": lambda p: p.n * p.p + p.f,
    "tiles-and-spares": lambda p: p.b * p.k + p.s,
    "pages-left": lambda p: p.t - p.p * p.d,
    "fare-for-all": lambda p: p.a * p.f + p.c * p.f,
    "chairs-and-tables": lambda p: p.n * p.p + p.m * p.q,
    "good-apples": lambda p: p.b * p.k * p.p - p.d * p.p,
    "stamps-shared": lambda p: p.s - p.d / p.n,
    "machine-steps": lambda p: p.c * p.a + p.c * p.b - p.d,
    "members-percent": lambda p: p.n - p.n * p.q / 100,
    "lamps-discount": lambda p: p.n * p.p - p.n * p.p * p.q / 100 + p.s,
    "tap-and-leak": lambda p: (60 * p.h + p.m) * p.a - (p.h + p.m / 60) * p.l,
    "marbles-before": before,
    "baskets-related": lambda p: p.a + (p.k * p.a - p.d),
    "taken-from": lambda p: p.t - p.a * p.b - p.c,
    "price-rise": lambda p: (p.p + p.p * p.q / 100) * (p.n - p.l),
}
"""The story of each wording as arithmetic on whole numbers and fractions."""


@pytest.mark.parametrize("task", RAW["tasks"], ids=lambda task: task["id"])
def test_the_expected_answer_follows_from_the_parameters(task: dict[str, Any]) -> None:
    values = {
        name: value if value in PARTS else Fraction(value) for name, value in task["parameters"].items()
    }
    assert Fraction(task["expected"]["answer"]) == ORACLE[task["wording"]](P(**values))
    written = re.findall(r"[0-9]+|third|quarter|fifth", task["query"])
    assert sorted(map(str, task["parameters"].values())) == sorted(written), (
        "the query has these and no others"
    )
