"""A rubric board as JSON and CSV, numbers in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from benchsite import canonical
from benchsite.tabular import csv_bytes
from benchsite.track import Page
from benchsite.tracks.rubric.board import TRACK, Board
from benchsite.tracks.rubric.row import Row

_COLUMNS: Final = (
    "rankFirst",
    "rankLast",
    "agent",
    "version",
    "vendor",
    "metric",
    "value",
    "low",
    "high",
    "universal",
    "domain",
    "sessions",
    "sheets",
    "evaluators",
    "alpha",
    "agreement",
    "runs",
    "ranBy",
    "verdict",
    "receiptId",
)


def stem(path: str) -> str:
    """Where the data of a board's page stand, without their ending."""
    return f"api/v1/{path.rstrip('/')}"


def data(made: Board, path: str) -> Iterator[Page]:
    """The files of a board's page.

    Args:
        made: the board.
        path: its page, current or frozen.
    """
    records = [_record(row, made.metric) for row in made.ranked]
    value: dict[str, Any] = {
        "v": 1,
        "track": TRACK,
        "template": made.template,
        "methodology": made.methodology,
        "metric": made.metric,
        "rows": records,
        "notRanked": [
            {"receiptId": header.receipt_id, "reasons": list(header.unranked)} for header in made.unranked
        ],
    }
    yield Page(path=f"{stem(path)}.json", data=canonical.dumps(value))
    yield Page(path=f"{stem(path)}.csv", data=csv_bytes(_COLUMNS, records))


def _record(row: Row, metric: str) -> dict[str, Any]:
    assert row.header.summary is not None  # noqa: S101 - rows come from quotable headers only
    subject = row.header.summary.subject
    values = (
        row.first,
        row.last,
        subject.name,
        subject.version,
        subject.label,
        metric,
        row.value,
        row.low,
        row.high,
        row.universal,
        row.domain,
        row.sessions,
        row.sheets,
        row.evaluators,
        row.alpha,
        row.kind or None,
        row.runs,
        row.header.ran_by,
        str(row.header.verdict),
        row.header.receipt_id,
    )
    return dict(zip(_COLUMNS, values, strict=True))
