"""The part for tables of evidence: one row for each query, with its metrics and what the system returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.track.table import DataColumn, columns_of
from benchsite.tracks.retrieval.record.payload import QueryRecord, Usage
from benchsite.tracks.retrieval.scores.scoring import Query, columns, values

__all__ = ["COLUMNS", "rows"]

_RECORDED: Final = ("scope", "split", "answerable", "hit", "rank", "returnedChars", "error")
_USAGE: Final = ("calls", "tokensIn", "tokensOut")
_SHOWN: Final = ("success", "recall")
_HEADLINE: Final = "ndcg"

COLUMNS: Final = (
    DataColumn("k", "integer", "Cut-off of `value`, `success` and `recall`."),
    DataColumn("success", "number", "1 if a relevant item is among the first k results, else 0."),
    DataColumn("recall", "number", "Share of the relevant items that are among the first k results."),
    *columns_of(QueryRecord, _RECORDED),
    DataColumn("relevant", "list", "Ids of the relevant items: grade 1 or higher, highest grade first."),
    DataColumn("retrieved", "list", "Ids of the returned items, in order."),
    *columns_of(Usage, _USAGE),
)


def rows(document: Document, metric: str) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each query; metrics are blank for a query without an answer or without relevance labels."""
    k = int(metric.rpartition("_at_")[2])
    places = {column.measure.name: place for place, column in enumerate(columns((k,)))}
    # A ranking that ends before k has no score at k.
    has_scores = k <= max(document["config"]["k"]) if "config" in document else False
    for row in document["perQuery"]:
        query = Query.from_row(row) if "expected" in row else None
        scored = has_scores and query is not None and query.answerable and query.ideal
        found = values(query.pattern, (k,)) if query is not None and scored else None
        score = {name: found[place] if found else None for name, place in places.items()}
        usage = row.get("usage") or {}
        yield {
            "item": row["queryId"],
            "run": 1,
            "category": row.get("category"),
            "metric": metric,
            "value": score[_HEADLINE],
            "latencyMs": row.get("latencyMs"),
            "costUsd": usage.get("costUsd"),
            "k": k,
            **{name: score[name] for name in _SHOWN},
            **{name: row.get(name) for name in _RECORDED},
            "relevant": list(query.relevant) if query is not None else None,
            "retrieved": list(row["retrieved"]),
            **{name: usage.get(name) for name in _USAGE},
        }
