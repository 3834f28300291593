"""Scores of a rubric receipt from the ratings it records, as exact fractions: specs/rubric.md, "Scoring".

Pure: takes the track's own keys as parsed JSON whose structure was checked (`verification.check`), and the version's
rules. A sheet is what one evaluator says in one pass over one session; a session's value is the mean of its sheets,
the receipt's the mean of its sessions. Nothing is rounded before the end; then two decimals, half away from zero.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any, Final, TypeAlias

from benchsite.methodology.instrument import CRITERIA, DIMENSIONS, SCENARIOS
from benchsite.stats import krippendorff_alpha, t_interval, weighted_kappa
from benchsite.tracks.rubric.engines import HIGHEST, LOWEST, Rules

HEADLINE: Final = "composite_score"
UNIVERSAL: Final = "universal_score"
DOMAIN: Final = "domain_score"
RAW: Final = "raw_composite"
PENALTY: Final = "penalty"
ALPHA: Final = "krippendorff_alpha"
KAPPA: Final = "weighted_kappa"
WITH_INTERVAL: Final = (HEADLINE, UNIVERSAL, DOMAIN)

FULL: Final = 100
# Every score is at least 1 of 5, so no mean of them lies below a fifth of the scale.
LEAST: Final = FULL * LOWEST // HIGHEST

Body: TypeAlias = Mapping[str, Any]
ItemRatings: TypeAlias = dict[tuple[str, ...], int]
"""One sheet's ratings by item: (`U1`) or (`D1`, number of the question, criterion)."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What follows from the ratings, as a receipt holds it; `sections()` gives its keys.

    Attributes:
        scores: two-place numbers by metric.
        exact: the fractions they are rounded from, `p/q` in lowest terms.
        denominators: by metric, how many values its mean is over and how many could not be used.
        intervals: 95 % intervals by metric, where the version gives them.
        agreement: who was compared with whom over how many units; None where no session has two raters.
    """

    scores: Mapping[str, float]
    exact: Mapping[str, str]
    denominators: Mapping[str, Mapping[str, int]]
    intervals: Mapping[str, Mapping[str, Any]]
    agreement: Mapping[str, Any] | None

    def sections(self) -> dict[str, Any]:
        """The payload's keys of these names."""
        return {
            "scores": dict(self.scores),
            "exact": dict(self.exact),
            "denominators": {name: dict(counted) for name, counted in self.denominators.items()},
            "intervals": {name: dict(interval) for name, interval in self.intervals.items()},
            "agreement": None if self.agreement is None else dict(self.agreement),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Who rated what beside somebody else.

    Attributes:
        kind: `inter-rater`, between evaluators, or `intra-rater`, between the passes of one.
        raters: those who share a session with another.
        units: the ratings of each item of each session, by rater.
    """

    kind: str
    raters: tuple[int, ...]
    units: Sequence[Mapping[int, int]]

    @property
    def compared(self) -> list[Mapping[int, int]]:
        """The units that at least two raters scored."""
        return [unit for unit in self.units if len(unit) > 1]


@dataclass(slots=True)
class _Table:
    """Exact values and their denominators, as they are found."""

    exact: dict[str, Fraction] = field(default_factory=dict)
    denominators: dict[str, dict[str, int]] = field(default_factory=dict)

    def put(self, metric: str, value: Fraction | None, den: int, *, excluded: int = 0) -> None:
        """Record a metric; one that is not defined has a denominator of 0 and no value."""
        self.denominators[metric] = {"den": 0 if value is None else den, "excluded": excluded}
        if value is not None:
            self.exact[metric] = value


def score(body: Body, rules: Rules) -> Scored:
    """Compute every number of a receipt.

    Args:
        body: `sheets`, `universal`, `domain` and `disclosures` of the payload; lists run parallel to `sheets`.
        rules: the demands of the methodology version it is scored under.
    """
    table = _Table()
    sheets = [sheet_values(body, place, rules) for place in range(len(body["sheets"]))]
    sessions = _sessions(body["sheets"])
    by_session = {
        metric: [mean([sheets[place][metric] for place in places]) for places in sessions.values()]
        for metric in sheets[0]
    }
    penalty = taken_off(body, rules)
    if rules.penalty:
        table.put(RAW, mean(by_session[HEADLINE]), len(sessions))
        table.put(PENALTY, penalty, 1)
        by_session[HEADLINE] = [value - penalty for value in by_session[HEADLINE]]
    for metric, values in by_session.items():
        table.put(metric, mean(values), len(sessions) if metric in WITH_INTERVAL else len(sheets))
    comparison = compare(body)
    if comparison is not None:
        _put_agreement(table, comparison)
    return Scored(
        scores={metric: hundredths(value) / 100 for metric, value in table.exact.items()},
        exact={metric: written(value) for metric, value in table.exact.items()},
        denominators=table.denominators,
        intervals=_intervals(by_session, penalty) if rules.intervals and len(sessions) > 1 else {},
        agreement=None
        if comparison is None
        else {
            "kind": comparison.kind,
            "raters": len(comparison.raters),
            "units": len(comparison.compared),
        },
    )


def sheet_values(body: Body, place: int, rules: Rules) -> dict[str, Fraction]:
    """All values of one sheet: dimensions from 1 to 5, everything else in percent.

    U = sum(U1..U6) / 30 × 100, D = mean of the five scenarios, the composite their mean by the weights of the rules.
    """
    marks = [body["universal"][name][place]["score"] for name in DIMENSIONS]
    scenarios = [scenario(body["domain"][name][place]) for name in SCENARIOS]
    universal = Fraction(FULL * sum(marks), HIGHEST * len(DIMENSIONS))
    domain = mean(scenarios)
    return {
        HEADLINE: Fraction(rules.universal_weight) * universal + Fraction(rules.domain_weight) * domain,
        UNIVERSAL: universal,
        DOMAIN: domain,
        **{metric(name): Fraction(mark) for name, mark in zip(DIMENSIONS, marks, strict=True)},
        **{metric(name): value for name, value in zip(SCENARIOS, scenarios, strict=True)},
    }


def scenario(rating: Body) -> Fraction:
    """A scenario's percentage: its question's criteria out of 15; the mean of these where it covers several."""
    return mean(
        [
            Fraction(
                FULL * sum(given["score"] for given in question["criteria"].values()), HIGHEST * CRITERIA
            )
            for question in rating["questions"]
        ]
    )


def metric(dimension: str) -> str:
    """`u1_score` for `U1`."""
    return f"{dimension.lower()}_score"


def mean(values: Sequence[Fraction]) -> Fraction:
    """The exact mean of at least one value."""
    return sum(values, Fraction()) / len(values)


def taken_off(body: Body, rules: Rules) -> Fraction:
    """The points the composite loses: the version's penalty, unless repeatability was tested."""
    return Fraction(0 if body["disclosures"]["repeatabilityTested"] is True else rules.penalty)


def hundredths(value: Fraction) -> int:
    """The whole hundredths nearest to a value; halves go away from zero, so that signs do not matter."""
    rounded = floor(abs(value) * 100 + Fraction(1, 2))
    return rounded if value >= 0 else -rounded


def written(value: Fraction) -> str:
    """`p/q` in lowest terms, whole numbers too: `80/1`."""
    return f"{value.numerator}/{value.denominator}"


def compare(body: Body) -> Comparison | None:
    """Who can be compared with whom: evaluators by their first pass in each session, else the passes of the only one.

    None where no session has two raters.
    """
    sheets = body["sheets"]
    several = len({sheet["evaluator"] for sheet in sheets}) > 1
    rater: Callable[[Body], int] = lambda sheet: sheet["evaluator" if several else "pass"]  # noqa: E731
    units: list[Mapping[int, int]] = []
    raters: set[int] = set()
    for places in _sessions(sheets).values():
        chosen: dict[int, int] = {}
        for place in sorted(places, key=lambda place: (sheets[place]["pass"], place)):
            chosen.setdefault(rater(sheets[place]), place)
        if len(chosen) > 1:
            raters.update(chosen)
        units.extend(_units({name: item_ratings(body, place) for name, place in chosen.items()}))
    if not raters:
        return None
    return Comparison("inter-rater" if several else "intra-rater", tuple(sorted(raters)), units)


def item_ratings(body: Body, place: int) -> ItemRatings:
    """Everything one sheet scored: six dimensions, and each criterion of each question of each scenario."""
    found: ItemRatings = {(name,): body["universal"][name][place]["score"] for name in DIMENSIONS}
    for name in SCENARIOS:
        for number, question in enumerate(body["domain"][name][place]["questions"]):
            for criterion, given in question["criteria"].items():
                found[name, str(number), criterion] = given["score"]
    return found


def _units(ratings: Mapping[int, ItemRatings]) -> list[Mapping[int, int]]:
    """One session's ratings, by item instead of by rater."""
    by_item: defaultdict[tuple[str, ...], dict[int, int]] = defaultdict(dict)
    for name, given in ratings.items():
        for item, mark in given.items():
            by_item[item][name] = mark
    return list(by_item.values())


def _put_agreement(table: _Table, comparison: Comparison) -> None:
    """Alpha of all raters; kappa besides where there are exactly two."""
    compared = comparison.compared
    excluded = len(comparison.units) - len(compared)
    alpha = krippendorff_alpha([list(unit.values()) for unit in compared], metric="ordinal")
    table.put(ALPHA, alpha, len(compared), excluded=excluded)
    if len(comparison.raters) == 2:
        first, second = comparison.raters
        pairs = [(unit[first], unit[second]) for unit in compared]
        kappa = weighted_kappa(pairs, low=LOWEST, high=HIGHEST, weights="linear")
        table.put(KAPPA, kappa, len(compared), excluded=excluded)


def _sessions(sheets: Sequence[Body]) -> dict[int, list[int]]:
    """The places of each session's sheets, sessions in order."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for place, sheet in enumerate(sheets):
        found[sheet["session"]].append(place)
    return dict(sorted(found.items()))


def _intervals(by_session: Mapping[str, Sequence[Fraction]], penalty: Fraction) -> dict[str, dict[str, Any]]:
    """Student's t over the sessions, cut at the ends of what a score can be; a penalty moves those of the composite."""
    found = {}
    for name in WITH_INTERVAL:
        low, high = t_interval(by_session[name])
        taken = penalty if name == HEADLINE else Fraction()
        found[name] = {
            "low": max(low, float(LEAST - taken)),
            "high": min(high, float(FULL - taken)),
            "method": "t",
        }
    return found
