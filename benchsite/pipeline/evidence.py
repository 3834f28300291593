"""Evidence too large for a receipt: documents kept by the sha256 of their bytes, which receipts pin.

A run keeps them in `.benchsite/attachments/`; publishing brings them to `results/evidence/<first 2 hex>/<sha256>` in the
receipt's own commit. They are write-once: one name, one content. Refuses to publish a receipt whose evidence is not
at hand, unless it was withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchsite import canonical
from benchsite.errors import InputError, IntegrityError
from benchsite.log import Log
from benchsite.pipeline.files import read_bounded
from benchsite.pipeline.instance import PRIVATE, Instance
from benchsite.repo import write_atomically
from benchsite.track import Evidence

FOLDER: Final = "results/evidence"
LARGEST: Final = 5_000_000
"""Bytes. What is larger does not belong in git (DESIGN.md, "Top level")."""


def evidence_path(sha256: str) -> str:
    """Where a published piece of evidence lies."""
    return f"{FOLDER}/{sha256[:2]}/{sha256}"


def reference(item: Evidence) -> dict[str, Any]:
    """The entry of a receipt's `evidence` that pins a document."""
    return {
        "name": item.name,
        "sha256": canonical.sha256_hex(item.data),
        "size": len(item.data),
        "mediaType": item.media_type,
    }


def keep(instance: Instance, item: Evidence) -> None:
    """Keep a document until the draft that pins it is published.

    Raises:
        InputError: it is larger than git should hold.
    """
    if len(item.data) > LARGEST:
        raise InputError(
            f"evidence {item.name} has {len(item.data):,} bytes, more than {LARGEST:,}",
            hint="keep the part that shows what was scored",
        )
    path = _kept(instance, canonical.sha256_hex(item.data))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, item.data)


def _kept(instance: Instance, sha256: str) -> Path:
    return instance.root / PRIVATE / "attachments" / sha256


def to_publish(instance: Instance, log: Log, document: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of evidence that a draft's commit must bring, by repository path.

    Raises:
        IntegrityError: one is not at hand, or its bytes are not those the draft pins.
    """
    found = {}
    for pinned in document["evidence"]:
        sha256, path = pinned["sha256"], evidence_path(pinned["sha256"])
        if sha256 in log.withdrawn or instance.repository.read(path) is not None:
            continue
        held = _kept(instance, sha256)
        if not held.is_file():
            raise IntegrityError(
                f"draft {document['receiptId']}: its evidence {pinned['name']} is not here",
                hint="run it again where the evidence lies; what others measured comes as their sheets and files",
            )
        data = read_bounded(held, LARGEST)
        if canonical.sha256_hex(data) != sha256 or len(data) != pinned["size"]:
            raise IntegrityError(
                f"draft {document['receiptId']}: the bytes of its evidence {pinned['name']} are not those it pins",
                hint="run it again",
            )
        found[path] = data
    return found


def published(instance: Instance) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of every piece of evidence at HEAD that lies under its own hash.

    Pages link it as text: a browser shows a file that ends in `.txt` and offers any other for download.
    """
    for item in instance.repository.tree(FOLDER):
        name = item.path.rpartition("/")[2]
        if item.path == evidence_path(name):
            data = instance.repository.blob(item.blob_id)
            if canonical.sha256_hex(data) == name:
                yield item.path, data
