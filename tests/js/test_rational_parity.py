"""The arithmetic behind rubric receipts in both languages: fractions, rounding, Student's t, agreement, and the rules.

Python's own `Fraction` is the oracle.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from fractions import Fraction

import pytest
from documents import packaged
from rescoring import ask

from benchsite.stats import krippendorff_alpha, t_interval, weighted_kappa
from benchsite.stats.student import T_975
from benchsite.tracks.rubric.metrics import hundredths

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")


def drawn_fractions(draw: random.Random, count: int) -> Iterator[Fraction]:
    """Of every size: near the ends of the doubles, half-way between two of them, and a hair beside."""
    for _ in range(count // 4):
        yield Fraction(draw.getrandbits(draw.randint(1, 200)), draw.getrandbits(draw.randint(1, 200)) + 1)
        mantissa, unit = draw.getrandbits(53) | 1 << 52, draw.randint(-1_076, 969)
        middle = Fraction(2 * mantissa + 1) * Fraction(2) ** unit
        yield -middle
        yield middle * (1 + Fraction(draw.choice((-1, 1)), 2 ** draw.randint(54, 400)))
        # Below 2^-1022 a double has fewer digits.
        yield Fraction(draw.getrandbits(draw.randint(1, 60)) | 1, 2 ** draw.randint(1_060, 1_140))


def test_fractions_read_as_the_nearest_double():
    draw = random.Random(3)  # noqa: S311 - test data
    values = list(drawn_fractions(draw, 10_000))
    texts = [f"{value.numerator}/{value.denominator}" for value in values]
    (found,) = ask("doubles", [texts])
    expected = [float(value) for value in values]
    assert [float(one) for one in found] == expected
    assert any(0 < abs(value) < 2.0**-1022 for value in expected)
    assert any(abs(value) > 1e300 for value in expected)


def test_fractions_are_rounded_and_written_alike():
    draw = random.Random(4)  # noqa: S311 - test data
    pairs = [(draw.randint(-5_000, 5_000), draw.choice((-1, 1)) * draw.randint(1, 400)) for _ in range(4_000)]
    pairs += [(number, 200) for number in range(-999, 999)]
    values = [Fraction(*pair) for pair in pairs]
    texts = [f"{value.numerator}/{value.denominator}" for value in values]
    assert ask("texts", [pairs]) == [texts]
    assert ask("hundredths", [texts]) == [[hundredths(value) / 100 for value in values]]


def test_the_same_literals_and_rules():
    assert ask("quantiles", [None]) == [list(T_975)]
    versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"]
    (rules,) = ask("rules", [versions])
    assert rules == {version: packaged("rubric", version).data.parameters for version in versions}


def test_intervals_to_the_last_bit():
    draw = random.Random(5)  # noqa: S311 - test data
    lists = [
        [Fraction(draw.randint(0, 100 * q), q) for q in (draw.randint(1, 900) for _ in range(n))]
        for n in (*range(2, 40), *[3] * 500, 200, 201)
    ]
    asked = [[f"{value.numerator}/{value.denominator}" for value in values] for values in lists]
    assert ask("tInterval", asked) == [t_interval(values)._asdict() for values in lists]


def test_agreement_is_the_same_fraction():
    draw = random.Random(6)  # noqa: S311 - test data
    highest = [draw.randint(1, 5) for _ in range(400)]
    units = [
        [[draw.randint(1, top) for _ in range(draw.randrange(6))] for _ in range(draw.randrange(30))]
        for top in highest
    ]
    pairs = [
        [(draw.randint(1, top), draw.randint(1, top)) for _ in range(draw.randrange(30))] for top in highest
    ]
    alphas = [krippendorff_alpha(one, metric="ordinal") for one in units]
    kappas = [weighted_kappa(one, low=1, high=5, weights="linear") for one in pairs]
    text = lambda value: None if value is None else f"{value.numerator}/{value.denominator}"  # noqa: E731
    assert ask("alpha", units) == [text(value) for value in alphas]
    assert ask("kappa", pairs) == [text(value) for value in kappas]
    assert None in alphas
    assert None in kappas
