"""What the page of a leaderboard shows besides its rows' own cells: groups, columns, parts, plots and the data of its script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.board.board import Board, Leaderboard
from benchsite.board.columns import Column, Facets, Measure, Part, offered
from benchsite.board.compare import by_value
from benchsite.board.rows import Estimate, Row
from benchsite.track import Metric, Page

__all__ = ["Group", "Plot", "Point", "View", "data_page", "view"]

MOST_POINTS: Final = 40
"""Systems of a scatter: more points cover each other."""
MOST_PLOTS: Final = 5
_SHADES: Final = 6


class Group(NamedTuple):
    """Rows that are ranked among themselves; the title is empty if they are all rows."""

    title: str
    gloss: str
    rows: Sequence[Row]


class Cell(NamedTuple):
    """A part of a row: text, small line, shade from 0 to 5, and whether the reference baseline is better."""

    text: str
    under: str = ""
    heat: int | None = None
    is_worse: bool = False


class PartTable(NamedTuple):
    """The headline metric by category: (label, n) of each column, and a line for each row."""

    heads: Sequence[tuple[str, str]]
    lines: Sequence[tuple[Row, Sequence[Cell]]]

    @property
    def is_wide(self) -> bool:
        """Whether the table needs the width of the page."""
        has_small = any(cell.under for _, cells in self.lines for cell in cells)
        return len(self.heads) > (3 if has_small else 8)

    def ambiguous(self, row: Row) -> bool:
        """Whether another row has the same name."""
        return sum(one.name == row.name for one, _ in self.lines) > 1


class Point(NamedTuple):
    """A row in a scatter; `is_elsewhere`: its machine is another one than the first row's."""

    name: str
    id: str
    x: Estimate
    y: Estimate
    is_baseline: bool
    is_elsewhere: bool


class Axis(NamedTuple):
    """A metric as an axis of a scatter."""

    key: str
    label: str
    metric: Metric
    is_cost: bool


class Plot(NamedTuple):
    """A scatter of two metrics."""

    x: Axis
    y: Axis
    points: Sequence[Point]
    more: int


@dataclass(frozen=True, slots=True)
class View:
    """What a leaderboard's template shows.

    Attributes:
        columns: the track's own columns that have a cell, with their places in `Row.cells`.
        facets: filters with counts.
        parts: the table of categories; None without any.
        plots: scatters, the first one shown without script.
        measures: what rows can be shown by, the headline first.
        parts_shown: (key, label, n) of categories that rows can be shown by.
        baselines: how many baselines were run.
        reference: the receipt of the reference baseline; empty without one.
        leader, test: whether columns compare with the first row, and with the reference baseline.
        ranks: how ranks were made, in words.
        sheet, sheets: which page of a long leaderboard this is, from 1.
    """

    about: Leaderboard

    groups: Sequence[Group]
    columns: Sequence[tuple[int, Column]]
    facets: Facets
    parts: PartTable | None
    plots: Sequence[Plot]
    measures: Sequence[Axis]
    parts_shown: Sequence[tuple[str, str, str]]
    baselines: int
    reference: str
    leader: bool
    test: bool
    ranks: str
    sheet: int = 1
    sheets: int = 1

    @property
    def rows(self) -> Sequence[Row]:
        """Every row, in the order of the page."""
        return [row for group in self.groups for row in group.rows]

    def against(self, row: Row) -> tuple[str, str]:
        """Return how a row compares with the reference baseline, and the tone of the words; empty without a test."""
        found, name = row.to_baseline, self.about.reference_name
        if found is None:
            return "", ""
        if found.tied:
            return f"not better than {name}", "caution"
        return (f"better than {name}", "soft") if found.delta > 0 else (f"worse than {name}", "bad")


def view(made: Board) -> View:
    """Return what the page of a leaderboard shows."""
    about = made.about
    rows = listed(made)
    parts = _parts(made, rows)
    reference = about.reference(made.baselines) if made.baselines else None
    return View(
        about=about,
        groups=groups(made),
        columns=_columns(about, rows),
        facets=offered(about.every_facet, rows),
        parts=parts,
        plots=tuple(_plots(made, rows)),
        measures=_measures(about, rows),
        parts_shown=tuple(_parts_shown(about, rows)),
        baselines=sum(row.baseline for row in rows),
        reference=reference.header.receipt_id if reference else "",
        leader=any(row.to_leader is not None for row in rows),
        test=any(row.to_baseline is not None for row in rows),
        ranks=" ".join(_ranks(made)),
    )


