"""The record as one commit holds it: its log, its receipts, and what verification says of them.

Everything published is read from a commit, never from the working tree, so that what is verified is what others can
fetch. A commit never changes, so that what was opened of one is kept for the next question about it.
"""

from __future__ import annotations

import base64
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

from benchsite import canonical, executors
from benchsite.errors import IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Filed, History, Materials, Scorer, Spread, Summary, verify_record
from benchsite.layout import (
    CHECKPOINT_PATH,
    CONFIG,
    COSIGNATURES_PATH,
    ENTRIES_FOLDER,
    PUBLISHED,
    RECORD,
    Sort,
    receipt_id_of,
    receipt_path,
    segment_number,
    segment_path,
    sort_of,
)
from benchsite.log import Checkpoint, Log, Note, NoteError, Witnessing, key_files, open_log
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.files import read_bounded
from benchsite.pipeline.record.materials import at_hand
from benchsite.receipt import UNNAMED, Document
from benchsite.repo import REGULAR, TreeFile
from benchsite.words import shown_path

__all__ = ["Record", "require_log"]

_KEPT: Final = 4
"""Commits of one instance whose records are kept: its head, the remote's, what both share, and one more."""


class Record:
    """`results/` and `keys/` of one commit."""

    def __init__(self, instance: Instance, commit: str | None) -> None:
        self.instance = instance
        self.commit = commit
        self.rev = commit or "HEAD"

    @classmethod
    def at(cls, instance: Instance, rev: str = "HEAD") -> Self:
        """The record of a commit, the kept one where this process has opened it before."""
        commit = instance.repository.commit(rev)
        if commit is None:
            return cls(instance, None)
        kept: OrderedDict[tuple[str, str], Any] = instance.opened
        key = (commit, instance.config.benchsite.model_dump_json())
        record = kept.get(key) or kept.setdefault(key, cls(instance, commit))
        kept.move_to_end(key)
        if len(kept) > _KEPT:
            kept.popitem(last=False)
        return record  # type: ignore[no-any-return]  # the instance keeps them, and cannot name this class

    @classmethod
    def current(cls, instance: Instance) -> Self:
        """The record at HEAD, for readers: its log has not gone back, and is there where `mkdocs.yml` names its keys.

        Raises:
            IntegrityError: as `log`, and where the newest change made the log shorter or removed it.
        """
        record = cls.at(instance)
        if record.log is not None:
            record._grown  # noqa: B018, SLF001 - computed once for a commit; raises
        elif instance.config.benchsite.root_keys:
            raise IntegrityError(
                f"no log: {CONFIG} names root keys, and results/log is missing",
                hint="`git log -- results/log` shows who removed it; to create a log: benchsite keys init",
            )
        return record

    @cached_property
    def files(self) -> Sequence[TreeFile]:
        """Every file under `results/` and `keys/`, in path order, whatever it is."""
        return tuple(self._tree(*RECORD))

    def of_sort(self, sort: Sort) -> Sequence[TreeFile]:
        """The files under `results/` and `keys/` that are of one sort, in path order."""
        return self._by_sort.get(sort, ())

    @cached_property
    def _by_sort(self) -> Mapping[Sort, Sequence[TreeFile]]:
        found: dict[Sort, list[TreeFile]] = {}
        for item in self.files:
            found.setdefault(sort_of(item.path), []).append(item)
        return found

    @property
    def has_log(self) -> bool:
        """Whether any file of a log is there."""
        return bool(self.of_sort("segment") or self.of_sort("checkpoint"))

    @cached_property
    def log(self) -> Log | None:
        """The log, its checkpoint and key events verified, and `keys/` their copy; None before `keys init`.

        Raises:
            IntegrityError: the log's files contradict each other or their signatures.
        """
        log = self.opened
        for item in self.of_sort("stray"):
            if item.path.startswith(f"{ENTRIES_FOLDER}/"):
                raise IntegrityError(
                    f"{shown_path(item.path)} is not a segment of the log",
                    hint="only `benchsite publish` writes there; git log -- results/log shows who added it",
                )
        if log is not None:
            self._check_key_files(log)
        return log

    @cached_property
    def opened(self) -> Log | None:
        """The log as its own segments have it, whatever `keys/` says and is beside them; raises as `log`."""
        files = self.of_sort("segment")
        checkpoint = next(iter(self.of_sort("checkpoint")), None)
        if not files and checkpoint is None:
            return None
        if checkpoint is None:
            raise IntegrityError(
                f"{CHECKPOINT_PATH} is missing", hint="git log -- results/log shows who removed it"
            )
        _require_plain([*files, checkpoint])
        for number, item in enumerate(files):
            if segment_number(item.path) != number:
                raise IntegrityError(
                    f"{shown_path(item.path)} is where {segment_path(number)} should be",
                    hint="git log -- results/log shows the commit that moved it",
                )
        settings, blob = self.instance.config.benchsite, self.instance.repository.blob
        segments = (blob(item.blob_id) for item in files)
        return open_log(segments, blob(checkpoint.blob_id), origin=settings.origin, roots=settings.root_keys)

    @cached_property
    def checkpoint(self) -> bytes:
        """The signed note of `results/log/checkpoint`; empty if the commit has none."""
        return self.instance.repository.read(CHECKPOINT_PATH, rev=self.rev) or b""

    @cached_property
    def published(self) -> Sequence[TreeFile]:
        """Every file under `results/published/` but the placeholder; raises `IntegrityError` at links and other names."""
        files = [item for item in self._tree(PUBLISHED) if not item.path.endswith("/.gitkeep")]
        _require_plain(files)
        for item in files:
            if receipt_id_of(item.path) is None:
                raise IntegrityError(
                    f"{shown_path(item.path)} is not a receipt's path: paths derive from ids",
                    hint="only `benchsite publish` writes there; remove the file in a commit",
                )
        return tuple(files)

    @cached_property
    def witnessing(self) -> Witnessing | None:
        """What the witnesses of `mkdocs.yml` have seen of the log; None without a log. Raises as `witnessing_of`."""
        return self.witnessing_of(self.log) if self.log is not None else None

    def witnessing_of(self, log: Log) -> Witnessing:
        """What the witnesses have seen of this or another log, by the cosignatures of this commit.

        Raises:
            IntegrityError: the file is malformed, or a line of one of them does not hold for the log.
            InputError: one of them is a key of the log's own.
        """
        _require_plain(self._tree(COSIGNATURES_PATH))
        data = self.instance.repository.read(COSIGNATURES_PATH, rev=self.rev) or b""
        return Witnessing.of(log, self.instance.config.witnesses, data)

    @cached_property
    def materials(self) -> Materials:
        """The methodologies and the evidence that re-scoring is given."""
        return at_hand(self.instance, rev=self.rev)

    def summary(self, document: Document) -> Summary:
        """What a header would keep of a receipt's or draft's body, whose track is installed."""
        named = document.get("methodology")
        methodology = self.materials.methodology(named["sha256"]) if named is not None else None
        track: Scorer = self.instance.tracks[str(document.get("track", UNNAMED))]
        return track.summary(document, methodology)

    def history(self, spread: Spread = executors.run) -> History:
        """Verify every published receipt; `spread` says how the work is mapped."""
        by_path = {item.path: item.blob_id for item in self.published}
        entries = self.log.receipts.items() if self.log is not None else ()
        logged = [Filed(path := receipt_path(name), by_path.pop(path, None), at) for name, at in entries]
        stray = [Filed(path, blob_id, None) for path, blob_id in by_path.items()]
        files = [*logged, *stray]
        return verify_record(
            self.log,
            files,
            self.instance.tracks,
            self.instance.repository.blobs,
            materials=self.materials,
            spread=spread,
            witnessing=self.witnessing,
        )

    def receipt_bytes(self, name: str) -> tuple[str | None, bytes]:
        """(repository path, bytes) of a receipt named by path, id or unique prefix of an id; drafts too.

        The repository path is None for a file that was handed over.

        Raises:
            UsageError: nothing, or more than one receipt, answers to the name.
            InputError: the file cannot be read.
        """
        path = Path(name)
        if path.suffix == ".json" or "/" in name or os.path.exists(name):  # noqa: PTH110 - a name too long is no path, and no error
            return None, read_bounded(path, canonical.MAX_BYTES)
        found = [item for item in self.published if item.path.rsplit("/", 1)[-1].startswith(name)]
        if len(found) == 1:
            return found[0].path, self.instance.repository.blob(found[0].blob_id)
        drafts = [draft for draft in self.instance.draft_paths() if draft.name.startswith(name)]
        if not found and len(drafts) == 1:
            return None, read_bounded(drafts[0], canonical.MAX_BYTES)
        if found or drafts:
            raise UsageError(
                f"{name!r} matches {len(found) + len(drafts)} receipt ids", hint="give more characters"
            )
        raise UsageError(
            f"no receipt named {name!r}", hint="give a path, a receipt id or its first characters"
        )

    @cached_property
    def _grown(self) -> None:
        """The newest commit that changed the checkpoint must have made the log longer: a revert would shorten it."""
        log = self.log
        for parent in self.instance.repository.behind_last_change(CHECKPOINT_PATH, rev=self.rev):
            note = self.instance.repository.read(CHECKPOINT_PATH, rev=parent)
            try:
                before = Checkpoint.parse(Note.parse(note).text) if note is not None else None
            except NoteError:
                continue
            if log is None or before is None:
                continue
            if before.size > log.size or log.root(before.size) != before.root:
                raise IntegrityError(
                    f"log truncated: {log.size} entries, {before.size} in commit {parent[:12]}",
                    hint="find the commit with `git log -- results/log/checkpoint`, and git revert it",
                )

    def _check_key_files(self, log: Log) -> None:
        """`keys/` is a copy of what the log's key events say, for readers who do not replay them: byte for byte."""
        held = {item.path: item for item in self._tree("keys")}
        for path, data in key_files(log.keyring).items():
            item = held.get(path)
            if item is None or item.is_symlink or self.instance.repository.blob(item.blob_id) != data:
                what = "is missing" if item is None else "differs from the log's key events"
                raise IntegrityError(f"{path} {what}", hint=f"git log -- {path} shows who changed it")

    def _tree(self, *folders: str) -> list[TreeFile]:
        return self.instance.repository.tree(*folders, rev=self.rev)


def require_log(instance: Instance) -> Log:
    """The log at HEAD; `PrerequisiteError` where it was never begun, otherwise as `Record.current`."""
    log = Record.current(instance).log
    if log is None:
        raise PrerequisiteError("log not initialized", hint="run `benchsite keys init` to create it")
    return log


def log_head(instance: Instance, *, at_least: int = 0) -> dict[str, Any] | None:
    """The `logHead` member of a receipt composed now.

    A head that no remote has yet may still be discarded for another, and a receipt composed after it would belong to no
    log; so the newest public head is named, unless it has fewer than `at_least` entries.
    """
    log = Record.at(instance, instance.repository.public_head() or "HEAD").log
    if log is None or log.size < at_least:
        log = Record.at(instance).log
    if log is None:
        return None
    return {"origin": log.origin, "size": log.size, "root": base64.b64encode(log.root()).decode()}


def _require_plain(files: Sequence[TreeFile]) -> None:
    """Refuse anything under results/ that is not a regular file."""
    for item in files:
        if item.mode not in REGULAR:
            raise IntegrityError(
                f"{shown_path(item.path)} is not a regular file (git mode {item.mode})",
                hint="results/ and keys/ hold regular files only; remove it in a commit",
            )
