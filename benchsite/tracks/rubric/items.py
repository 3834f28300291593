"""The part for tables of evidence: one row for each score that a sheet gives, with its evaluator and session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.track.table import DataColumn, columns_of
from benchsite.tracks.rubric.metrics import item_ratings
from benchsite.tracks.rubric.payload import Sheet

__all__ = ["COLUMNS", "rows"]

COLUMNS: Final = (
    DataColumn(
        "question", "integer", "Number of the question in its scenario, from 1; blank for a dimension."
    ),
    DataColumn("criterion", "text", "Criterion of the question; blank for a dimension."),
    DataColumn("evaluator", "text", "Name or pseudonym of the evaluator."),
    DataColumn("evaluatorKind", "text", "`human` or `model`."),
    *columns_of(Sheet, ("pass", "session", "date")),
)


def rows(document: Document, _metric: str) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each score; `value` is 1 to 5 on every row, because the composite is a score of no single one."""
    for place, sheet in enumerate(document["sheets"]):
        evaluator = document["evaluators"][sheet["evaluator"]]
        for (item, *question), score in item_ratings(document, place).items():
            number, criterion = question or (None, None)
            yield {
                "item": item,
                "run": place + 1,
                "category": "scenario" if question else "dimension",
                "metric": "rating",
                "value": float(score),
                "question": int(number) + 1 if number is not None else None,
                "criterion": criterion,
                "evaluator": evaluator["name"],
                "evaluatorKind": evaluator["kind"],
                "pass": sheet["pass"],
                "session": sheet["session"],
                "date": sheet["date"],
            }