def groups(made: Board) -> tuple[Group, ...]:
    """Return every row: in one group, or imported results below if rows run here are ranked too."""
    native, imported = made.ranked, made.imported.ranked
    if native and imported:
        return (
            Group("Run here", "by this site or a submitter", _ordered(made, native, made.baselines)),
            Group("Imported", "graded here, not run here; ranked separately", imported),
        )
    if imported:
        return (Group("", "", _ordered(made, imported, made.imported.baselines)),)
    return (Group("", "", _ordered(made, native, made.baselines)),)


def listed(made: Board) -> tuple[Row, ...]:
    """Return the rows in the order of the page."""
    return tuple(row for group in groups(made) for row in group.rows)


def _ordered(made: Board, rows: Sequence[Row], baselines: Sequence[Row]) -> Sequence[Row]:
    every = (*rows, *baselines)
    return by_value(every) if made.about.interleaved else every


def _ranks(made: Board) -> Iterator[str]:
    """How ranks were made; nothing if at most one row has one, or intervals make them."""
    if made.about.compared is None:
        return
    tasks = made.about.tasks
    for rows, tested in ((made.ranked, made.tested), (made.imported.ranked, made.imported.tested)):
        if rows and not tested:
            yield f"No ranks: the receipts lack a value for each of the same {tasks}."
        elif len(rows) > 1:
            test = made.test.words({row.header.receipt_id for row in rows})
            yield (
                f"Ranks: {test} with the first row of each group, Holm-adjusted. Rows joined by a bar are tied with "
                f"the first of them (adjusted p ≥ {made.about.level:g}). The p-values in the table are adjusted too."
            )
            return


def _columns(about: Leaderboard, rows: Sequence[Row]) -> Sequence[tuple[int, Column]]:
    return tuple(
        (place, column)
        for place, column in enumerate(about.shown)
        if not column.optional or any(row.cells[place][0] != "–" for row in rows if not row.baseline)
    )


def _axis(about: Leaderboard, one: Measure) -> Axis:
    metric = one.metric or about.track.metric(one.key)
    return Axis(one.key, one.label or metric.label, metric, one.is_cost)


def _headline(about: Leaderboard) -> Axis:
    return Axis(about.headline, about.metric.label, about.metric, is_cost=False)


def estimate(about: Leaderboard, row: Row, key: str) -> Estimate:
    """Return a metric of a row, the headline too."""
    return Estimate(row.value, row.low, row.high) if key == about.headline else row.estimates[key]


def _measures(about: Leaderboard, rows: Sequence[Row]) -> tuple[Axis, ...]:
    further = [
        _axis(about, one)
        for one in about.measures
        if any(row.estimates[one.key].value is not None for row in rows)
    ]
    return (_headline(about), *further)


def _plots(made: Board, rows: Sequence[Row]) -> Iterator[Plot]:
    """Over each cost, then over each other metric; the first plot is the one that a page without script shows."""
    about = made.about
    axes = {one.key: one for one in _measures(about, rows)}
    y = axes.get(about.drawn) or axes[about.headline]
    others = [one for one in axes.values() if one.key != y.key]
    xs = sorted(others, key=lambda one: (not one.is_cost, one.key == about.headline))
    timed = {one.key for one in about.measures if one.is_timed}
    for x in xs[:MOST_PLOTS]:
        found = [
            row
            for row in rows
            if estimate(about, row, x.key).value is not None and estimate(about, row, y.key).value is not None
        ]
        if len(found) < 2:
            continue
        machine = found[0].machine
        points = [
            Point(
                about.name(row),
                row.header.receipt_id,
                estimate(about, row, x.key),
                estimate(about, row, y.key),
                row.baseline,
                x.key in timed and row.machine != machine,
            )
            for row in found[:MOST_POINTS]
        ]
        yield Plot(x, y, points, len(found) - len(points))


