"""Numbers of agents receipts: Python and JavaScript compute and write them alike, to the last bit."""

from __future__ import annotations

import random
import shutil

import pytest
from rescoring import ask

from benchsite.tracks.agents.scores import descriptor

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")


def drawing(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - test data


def test_counts_percentiles_and_variances_to_the_last_bit():
    draw = drawing(8)
    counts = [(n, draw.randint(0, n), k) for n in (*range(1, 301), 1_000, 100_000) for k in (1, 3, 5, 8)]
    expected = [[descriptor.pass_at_k(*one), descriptor.pass_hat_k(*one)] for one in counts]
    assert ask("passes", [counts]) == [expected]
    lists = [
        [draw.choice([draw.randint(0, 2**53 - 1), draw.uniform(0, 10.0 ** draw.randint(-9, 9))]) for _ in range(size)]
        for size in range(1, 200)
    ]  # fmt: skip
    assert ask("percentiles", [lists]) == [[descriptor.p95(values) for values in lists]]
    assert ask("variances", [lists]) == [[descriptor.variance(values) for values in lists]]


def test_numbers_are_written_as_python_writes_them():
    draw = drawing(9)
    values = [draw.uniform(-1, 1) * 10.0 ** draw.randint(-30, 30) for _ in range(5_000)]
    values = [value for value in values if not 2**53 <= abs(value) < 1e21] + [
        0,
        1,
        -3,
        2**53 - 1,
        0.0001,
        1e-5,
        1e21,
    ]
    # As JSON is read: a number without a fraction is an int.
    values = [int(value) if value % 1 == 0 and abs(value) < 2**53 else value for value in values]
    assert ask("reprs", [values]) == [[repr(value) for value in values]]
