"""Scores of a retrieval run from its evidence: means, denominators, intervals, per category too.

Owns the aggregation of specs "Metrics" and the layout of `scores`, `denominators`, `intervals` and `byCategory`
in a receipt; what each measure means for one query stands in ``scoring``. Every sum is correctly rounded, so
the order of queries changes no score (it does choose the bootstrap's draws). A metric without queries is absent
from the scores and has ``den`` 0. Refuses cuts outside 1 to 1,000.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from benchsite.stats import Interval, bootstrap_means, wilson
from benchsite.tracks.retrieval.scoring import Pattern, Query, columns, values

ABSTENTION: Final = "abstention_rate"
WILSON: Final = "wilson"
BOOTSTRAP: Final = "bootstrap"

Scored: TypeAlias = dict[str, float]
Denominators: TypeAlias = dict[str, dict[str, int]]
Intervals: TypeAlias = dict[str, dict[str, Any]]


@dataclass(slots=True)
class _Group:
    """Queries scored together: all of them, or those of one category."""

    patterns: list[Pattern] = field(default_factory=list)
    """Of the answerable queries with a non-empty E, in the order given."""
    excluded: int = 0
    """Answerable queries with an empty E."""
    unanswerable: int = 0
    abstained: int = 0

    @property
    def size(self) -> int:
        return len(self.patterns) + self.excluded + self.unanswerable


@dataclass(frozen=True, slots=True)
class Table:
    """Scores of one group of queries."""

    scores: Scored
    """Metric to value in [0, 1]; a metric with no queries is absent."""
    denominators: Denominators
    """Metric to ``den`` (queries scored), ``excluded`` (the group's others) and, for shares, ``num``."""
    ks: tuple[int, ...]
    patterns: Sequence[Pattern]

    def wilson(self) -> Intervals:
        """95 % Wilson intervals of the shares."""
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
        """95 % percentile bootstrap intervals of the metrics that are no shares, over the queries in their order."""
        rows = [values(seen, self.ks) for seen in self.patterns]
        means = [(j, column.name) for j, column in enumerate(columns(self.ks)) if not column.measure.share]
        if not rows:
            return {}
        drawn = bootstrap_means([[row[j] for row in rows] for j, _ in means], seed)
        return {name: _stated(interval, BOOTSTRAP) for (_, name), interval in zip(means, drawn, strict=True)}

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

        Queries that are unanswerable or have an empty E are left out: for a paired test, give both systems'
        queries in one order.

        Raises:
            KeyError: ``measure`` was not computed at ``k``.
        """
        names = [column.name for column in columns(self.overall.ks)]
        wanted = f"{measure}_at_{k}"
        if wanted not in names:
            raise KeyError(wanted)
        j = names.index(wanted)
        return [values(seen, self.overall.ks)[j] for seen in self.overall.patterns]

    def sections(self, *, seed: int | None) -> dict[str, Any]:
        """`scores`, `denominators`, `intervals` and `byCategory` of the receipt.

        Args:
            seed: stream of the bootstrap, from the run's configuration; None leaves its intervals out, which is
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
    overall, by_category = _collect(queries)
    return Scores(_table(overall, cuts), {name: _table(group, cuts) for name, group in by_category.items()})


def _collect(queries: Iterable[Query]) -> tuple[_Group, dict[str, _Group]]:
    overall = _Group()
    by_category: dict[str, _Group] = {}
    add = overall.patterns.append
    # The one loop that runs once a query: written flat because it is what a large run waits for.
    for relevant, ideal, ranks, answerable, failed, category in queries:
        group = None
        if category is not None:
            group = by_category.get(category)
            if group is None:
                group = by_category[category] = _Group()
        if answerable and ideal:
            found: list[Any] = [ideal]
            for item in relevant:
                if item in ranks:
                    found += (ranks[item], relevant[item])
            seen = tuple(found)
            add(seen)
            if group is not None:
                group.patterns.append(seen)
            continue
        for counted in (overall,) if group is None else (overall, group):
            if answerable:
                counted.excluded += 1
            else:
                counted.unanswerable += 1
                counted.abstained += not ranks and not failed
    return overall, by_category


def _table(group: _Group, ks: tuple[int, ...]) -> Table:
    scored = len(group.patterns)
    left_out = group.size - scored
    # Each pattern as many times as it occurs, spelled as powers of two: the scaled terms are exact, so their
    # correctly rounded sum is that of the values one by one.
    rows = [
        (values(seen, ks), count, [1 << bit for bit in range(count.bit_length()) if count >> bit & 1])
        for seen, count in Counter(group.patterns).items()
    ]
    scores: Scored = {}
    denominators: Denominators = {}
    for j, column in enumerate(columns(ks)):
        name = column.name
        if column.measure.share:
            found = sum([count for row, count, _ in rows if row[j]])
            denominators[name] = {"num": found, "den": scored, "excluded": left_out}
            total: float = found
        else:
            denominators[name] = {"den": scored, "excluded": left_out}
            total = math.fsum([row[j] * power for row, _, powers in rows for power in powers])
        if scored:
            scores[name] = total / scored
    denominators[ABSTENTION] = {
        "num": group.abstained,
        "den": group.unanswerable,
        "excluded": group.size - group.unanswerable,
    }
    if group.unanswerable:
        scores[ABSTENTION] = group.abstained / group.unanswerable
    return Table(scores, denominators, ks, group.patterns)


def _stated(interval: Interval, method: str) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "method": method}
