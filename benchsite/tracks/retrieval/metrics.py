"""Scores of a retrieval run from its evidence: means, denominators, intervals, per category too.

Owns the aggregation of specs "Metrics" and the layout of `scores`, `denominators`, `intervals` and `byCategory`
in a receipt; what each metric means for one query is in ``scoring``. Every sum is correctly rounded, so
the order of queries changes no score (it does choose the bootstrap's draws). A metric without queries is absent
from the scores and has ``den`` 0. Refuses cuts outside 1 to 1,000.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from benchsite import stats
from benchsite.stats import Interval, wilson
from benchsite.tracks.retrieval.scores.scoring import Pattern, Query, columns, values

ABSTENTION: Final = "abstention_rate"
WILSON: Final = "wilson"
BOOTSTRAP: Final = "bootstrap"

Scored: TypeAlias = dict[str, float]
Denominators: TypeAlias = dict[str, dict[str, int]]
Intervals: TypeAlias = dict[str, dict[str, Any]]


@dataclass(slots=True)
class _Group:
    """Queries scored together: all of them, or those of one category."""

    order: list[int] = field(default_factory=list)
    """Pattern numbers of the answerable queries with a non-empty E, in the order given."""
    excluded: int = 0
    """Answerable queries with an empty E."""
    unanswerable: int = 0
    abstained: int = 0

    @property
    def size(self) -> int:
        return len(self.order) + self.excluded + self.unanswerable


@dataclass(frozen=True, slots=True)
class Table:
    """Scores of one group of queries."""

    scores: Scored
    """Metric to value in [0, 1]; a metric with no queries is absent."""
    denominators: Denominators
    """Metric to ``den`` (queries scored), ``excluded`` (the group's others) and, for shares, ``num``."""
    ks: tuple[int, ...]
    rows: Sequence[tuple[float, ...]]
    """Values of every column, one row a pattern."""
    order: Sequence[int]
    """The row of each scored query."""

    def wilson(self) -> Intervals:
        """95% Wilson intervals of the shares."""
        intervals: Intervals = {}
        known: dict[tuple[int, int], Interval] = {}
        for name, counted in self.denominators.items():
            if name in self.scores and "num" in counted:
                share = counted["num"], counted["den"]
                if share not in known:
                    known[share] = wilson(*share)
                intervals[name] = _stated(known[share], WILSON)
        return intervals

    def bootstrap(self, seed: int) -> Intervals:
        """95% percentile bootstrap intervals of the metrics that are no shares, over the queries in their order."""
        if not self.order:
            return {}
        names = {column.name: j for j, column in enumerate(columns(self.ks)) if not column.measure.share}
        drawn = stats.bootstrap_means([self.column(j) for j in names.values()], seed)
        return {name: _stated(interval, BOOTSTRAP) for name, interval in zip(names, drawn, strict=True)}

    def column(self, j: int) -> list[float]:
        """Values of column ``j`` of ``columns(ks)``, one a scored query, in the order given."""
        return [self.rows[i][j] for i in self.order]

    def sections(self, seed: int | None) -> dict[str, Any]:
        """`scores`, `denominators` and `intervals` as a receipt states them; without a seed, only Wilson's."""
        intervals = self.wilson() if seed is None else self.wilson() | self.bootstrap(seed)
        return {"scores": self.scores, "denominators": self.denominators, "intervals": intervals}


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a run, over all queries and in each category."""

    overall: Table
    by_category: dict[str, Table]

    @property
    def scores(self) -> Scored:
        """Metric to value in [0, 1], over all queries."""
        return self.overall.scores

    @property
    def denominators(self) -> Denominators:
        """Metric to ``{num?, den, excluded}``, over all queries."""
        return self.overall.denominators

    def per_query(self, measure: str, k: int) -> list[float]:
        """One metric's value for every scored query, in the order the queries were given.

        Queries that are unanswerable or have an empty E are excluded: for a paired test, give both systems'
        queries in one order.

        Raises:
            KeyError: ``measure`` was not computed at ``k``.
        """
        names = [column.name for column in columns(self.overall.ks)]
        wanted = f"{measure}_at_{k}"
        if wanted not in names:
            raise KeyError(wanted)
        return self.overall.column(names.index(wanted))

    def sections(self, *, seed: int | None) -> dict[str, Any]:
        """`scores`, `denominators`, `intervals` and `byCategory` of the receipt.

        Args:
            seed: stream of the bootstrap, from the run's configuration; None excludes its intervals, which is
                what verification recomputes.
        """
        by_category = {name: table.sections(seed) for name, table in self.by_category.items()}
        return {**self.overall.sections(seed), "byCategory": by_category}


def score(queries: Iterable[Query], ks: Sequence[int]) -> Scores:
    """Score a run at the cuts ``ks``.

    Args:
        queries: the evidence; failed queries are scored as having retrieved nothing.
        ks: strictly ascending cuts within 1 to 1,000. MRR and MAP are reported at the last.

    Raises:
        ValueError: ``ks`` are no such cuts.
    """
    cuts = tuple(ks)
    columns(cuts)
    patterns, whole, by_category = _collect(queries)
    rows = [values(pattern, cuts) for pattern in patterns]
    return Scores(
        _table(whole, rows, cuts), {name: _table(group, rows, cuts) for name, group in by_category.items()}
    )


def _collect(queries: Iterable[Query]) -> tuple[list[Pattern], _Group, dict[str, _Group]]:
    """Number the distinct patterns, and sort the queries into the whole and its categories."""
    numbers: dict[Pattern, int] = {}
    groups: defaultdict[str | None, _Group] = defaultdict(_Group)
    whole = _Group()
    known, add = numbers.get, whole.order.append
    # The one loop that runs once a query: flat, because it is what a large run waits for.
    for relevant, ideal, ranks, answerable, failed, category in queries:
        if answerable and ideal:
            pattern = ideal
            for item in relevant:
                pattern += (ranks.get(item, 0),)
            number = known(pattern)
            if number is None:
                number = numbers[pattern] = len(numbers)
            add(number)
            if category is not None:
                groups[category].order.append(number)
        elif answerable:
            groups[category].excluded += 1
        else:
            groups[category].unanswerable += 1
            groups[category].abstained += not ranks and not failed
    for group in groups.values():
        whole.excluded += group.excluded
        whole.unanswerable += group.unanswerable
        whole.abstained += group.abstained
    return list(numbers), whole, {name: group for name, group in groups.items() if name is not None}


def _table(group: _Group, rows: Sequence[tuple[float, ...]], ks: tuple[int, ...]) -> Table:
    scored = len(group.order)
    left_out = group.size - scored
    # Each row as often as it occurs, spelled as powers of two: the scaled terms are exact, so their correctly
    # rounded sum is that of the values one by one.
    counts = [
        (rows[i], count, [1 << bit for bit in range(count.bit_length()) if count >> bit & 1])
        for i, count in Counter(group.order).items()
    ]
    scores: Scored = {}
    denominators: Denominators = {}
    for j, column in enumerate(columns(ks)):
        name = column.name
        if column.measure.share:
            found = sum([count for row, count, _ in counts if row[j]])
            denominators[name] = {"num": found, "den": scored, "excluded": left_out}
            total: float = found
        else:
            denominators[name] = {"den": scored, "excluded": left_out}
            total = math.fsum([row[j] * power for row, _, powers in counts for power in powers])
        if scored:
            scores[name] = total / scored
    denominators[ABSTENTION] = {
        "num": group.abstained,
        "den": group.unanswerable,
        "excluded": group.size - group.unanswerable,
    }
    if group.unanswerable:
        scores[ABSTENTION] = group.abstained / group.unanswerable
    return Table(scores, denominators, ks, rows, group.order)


def _stated(interval: Interval, method: str) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "method": method}
