"""Writes scoring.json, agreement.json and student.json: the cases, with what rubric_oracle.py expects of them.

python tests/vectors/rubric/generate.py
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

from rubric_oracle import CRITERIA, QUANTILES, D, U, alpha, body, expected, interval, kappa

FOLDER = Path(__file__).parent


def sheet(
    universal: list[int], domain: list[Any], evaluator: int = 0, number: int = 1, session: int = 1
) -> Any:
    """`domain` holds a scenario each: three marks, or several questions of three."""
    questions = [given if isinstance(given[0], list) else [given] for given in domain]
    return {
        "evaluator": evaluator,
        "pass": number,
        "session": session,
        "universal": universal,
        "domain": questions,
    }


def flat(mark: int, **place: int) -> Any:
    return sheet([mark] * 6, [[mark] * 3] * 5, **place)


MIXED = sheet([4, 3, 5, 2, 4, 4], [[5, 4, 4], [3, 3, 2], [4, 4, 5], [2, 1, 3], [5, 5, 5]])
AVERAGED = sheet(
    [4, 3, 5, 2, 4, 4],
    [[[5, 4, 4], [2, 2, 1]], [3, 3, 2], [[4, 4, 5], [1, 1, 1], [5, 5, 5]], [2, 1, 3], [5, 5, 5]],
)
# U sums 18, 21, 24 give 60, 70, 80; every scenario sums 12, so D is 80: composites 72, 76, 80.
STEPS = {1: [3, 3, 3, 3, 3, 3], 2: [4, 4, 4, 3, 3, 3], 3: [4, 4, 4, 4, 4, 4]}


def stepped(kind: str) -> list[Any]:
    return [
        sheet(marks, [domain] * 5, session=session, **{kind: n + (kind == "number")})
        for session, marks in STEPS.items()
        for n, domain in enumerate(([4, 4, 4], [5, 4, 3]))
    ]


CASES: list[tuple[str, str, str, list[Any], bool | None]] = [
    ("every mark 5", "by hand: 100", "1.1.0", [flat(5)], False),
    ("every mark 1", "by hand: 20", "1.0.0", [flat(1)], None),
    (
        "one mixed sheet",
        "by hand: U = 22/30 = 73.33, D = 55/75 = 73.33, so the composite is 220/3",
        "1.1.0",
        [MIXED],
        False,
    ),
    ("repeatability not tested", "by hand: 220/3 - 10 = 190/3", "1.3.0", [MIXED], False),
    ("repeatability tested", "by hand: nothing is taken off 220/3", "1.3.0", [MIXED], True),
    ("every mark 1, with the penalty", "by hand: 20 - 10", "1.3.0", [flat(1)], False),
    (
        "questions averaged",
        "by hand: D1 = (13/15 + 5/15)/2 = 60, D3 = (13/15 + 3/15 + 15/15)/3 = 620/9",
        "1.2.0",
        [AVERAGED],
        True,
    ),
    (
        "three sessions of two evaluators",
        "by hand: U = 70 with s = 10, D = 80 with s = 0, composite = 76 with s = 4, each ± 4.30265 × s / √3",
        "2.0.0",
        stepped("evaluator"),
        True,
    ),
    ("three sessions of two passes", "as above", "2.0.0", stepped("number"), True),
    (
        "an interval cut at 100",
        "by hand: 100, 100, 80: 93.33 ± 28.68",
        "2.0.0",
        [flat(5, session=1), flat(5, session=2), flat(4, session=3)],
        True,
    ),
    (
        "an interval cut at 20",
        "by hand: 20, 20, 40: 26.67 ± 28.68",
        "2.0.0",
        [flat(1, session=1), flat(1, session=2), flat(2, session=3)],
        True,
    ),
    (
        "no variation",
        "by hand: chance alone would give no disagreement, so neither statistic is defined",
        "1.2.0",
        [flat(4), flat(4, evaluator=1)],
        False,
    ),
    (
        "halves are rounded up",
        "by hand: U1 sums 33 over eight sheets: 4.125, written 4.13; U2 sums 35: 4.375, written 4.38",
        "1.1.0",
        [
            sheet([5 if n < 1 else 4, 5 if n < 3 else 4, 4, 4, 4, 4], [[4, 4, 4]] * 5, number=n + 1)
            for n in range(8)
        ],
        False,
    ),
    (
        "unequal sessions weigh the same",
        "by hand: session 1 is 100, session 2 the mean of 20, 20 and 80, which is 40: 70 in all",
        "1.1.0",
        [flat(5, session=1), *(flat(m, session=2, number=n) for n, m in ((1, 1), (2, 1), (3, 4)))],
        True,
    ),
    (
        "an evaluator's second pass counts in the mean, not in the agreement",
        "by hand: raters 0 and 1 give 4 and 4, 2 and 2: perfect agreement, kappa 1; the pass with 1 is left out",
        "1.1.0",
        [
            flat(4),
            flat(1, number=2),
            flat(4, evaluator=1),
            flat(2, session=2),
            flat(2, session=2, evaluator=1),
        ],
        True,
    ),
]


def drawn(number: int) -> tuple[str, str, str, list[Any], bool | None]:
    """Random sheets: several evaluators, passes and sessions, some missing, some scenarios of several questions."""
    draw = random.Random(number)  # noqa: S311 - test data
    sheets = []
    for session in range(1, draw.randint(2, 5)):
        asked = [draw.choice([1, 1, 1, 2, 3]) for _ in D]
        for evaluator in range(draw.randint(1, 3)):
            for passed in range(1, draw.randint(2, 3)):
                level = draw.randint(1, 5)

                def mark(level: int = level) -> int:
                    return min(5, max(1, level + draw.choice([-1, 0, 0, 1])))

                questions = [[[mark() for _ in CRITERIA] for _ in range(count)] for count in asked]
                sheets.append(sheet([mark() for _ in U], questions, evaluator, passed, session))
    return (
        f"drawn {number}",
        "rubric_oracle.py",
        draw.choice(["1.1.0", "1.3.0", "2.0.0"]),
        sheets,
        draw.random() < 0.5,
    )


# Krippendorff 2011, example C: four observers, twelve units, a dot where nothing was said.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
UNITS = [[int(v) for v in column if v != "."] for column in zip(*OBSERVERS, strict=True)]
PUBLISHED_ALPHA = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}

# Agresti 1990, section 10.5: ninety-one married couples on whether sex is fun; R's vcd calls the table SexualFun.
COUPLES = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]


def pairs_of(table: list[list[int]]) -> list[tuple[int, int]]:
    return [
        (i + 1, j + 1) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)
    ]


def text(value: Fraction | None) -> str | None:
    return None if value is None else f"{value.numerator}/{value.denominator}"


def agreement_cases() -> dict[str, Any]:
    draw = random.Random(5)  # noqa: S311 - test data
    alphas: list[dict[str, Any]] = [
        {"name": "Krippendorff 2011, example C", "units": UNITS, "metric": metric, "published": figure}
        for metric, figure in PUBLISHED_ALPHA.items()
    ]
    alphas += [
        {"name": name, "units": units, "metric": metric}
        for name, units in [
            ("one value only", [[3, 3], [3, 3]]),
            ("nothing pairable", [[1], [5], []]),
            ("perfect", [[1, 1], [2, 2, 2], [5, 5]]),
            ("always opposite", [[1, 5], [5, 1], [1, 5]]),
            *(
                (f"drawn {n}", [[draw.randint(1, 5) for _ in range(draw.randint(0, 4))] for _ in range(20)])
                for n in range(6)
            ),
        ]
        for metric in PUBLISHED_ALPHA
    ]
    kappas: list[dict[str, Any]] = [
        {"name": "ninety-one couples", "pairs": pairs_of(COUPLES), "low": 1, "high": 4, "weights": "linear"}
        | {"published": 0.2374},
        {
            "name": "ninety-one couples",
            "pairs": pairs_of(COUPLES),
            "low": 1,
            "high": 4,
            "weights": "quadratic",
        },
    ]
    kappas += [
        {"name": name, "pairs": pairs, "low": 1, "high": 5, "weights": weights}
        for name, pairs in [
            ("one value only", [(3, 3), (3, 3)]),
            ("one rater never varies", [(3, 1), (3, 5), (3, 3)]),
            ("perfect", [(1, 1), (2, 2), (5, 5)]),
            ("always opposite", [(1, 5), (5, 1)]),
            *(
                (f"drawn {n}", [(draw.randint(1, 5), draw.randint(1, 5)) for _ in range(30)])
                for n in range(6)
            ),
        ]
        for weights in ("linear", "quadratic")
    ]
    for case in alphas:
        case["expected"] = text(alpha(case["units"], case["metric"]))
    for case in kappas:
        case["expected"] = text(kappa(case["pairs"], case["low"], case["high"], case["weights"]))
    return {"alpha": alphas, "kappa": kappas}


def student_cases() -> dict[str, Any]:
    draw = random.Random(6)  # noqa: S311 - test data
    lists = [[Fraction(60), Fraction(70), Fraction(80)], [Fraction(80)] * 3, [Fraction(1, 3), Fraction(2, 3)]]
    lists += [
        [Fraction(draw.randint(600, 3000), draw.choice([30, 7, 1, 90])) for _ in range(draw.randint(2, 12))]
        for _ in range(40)
    ]
    lists.append([Fraction(draw.randint(20, 100)) for _ in range(201)])
    cases = []
    for values in lists:
        low, high = interval(values)
        cases.append({"values": [text(value) for value in values], "low": low, "high": high})
    return {"quantiles": QUANTILES, "intervals": cases}


def scoring_cases() -> dict[str, Any]:
    return {
        "cases": [
            {
                "name": name,
                "how": how,
                "version": version,
                "body": body(sheets, tested=tested),
                "expected": expected(version, sheets, tested=tested),
            }
            for name, how, version, sheets, tested in [*CASES, *map(drawn, range(12))]
        ]
    }


FILES = {"scoring.json": scoring_cases, "agreement.json": agreement_cases, "student.json": student_cases}


def text_of(name: str) -> str:
    """One case a line."""
    parts = []
    for key, value in FILES[name]().items():
        lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in value)
        parts.append(f"{json.dumps(key)}:[\n{lines}\n]")
    return "{" + ",\n".join(parts) + "}\n"


if __name__ == "__main__":
    for each in FILES:
        (FOLDER / each).write_text(text_of(each), encoding="ascii")
