"""Expected values by other roads than benchsite's, for the cases of generate.py.

Imports nothing of benchsite. Where benchsite walks sheets, sessions and receipt, this gives every single mark its
weight and sums once; kappa is taken from the table of agreement weights, alpha from all pairs of ratings; square
roots and products are mpmath's at 53 bits, quantiles are found from the incomplete beta function at 60 digits.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import permutations
from typing import Any

import mpmath

CRITERIA = ("accuracy", "completeness", "usefulness")
PENALTIES = {"1.3.0": 10}
U = tuple(f"U{n}" for n in range(1, 7))
D = tuple(f"D{n}" for n in range(1, 6))


def quantile(df: int) -> float:
    """The nearest double to the 97.5 % quantile of Student's t."""
    with mpmath.workdps(60):

        def above(t: Any) -> Any:
            return mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, df / (df + t * t), regularized=True) / 2

        # The normal quantile is a start that Newton's secant never leaves, but for the heavy tails of 1 and 2.
        start = {1: 12.7, 2: 4.3}.get(df, 1.96 + 2.4 / df + 5 / df**2)
        return float(mpmath.findroot(lambda t: above(t) - mpmath.mpf("0.025"), (start, start * 1.01)))


QUANTILES = [quantile(df) for df in range(1, 201)]


def nearest(value: Fraction) -> Any:
    """The double nearest to a fraction, as mpmath rounds it."""
    with mpmath.workprec(600):
        exact = mpmath.mpf(value.numerator) / value.denominator
    with mpmath.workprec(53):
        return +exact


def interval(values: list[Fraction]) -> tuple[float, float]:
    n = len(values)
    # The other formula of the variance: (Σ v² − (Σ v)² / n) / (n − 1), exact as well.
    square = (sum(v * v for v in values) - Fraction(sum(values) ** 2, n)) / (n - 1) / n
    mean = nearest(Fraction(sum(values), n))
    with mpmath.workprec(53):
        spread = mpmath.sqrt(nearest(square)) * mpmath.mpf(QUANTILES[n - 2])
        return float(mean - spread), float(mean + spread)


def kappa(pairs: list[tuple[int, int]], low: int, high: int, weights: str) -> Fraction | None:
    """(seen − expected) / (1 − expected) with agreement weights 1 − (|i − j| / (high − low)) ^ 1 or 2."""
    scale = range(low, high + 1)
    power = {"linear": 1, "quadratic": 2}[weights]

    def weight(i: int, j: int) -> Fraction:
        return 1 - Fraction(abs(i - j), high - low) ** power

    n = len(pairs)
    seen = sum(weight(i, j) * Fraction(pairs.count((i, j)), n) for i in scale for j in scale)
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    expected = sum(
        weight(i, j) * Fraction(first.count(i), n) * Fraction(second.count(j), n)
        for i in scale
        for j in scale
    )
    return None if expected == 1 else Fraction(seen - expected, 1 - expected)


def alpha(units: list[list[int]], metric: str) -> Fraction | None:
    """1 − mean disagreement of pairs within units / mean disagreement of any two ratings."""
    pairable = [unit for unit in units if len(unit) > 1]
    pool = [value for unit in pairable for value in unit]

    def delta(c: int, k: int) -> Fraction:
        if metric == "nominal":
            return Fraction(c != k)
        if metric == "interval":
            return Fraction((c - k) ** 2)
        c, k = min(c, k), max(c, k)
        return (sum(c <= value <= k for value in pool) - Fraction(pool.count(c) + pool.count(k), 2)) ** 2

    known = {(c, k): delta(c, k) for c in set(pool) for k in set(pool)}
    n = len(pool)
    expected = sum((known[pair] for pair in permutations(pool, 2)), Fraction())
    if not expected:
        return None
    within = sum(
        (known[pair] / (len(unit) - 1) for unit in pairable for pair in permutations(unit, 2)), Fraction()
    )
    return 1 - (within / n) / (expected / (n * (n - 1)))


def body(sheets: list[dict[str, Any]], *, tested: bool | None = None) -> dict[str, Any]:
    """What scoring reads of a receipt, from sheets of plain marks."""
    return {
        "sheets": [{key: sheet[key] for key in ("evaluator", "pass", "session")} for sheet in sheets],
        "universal": {name: [{"score": s["universal"][i]} for s in sheets] for i, name in enumerate(U)},
        "domain": {
            name: [
                {
                    "questions": [
                        {"criteria": {c: {"score": m} for c, m in zip(CRITERIA, marks, strict=True)}}
                        for marks in sheet["domain"][i]
                    ]
                }
                for sheet in sheets
            ]
            for i, name in enumerate(D)
        },
        "disclosures": {"repeatabilityTested": tested},
    }


