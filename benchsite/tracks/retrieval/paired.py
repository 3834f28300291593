"""The part for two receipts side by side: every metric of every scored query, and what comparable receipts share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.track.parts import PerItem
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.scores.scoring import MEASURES, Query, saturated

__all__ = ["per_item", "settings"]

_FIRST: Final = "ndcg"
_WITHOUT_ORDER: Final = frozenset({"success", "recall", "recall_all"})
"""Metrics that a cut-off of a whole scope saturates: 1 in any order."""


def per_item(document: Document) -> PerItem:
    """Return the values of each query, nDCG at the largest cut-off first; none without relevance labels."""
    rows, ks = document["perQuery"], tuple(document["config"]["k"])
    if any("expected" not in row for row in rows):
        return PerItem("queries", {}, {})
    asked = [(row, Query.from_row(row)) for row in rows]
    names = [row["queryId"] for row, query in asked if query.answerable and query.ideal]
    scores = metrics.score((query for _, query in asked), ks)
    values = {
        f"{measure.name}_at_{k}": dict(zip(names, scores.per_query(measure.name, k), strict=True))
        for measure in sorted(MEASURES, key=lambda one: one.name != _FIRST)
        for k in (reversed(ks) if measure.every_k else ks[-1:])
    }
    smallest = document["fixture"].get("smallestScope")
    full = {f"{name}_at_{k}" for name in _WITHOUT_ORDER for k in ks if saturated(k, smallest)}
    categories = {row["queryId"]: row["category"] for row in rows if row.get("category")}
    return PerItem("queries", values, categories, frozenset(full & values.keys()))


def settings(document: Document) -> Mapping[str, Any]:
    """Return the settings that differ between receipts that are not comparable, by the words of a page."""
    config, fixture = document["config"], document["fixture"]
    return {
        "k": config["k"],
        "query limit": config.get("limit"),
        "granularity": fixture.get("granularity"),
        "importer": config.get("importer"),
    }
