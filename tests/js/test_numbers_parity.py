"""Numbers of agents receipts: Python and JavaScript compute and write them alike, to the last bit."""

from __future__ import annotations

import random
import shutil

import pytest
from rescoring import ask

from benchsite.stats import log2
from benchsite.tracks.agents.scores import descriptor, reliability
from benchsite.tracks.agents.scores.answers import binned_error

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


def test_logarithms_consistencies_and_calibrations_to_the_last_bit():
    draw = drawing(12)
    shares = [draw.randint(1, 500) / draw.randint(1, 500) for _ in range(3_000)] + [
        2.0**i for i in range(-30, 31)
    ]
    assert ask("logarithms", [shares]) == [[log2(value) for value in shares]]
    tasks = [
        [
            draw.choices("abcdefgh", k=draw.randint(0, draw.choice([3, 60])))
            for _ in range(draw.randint(0, 12))
        ]
        for _ in range(300)
    ] + [[["a"] * reliability.MOST_ACTIONS, ["b"]], [["a"] * (reliability.MOST_ACTIONS + 1), ["b"]]]
    expected = [list(reliability.consistency([tuple(run) for run in task])) for task in tasks]
    assert ask("consistencies", [tasks]) == [expected]
    lists = [
        [
            (draw.choice([draw.random(), draw.randint(0, 10) / 10]), draw.random() < 0.5)
            for _ in range(draw.randint(1, 40))
        ]
        for _ in range(300)
    ]
    found = [reliability.calibrate(stated) for stated in lists]
    assert ask("calibrations", [lists]) == [
        [{"runs": one.n, "calibrationError": one.calibration_error, "auroc": one.auroc} for one in found]
    ]


def test_binned_calibration_errors_to_the_last_bit():
    draw = drawing(13)
    lists = [
        sorted((draw.random(), draw.random() < 0.5) for _ in range(draw.choice([1, 199, 200, 431, 830])))
        for _ in range(40)
    ]
    assert ask("binnedErrors", [lists]) == [[binned_error(stated) for stated in lists]]


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
