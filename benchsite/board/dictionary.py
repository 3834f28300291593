"""The data dictionary: every table and column of the data files, the one source of documentation, schemas and exports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from benchsite.board.board import Leaderboard
from benchsite.board.data import columns
from benchsite.history import Header
from benchsite.track import DataColumn, Track

__all__ = [
    "ITEMS",
    "RECEIPTS",
    "SCORES",
    "dictionary",
    "item_columns",
    "leaderboard_columns",
    "receipt_values",
]

RECEIPTS: Final = (
    DataColumn("receiptId", "text", "Id of the receipt.", required=True),
    DataColumn("track", "text", "Track of the receipt.", required=True),
    DataColumn("subject", "text", "System or agent that was measured.", required=True),
    DataColumn("subjectId", "text", "Id of the system: its page is `systems/<subjectId>/`.", required=True),
    DataColumn("version", "text", "Version of the system.", required=True),
    DataColumn("label", "text", "Configuration of the system; empty with default options.", required=True),
    DataColumn(
        "vendor", "text", "Vendor of an agent on the rubric track; empty on other tracks.", required=True
    ),
    DataColumn("target", "text", "Dataset, benchmark or domain template.", required=True),
    DataColumn("methodology", "text", "Methodology version.", required=True),
    DataColumn("metric", "text", "Headline metric.", required=True),
    DataColumn("value", "number", "Headline score."),
    DataColumn("low", "number", "Lower bound of the 95% CI of `value`."),
    DataColumn("high", "number", "Upper bound of the 95% CI of `value`."),
    DataColumn(
        "note", "text", "`human-rated` or `model-rated` on the rubric track; else empty.", required=True
    ),
    DataColumn("ranAt", "text", "Date of the run (RFC 3339, UTC), self-reported.", required=True),
    DataColumn("verdict", "text", "Verdict of the verification.", required=True),
    DataColumn("rescore", "text", "Result of the re-score.", required=True),
    DataColumn("ranked", "boolean", "Whether the receipt is ranked.", required=True),
    DataColumn(
        "imported",
        "boolean",
        "Whether only its origin, an import, keeps it from being ranked.",
        required=True,
    ),
    DataColumn("sentBy", "text", "Submitter; empty for a run of this site.", required=True),
    DataColumn("index", "integer", "Log index; null if the log doesn't have the receipt."),
    DataColumn("sha256", "text", "SHA-256 of the receipt file.", required=True),
    DataColumn("path", "text", "Path of the receipt file.", required=True),
)
"""A row for each receipt: `api/v1/index.json`, and the table `receipts` of an export."""

SCORES: Final = (
    DataColumn("receiptId", "text", "Id of the receipt.", required=True),
    DataColumn("metric", "text", "Metric.", required=True),
    DataColumn("value", "number", "Score.", required=True),
    DataColumn("num", "integer", "Numerator of a proportion; null for other scores."),
    DataColumn("den", "integer", "Number of items that the score is about."),
    DataColumn("excluded", "integer", "Number of items that the score excludes."),
    DataColumn("low", "number", "Lower bound of the 95% CI."),
    DataColumn("high", "number", "Upper bound of the 95% CI."),
    DataColumn("method", "text", "Method of the CI: `wilson`, `bootstrap` or `t`."),
)
"""A row for each score of each receipt: the table `scores` of an SQLite export."""

ITEMS: Final = (
    DataColumn("receiptId", "text", "Id of the receipt.", required=True),
    DataColumn("track", "text", "Track of the receipt.", required=True),
    DataColumn("target", "text", "Dataset, benchmark or domain template.", required=True),
    DataColumn("methodology", "text", "Methodology version.", required=True),
    DataColumn("subject", "text", "System or agent that was measured.", required=True),
    DataColumn("version", "text", "Version of the system.", required=True),
    DataColumn(
        "label", "text", "Configuration of the system; the vendor on the rubric track.", required=True
    ),
    DataColumn("verdict", "text", "Verdict of the verification.", required=True),
    DataColumn("ranked", "boolean", "Whether the receipt is ranked.", required=True),
    DataColumn("item", "text", "Id of the query or task; dimension or scenario of a rubric.", required=True),
    DataColumn(
        "run", "integer", "Run of the task, or evaluation sheet, from 1; 1 for a query.", required=True
    ),
    DataColumn("category", "text", "Category of the query, or domain of the task."),
    DataColumn("metric", "text", "Metric of `value`.", required=True),
    DataColumn("value", "number", "Score of the row; null if the query isn't scored."),
    DataColumn("latencyMs", "number", "Latency of the query, or sum of the run's event latencies, in ms."),
    DataColumn("costUsd", "number", "Cost of the query or run, in US dollars."),
)
"""A row for each query, run of a task or rating of each receipt: the table `items` of every export."""

_ROWS: Final = {
    column.name: column
    for column in (
        DataColumn(
            "rankFirst",
            "integer",
            "First rank of the row's range; null for baselines and without a paired test.",
        ),
        DataColumn("rankLast", "integer", "Last rank of the row's range."),
        DataColumn(
            "baseline", "boolean", "Whether the row is a baseline, which isn't ranked.", required=True
        ),
        DataColumn(
            "imported",
            "boolean",
            "Whether the run was made elsewhere and imported; such rows are ranked among themselves.",
            required=True,
        ),
        DataColumn("subject", "text", "System.", required=True),
        DataColumn("agent", "text", "Agent, as its receipt names it.", required=True),
        DataColumn("version", "text", "Version of the system.", required=True),
        DataColumn(
            "label", "text", "Configuration of the system; empty with default options.", required=True
        ),
        DataColumn("vendor", "text", "Vendor of the agent.", required=True),
        DataColumn("metric", "text", "Metric of `value`.", required=True),
        DataColumn("value", "number", "Score."),
        DataColumn("low", "number", "Lower bound of the 95% CI of `value`."),
        DataColumn("high", "number", "Upper bound of the 95% CI of `value`."),
        DataColumn("deltaLeader", "number", "Difference in `value` from the first row."),
        DataColumn("pLeader", "number", "p-value of this difference: paired test, unadjusted."),
        DataColumn(
            "holmLeader",
            "number",
            "The same p-value, Holm-adjusted over the ranked rows, or over the baselines.",
        ),
        DataColumn("deltaBaseline", "number", "Difference in `value` from the reference baseline."),
        DataColumn("pBaseline", "number", "p-value of this difference: paired test, unadjusted."),
        DataColumn(
            "holmBaseline",
            "number",
            "The same p-value, Holm-adjusted over the ranked rows, or over the baselines.",
        ),
        DataColumn(
            "runs",
            "integer",
            "Receipts of this system, version and configuration by one submitter, without reproductions; the row is the latest.",
            required=True,
        ),
        DataColumn("preRegistered", "boolean", "Whether the run was pre-registered.", required=True),
        DataColumn(
            "ranBy", "text", "Kind and name: `workflow`, `maintainer`, or `submitted`.", required=True
        ),
        DataColumn("verdict", "text", "Verdict of the verification.", required=True),
        DataColumn("receiptId", "text", "Id of the row's receipt.", required=True),
    )
}
"""The columns of leaderboards that don't depend on the track."""


