"""Products compared with their back ends: what a system adds to the bare system that it is built on.

A receipt names the back end of its adapter (specs/retrieval.md, "Product against its back end"). The bare system is the row of
that name on the same leaderboard, with default options if there is one. Differences have the paired CI and test of the
comparison page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from benchsite.board import Board, Pair, Row, TrackBoards, Vector, pair
from benchsite.track import Page
from benchsite.words import counted, sentence_case

__all__ = ["PATH", "Addition", "Rankings", "additions", "page"]

Rankings: TypeAlias = Mapping[str, Sequence[str]]
"""Query id to the returned ids."""
PATH: Final = "retrieval/what-products-add/"


@dataclass(frozen=True, slots=True)
class Addition:
    """A product on one leaderboard.

    Attributes:
        backend: name of the bare system.
        row: of the product.
        bare: the bare system's row; None if it was not run.
        pair: the product compared with it; None without that row or on other queries.
        is_identical: whether both returned the same ids in the same order for every query.
    """

    backend: str
    row: Row
    bare: Row | None
    pair: Pair | None
    is_identical: bool

    @property
    def product(self) -> tuple[str, str, str, str]:
        """Back end, name, options and submitter: what a product is over all datasets, whatever its version."""
        return self.backend, self.row.name, self.row.subject.label, self.row.sent


def additions(
    made: Board, vectors: Mapping[str, Vector], rankings: Mapping[str, Rankings]
) -> tuple[Addition, ...]:
    """Return the products of a leaderboard, by back end, then best first.

    Args:
        made: the leaderboard.
        vectors: receipt id to query id to nDCG.
        rankings: receipt id to query id to the returned ids.
    """
    found = []
    for row in made.rows:
        if backend := row.own["backend"]:
            bare = _bare(made.rows, backend)
            compared = pair(made, row, bare, vectors) if bare else None
            ids = [rankings[one.header.receipt_id] for one in (row, bare) if one is not None]
            found.append(Addition(backend, row, bare, compared, compared is not None and ids[0] == ids[1]))
    return tuple(sorted(found, key=lambda one: (one.backend, -(one.row.value or 0.0), one.row.name)))


def _bare(rows: Sequence[Row], name: str) -> Row | None:
    """The row of the back end: run by this site, and with default options if there is such a row.

    It may have a back end, as a store over an embedding has.
    """
    named = [row for row in rows if row.name == name and row.own["backend"] != name]
    named.sort(key=lambda row: (row.sent != "", row.subject.label != "", -(row.header.index or 0)))
    return next(iter(named), None)


def page(boards: TrackBoards) -> Iterator[Page]:
    """Yield the page of all products over all datasets, if a leaderboard has one."""
    shown = [(made, made.detail["additions"]) for made in boards.current if made.detail["additions"]]
    if not shown or any(
        made.path == PATH for made in boards.boards
    ):  # a dataset of this name has its own page
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
            "lede": _lede([one for _, found in lines for one in found if one is not None]),
        },
    )


def _lede(found: Sequence[Addition]) -> str:
    """How many comparisons are gains, losses, and neither."""
    pairs = [one.pair for one in found if one.pair is not None]
    if not pairs:
        return "No product has a receipt beside one of its bare back end."
    identical = sum(one.is_identical for one in found)
    better = sum(one.tied is False and one.delta > 0 for one in pairs)
    worse = sum(one.tied is False and one.delta < 0 for one in pairs)
    counts = (
        (better, "better than the back end (p < 0.05, unadjusted)"),
        (worse, "worse (p < 0.05, unadjusted)"),
        (len(pairs) - better - worse - identical, "without a significant difference"),
        (identical, "with identical rankings"),
    )
    said = ", ".join(f"{count:,} {words}" for count, words in counts if count)
    return f"{sentence_case(counted(len(pairs), 'comparison'))}: {said}."
