"""A board as JSON and CSV, numbers in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchsite import canonical
from benchsite.board.board import Board, Leaderboard
from benchsite.board.rows import Row
from benchsite.tabular import csv_bytes
from benchsite.track import Page


def stem(path: str) -> str:
    """Where the data of a board's page stand, without their ending."""
    return f"api/v1/{path.rstrip('/')}"


def data(made: Board, path: str) -> Iterator[Page]:
    """The files of a board's page, current or frozen."""
    about = made.about
    records = [_record(about, row) for row in made.rows]
    value: dict[str, Any] = {
        "v": 1,
        "track": about.track.name,
        about.target: {"id": made.target, "sha256": made.sha256} if about.programs else made.target,
        "methodology": made.methodology,
        "metric": about.headline,
        "rows": records,
        "notRanked": [
            {"receiptId": header.receipt_id, "reasons": list(header.unranked)} for header in made.unranked
        ],
        **({"notRun": list(made.missing_floors)} if about.floors else {}),
        **(_linked(made) if about.programs else {}),
    }
    yield Page(path=f"{stem(path)}.json", data=canonical.dumps(value))
    yield Page(path=f"{stem(path)}.csv", data=csv_bytes(columns(about), records))


def columns(about: Leaderboard) -> tuple[str, ...]:
    """The names of a row's fields, in order."""
    subject, label = about.keys
    return (
        *("rankFirst", "rankLast", *(["floor"] if about.floors else [])),
        *(subject, "version", label, "metric", "value", "low", "high", *about.own_fields, "runs"),
        *(["announced"] if about.programs else []),
        *("ranBy", "verdict", "receiptId"),
    )


def _record(about: Leaderboard, row: Row) -> dict[str, Any]:
    subject, label = about.keys
    header = row.header
    every = {
        "rankFirst": row.first,
        "rankLast": row.last,
        "floor": row.floor,
        subject: row.name,
        "version": row.version,
        label: row.label,
        "metric": about.headline,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        **row.own,
        "runs": row.runs,
        "announced": header.registered,
        "ranBy": header.ran_by,
        "verdict": str(header.verdict),
        "receiptId": header.receipt_id,
    }
    return {name: every[name] for name in columns(about)}


def _linked(made: Board) -> dict[str, Any]:
    """Runs that others repeat, and announced ones that no receipt reports."""
    return {
        "reproductions": [
            {
                "receiptId": header.receipt_id,
                "reproduces": header.reproduces,
                "outcome": header.reproduction,
                "ranBy": header.ran_by,
            }
            for header in made.reproductions
        ],
        "unreported": [
            {
                "intentId": item.intent_id,
                "index": item.index,
                "subject": item.subject or None,
                "subjectSha256": item.subject_sha256,
            }
            for item in made.unreported
        ],
    }