def leaderboard_columns(about: Leaderboard) -> tuple[DataColumn, ...]:
    """Return the columns of a track's leaderboards; one that the track doesn't describe has no description."""
    own = {column.name: column for column in about.described}
    numbers = {key: DataColumn(key, "number", f"{about.track.metric(key).label}.") for key in about.numbers}
    return tuple(
        own.get(name) or numbers.get(name) or _ROWS.get(name) or DataColumn(name, "any", "")
        for name in columns(about)
    )


def item_columns(tracks: Iterable[Track]) -> tuple[DataColumn, ...]:
    """Return the columns of `items` for receipts of these tracks: the shared ones, then each track's."""
    found = {column.name: column for column in ITEMS}
    for track in tracks:
        if track.items is not None:
            found |= {column.name: column for column in track.items.COLUMNS if column.name not in found}
    return tuple(found.values())


def dictionary(tracks: Iterable[Track], leaderboards: Iterable[Leaderboard]) -> Mapping[str, Any]:
    """Return every table as JSON: its columns by table, `leaderboard.<track>` for the leaderboards of a track."""
    tables: dict[str, Iterable[DataColumn]] = {
        "receipts": RECEIPTS,
        "scores": SCORES,
        "items": item_columns(tracks),
    }
    tables |= {f"leaderboard.{about.track.name}": leaderboard_columns(about) for about in leaderboards}
    return {
        name: [
            {"column": one.name, "type": one.kind, "required": one.required, "description": one.description}
            for one in listed
        ]
        for name, listed in tables.items()
    }


def receipt_values(header: Header, *, subject_id: str = "", has_vendor: bool = False) -> Mapping[str, Any]:
    """Return the row of a receipt in `RECEIPTS`; what a file that can't be trusted says is blank.

    Args:
        header: its verified header.
        subject_id: the id of its system's page.
        has_vendor: whether its track names a vendor where others name a configuration.
    """
    summary = header.summary
    subject, headline = (summary.subject, summary.headline) if summary is not None else (None, None)
    label = subject.label if subject is not None else ""
    return {
        "receiptId": header.receipt_id,
        "track": header.track,
        "subject": subject.name if subject is not None else "",
        "subjectId": subject_id,
        "version": subject.version if subject is not None else "",
        "label": "" if has_vendor else label,
        "vendor": label if has_vendor else "",
        "target": summary.target if summary is not None else "",
        "methodology": header.methodology,
        "metric": headline.metric if headline is not None else "",
        "value": headline.value if headline is not None else None,
        "low": headline.low if headline is not None else None,
        "high": headline.high if headline is not None else None,
        "note": summary.note if summary is not None else "",
        "ranAt": header.ran_at,
        "verdict": str(header.verdict),
        "rescore": str(header.rescore),
        "ranked": header.ranked,
        "imported": header.imported,
        "sentBy": header.sent_by,
        "index": header.index,
        "sha256": header.sha256,
        "path": header.path,
    }
