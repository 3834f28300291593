"""What re-scoring is given: methodologies and evidence, each found by the SHA-256 that a receipt names.

A methodology is looked for beside the receipt, in the commit, in the working tree, and among those that came with this
installation; evidence in the commit, beside drafts, and at the mirrors of `mkdocs.yml`. Whatever the place, bytes count
only under their own digest, so that no place is trusted. What is not found is not at hand, and no error. What a mirror
served is on disk until the command ends, so that each document is fetched once.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from benchsite import canonical, resources
from benchsite.errors import BenchsiteError, InputError
from benchsite.history import Materials
from benchsite.layout import ATTACHMENTS, METHODOLOGY, evidence_path
from benchsite.methodology import Methodology
from benchsite.pipeline.instance import LARGEST_FIXTURE, Instance
from benchsite.pipeline.instance.files import read_bounded
from benchsite.pipeline.instance.methodology_store import Committed, Folder, MethodologyStore, WorkingTree
from benchsite.pipeline.instance.scratch import require_folder

__all__ = ["IN_GIT", "LARGEST", "at_hand", "attached", "mirrored", "shipped", "stored", "uncompressed"]

IN_GIT: Final = 5_000_000
"""Bytes of evidence, uncompressed, that git holds at most; what is larger is at the mirrors (DESIGN.md, "Top level")."""
LARGEST: Final = 256_000_000
"""Bytes of evidence, uncompressed, that are read at all."""
_COMPRESSED_FROM: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"


def at_hand(
    instance: Instance | None, *, rev: str = "HEAD", beside: Sequence[Path] = (), evaluate: bool = False
) -> Materials:
    """The documents within reach.

    Args:
        instance: the repository; None outside any, where only installed methodologies are at hand.
        rev: the commit whose documents come first.
        beside: folders that hold a `methodology.yaml` and a `text.md`, or evidence under its SHA-256.
        evaluate: give the data of benchmarks too, so that their evaluators are run.
    """
    stores = [MethodologyStore(Folder(path)) for path in beside]
    if instance is not None:
        stores.append(MethodologyStore(Committed(instance.repository, rev)))
        stores.append(MethodologyStore(WorkingTree(instance.root)))
    stores.append(_packaged())

    @cache
    def methodology(sha256: str) -> Methodology | None:
        found = (store.of_digest(sha256) for store in stores)
        return next((document for document in found if document is not None), None)

    @lru_cache(maxsize=1)
    def evidence(sha256: str) -> bytes | None:
        found = next((data for path in beside if (data := _held(path / sha256, sha256)) is not None), None)
        if found is None and instance is not None:
            found = _evidence(instance, rev, sha256)
        return found

    def target(name: str, sha256: str) -> bytes | None:
        return _data(instance, name, sha256) if instance is not None and evaluate else None

    def damage(sha256: str) -> str:
        return _damage(instance, sha256) if instance is not None else ""

    return Materials(methodology, evidence, target, damage)


def _data(instance: Instance, name: str, sha256: str) -> bytes | None:
    """The data of a fixture or benchmark of this digest; None where it is absent.

    Raises:
        InputError: what is at hand under this name is other data.
    """
    others = []
    for path in instance.fixture_paths():
        if path.parent.name != name:
            continue
        with suppress(BenchsiteError):
            data = read_bounded(path, LARGEST_FIXTURE)
            found = canonical.digest(canonical.loads(data, max_bytes=LARGEST_FIXTURE))
            if found == sha256:
                return data
            others.append(found)
    if others:
        raise InputError(
            f"benchmark {name} at hand is other data (SHA-256 {others[0][:12]}…) than the receipt names ({sha256[:12]}…)",
            hint="import the data that the receipt names in another clone",
        )
    return None


@cache
def _packaged() -> MethodologyStore:
    return MethodologyStore(WorkingTree(resources.folder(METHODOLOGY).parent))


def shipped(sha256: str) -> bool:
    """Whether a methodology of this digest came with the installation."""
    return _packaged().of_digest(sha256) is not None


def _evidence(instance: Instance, rev: str, sha256: str) -> bytes | None:
    kept = instance.repository.read(evidence_path(sha256), rev=rev)
    found = uncompressed(kept, sha256) if kept is not None else None
    if found is None:
        found = attached(instance, sha256)
    return found if found is not None else mirrored(instance, sha256)


def attached(instance: Instance, sha256: str) -> bytes | None:
    """The evidence of a digest as it is kept beside drafts; a file that is something else is said, and not read."""
    with suppress(BenchsiteError):
        path = require_folder(instance.root, ATTACHMENTS, make=False) / sha256
        found = None if path.is_symlink() else _held(path, sha256)
        if found is None and (wrong := _damage(instance, sha256)):
            instance.warn(f"evidence file ignored: {wrong}; restore or delete it")
        return found
    return None


def _damage(instance: Instance, sha256: str) -> str:
    """What is wrong with the file beside drafts, which was found not to be the evidence; empty where there is none."""
    with suppress(BenchsiteError):
        path = require_folder(instance.root, ATTACHMENTS, make=False) / sha256
        if os.path.lexists(path):
            wrong = "it is a symbolic link" if path.is_symlink() else "its content does not have this SHA-256"
            return f"{ATTACHMENTS}/{sha256}: {wrong}"
    return ""


def mirrored(instance: Instance, sha256: str) -> bytes | None:
    """The evidence of a digest as a mirror of `mkdocs.yml` serves it: what every clone can get, and git need not hold."""
    mirrors = instance.config.benchsite.mirrors
    if not mirrors:
        return None
    copy = instance.fetched.get(sha256)
    found = uncompressed(copy, sha256) if copy is not None else None
    if found is None:
        found = _fetched(mirrors, sha256)
        if found is not None:
            instance.fetched.put(sha256, found)
    return found


def _held(path: Path, sha256: str) -> bytes | None:
    """The bytes of a file that has the digest, gzip'd or not."""
    with suppress(BenchsiteError):
        return uncompressed(read_bounded(path, LARGEST), sha256)
    return None


def _fetched(mirrors: Iterable[str], sha256: str) -> bytes | None:
    """The first copy of a mirror that has the digest; a mirror that fails or serves other bytes is passed over."""
    from http.client import HTTPException  # noqa: PLC0415 - slow to import, and few commands ask a mirror

    from benchsite.pipeline.record import download  # noqa: PLC0415

    for mirror in mirrors:
        with suppress(HTTPException, OSError, ValueError):
            found = uncompressed(download.asked(f"{mirror.rstrip('/')}/{sha256}", LARGEST).data, sha256)
            if found is not None:
                return found
    return None


def stored(data: bytes) -> bytes:
    """Evidence as git holds it: gzip'd where that saves anything worth it, the same bytes each time."""
    if len(data) < _COMPRESSED_FROM:
        return data
    import gzip  # noqa: PLC0415 - only for what is published

    packed = gzip.compress(data, mtime=0)
    return packed if len(packed) < len(data) else data


def uncompressed(data: bytes, sha256: str) -> bytes | None:
    """The bytes of a digest, from themselves or from a gzip file of them; None where they are others."""
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
