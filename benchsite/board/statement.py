"""What a leaderboard states, as a data file that anyone can recompute from the log and its receipts.

Owns the statement: every receipt of one target under one methodology version, exactly once, with its rank and numbers, its
reasons not to be ranked, or the later run that replaces it; all as of one size of the log, pinned by its root. Everything in
a statement follows from the log and the receipts, in Python and in the browser (`theme/verify/statement.js`).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, ValidationError

from benchsite import canonical
from benchsite.board.board import Board
from benchsite.board.rows import Comparison, Row
from benchsite.board.sentences import said
from benchsite.errors import InputError
from benchsite.history import Header
from benchsite.schema import Base64Hash, Schema, Semver, Slug, Uuid4, first_fault

__all__ = ["Statement", "checked", "read", "statement", "statement_path"]

_MOST: Final = 100_000
Index: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Rank: TypeAlias = Annotated[int, Field(ge=1, le=_MOST)] | None
Line: TypeAlias = Annotated[str, Field(max_length=2_000)]
Number: TypeAlias = float | None


class Pinned(Schema):
    """The log that a leaderboard follows from: the first `size` entries, under `root`."""

    origin: Line
    size: Index
    root: Base64Hash


class Tested(Schema):
    """The paired test with another row: p of the pair alone; `tied` by Holm's adjustment, as `ranks.compared` makes it."""

    delta: float
    p: Annotated[float, Field(ge=0, le=1)]
    tied: bool


class StatedRow(Schema):
    """One row; a baseline and a row that could not be tested have no rank."""

    receipt_id: Uuid4
    index: Index
    section: Literal["ranked", "baseline", "imported"]
    name: Line
    version: Line
    label: Line
    submitted_by: Line
    runs: Annotated[int, Field(ge=1, le=_MOST)]
    value: Number
    low: Number
    high: Number
    rank_first: Rank
    rank_last: Rank
    to_leader: Tested | None
    to_baseline: Tested | None


class Excluded(Schema):
    """A receipt that is not ranked, with every reason."""

    receipt_id: Uuid4
    index: Index
    reasons: Annotated[tuple[Line, ...], Field(strict=False, min_length=1, max_length=100)]


class Earlier(Schema):
    """A receipt that a later run of the same configuration replaces."""

    receipt_id: Uuid4
    index: Index
    by: Uuid4


class Unreported(Schema):
    """A pre-registered run that no receipt reports."""

    intent_id: Uuid4
    index: Index


class Declined(Schema):
    """A subject that is not measured on this target."""

    index: Index
    subject: Line
    reason: Line


class Statement(Schema):
    """A leaderboard as of one size of the log."""

    v: Literal[1]
    track: Slug
    target: Slug
    methodology: Semver
    log: Pinned
    metric: Line
    tested: bool
    rows: Annotated[tuple[StatedRow, ...], Field(strict=False, max_length=_MOST)]
    not_ranked: Annotated[tuple[Excluded, ...], Field(strict=False, max_length=_MOST)]
    earlier: Annotated[tuple[Earlier, ...], Field(strict=False, max_length=_MOST)]
    unreported: Annotated[tuple[Unreported, ...], Field(strict=False, max_length=_MOST)]
    declined: Annotated[tuple[Declined, ...], Field(strict=False, max_length=_MOST)]


def statement_path(path: str) -> str:
    """Return where the statement of a leaderboard's page is served."""
    return f"api/v1/{path.rstrip('/')}/proof.json"


def statement(made: Board) -> dict[str, Any]:
    """Return the statement of a leaderboard, as of the log that its history was verified against.

    Raises:
        ValueError: the history has no log.
    """
    log = made.history.log
    if log is None:
        raise ValueError("a leaderboard without a log states nothing")
    rows = [
        *(_row(row, "ranked") for row in made.ranked),
        *(_row(row, "baseline") for row in made.baselines),
        *(_row(row, "imported") for row in made.imported.ranked),
    ]
    listed = {row["receiptId"] for row in rows}
    others = [one for one in made.headers if one.receipt_id not in listed and one.index is not None]
    latest = {_line(row.header): row.header.receipt_id for row in (*made.rows, *made.imported.ranked)}
    return {
        "v": 1,
        "track": made.about.track.name,
        "target": made.target,
        "methodology": made.methodology,
        "log": {"origin": log.origin, "size": log.size, "root": base64.b64encode(log.root()).decode()},
        "metric": made.about.headline,
        "tested": made.tested,
        "rows": rows,
        "notRanked": [
            {"receiptId": one.receipt_id, "index": one.index, "reasons": list(one.unranked)}
            for one in others
            if not _replaced(made, one)
        ],
        "earlier": [
            {"receiptId": one.receipt_id, "index": one.index, "by": latest[_line(one)]}
            for one in others
            if _replaced(made, one)
        ],
        **_announced(made),
    }


def _row(row: Row, section: str) -> dict[str, Any]:
    return {
        "receiptId": row.header.receipt_id,
        "index": row.header.index,
        "section": section,
        "name": row.name,
        "version": row.subject.version,
        "label": row.subject.label,
        "submittedBy": row.header.sent_by,
        "runs": row.runs,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "rankFirst": row.first,
        "rankLast": row.last,
        "toLeader": _tested(row.to_leader),
        "toBaseline": _tested(row.to_baseline),
    }


def _tested(found: Comparison | None) -> dict[str, Any] | None:
    return None if found is None else {"delta": found.delta, "p": found.p, "tied": found.tied}


def _replaced(made: Board, header: Header) -> bool:
    """Whether a receipt that has no row would have one without a later run."""
    return header.ranked or (made.about.imports and header.imported)


def _line(header: Header) -> tuple[str, str, bool]:
    assert header.summary is not None  # noqa: S101 - receipts of a leaderboard are quotable
    return header.summary.row, header.sent_by, header.imported


def _announced(made: Board) -> Mapping[str, Any]:
    """Pre-registered runs without a receipt, and subjects that are not measured."""
    return {
        "unreported": [{"intentId": one.intent_id, "index": one.index} for one in made.unreported],
        "declined": [
            {"index": index, "subject": entry.subject, "reason": entry.reason}
            for index, entry in made.declined
        ],
    }


def read(data: bytes) -> dict[str, Any]:
    """Return the statement in a file.

    Raises:
        InputError: the bytes are not strict JSON, or not a statement; the field is named.
    """
    try:
        return checked(canonical.loads(data))
    except canonical.JsonError as error:
        raise _refused(error.message) from None


def checked(value: object) -> dict[str, Any]:
    """Return a parsed value that is a statement; raises as `read`."""
    try:
        Statement.model_validate(value)
    except ValidationError as error:
        field, fault = first_fault(error)
        raise _refused(f"field {field or '$'}: {fault}") from None
    assert isinstance(value, dict)  # noqa: S101 - the model has checked it
    return value


def _refused(why: str) -> InputError:
    return InputError(
        said("no-statement", why=why), hint="name the proof.json or the saved file of a leaderboard"
    )
