"""One line of a rubric board: an agent and version by its latest receipt, and the ranks it may hold.

Under rules that give intervals a rank is a range: an agent may stand wherever no interval lies wholly above or wholly
below its own. Under rules that give none, agents are put in order of the composite as it is shown, and equal ones tie.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from benchsite import words
from benchsite.history import Header
from benchsite.receipt import Document
from benchsite.tracks.rubric.metrics import ALPHA, DOMAIN, UNIVERSAL


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A result of the same agent under other rules, which is not comparable."""

    version: str
    value: float | None
    receipt: str


@dataclass(frozen=True, slots=True)
class Row:
    """One agent on a board.

    Attributes:
        runs: how many receipts of the very same agent are published under these rules.
        alpha: Krippendorff's alpha; None where it is not defined.
        kind: who was compared, `inter-rater` or `intra-rater`; empty where no session has two raters.
        first, last: the range of ranks it may hold, from 1; None where it has no composite.
        tied: how it stands among neighbours of the same range: "", "first", "inner" or "last".
        elsewhere: its latest results under other versions, newest rules first.
    """

    header: Header
    runs: int
    value: float | None
    low: float | None
    high: float | None
    universal: float | None
    domain: float | None
    sessions: int
    sheets: int
    evaluators: int
    alpha: float | None
    kind: str
    first: int | None = None
    last: int | None = None
    tied: str = ""
    elsewhere: tuple[Elsewhere, ...] = ()

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.header.summary.subject.name if self.header.summary else ""

    @property
    def title(self) -> str:
        """The agent's name, and who sent its scores where that was somebody else than this site."""
        sender = self.header.sent_by
        return f"{self.name} (sent by {sender}, not scored by us)" if sender else self.name

    @property
    def rank(self) -> str:
        """`1`, or `2–4`."""
        return words.rank(self.first, self.last)

    @property
    def rank_words(self) -> str:
        """`2nd to 4th`."""
        return words.rank_words(self.first, self.last)


def row_of(header: Header, runs: int, document: Document) -> Row:
    """The line of a receipt whose numbers may be quoted."""
    assert header.summary is not None  # noqa: S101 - History.rows gives quotable headers only
    headline, sheets = header.summary.headline, document["sheets"]
    return Row(
        header=header,
        runs=runs,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        universal=document["scores"].get(UNIVERSAL),
        domain=document["scores"].get(DOMAIN),
        sessions=len({sheet["session"] for sheet in sheets}),
        sheets=len(sheets),
        evaluators=len(document["evaluators"]),
        alpha=document["scores"].get(ALPHA),
        kind=(document["agreement"] or {}).get("kind", ""),
    )


def ranked(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows in order of the composite, each with its range of ranks; without a composite last and without rank."""
    ordered = sorted(rows, key=_best_first)
    held = [_ends(row) for row in ordered if row.value is not None]
    lows, highs = sorted(low for low, _ in held), sorted(high for _, high in held)
    found = [_placed(row, lows, highs) for row in ordered]
    marked: list[Row] = []
    for (first, last), same in groupby(found, key=lambda row: (row.first, row.last)):
        group = list(same)
        if len(group) == 1 or first == last:
            marked += group
            continue
        places = ["first", *["inner"] * (len(group) - 2), "last"]
        marked += [replace(row, tied=place) for row, place in zip(group, places, strict=True)]
    return tuple(marked)


def _placed(row: Row, lows: Sequence[float], highs: Sequence[float]) -> Row:
    """First = 1 + those wholly above; last = all less those wholly below; the ends of all are sorted."""
    if row.value is None:
        return row
    low, high = _ends(row)
    above = len(lows) - bisect_right(lows, high)
    return replace(row, first=1 + above, last=len(highs) - bisect_left(highs, low))


def _ends(row: Row) -> tuple[float, float]:
    """The interval; the composite itself, twice, where the rules give none."""
    value = row.value or 0.0
    return (value, value) if row.low is None or row.high is None else (row.low, row.high)


def _best_first(row: Row) -> tuple[float, bool, str, str]:
    """Of equal ones those that somebody sent last, then by name, so that two builds agree."""
    value = 1.0 if row.value is None else -row.value
    return value, row.header.sent_by != "", row.name, row.header.receipt_id
