"""What a leaderboard shows of a row, and what its rows are filtered by.

The page's script offers the filters; without script every row is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite.board.rows import Row


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table besides rank, subject, headline and receipt.

    Attributes:
        text: what a cell says.
        under: the small line below it; empty for none.
        words: what the column means, for "How to read this table".
        prose: whether a cell is words, which are set flush left and wrap.
    """

    heading: str
    text: Callable[[Row], str]
    under: Callable[[Row], str] = lambda _row: ""
    words: str = ""
    prose: bool = False


RUNS = Column(
    "Runs",
    lambda row: f"{row.runs:,}",
    words="Receipts of this system, version and configuration. The row shows the latest.",
)


@dataclass(frozen=True, slots=True)
class Facet:
    """One filter.

    Attributes:
        name: in the URL; neither `q`, `sort`, `order` nor `hide`, which the page has already.
        label: on the page.
        values: what holds of a row; the filter keeps rows that have the chosen value.
    """

    name: str
    label: str
    values: Callable[[Row], Sequence[str]]


STANDARD: Final = (
    Facet("type", "Type", lambda row: ("baseline" if row.baseline else "ranked",)),
    Facet("by", "Run by", lambda row: ("submitter" if row.sent else "this site",)),
    Facet("registered", "Pre-registered", lambda row: ("yes" if row.header.registered else "no",)),
    Facet("verdict", "Verdict", lambda row: (row.header.verdict.lower().replace("-", " "),)),
)
"""Of every leaderboard."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The filters of one leaderboard: labels by name, and the values of each receipt's row by name."""

    labels: Mapping[str, str]
    rows: Mapping[str, Mapping[str, Sequence[str]]]


def offered(facets: Sequence[Facet], rows: Sequence[Row]) -> Facets:
    """The filters by which rows differ; one that would keep every row is left out."""
    telling = [one for one in facets if len({tuple(one.values(row)) for row in rows}) > 1]
    return Facets(
        labels={one.name: one.label for one in telling},
        rows={row.header.receipt_id: {one.name: [*one.values(row)] for one in telling} for row in rows},
    )
