"""grid: contested settings of a benchmark, every combination scored from stored rankings.

    grid file + receipts and drafts + datasets on this machine -> the track's part `grids` -> distribution, claims

Nothing is run. Receipts of the record are verified first. Drafts, and receipts that are named, are read as they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchsite import plugins
from benchsite.errors import UsageError
from benchsite.history import Verdict
from benchsite.pipeline.building import links
from benchsite.pipeline.named import receipt_named
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace, drafts
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.receipt import Document
from benchsite.track import Track
from benchsite.track.parts import Grids

__all__ = ["grid"]

_GOOD: Final = frozenset({Verdict.LOGGED, Verdict.WITNESSED, Verdict.DISPUTED})
_LARGEST: Final = 1024 * 1024


def grid(workspace: Workspace, snapshot: Snapshot, name: str, receipts: Sequence[str]) -> Mapping[str, Any]:
    """Score a grid, and return it as JSON.

    `corrections` is the file's address, else that of the issues of the instance's repository; empty if it has none.

    Args:
        workspace: has the datasets and the drafts.
        snapshot: the record.
        name: the path of a grid's file, or the name of a packaged one.
        receipts: receipts and drafts; all that are on the grid's datasets if none is named.

    Raises:
        InputError, UsageError: the file is malformed or missing, or no combination can be scored.
    """
    track, part, data = _declared(name)
    declared = part.read(data, name)
    if receipts:
        documents: Iterator[Document] = (receipt_named(snapshot, one).document for one in receipts)
    else:
        documents = _every(workspace, snapshot, track, declared)
    checked = _checked(documents, track)
    found = part.scored(declared, checked, lambda wanted: _data(workspace, wanted), named=bool(receipts))
    record = found.record
    hosted = links.repository(workspace)
    return {**record, "corrections": record["corrections"] or (hosted.issues if hosted is not None else "")}


def _checked(documents: Iterator[Document], track: Track) -> Iterator[Document]:
    """Yield documents of this track; raises `UsageError` for one of another."""
    for document in documents:
        if document["track"] != track.name:
            raise UsageError(
                f"receipt {document['receiptId']} is of track {document['track']}",
                hint=f"give receipts of track {track.name}",
            )
        track.check(document)
        yield document


def _declared(name: str) -> tuple[Track, Grids, bytes]:
    """The track, its part and the bytes of a grid's file."""
    parts = [(track, part) for track in plugins.tracks().values() if (part := track.grids) is not None]
    known = {packaged: (track, part) for track, part in parts for packaged in part.packaged()}
    if os.path.isfile(name) and parts:  # noqa: PTH113 - a name too long is no file, and no error
        return *parts[0], read_bounded(Path(name), _LARGEST)
    if name not in known:
        raise UsageError(
            f"no file {name!r}, and no packaged grid of this name",
            hint=f"available: {', '.join(sorted(known)) or 'none'}",
        )
    track, part = known[name]
    return track, part, part.packaged()[name]


def _every(workspace: Workspace, snapshot: Snapshot, track: Track, declared: Any) -> Iterator[Document]:
    """The latest valid receipt of each configuration, ranked or not, and every draft, on the grid's datasets."""
    latest: dict[tuple[str, str, str], str] = {}
    for header in snapshot.history().of(track.name) if snapshot.log is not None else ():
        summary = header.summary
        if summary is not None and header.verdict in _GOOD and summary.target in declared.rankings:
            latest[summary.target_sha256, summary.row, header.sent_by] = header.receipt_id
    for name in latest.values():
        yield receipt_named(snapshot, name).document
    for path in workspace.draft_paths():
        document = drafts.load(path).document
        if document["track"] == track.name and track.target(document).id in declared.rankings:
            yield document


def _data(workspace: Workspace, name: str) -> bytes | None:
    try:
        return workspace.fixture_bytes(name)
    except UsageError:
        return None
