"""Evidence too large for a receipt: documents kept by the sha256 of their bytes, which receipts pin.

A run keeps them in `.benchsite/attachments/`; publishing brings them to `results/evidence/<first 2 hex>/<sha256>` in the
receipt's own commit, larger ones gzip'd. What git should not hold stays there to be copied to a mirror, and is never
missing from a record. They are write-once: one name, one content. What is public, or withdrawn, is not kept any longer.
Refuses to publish a receipt whose evidence is not at hand, unless it was withdrawn, and to follow a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import ATTACHMENTS, evidence_path
from benchsite.log import Log
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.snapshot.evidence_store import LARGEST, stored, uncompressed
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.scratch import require_folder
from benchsite.repo import write_atomically
from benchsite.track import IN_GIT, Evidence


def reference(item: Evidence) -> dict[str, Any]:
    """The entry of a receipt's `evidence` that pins a document."""
    return {
        "name": item.name,
        "sha256": item.pinned[0],
        "size": item.pinned[1],
        "mediaType": item.media_type,
        **({"mirrored": True} if item.mirrored else {}),
    }


def keep(workspace: Workspace, item: Evidence) -> None:
    """Keep a document until the draft that pins it is published.

    Raises:
        InputError: it is larger than git should hold, or there is no folder to keep it in.
    """
    mirrored = bool(workspace.config.benchsite.mirrors)
    most = LARGEST if mirrored or item.mirrored else IN_GIT
    sha256, size = item.pinned
    if size > most:
        hint = "keep the scored part"
        raise InputError(
            f"evidence {item.name} too large: {size:,} bytes, the limit is {most:,}",
            hint=hint if mirrored else f"{hint}, or list a mirror under extra.benchsite.mirrors",
        )
    folder = require_folder(workspace.root, ATTACHMENTS)
    write_atomically(folder / sha256, item.pieces())


def in_git(document: Mapping[str, Any]) -> list[str]:
    """SHA-256 of the evidence that the commit of a receipt brings."""
    return [
        pinned["sha256"]
        for pinned in document["evidence"]
        if pinned["size"] <= IN_GIT and not pinned.get("mirrored")
    ]


def forget(workspace: Workspace, digests: Iterable[str]) -> None:
    """Remove documents that need not be kept any longer; what cannot be removed undoes nothing that was published."""
    with suppress(InputError):
        folder = require_folder(workspace.root, ATTACHMENTS, make=False)
        for sha256 in digests:
            with suppress(OSError):
                if (folder / sha256).stat().st_size <= IN_GIT:
                    (folder / sha256).unlink()


def to_mirror(workspace: Workspace, item: Evidence) -> str:
    """What has to be done with a document that git does not hold; empty for all others."""
    sha256, size = item.pinned
    if size <= IN_GIT and not item.mirrored:
        return ""
    path = (workspace.root / ATTACHMENTS / sha256).relative_to(workspace.root)
    if item.sealed:
        return f"evidence {item.name} is sealed: it stays on this machine, in {path.as_posix()}; never publish it"
    why = "is kept outside git" if item.mirrored else "is too large for git"
    return f"evidence {item.name} {why}: copy {path.as_posix()} to a mirror of mkdocs.yml, under its name"


def to_publish(snapshot: Snapshot, log: Log, document: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of evidence that a draft's commit must bring, by repository path.

    Raises:
        InputError: they are not kept in a folder of this repository.
        IntegrityError: one is not at hand, or its bytes are not those the draft pins.
    """
    found = {}
    for pinned in document["evidence"]:
        sha256 = pinned["sha256"]
        if sha256 in log.withdrawn:
            continue
        path = evidence_path(sha256)
        published = snapshot.read(path)
        data = _at_hand(snapshot, document, pinned) if published is None else uncompressed(published, sha256)
        if data is None or len(data) != pinned["size"]:
            raise IntegrityError(
                f"draft {document['receiptId']}: its evidence {pinned['name']} has another hash",
                hint="re-run it",
            )
        if published is None and len(data) <= IN_GIT and not pinned.get("mirrored"):
            found[path] = stored(data)
    return found


def _at_hand(snapshot: Snapshot, document: Mapping[str, Any], pinned: Mapping[str, Any]) -> bytes | None:
    """From this machine, else from a mirror: a draft that was sent comes without its evidence. None: damaged here."""
    file = require_folder(snapshot.repository.root, ATTACHMENTS, make=False) / pinned["sha256"]
    held = snapshot.evidence.attached(pinned["sha256"])
    if held is not None:
        return held
    track = snapshot.tracks.get(document["track"])
    # Of an evaluation the sheets and files are sent, which reviewers read; not a draft that rests on others.
    sheets = track is not None and track.sheets is not None
    served = None if sheets else snapshot.evidence.mirrored(pinned["sha256"])
    if served is None and (file.is_symlink() or not file.is_file()):
        raise IntegrityError(
            f"draft {document['receiptId']}: its evidence {pinned['name']} is missing",
            hint="send the sheets and the files they name in a folder of fixtures/, not the draft"
            if sheets
            else serve(pinned),
        )
    return served


def serve(pinned: Mapping[str, Any]) -> str:
    """How evidence gets to every clone, in words for the submitter of the draft that pins it."""
    return (
        f"on the machine that ran it, upload {ATTACHMENTS}/{pinned['sha256']} under that name to an address listed in "
        "extra.benchsite.mirrors of mkdocs.yml"
    )
