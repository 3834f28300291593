"""What a leaderboard shows of a row: columns, filters, further metrics with their CIs, and parts such as domains.

The page's script offers filters and further metrics; without script every row is shown by the headline metric.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from benchsite.board.rows import Estimate, Row
from benchsite.receipt import Document
from benchsite.track import Metric


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table besides rank, subject, headline, comparisons and receipt.

    Attributes:
        text: what a cell says.
        under: the small line below it; empty for none.
        words: what the column means, for "How to read this table".
        prose: whether a cell is words, which are set flush left and wrap.
        optional: whether the column is absent if no system has a value.
        folded: whether the column is hidden until a reader chooses it.
        phone: the word in front of the cell in the last line of a row on a phone; empty if it isn't there.
    """

    heading: str
    text: Callable[[Row], str]
    under: Callable[[Row], str] = lambda _row: ""
    words: str = ""
    prose: bool = False
    optional: bool = False
    folded: bool = False
    phone: str = ""

    @property
    def key(self) -> str:
        """The column's name in the address of a page."""
        return key_of(self.heading)


def key_of(heading: str) -> str:
    """Return a heading as one word of an address: `hit-rate-10` for `Hit rate@10`."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-") or "column"


RUNS = Column(
    "Runs",
    lambda row: f"{row.runs:,}",
    words="Receipts of this system, version and configuration. The row shows the latest.",
    folded=True,
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a receipt that rows can be shown and drawn by, besides the headline.

    Attributes:
        key: in `scores` or `timing`.
        is_cost: whether less is better.
        is_timed: whether it depends on the machine.
        label: on the page; else the metric's own.
        metric: how it is shown; else as the track has it.
    """

    key: str
    is_cost: bool = False
    is_timed: bool = False
    label: str = ""
    metric: Metric | None = None

    def read(self, document: Document) -> Estimate:
        """Return the value of a receipt's body with its CI; blank without one."""
        value = document["scores"].get(self.key)
        value = (document.get("timing") or {}).get(self.key) if value is None else value
        interval: Mapping[str, Any] = (document.get("intervals") or {}).get(self.key) or {}
        return Estimate(value, interval.get("low"), interval.get("high"))


class Part(NamedTuple):
    """The headline metric of a row over one category of tasks.

    Attributes:
        key: of the category.
        label: as pages show it.
        n: how many tasks it has, in words; the same for every row that ran them.
        value, low, high: None if blank.
        text: what is shown instead of a value.
        metric: how the value is shown, if not as the headline.
    """

    key: str
    label: str
    n: str
    value: float | None
    low: float | None = None
    high: float | None = None
    text: str = ""
    metric: Metric | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """One filter.

    Attributes:
        name: in the URL; not one of `RESERVED`.
        label: on the page.
        values: what holds of a row; the filter keeps rows that have a chosen value.
        known: values that are offered even if no row has them.
    """

    name: str
    label: str
    values: Callable[[Row], Sequence[str]]
    known: Sequence[str] = ()


RESERVED: Final = frozenset(
    {"q", "sort", "order", "hide", "show", "metric", "tasks", "baselines", "pick", "x", "y"}
)
"""Parts of a leaderboard's address that are no filter."""

ORIGIN: Final = Facet(
    "origin",
    "Origin",
    lambda row: ("imported" if row.header.imported else "run here",),
    known=("imported", "run here"),
)
"""Of leaderboards that rank imported results too."""

STANDARD: Final = (
    Facet("by", "Run by", lambda row: (row.header.sent_by or "this site",)),
    Facet("registered", "Pre-registered", lambda row: ("yes" if row.header.registered else "no",)),
    Facet("verdict", "Verdict", lambda row: (row.header.verdict.lower().replace("-", " "),)),
)
"""Of every leaderboard."""

MOST_CHOICES: Final = 12
"""Values of one filter on the page; the commonest are kept."""


class Offered(NamedTuple):
    """A filter with the number of rows that have each of its values."""

    name: str
    label: str
    choices: Sequence[tuple[str, int]]


class Facets(NamedTuple):
    """The filters of one leaderboard, and the values of each receipt's row by name."""

    offered: Sequence[Offered]
    rows: Mapping[str, Mapping[str, Sequence[str]]]


def offered(facets: Sequence[Facet], rows: Sequence[Row]) -> Facets:
    """Return the filters by which systems differ, with counts; baselines have a control of their own."""
    systems = [row for row in rows if not row.baseline]
    found = []
    for facet in facets:
        if facet.name in RESERVED:
            continue
        counts = Counter(value for row in systems for value in dict.fromkeys(facet.values(row)))
        names = [*facet.known, *sorted(counts.keys() - set(facet.known))]
        if not systems or (len(names) < 2 or (not facet.known and _is_same(facet, systems))):
            continue
        kept = sorted(names, key=lambda name: -counts[name])[:MOST_CHOICES]
        choices = [(name, counts[name]) for name in names if name in kept]
        found.append(Offered(facet.name, facet.label, choices))
    told = {one.name for one in found}
    values = {
        row.header.receipt_id: {one.name: [*one.values(row)] for one in facets if one.name in told}
        for row in systems
    }
    return Facets(found, values)


def _is_same(facet: Facet, rows: Sequence[Row]) -> bool:
    """Whether every row has the same values."""
    return len({tuple(sorted(facet.values(row))) for row in rows}) < 2
