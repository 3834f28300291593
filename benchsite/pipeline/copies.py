"""drafts copy: the measurements of another record as drafts, to be signed and logged in this one.

    receipts of the other record, verified -> those in good standing -> without signature and links -> drafts, evidence

A draft keeps the receipt's id, its run (`ranAt`, `ranBy`, `environment`) and its evidence. What names entries of the other log
is dropped: `logHead`, `intentId`, `supersedes` and `reproduces`. `publish` re-scores a copied draft like any other. Keys, log
and signatures of the other record are not copied: they prove nothing about who signs here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from benchsite.errors import UsageError
from benchsite.history import Header, Rescore, Verdict
from benchsite.pipeline.record import evidence
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace, drafts
from benchsite.receipt import SCHEMA_VERSION, Document, compose, parse
from benchsite.track import Evidence

__all__ = ["Copy", "copy"]

_GOOD: Final = (Verdict.LOGGED, Verdict.WITNESSED)
_OF_THE_OTHER_LOG: Final = ("logHead", "intentId", "supersedes", "reproduces")


@dataclass(frozen=True, slots=True)
class Copy:
    """What became of one receipt: `reason` says why it was not copied, and is empty if it was."""

    receipt_id: str
    subject: str
    target: str
    reason: str


def copy(workspace: Workspace, snapshot: Snapshot, other: Snapshot) -> Iterator[Copy]:
    """Copy receipts as drafts, in log order.

    Args:
        workspace: gets the drafts and their evidence.
        snapshot: its record.
        other: the record with the receipts.

    Raises:
        UsageError: both records have the same origin.
        PrerequisiteError: the other record has no log.
    """
    log = other.require_log()
    if log.origin == workspace.config.benchsite.origin:
        raise UsageError(
            f"both records have the origin {log.origin}",
            hint="copy into an instance with its own origin: benchsite init DIR --origin ORIGIN",
        )
    mine = set(snapshot.log.receipts) if snapshot.log is not None else set()
    copied: set[str] = set()
    for header in other.history():
        found = header.summary
        subject, target = (str(found.subject), found.target) if found else ("", "")
        reason = "already in this log" if header.receipt_id in mine else _standing(header)
        data = other.read(header.path) if not reason else None
        document = parse(data).document if data is not None else {}
        if not reason:
            reason = _unfit(document, copied) or _save(workspace, other, document)
        if not reason:
            copied.add(header.receipt_id)
        yield Copy(header.receipt_id, subject, target, reason)


def _standing(header: Header) -> str:
    """Return why a receipt is not worth copying, or an empty text."""
    if header.verdict not in _GOOD:
        return str(header.verdict)
    return "" if header.rescore is Rescore.MATCHES else f"re-score: {header.rescore}"


def _unfit(document: Document, copied: set[str]) -> str:
    if document.get("schemaVersion") != SCHEMA_VERSION:
        return "it has an earlier schema"
    original = document["derivedFrom"]
    if original is not None and original not in copied:
        return f"its original {original} was not copied"
    return ""


def _save(workspace: Workspace, other: Snapshot, document: Document) -> str:
    """Write the draft after its evidence; return what is missing, or an empty text."""
    kept: list[Evidence] = []
    for pinned in document["evidence"]:
        data = other.evidence.committed(pinned["sha256"])
        if data is None and not pinned.get("mirrored"):
            return f"its evidence {pinned['name']} is not in the repository"
        if data is not None:
            kept.append(Evidence(pinned["name"], pinned["mediaType"], data))
    for item in kept:
        evidence.keep(workspace, item)
    drafts.save(workspace, compose(_unsigned(document)))
    return ""


def _unsigned(document: Document) -> dict[str, Any]:
    """Return a receipt without its signature and without what it says of its log."""
    kept = {name: value for name, value in document.items() if name != "signature"}
    return {**kept, **dict.fromkeys(_OF_THE_OTHER_LOG)}
