"""Evidence by the SHA-256 that a receipt names: in the commit, beside drafts, and at the mirrors of `mkdocs.yml`.

Bytes count only under their own digest, so that no place has to be trusted. Evidence that is not found is not an error.
What a mirror served is on disk until the command ends, so that each document is fetched once.
"""

from __future__ import annotations

import logging
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

from benchsite import canonical
from benchsite.errors import BenchsiteError
from benchsite.layout import ATTACHMENTS, EVIDENCE, evidence_path
from benchsite.pipeline.workspace.download_cache import DownloadCache
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.scratch import require_folder
from benchsite.repo import Repository
from benchsite.track import LARGEST_EVIDENCE

__all__ = ["LARGEST", "EvidenceStore", "stored", "uncompressed"]

LARGEST: Final = LARGEST_EVIDENCE
_COMPRESSED_FROM: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"


class EvidenceStore:
    """The evidence within reach of one commit."""

    def __init__(
        self,
        repository: Repository,
        commit: str | None,
        mirrors: Callable[[], Sequence[str]],
        downloads: DownloadCache,
    ) -> None:
        self._repository = repository
        self._commit = commit
        self._mirrors = mirrors
        self._downloads = downloads
        self._warned: set[str] = set()

    def reading(self, folders: Sequence[Path] = ()) -> Callable[[str], bytes | None]:
        """Return the function that finds evidence by its SHA-256, in some folders first."""
        in_folders = self.in_folders(folders)

        @lru_cache(maxsize=1)
        def evidence(sha256: str) -> bytes | None:
            found = in_folders(sha256)
            return found if found is not None else self.read(sha256)

        return evidence

    @staticmethod
    def in_folders(folders: Sequence[Path]) -> Callable[[str], bytes | None]:
        """Return the function that finds evidence in folders, each file named by its SHA-256."""

        def evidence(sha256: str) -> bytes | None:
            found = (_of_digest(path / sha256, sha256) for path in folders)
            return next((data for data in found if data is not None), None)

        return evidence

    def read(self, sha256: str) -> bytes | None:
        """Return the uncompressed bytes of a digest; None if they are in none of the places."""
        for place in (self.committed, self.attached, self.mirrored):
            found = place(sha256)
            if found is not None:
                return found
        return None

    def committed(self, sha256: str) -> bytes | None:
        """Return the evidence that the commit has under its digest."""
        if self._commit is None:
            return None
        data = self._repository.read(evidence_path(sha256), rev=self._commit)
        return uncompressed(data, sha256) if data is not None else None

    def attached(self, sha256: str) -> bytes | None:
        """Return the evidence kept beside drafts; warn of a file with other content, and ignore it."""
        with suppress(BenchsiteError):
            path = require_folder(self._repository.root, ATTACHMENTS, make=False) / sha256
            found = None if path.is_symlink() else _of_digest(path, sha256)
            if found is None and (wrong := self.damage(sha256)) and wrong not in self._warned:
                self._warned.add(wrong)
                logging.getLogger("benchsite").warning(
                    "evidence file ignored: %s; restore or delete it", wrong
                )
            return found
        return None

    def damage(self, sha256: str) -> str:
        """Say what is wrong with the file beside drafts that is not the evidence; empty if there is none."""
        with suppress(BenchsiteError):
            path = require_folder(self._repository.root, ATTACHMENTS, make=False) / sha256
            if os.path.lexists(path):
                wrong = (
                    "it is a symbolic link" if path.is_symlink() else "its content does not have this SHA-256"
                )
                return f"{ATTACHMENTS}/{sha256}: {wrong}"
        return ""

    def mirrored(self, sha256: str) -> bytes | None:
        """Return the evidence that a mirror serves, which every clone can get and git need not hold."""
        mirrors = self._mirrors()
        if not mirrors:
            return None
        copy = self._downloads.get(sha256)
        found = uncompressed(copy, sha256) if copy is not None else None
        if found is None:
            from benchsite.pipeline.snapshot.mirrors import fetch  # noqa: PLC0415 - imports HTTP, and few commands ask

            served = fetch(mirrors, sha256, self._downloads.budget, LARGEST)
            if served is not None:
                self._downloads.put(sha256, served)
                found = uncompressed(served, sha256)
        return found

    def present(self) -> dict[str, str]:
        """Return SHA-256 to blob id of the commit's evidence files that are under their own hash, gzip'd or not."""
        found = {}
        files = self._repository.tree(EVIDENCE, rev=self._commit) if self._commit is not None else ()
        for item in files:
            name = item.path.rpartition("/")[2]
            data = self._repository.blob(item.blob_id) if item.path == evidence_path(name) else None
            if data is not None and uncompressed(data, name) is not None:
                found[name] = item.blob_id
        return found

    def documents(self, blobs: Mapping[str, str]) -> Callable[[str], bytes | None]:
        """Return the function that reads some of `present` by SHA-256; None for any other."""

        def document(sha256: str) -> bytes | None:
            blob_id = blobs.get(sha256)
            return None if blob_id is None else uncompressed(self._repository.blob(blob_id), sha256)

        return document


def _of_digest(path: Path, sha256: str) -> bytes | None:
    """Return the bytes of a file that has the digest, gzip'd or not."""
    with suppress(BenchsiteError):
        return uncompressed(read_bounded(path, LARGEST), sha256)
    return None


def stored(data: bytes) -> bytes:
    """Return evidence as git holds it: gzip'd if that saves enough, the same bytes each time."""
    if len(data) < _COMPRESSED_FROM:
        return data
    import gzip  # noqa: PLC0415 - only for what is published

    packed = gzip.compress(data, mtime=0)
    return packed if len(packed) < len(data) else data


def uncompressed(data: bytes, sha256: str) -> bytes | None:
    """Return the bytes of a digest, from themselves or from a gzip file of them; None for any others."""
    if len(data) <= LARGEST and canonical.sha256_hex(data) == sha256:
        return data
    if not data.startswith(_GZIP):
        return None
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(data, LARGEST + 1)
    except zlib.error:
        return None
    whole = unpacker.eof and not unpacker.unused_data and len(plain) <= LARGEST
    return plain if whole and canonical.sha256_hex(plain) == sha256 else None