def _parts(made: Board, rows: Sequence[Row]) -> PartTable | None:
    about = made.about
    by_row = {row.header.receipt_id: {part.key: part for part in about.parts(row)} for row in rows}
    heads: dict[str, tuple[str, str]] = {}
    for found in by_row.values():
        for key, part in found.items():
            heads.setdefault(key, (part.label, part.n))
    if not heads:
        return None
    keys = sorted(heads)
    reference = about.reference(made.baselines) if made.baselines else None
    below = by_row.get(reference.header.receipt_id, {}) if reference else {}
    lines = [
        (row, [_cell(about, by_row[row.header.receipt_id].get(key), below.get(key)) for key in keys])
        for row in by_value(rows)
    ]
    return PartTable([heads[key] for key in keys], lines)


def _cell(about: Leaderboard, part: Part | None, reference: Part | None) -> Cell:
    if part is None or (part.value is None and not part.text):
        return Cell("–")
    if part.value is None:
        return Cell(part.text)
    metric = part.metric or about.metric
    heat = min(_SHADES - 1, max(0, int(part.value / metric.most * _SHADES)))
    is_worse = reference is not None and reference.value is not None and part.value < reference.value
    if metric.percent:
        return Cell(f"{100 * part.value:.0f}", "", heat, is_worse)
    interval = "" if part.low is None else f"[{metric.figure(part.low)}, {metric.figure(part.high)}]"
    return Cell(metric.figure(part.value), interval, heat, is_worse)


def _parts_shown(about: Leaderboard, rows: Sequence[Row]) -> Iterator[tuple[str, str, str]]:
    """Categories that rows can be shown by: those of the headline's own scale."""
    seen: dict[str, tuple[str, str]] = {}
    for row in rows:
        for part in about.parts(row):
            if part.metric is None and part.value is not None:
                seen.setdefault(part.key, (part.label, part.n))
    yield from ((key, *seen[key]) for key in sorted(seen))


def widest_part(about: Leaderboard, first: Row, second: Row) -> tuple[Part, Part] | None:
    """Return the category in which two rows differ most, as a share of its scale; None without a common one."""
    others = {part.key: part for part in about.parts(second)}
    common = [
        (part, others[part.key])
        for part in about.parts(first)
        if part.value is not None and part.key in others and others[part.key].value is not None
    ]
    return max(common, key=lambda both: _gap(about, *both), default=None)


def _gap(about: Leaderboard, part: Part, other: Part) -> float:
    return abs((part.value or 0.0) - (other.value or 0.0)) / (part.metric or about.metric).most


def data_page(made: Board, shown: View, path: str) -> Page:
    """Return the file that the page's script reads: each row's value and CI by metric and by category.

    Args:
        made: the leaderboard.
        shown: what its page shows.
        path: of the file.
    """
    about = made.about
    value: dict[str, Any] = {
        "v": 1,
        "metrics": [
            {"key": one.key, "label": one.label, "isCost": one.is_cost, "percent": one.metric.percent}
            for one in shown.measures
        ],
        "rows": {row.header.receipt_id: _numbers(about, shown, row) for row in listed(made)},
    }
    return Page(path=path, data=canonical.dumps(value))


def _numbers(about: Leaderboard, shown: View, row: Row) -> Mapping[str, Any]:
    found = {one.key: _record(one.metric, estimate(about, row, one.key)) for one in shown.measures}
    parts = {part.key: part for part in about.parts(row)}
    for key, _, _ in shown.parts_shown:
        part = parts.get(key)
        found[f"part:{key}"] = _record(
            about.metric, Estimate() if part is None else Estimate(part.value, part.low, part.high)
        )
    return found


def _record(metric: Metric, one: Estimate) -> list[Any]:
    """Value, low, high, and both as a page writes them."""
    interval = "" if one.low is None else f"[{metric.figure(one.low)}, {metric.figure(one.high)}]"
    return [one.value, one.low, one.high, metric.figure(one.value), interval]


def staircase(points: Sequence[Point], *, is_cost: bool) -> list[tuple[float, float]]:
    """Return the (x, y) that no other point beats, by x; more of y is better, less of x too if `is_cost`."""
    found = [(one.x.value, one.y.value) for one in points if not one.is_elsewhere]
    known = [(x, y) for x, y in found if x is not None and y is not None]
    kept: list[tuple[float, float]] = []
    for x, y in sorted(known, key=lambda at: (at[0] if is_cost else -at[0], -at[1])):
        if not kept or y > kept[-1][1]:
            kept.append((x, y))
    assert all(a[1] < b[1] for a, b in pairwise(kept))  # noqa: S101 - strictly rising by construction
    return sorted(kept)
