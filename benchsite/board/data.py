"""A board as JSON and CSV, numbers in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchsite import canonical
from benchsite.board.board import Board, Leaderboard
from benchsite.board.rows import Row
from benchsite.tabular import csv_bytes
from benchsite.track import Page


def stem(path: str) -> str:
    """Path of the data of a board's page, without the extension."""
    return f"api/v1/{path.rstrip('/')}"


def head(made: Board) -> dict[str, Any]:
    """Return what every data file of a leaderboard starts with: the version of the API, and which leaderboard it is of."""
    about = made.about
    return {
        "v": 1,
        "track": about.track.name,
        about.target: {"id": made.target, "sha256": made.sha256} if about.programs else made.target,
        "methodology": made.methodology,
        "metric": about.headline,
    }


def data(made: Board, path: str) -> Iterator[Page]:
    """The files of a board's page, current or frozen."""
    about = made.about
    fields = columns(about)
    rows = (*made.rows, *made.imported.ranked)
    records = [{name: read(row) for name, read in fields.items()} for row in rows]
    value: dict[str, Any] = {
        **head(made),
        "rows": records,
        "notRanked": [{"receiptId": one.receipt_id, "reasons": list(one.unranked)} for one in made.unranked],
    }
    if about.baselines:
        value["notRun"] = list(made.missing_baselines)
        reference = about.reference(made.baselines)
        value["referenceBaseline"] = reference.header.receipt_id if reference else None
    if about.programs:
        value |= _linked(made)
    yield Page(path=f"{stem(path)}.json", data=canonical.dumps(value))
    yield Page(path=f"{stem(path)}.csv", data=csv_bytes(tuple(fields), records))


def comparison_data(made: Board) -> Iterator[Page]:
    """The values of every item and each pair of the systems side by side; a CSV of the values."""
    found = made.side_by_side
    if found is None:
        return
    about, table = made.about, found.matrix
    value: dict[str, Any] = {
        **head(made),
        "items": list(table.items),
        "systems": [
            {
                "receiptId": row.header.receipt_id,
                about.keys[0]: row.name,
                "version": row.subject.version,
                about.keys[1]: row.subject.label,
                "baseline": row.baseline,
                "value": row.value,
                "values": list(column),
            }
            for row, column in zip(table.rows, table.values, strict=True)
        ],
        "solved": table.solved._asdict() if about.solved and table.solved else None,
        "pairs": found.records,
    }
    yield Page(path=f"{stem(made.path)}/comparison.json", data=canonical.dumps(value))
    names = ("item", *(row.header.receipt_id for row in table.rows))
    lines = [dict(zip(names, line, strict=True)) for line in zip(table.items, *table.values, strict=True)]
    yield Page(path=f"{stem(made.path)}/values.csv", data=csv_bytes(names, lines))


def columns(about: Leaderboard) -> Mapping[str, Callable[[Row], Any]]:
    """The fields of a row, in order."""
    subject, label = about.keys
    found: dict[str, Callable[[Row], Any]] = {
        "rankFirst": lambda row: row.first,
        "rankLast": lambda row: row.last,
        "baseline": lambda row: row.baseline,
        "imported": lambda row: row.header.imported,
        subject: lambda row: row.name,
        "version": lambda row: row.subject.version,
        label: lambda row: row.subject.label,
        "metric": lambda _row: about.headline,
        "value": lambda row: row.value,
        "low": lambda row: row.low,
        "high": lambda row: row.high,
        "deltaLeader": lambda row: row.to_leader.delta if row.to_leader else None,
        "pLeader": lambda row: row.to_leader.p if row.to_leader else None,
        "holmLeader": lambda row: row.to_leader.holm if row.to_leader else None,
        "deltaBaseline": lambda row: row.to_baseline.delta if row.to_baseline else None,
        "pBaseline": lambda row: row.to_baseline.p if row.to_baseline else None,
        "holmBaseline": lambda row: row.to_baseline.holm if row.to_baseline else None,
        **{key: _own(key) for key in about.own_fields},
        "runs": lambda row: row.runs,
        "preRegistered": lambda row: row.header.registered,
        "ranBy": lambda row: row.header.ran_by,
        "verdict": lambda row: str(row.header.verdict),
        "receiptId": lambda row: row.header.receipt_id,
    }
    absent = {"baseline"} if not about.baselines else set()
    absent |= {"imported"} if not about.imports else set()
    absent |= {"preRegistered"} if not about.programs else set()
    absent |= {"deltaLeader", "pLeader"} if about.compared is None else set()
    absent |= {"deltaBaseline", "pBaseline"} if about.compared is None or not about.baselines else set()
    return {name: read for name, read in found.items() if name not in absent}


def _own(key: str) -> Callable[[Row], Any]:
    return lambda row: row.own[key]


def _linked(made: Board) -> dict[str, Any]:
    """Reproductions, and pre-registered runs that no receipt reports."""
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
                "dueBy": item.due_by or None,
                "overdue": item.overdue,
            }
            for item in made.unreported
        ],
        "declined": [
            {"index": index, "subject": entry.subject, "reason": entry.reason}
            for index, entry in made.declined
        ],
    }
