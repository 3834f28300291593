"""The comparison that a page shows before a reader chooses: the best two systems of a leaderboard.

The p-value is that of the leaderboard. A track without a paired test has the two CIs alone. The same is computed in the
browser for any two to five systems (theme/assets/js/compare-lines.js).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsite.board.board import Board
from benchsite.board.compare import pair
from benchsite.board.per_item import metrics_of, rows_of
from benchsite.board.ranks import Vector
from benchsite.board.rows import Row
from benchsite.board.settings import differing, settings
from benchsite.board.two_systems import Line, SignFlips, by_category, by_metric
from benchsite.receipt import Document
from benchsite.words import p_value

__all__ = ["Versus", "lines", "versus"]


@dataclass(frozen=True, slots=True)
class Versus:
    """Two systems.

    Attributes:
        items: items that either ran; `common` that both did.
        differing: settings in which the two differ, with both values.
        metrics, categories: lines with a paired test; empty without one.
        overlap: whether the CIs of the headline overlap; None without both.
    """

    first: Row
    second: Row
    items: int
    common: int
    differing: Mapping[str, tuple[str, str]]
    metrics: tuple[Line, ...]
    categories: tuple[Line, ...]
    overlap: bool | None

    @property
    def headline(self) -> Line | None:
        """The line of the headline metric."""
        return self.metrics[0] if self.metrics else None

    def sentence(self, made: Board) -> str:
        """The result in words."""
        about, line = made.about, self.headline
        one, other = about.name(self.first), about.name(self.second)
        if not self.common:
            return f"{one} and {other} have no common {about.items_words}."
        if line is None:
            found = pair(made, self.first, self.second, _values(made, self.first, self.second))
            words = {True: "the 95% CIs overlap", False: "the 95% CIs do not overlap", None: "not tested"}
            delta = f"{about.metric.label} {found.cells[0]}; " if found else ""
            return f"{one} and {other}: {delta}{words[self.overlap]}."
        numbers = f"{about.metric.label} {about.metric.difference(line.difference)}, 95% CI {interval(made, line)}, unadjusted {p_value(line.p)}"
        if line.p >= made.test.level:
            return f"No significant difference between {one} and {other}: {numbers}."
        better, worse = (one, other) if line.difference > 0 else (other, one)
        return f"{better} is better than {worse} in a test of this pair alone: {numbers}."


def interval(made: Board, line: Line, key: str = "") -> str:
    """The CI of a line as pages write it: `[+3.1, +10.2]`; a dash for one item."""
    if line.low is None or line.high is None:
        return "–"
    metric = made.about.track.metric(key) if key else made.about.metric
    low, high = (metric.difference(end).removesuffix(" pt") for end in (line.low, line.high))
    return f"[{low}, {high}]"


def versus(made: Board) -> Versus | None:
    """Return the best two systems compared; None if there are not two."""
    rows = rows_of(made)
    if len(rows) < 2:
        return None
    first, second = rows[:2]
    a, b = (made.bodies(row.header.receipt_id) for row in (first, second))
    keys = metrics_of(made)
    values, other = (_metrics(made, document, keys) for document in (a, b))
    headline = keys[0]
    one, two = values.get(headline, {}), other.get(headline, {})
    metrics: tuple[Line, ...] = ()
    categories: tuple[Line, ...] = ()
    if made.about.compared is not None:
        metrics, categories = lines(made, first, second, (values, other))
    ends = (first.low, first.high, second.low, second.high)
    return Versus(
        first,
        second,
        len(one.keys() | two.keys()),
        len(one.keys() & two.keys()),
        dict(differing(settings(made.about.track, a), settings(made.about.track, b))),
        metrics,
        categories,
        None
        if None in ends
        else (first.low or 0) <= (second.high or 0) and (second.low or 0) <= (first.high or 0),
    )


def lines(
    made: Board, first: Row, second: Row, values: tuple[Mapping[str, Vector], Mapping[str, Vector]]
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the lines of the metrics, and of the categories of the headline, by the leaderboard's test."""
    a, b = values
    ids = {first.header.receipt_id, second.header.receipt_id}
    headline = (made.about.metrics or (made.about.headline,))[0]
    test = SignFlips(made.test.seed, made.test.flips, headline, ids <= made.test.once)
    by = by_metric(a, b, test)
    if not by or by[0].name != headline:
        return (), ()
    found = made.picture
    categories = {
        item: group.name
        for group in (found.groups if found else ())
        if group.name
        for item in found.items[group.start : group.start + group.size]  # type: ignore[union-attr]
    }
    return by, by_category(a[headline], b[headline], categories, test)


def _metrics(made: Board, document: Document, keys: Sequence[str]) -> Mapping[str, Vector]:
    """Metrics of a receipt by item, those of `keys` in their order."""
    about, part = made.about, made.about.track.paired
    if part is None or not about.metrics:
        read = about.items or about.compared
        return {about.headline: read(document) if read is not None else {}}
    found = part.per_item(document).metrics
    return {key: found[key] for key in keys if key in found}


def _values(made: Board, *rows: Row) -> Mapping[str, Vector]:
    read = made.about.items or made.about.compared
    return {
        row.header.receipt_id: read(made.bodies(row.header.receipt_id)) if read is not None else {}
        for row in rows
    }
