"""One query's evidence, and what each retrieval measure makes of it.

Owns the definitions of specs "Metrics": E is the expected ids with grade ≥ 1, R the retrieved ids with
duplicates dropped, keeping the first, before any cut. Gain is the grade, linear as in trec_eval; discounts come
from the literal table; sums are ``math.fsum``; no logarithm is evaluated. Refuses cuts outside the table
(1 to 1,000).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count, pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from benchsite.stats import DISCOUNTS, MAX_RANK

# The relevant results within a cut, by rank: (rank, grade), ranks from 1.
Hits: TypeAlias = Sequence[tuple[int, int]]

# All that any measure can tell about a query: the grades of E, best first, then for each its rank, 0 where it was
# not retrieved. Queries with one pattern have one score.
Pattern: TypeAlias = tuple[int, ...]


class Query(NamedTuple):
    """The evidence of one query, in the form scoring reads."""

    relevant: tuple[str, ...]
    """E: the ids of grade at least 1, best first."""
    ideal: tuple[int, ...]
    """Their grades."""
    ranks: Mapping[str, int]
    """R: id to rank from 1, duplicates dropped; empty when the query failed."""
    answerable: bool = True
    failed: bool = False
    category: str | None = None

    @classmethod
    def from_ids(
        cls,
        expected: Mapping[str, int],
        retrieved: Iterable[str],
        *,
        answerable: bool = True,
        failed: bool = False,
        category: str | None = None,
    ) -> Query:
        """Read ``expected`` (id to grade) and ``retrieved`` (ids as returned); a failed query retrieved nothing."""
        relevant = [item for item, grade in expected.items() if grade >= 1]
        if len(relevant) > 1:
            relevant.sort(key=expected.__getitem__, reverse=True)
        ideal = tuple([expected[item] for item in relevant])
        ranks = {} if failed else dict(zip(dict.fromkeys(retrieved), count(1), strict=False))
        return cls(tuple(relevant), ideal, ranks, answerable, failed, category)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Query:
        """Read a ``perQuery`` row of a receipt; a row with an ``error`` failed."""
        return cls.from_ids(
            {expected["id"]: expected["grade"] for expected in row["expected"]},
            row["retrieved"],
            answerable=row["answerable"],
            failed=row.get("error") is not None,
            category=row.get("category"),
        )

    @property
    def pattern(self) -> Pattern:
        """All that any measure can tell about the query."""
        return self.ideal + tuple([self.ranks.get(item, 0) for item in self.relevant])

    def rank(self, k: int) -> int | None:
        """Rank of the first relevant result within ``k``, after de-duplication; None when there is none."""
        first = None
        for item in self.relevant:
            rank = self.ranks.get(item)
            if rank is not None and rank <= k and (first is None or rank < first):
                first = rank
        return first

    def hit(self, k: int) -> bool:
        """Whether a relevant result is within ``k``."""
        return self.rank(k) is not None


class Measure(NamedTuple):
    """A measure as a declaration: its name in ``scores``, what kind of number it is, and its value for a query."""

    name: str
    share: bool
    """The mean is a share of queries (num ÷ den); else a mean of fractions."""
    every_k: bool
    """Reported at every cut; else at the largest only."""
    value: Callable[[Hits, tuple[int, ...], int], float]
    """(hits within k, ideal grades, k) to a value in [0, 1]."""


def _success(hits: Hits, _ideal: tuple[int, ...], _k: int) -> float:
    return 1.0 if hits else 0.0


def _recall(hits: Hits, ideal: tuple[int, ...], _k: int) -> float:
    return len(hits) / len(ideal)


def _recall_all(hits: Hits, ideal: tuple[int, ...], _k: int) -> float:
    return 1.0 if len(hits) == len(ideal) else 0.0


def _precision(hits: Hits, _ideal: tuple[int, ...], k: int) -> float:
    return len(hits) / k


def _ndcg(hits: Hits, ideal: tuple[int, ...], k: int) -> float:
    gained = math.fsum(grade * DISCOUNTS[rank - 1] for rank, grade in hits)
    return gained / math.fsum(grade * weight for grade, weight in zip(ideal[:k], DISCOUNTS, strict=False))


def _reciprocal_rank(hits: Hits, _ideal: tuple[int, ...], _k: int) -> float:
    return 1 / hits[0][0] if hits else 0.0


def _average_precision(hits: Hits, ideal: tuple[int, ...], _k: int) -> float:
    return math.fsum(found / rank for found, (rank, _) in enumerate(hits, 1)) / len(ideal)


MEASURES: Final = (
    Measure("success", share=True, every_k=True, value=_success),
    Measure("recall", share=False, every_k=True, value=_recall),
    Measure("recall_all", share=True, every_k=True, value=_recall_all),
    Measure("precision", share=False, every_k=True, value=_precision),
    Measure("ndcg", share=False, every_k=True, value=_ndcg),
    Measure("mrr", share=False, every_k=False, value=_reciprocal_rank),
    Measure("map", share=False, every_k=False, value=_average_precision),
)


def saturated(k: int, smallest: int | None) -> bool:
    """Whether the top k can hold a whole scope, `smallest` being the number of items of the smallest one."""
    return smallest is not None and k >= smallest


class Column(NamedTuple):
    """A measure at a cut: one name in ``scores``."""

    measure: Measure
    k: int

    @property
    def name(self) -> str:
        """Its key in ``scores``: ``ndcg_at_10``."""
        return f"{self.measure.name}_at_{self.k}"


@lru_cache(maxsize=64)
def columns(ks: tuple[int, ...]) -> tuple[Column, ...]:
    """Every measure at every cut it is reported at.

    Raises:
        ValueError: ``ks`` is empty, not strictly ascending, or outside 1 to 1,000.
    """
    if not ks or ks[0] < 1 or ks[-1] > MAX_RANK or any(a >= b for a, b in pairwise(ks)):
        raise ValueError(f"cuts {list(ks)} are not strictly ascending within 1 to {MAX_RANK}")
    return tuple(Column(measure, k) for measure in MEASURES for k in ks if measure.every_k or k == ks[-1])


# The receipts of one fixture share most of their patterns.
@lru_cache(maxsize=2**15)
def values(pattern: Pattern, ks: tuple[int, ...]) -> tuple[float, ...]:
    """The value of every column of ``ks`` for a query with this pattern."""
    ideal, ranks = pattern[: len(pattern) // 2], pattern[len(pattern) // 2 :]
    hits = sorted((rank, grade) for rank, grade in zip(ranks, ideal, strict=True) if rank)
    within = {k: [hit for hit in hits if hit[0] <= k] for k in ks}
    return tuple(column.measure.value(within[column.k], ideal, column.k) for column in columns(ks))
