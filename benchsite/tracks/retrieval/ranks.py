"""Ranks with ties, and how the first stands against the floor: paired tests, question by question.

Follows specs/retrieval.md, "Boards". The tests are seeded by receipt ids, so that anybody gets the same ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from benchsite import canonical
from benchsite.receipt import Document
from benchsite.stats import holm, paired_randomisation
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.row import Row
from benchsite.tracks.retrieval.scoring import Query
from benchsite.tracks.retrieval.verification import HEADLINE_K

LEVEL: Final = 0.05

Standing = Literal["above", "level", "below"]
"""How the leader stands against the bm25 floor; `level` where a paired test cannot tell them apart."""

Vector = Mapping[str, float]
"""Query id to the headline measure of that query."""


def per_query(document: Document) -> Vector:
    """nDCG@10 of every scored query; empty where the receipt does not record what was expected."""
    rows = document["perQuery"]
    if any("expected" not in row for row in rows):
        return {}
    asked = [(row["queryId"], Query.from_row(row)) for row in rows]
    values = score((query for _, query in asked), (HEADLINE_K,)).per_query("ndcg", HEADLINE_K)
    names = [name for name, query in asked if query.answerable and query.ideal]
    return dict(zip(names, values, strict=True))


def rank(rows: Sequence[Row], vectors: Mapping[str, Vector]) -> tuple[tuple[Row, ...], bool]:
    """Ranks with ties, from the top down.

    The best row not yet placed leads a group. Each row below is compared with it by the paired randomisation
    test (10,000 flips), the p-values are corrected after Holm, and the group ends before the first row that
    differs at the 5 % level.

    Args:
        rows: best first.
        vectors: receipt id to per-query values, over the same queries.

    Returns:
        The rows with their ranges, and False where a row could not be tested: then nobody has a rank.
    """
    queries = {frozenset(vectors.get(row.header.receipt_id, ())) for row in rows}
    if rows and (len(queries) > 1 or queries == {frozenset()}):
        return tuple(rows), False
    placed: list[Row] = []
    while len(placed) < len(rows):
        start = len(placed)
        size = 1 + _tied(rows[start:], vectors)
        for offset, row in enumerate(rows[start : start + size]):
            tied = "" if size == 1 else "first" if offset == 0 else "last" if offset == size - 1 else "inner"
            placed.append(replace(row, first=start + 1, last=start + size, tied=tied))
    return tuple(placed), True


def _tied(rows: Sequence[Row], vectors: Mapping[str, Vector]) -> int:
    """How many of the rows below the first cannot be told apart from it."""
    leader = rows[0].header.receipt_id
    p_values = [_p_value(leader, row.header.receipt_id, vectors) for row in rows[1:]]
    adjusted = holm(p_values) if p_values else []
    return next((place for place, p in enumerate(adjusted) if p < LEVEL), len(adjusted))


def _p_value(a: str, b: str, vectors: Mapping[str, Vector]) -> float:
    order = sorted(vectors[a])
    return paired_randomisation(
        [vectors[a][query] for query in order], [vectors[b][query] for query in order], seed=seed(a, b)
    )


def reference(floors: Iterable[Row]) -> Row | None:
    """The newest bm25 floor with default options."""
    return next((row for row in floors if row.name == "bm25" and not row.label), None)


def against_floor(leader: Row, floors: Iterable[Row], vectors: Mapping[str, Vector]) -> Standing | None:
    """How the first row stands against the bm25 floor, by the paired test that makes the ranks.

    It is one comparison, so nothing is corrected. None where the floor was not run or not over the same queries.
    """
    floor = reference(floors)
    if floor is None or leader.value is None or floor.value is None:
        return None
    a, b = leader.header.receipt_id, floor.header.receipt_id
    if not vectors[a] or vectors[a].keys() != vectors[b].keys():
        return None
    if _p_value(a, b, vectors) >= LEVEL:
        return "level"
    return "above" if leader.value > floor.value else "below"


def seed(*receipt_ids: str) -> int:
    """The first 8 bytes of SHA-256 of the sorted receipt ids, joined by line feeds."""
    return int(canonical.sha256_hex("\n".join(sorted(receipt_ids)).encode("ascii"))[:16], 16)