def weighed(sheets: list[dict[str, Any]], only: int | None = None) -> dict[str, Fraction]:
    """Every metric as one weighted sum of marks; `only` one session."""
    numbers = [sheet["session"] for sheet in sheets]
    sessions = 1 if only is not None else len(set(numbers))
    keys = ["composite_score", "universal_score", "domain_score", *(f"{x.lower()}_score" for x in U + D)]
    total = dict.fromkeys(keys, Fraction())
    for sheet in sheets:
        if only not in {None, sheet["session"]}:
            continue
        share = Fraction(1, sessions * numbers.count(sheet["session"]))
        for name, mark in zip(U, sheet["universal"], strict=True):
            total[f"{name.lower()}_score"] += share * mark
            total["universal_score"] += share * mark * Fraction(100, 30)
            total["composite_score"] += share * mark * Fraction(4, 3)
        for name, questions in zip(D, sheet["domain"], strict=True):
            for mark in (mark for question in questions for mark in question):
                part = share * mark / len(questions)
                total[f"{name.lower()}_score"] += part * Fraction(100, 15)
                total["domain_score"] += part * Fraction(100, 75)
                total["composite_score"] += part * Fraction(4, 5)
    return total


def rounded(value: Fraction) -> float:
    with localcontext() as context:
        context.prec = 80
        quotient = Decimal(value.numerator) / Decimal(value.denominator)
        return float(quotient.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)) + 0.0


def rated(sheets: list[dict[str, Any]]) -> tuple[str, list[dict[int, int]]]:
    """The kind of agreement, and every unit of every session: its ratings by rater."""
    several = len({sheet["evaluator"] for sheet in sheets}) > 1
    units: dict[tuple[Any, ...], dict[int, int]] = {}
    for sheet in sheets:
        mates = [s for s in sheets if all(s[k] == sheet[k] for k in ("session", "evaluator"))]
        if several and sheet["pass"] > min(s["pass"] for s in mates):
            continue
        rater, session = sheet["evaluator" if several else "pass"], sheet["session"]
        for i, mark in enumerate(sheet["universal"]):
            units.setdefault((session, "U", i), {})[rater] = mark
        for i, questions in enumerate(sheet["domain"]):
            for q, marks in enumerate(questions):
                for c, mark in enumerate(marks):
                    units.setdefault((session, "D", i, q, c), {})[rater] = mark
    return "inter-rater" if several else "intra-rater", list(units.values())


def expected(version: str, sheets: list[dict[str, Any]], *, tested: bool | None) -> dict[str, Any]:
    exact = weighed(sheets)
    numbers = sorted({sheet["session"] for sheet in sheets})
    wide = ("composite_score", "universal_score", "domain_score")
    counted = {key: {"den": len(numbers if key in wide else sheets), "excluded": 0} for key in exact}
    if version in PENALTIES:
        off = 0 if tested else PENALTIES[version]
        exact |= {"raw_composite": exact["composite_score"], "penalty": Fraction(off)}
        exact["composite_score"] -= off
        counted |= {
            "raw_composite": {"den": len(numbers), "excluded": 0},
            "penalty": {"den": 1, "excluded": 0},
        }
    intervals = {}
    if version == "2.0.0" and len(numbers) > 1:
        for key in wide:
            low, high = interval([weighed(sheets, only=number)[key] for number in numbers])
            intervals[key] = {"low": max(low, 20.0), "high": min(high, 100.0), "method": "t"}
    kind, units = rated(sheets)
    shared = [unit for unit in units if len(unit) > 1]
    agreement = None
    if shared:
        raters = sorted({rater for unit in shared for rater in unit})
        agreement = {"kind": kind, "raters": len(raters), "units": len(shared)}
        found = {"krippendorff_alpha": alpha([list(unit.values()) for unit in shared], "ordinal")}
        if len(raters) == 2:
            found["weighted_kappa"] = kappa([(u[raters[0]], u[raters[1]]) for u in shared], 1, 5, "linear")
        for key, value in found.items():
            counted[key] = {"den": 0 if value is None else len(shared), "excluded": len(units) - len(shared)}
            exact |= {} if value is None else {key: value}
    return {
        "scores": {key: rounded(value) for key, value in exact.items()},
        "exact": {key: f"{value.numerator}/{value.denominator}" for key, value in exact.items()},
        "denominators": counted,
        "intervals": intervals,
        "agreement": agreement,
    }
