"""Products compared with their back ends: what a system adds to the bare system that it is built on.

A receipt names the back end of its adapter (specs/retrieval.md, "Product against its back end"). The bare system is the row of
that name on the same leaderboard, with default options if there is one. Differences have the paired CI and test of the
comparison page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite.board import Board, Pair, Row, TrackBoards, Vector, pair
from benchsite.track import Page
from benchsite.words import counted, sentence_case

__all__ = ["PATH", "Addition", "additions", "page"]

PATH: Final = "retrieval/what-products-add/"


@dataclass(frozen=True, slots=True)
class Addition:
    """A product on one leaderboard.

    Attributes:
        backend: name of the bare system.
        row: of the product.
        bare: the bare system's row; None if it was not run.
        pair: the product compared with it; None without that row or on other queries.
    """

    backend: str
    row: Row
    bare: Row | None
    pair: Pair | None

    @property
    def product(self) -> tuple[str, str, str]:
        """Back end, name and options: what a product is over all datasets, whatever its version."""
        return self.backend, self.row.name, self.row.subject.label


def additions(made: Board, vectors: Mapping[str, Vector]) -> tuple[Addition, ...]:
    """Return the products of a leaderboard, by back end, then best first.

    Args:
        made: the leaderboard.
        vectors: receipt id to query id to nDCG.
    """
    found = []
    for row in made.rows:
        if backend := row.own["backend"]:
            bare = _bare(made.rows, backend)
            found.append(Addition(backend, row, bare, pair(made, row, bare, vectors) if bare else None))
    return tuple(sorted(found, key=lambda one: (one.backend, -(one.row.value or 0.0), one.row.name)))


def _bare(rows: Sequence[Row], name: str) -> Row | None:
    """The row of the bare system: run by this site and with default options if there is such a row."""
    named = [row for row in rows if row.name == name and not row.own["backend"]]
    named.sort(key=lambda row: (row.sent != "", row.subject.label != "", -(row.header.index or 0)))
    return next(iter(named), None)


def page(boards: TrackBoards) -> Iterator[Page]:
    """Yield the page of all products over all datasets, if a leaderboard has one."""
    shown = [(made, made.detail["additions"]) for made in boards.current if made.detail["additions"]]
    if not shown:
        return
    products = sorted({one.product for _, found in shown for one in found})
    every = [(made.target, one) for made, found in shown for one in found]
    every.sort(key=lambda placed: placed[1].row.header.index or 0)  # of several versions the newest
    cells = {(target, one.product): one for target, one in every}
    lines = [(product, [cells.get((made.target, product)) for made, _ in shown]) for product in products]
    yield Page(
        path=PATH,
        title="What does the product add?",
        description="Retrieval products compared with the bare system that each is built on, per dataset.",
        template="retrieval/backends.html.j2",
        context={
            "boards": [made for made, _ in shown],
            "lines": lines,
            "lede": _lede([one for _, found in shown for one in found]),
        },
    )


def _lede(found: Sequence[Addition]) -> str:
    """How many comparisons are gains, losses, and neither."""
    pairs = [one.pair for one in found if one.pair is not None]
    if not pairs:
        return "No product has a receipt beside one of its bare back end."
    better = sum(one.tied is False and one.delta > 0 for one in pairs)
    worse = sum(one.tied is False and one.delta < 0 for one in pairs)
    equal = sum(one.wins == one.losses == 0 for one in pairs)
    rest = len(pairs) - better - worse - equal
    counts = (
        (better, "significantly better than the back end"),
        (worse, "significantly worse"),
        (rest, "not significantly different"),
        (equal, "with the same score on every query"),
    )
    said = ", ".join(f"{count:,} {words}" for count, words in counts if count)
    return f"{sentence_case(counted(len(pairs), 'comparison'))}: {said}."
