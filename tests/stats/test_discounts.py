from __future__ import annotations

import json
from pathlib import Path

import mpmath
import pytest

from benchsite.stats import DISCOUNTS, MAX_RANK, discount


def test_every_literal_is_the_double_nearest_to_the_true_value():
    with mpmath.workdps(60):
        nearest = [float(1 / mpmath.log(rank + 1, 2)) for rank in range(1, MAX_RANK + 1)]
    assert nearest == list(DISCOUNTS)


def test_table_and_shared_vector_are_the_same(vectors: Path):
    document = json.loads((vectors / "stats" / "discounts.json").read_bytes())
    assert [discount(rank) for rank in range(1, 1001)] == document["discounts"]


@pytest.mark.parametrize(
    ("rank", "weight"), [(1, 1.0), (3, 0.5), (7, 1 / 3), (15, 0.25), (1000, 0.10032881506161208)]
)
def test_ranks_one_below_a_power_of_two_by_hand(rank, weight):
    assert discount(rank) == weight


@pytest.mark.parametrize("rank", [0, -1, 1001])
def test_ranks_outside_the_table_are_refused(rank):
    with pytest.raises(ValueError, match="1 to 1000"):
        discount(rank)
