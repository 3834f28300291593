from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchsite.stats import bootstrap_mean, bootstrap_means, paired_randomisation, word, words
from benchsite.stats.resample import _joined, _limbs

ONE = 2**40


def fixed(value: float) -> int:
    """round(value × 2^40), ties to even, in rationals."""
    return round(Fraction(value) * ONE)


def slow_bootstrap(values: list[float], seed: int) -> tuple[float, float]:
    """The definition, one big integer at a time."""
    n = len(values)
    integers = [fixed(value) for value in values]
    sums = sorted(
        sum(integers[(word(seed, r * n + i) >> 32) * n >> 32] for i in range(n)) for r in range(10_000)
    )
    return sums[249] / (n * ONE), sums[9_749] / (n * ONE)


def slow_randomisation(a: list[float], b: list[float], seed: int, flips: int) -> float:
    """The definition, one sign at a time."""
    n = len(a)
    differences = [fixed(x) - fixed(y) for x, y in zip(a, b, strict=True)]
    extreme = 0
    for f in range(flips):
        bits = [word(seed, f * -(-n // 64) + i // 64) >> i % 64 & 1 for i in range(n)]
        total = sum(-d if bit else d for bit, d in zip(bits, differences, strict=True))
        extreme += abs(total) >= abs(sum(differences))
    return (1 + extreme) / (1 + flips)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.integers(0, 300))
def test_words_are_the_words(seed, start, count):
    assert words(seed, start, count).tolist() == [word(seed, start + i) for i in range(count)]


def test_shared_vectors_agree_with_definition_and_implementation(vectors: Path):
    document = json.loads((vectors / "stats" / "resample.json").read_bytes())
    for case in document["bootstrap"]:
        expected = (case["low"], case["high"])
        assert slow_bootstrap(case["values"], int(case["seed"])) == expected
        assert bootstrap_mean(case["values"], int(case["seed"])) == expected
    for case in document["randomisation"]:
        a, b, seed, flips = case["a"], case["b"], int(case["seed"]), case["flips"]
        assert slow_randomisation(a, b, seed, flips) == case["p"]
        assert paired_randomisation(a, b, seed=seed, flips=flips) == case["p"]


@settings(max_examples=examples(8, full=80))
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 2**64 - 1))
def test_bootstrap_is_its_definition_for_any_small_input(values, seed):
    assert bootstrap_mean(values, seed) == slow_bootstrap(values, seed)


@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=1, max_size=150),
    st.integers(0, 2**64 - 1),
)
def test_randomisation_is_its_definition_for_any_small_input(pairs, seed):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    assert paired_randomisation(a, b, seed=seed, flips=40) == slow_randomisation(a, b, seed, 40)


def test_columns_share_their_draws():
    columns = [[word(column, i) / 2**64 for i in range(97)] for column in range(5)]
    assert bootstrap_means(columns, 11) == [bootstrap_mean(column, 11) for column in columns]
    assert bootstrap_means([], 11) == []


def test_a_constant_has_no_spread():
    assert bootstrap_mean([0.5] * 30, 3) == (0.5, 0.5)


@given(
    st.lists(st.lists(st.integers(-(2**90), 2**90), min_size=3, max_size=3), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=5),
)
# 15 × (2^51 + 1) is odd and beyond 2^53: one double would lose its last bits.
@example(columns=[[2**51 + 1] * 3], counts=[[5] * 3])
def test_limbs_join_to_the_exact_sums(columns, counts):
    # A row of counts sums to at most 15, so n = 3 bounds five times too little: scale the columns' n up to 15.
    padded = [column + [0] * 12 for column in columns]
    weights = [row + [0] * 12 for row in counts]
    width, limbs = _limbs(padded)
    joined = _joined(np.array(weights, dtype=np.float64) @ limbs.T, len(columns), width)
    exact = [[sum(c * v for c, v in zip(row, column, strict=True)) for column in padded] for row in weights]
    assert [[int(cell) for cell in row] for row in joined.tolist()] == exact


@pytest.mark.stories
def test_more_queries_than_one_limb_holds():
    # 8,192 × 2^40 is 2^53: one value 2^-40 above 1 leaves the doubles' exact range, and limbs take over.
    n = 8_193
    low, high = bootstrap_mean([1.0 + i % 2 for i in range(n)], 5)
    sums = []
    for r in range(10_000):
        drawn = (words(5, r * n, n) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)
        sums.append(n + int(np.count_nonzero(drawn % np.uint64(2))))
    sums.sort()
    assert (low, high) == (sums[249] / n, sums[9_749] / n)


def test_identical_systems_never_differ():
    assert paired_randomisation([0.1, 0.9], [0.1, 0.9], seed=1) == 1.0


def test_one_sided_evidence_by_hand():
    # Twenty differences of 1: only the two flips that change no sign, or every sign, are as extreme; none of the
    # 50 drawn here is one of those two among 2^20.
    assert paired_randomisation([1.0] * 20, [0.0] * 20, seed=1, flips=50) == 1 / 51


@pytest.mark.parametrize(
    "call",
    [
        lambda: bootstrap_mean([], 1),
        lambda: bootstrap_means([[1.0], [1.0, 2.0]], 1),
        lambda: bootstrap_mean([float("nan")], 1),
        lambda: bootstrap_mean([1.0], -1),
        lambda: paired_randomisation([], [], seed=1),
        lambda: paired_randomisation([1.0], [], seed=1),
        lambda: paired_randomisation([1.0], [float("inf")], seed=1),
        lambda: paired_randomisation([1.0], [0.0], seed=1, flips=0),
    ],
)
def test_what_cannot_be_resampled_is_refused(call):
    with pytest.raises(ValueError):
        call()


def test_the_package_alone_does_not_import_numpy():
    code = "import sys, benchsite.stats as s; s.wilson(1, 2); s.word(1, 0); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
