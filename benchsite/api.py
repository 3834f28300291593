"""The library: verify a receipt, open a record, read its verified receipts (docs/use-from-python).

    import benchsite

    record = benchsite.Record.open("path/to/clone")
    for found in record:
        print(found.receipt_id, found.verdict.value, found.rescore.value)

    found = benchsite.verify(Path("receipt.json").read_bytes(), record=record)

`benchsite.verify` and `benchsite.Record` are these; they are imported when they are first asked for, so that the command
line starts without them. Owns nothing: every answer is that of `benchsite verify`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from benchsite import signing
from benchsite.errors import InputError, IntegrityError
from benchsite.history import Examination
from benchsite.pipeline import head
from benchsite.pipeline import verify as checking
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.words import shown_path

__all__ = ["Record", "verify"]


class Record:
    """The public record of a clone: receipts, log and keys of the commit that HEAD names when it is opened.

    Iterating examines every receipt that the log names and every published file that it does not, in the order of the
    log. Nothing is written, and no subject's code is run. A later commit is read by opening the record again.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Record:
        """The record of the repository that holds this folder.

        Raises:
            InputError: the path is of another type, or there is no such folder.
            PrerequisiteError: it is in no git repository, or in one that `benchsite init` did not prepare.
            IntegrityError: the log contradicts its checkpoint, its keys or its own past.
        """
        return cls(head.snapshot(Workspace(_folder("open", path))))

    @property
    def size(self) -> int:
        """Entries of the log; 0 where none was begun."""
        log = self._snapshot.log
        return log.size if log is not None else 0

    @property
    def root_hash(self) -> str:
        """The log's Merkle root (RFC 6962), 64 hexadecimal digits; empty where no log was begun."""
        log = self._snapshot.log
        return log.root().hex() if log is not None else ""

    def __iter__(self) -> Iterator[Examination]:
        """What verification says of each receipt; of one that is missing, INVALID with no receipt.

        Raises:
            IntegrityError: after the last receipt, where something else in the record is damaged.
        """
        for checked in checking.verify(self._snapshot, (), everything=True):
            if checked.examination is None:
                raise checked.error or IntegrityError(f"{checked.path} is damaged", hint="benchsite audit")
            yield checked.examination

    def verify(self, data: bytes, *, methodologies: Sequence[str | PathLike[str]] = ()) -> Examination:
        """As `benchsite.verify` with this record."""
        return verify(data, record=self, methodologies=methodologies)


def verify(
    data: bytes,
    *,
    record: Record | None = None,
    public_key: str | None = None,
    methodologies: Sequence[str | PathLike[str]] = (),
) -> Examination:
    """Check one receipt: its form, its signature, its place in the log, and its numbers.

    Args:
        data: the bytes of the receipt's file.
        record: the record whose log and keys it is checked against; without one, only `public_key` can check it.
        public_key: PEM of a key that the caller trusts, for receipts of another log.
        methodologies: folders with the files of a version, for versions that are neither in the record nor
            part of this release.

    Returns:
        Verdict, re-score state and every step, whatever is wrong with the file: a forged or malformed receipt is an
        answer (`INVALID`), not an exception.

    Raises:
        InputError: an argument is of another type, a folder is not there, or `public_key` is not an Ed25519 public key in PEM.
        PrerequisiteError: the file is a draft, which has no signature yet.
    """
    if not isinstance(data, bytes):
        raise InputError(
            f"verify: a receipt is given as bytes, not as {type(data).__name__}",
            hint="pass what Path(...).read_bytes() returns",
        )
    if record is not None and not isinstance(record, Record):
        raise InputError(
            f"verify: record is a benchsite.Record, not {type(record).__name__}",
            hint="pass benchsite.Record.open(path)",
        )
    if public_key is not None and not isinstance(public_key, str):
        raise InputError(
            f"verify: public_key is text, not {type(public_key).__name__}", hint="decode the PEM file first"
        )
    folders = [_folder("verify: methodologies", path) for path in _paths(methodologies)]
    key = signing.load_public_pem(public_key) if public_key is not None else None
    snapshot = record._snapshot if record is not None else None  # noqa: SLF001 - the two are one interface
    return checking.examined(snapshot, data, key=key, methodologies=folders)


def _paths(methodologies: object) -> Sequence[object]:
    """The argument of that name, if it is a list at all."""
    if isinstance(methodologies, str) or not isinstance(methodologies, Sequence):
        raise InputError(
            f"verify: methodologies is a list of folders, not {type(methodologies).__name__}",
            hint='pass a list, such as ["methodology/retrieval/1.0.0"]',
        )
    return methodologies


def _folder(what: str, path: object) -> Path:
    """An existing folder, by a path that a caller gave."""
    text = os.fspath(path) if isinstance(path, str | PathLike) else None
    if not isinstance(text, str):
        raise InputError(
            f"{what}: a folder is named by its path, not by {type(path).__name__}",
            hint="pass a str or a Path",
        )
    if not os.path.isdir(text):  # noqa: PTH112 - a name too long, or with NUL, is no folder, and no error
        raise InputError(f"{what}: no such folder: {shown_path(text)}", hint="check the path")
    return Path(text)
