"""export: a receipt's evidence in the formats of other programs, asked of its track.

    receipt -> schema -> the track's part `exports` -> text                                  (`export`)
    receipt -> schema -> evidence by its SHA-256 -> the track's part `exports` -> files      (`export_evidence`)

The signature isn't checked, because drafts are exported too: `benchsite verify` says whether a receipt is genuine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from benchsite import plugins
from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.pipeline.export.files import creating
from benchsite.pipeline.named import beside, receipt_named
from benchsite.pipeline.snapshot import Snapshot, materials_without_record
from benchsite.receipt import Document, Receipt
from benchsite.track.exported import EvidenceFormat

__all__ = ["ExportedEvidence", "export", "export_evidence"]


class ExportedEvidence(NamedTuple):
    """A file or folder with a receipt's evidence, and how many files it has."""

    path: Path
    files: int


def export(snapshot: Snapshot | None, name: str, wanted: Sequence[str]) -> dict[str, str]:
    """Return a receipt's evidence in each of the formats.

    Args:
        snapshot: the record, if there is one.
        name: a path (drafts included), an id or its first characters, or a web address.
        wanted: names of formats, such as `trec`.

    Raises:
        UsageError: there is no such receipt, its track has no such format, or the receipt lacks what it needs.
        ReceiptError: the receipt is malformed.
    """
    receipt, known, others = _asked(snapshot, name)
    made = {}
    for one in wanted:
        if one not in known:
            raise _unknown(receipt, one, [*known, *others])
        made[one] = known[one](receipt.document)
        if not made[one]:
            raise UsageError(
                f"receipt {receipt.receipt_id} holds nothing for {one!r}",
                hint="receipts of schema 0.0.1 record no relevance labels",
            )
    return made


def export_evidence(snapshot: Snapshot | None, name: str, kind: str, path: Path) -> ExportedEvidence:
    """Write the evidence that a receipt pins to a new file, or to a new folder.

    Args:
        snapshot: the record, if there is one.
        name: a path (drafts included), an id or its first characters, or a web address.
        kind: name of a format, such as `atif`.
        path: the file or folder.

    Raises:
        UsageError: there is no such receipt, or its track has no such format.
        PrerequisiteError: the evidence is not here.
        InputError: the evidence is malformed, or the file exists.
    """
    receipt, others, known = _asked(snapshot, name)
    if kind not in known:
        raise _unknown(receipt, kind, [*others, *known])
    chosen = known[kind]
    data = _evidence(snapshot, name, receipt, chosen.evidence)
    written = set[str]()
    with creating(path, is_folder=chosen.is_folder):
        for relative, content in chosen.write(receipt.document, data):
            target = _below(path, relative) if chosen.is_folder else path
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("ab") as file:
                file.write(content)
            written.add(relative)
    return ExportedEvidence(path, len(written))


def _asked(
    snapshot: Snapshot | None, name: str
) -> tuple[Receipt, Mapping[str, Callable[[Document], str]], Mapping[str, EvidenceFormat]]:
    """The receipt, and what its track writes of it: formats of its document, and of its evidence."""
    receipt = receipt_named(snapshot, name)
    track = plugins.track(receipt.track)
    track.check(receipt.document)
    part = track.exports
    # A track of another package may know formats of documents only.
    return receipt, part.formats if part else {}, getattr(part, "evidence_formats", {})


def _evidence(snapshot: Snapshot | None, name: str, receipt: Receipt, piece: str) -> bytes:
    """The bytes of a piece of evidence, whose SHA-256 was checked as it was read."""
    pinned = next((one for one in receipt.document["evidence"] if one["name"] == piece), None)
    if pinned is None:
        raise UsageError(
            f"receipt {receipt.receipt_id} pins no {piece}", hint="benchsite export --jsonl FILE has its rows"
        )
    folders = beside(name)
    materials = (
        snapshot.materials_with(folders) if snapshot is not None else materials_without_record(folders)
    )
    data = materials.evidence(pinned["sha256"])
    if data is None:
        wrong = materials.damage(pinned["sha256"])
        raise PrerequisiteError(
            f"{piece} of receipt {receipt.receipt_id} is not here: {wrong or 'no evidence with its SHA-256'}",
            hint=f"put the file into the receipt's folder, named {pinned['sha256']}, and name the receipt by its path",
        )
    return data


def _below(folder: Path, relative: str) -> Path:
    """A path in a folder, as a track names it."""
    parts = PurePosixPath(relative)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts:
        raise InputError(
            f"a track names a file outside the folder: {relative[:80]!r}",
            hint="report it to the track's authors",
        )
    return folder / parts


def _unknown(receipt: Receipt, name: str, known: Sequence[str]) -> UsageError:
    return UsageError(
        f"receipts of track {receipt.track} have no export {name!r}",
        hint=f"available: {', '.join(sorted(known)) or 'none'}",
    )
