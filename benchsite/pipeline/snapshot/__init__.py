"""The record at one commit: tree, configuration, log, witnesses, receipts, evidence and methodologies (DESIGN.md).

A snapshot is opened once in a command and passed on. Everything is read from its commit and read once, so that a commit
that lands meanwhile changes nothing. Which commit that is, the caller says: nothing here knows HEAD.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, Self

from benchsite import canonical, executors, methodology, plugins, yaml_document
from benchsite.canonical import Json
from benchsite.errors import IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Filed, History, Materials, Scorer, Spread, Summary, verify_record
from benchsite.layout import (
    CHECKPOINT_PATH,
    CONFIG,
    COSIGNATURES_PATH,
    DRAFTS,
    ENTRIES_FOLDER,
    PUBLISHED,
    RECORD,
    Sort,
    fixture_path,
    methodology_folder,
    receipt_id_of,
    receipt_path,
    segment_number,
    segment_path,
    sort_of,
)
from benchsite.log import Checkpoint, Log, Note, NoteError, Witnessing, key_files, open_log
from benchsite.pipeline.snapshot.evidence_store import EvidenceStore
from benchsite.pipeline.snapshot.methodology_lookup import LARGEST_FIXTURE, fixture_data, methodology_lookup
from benchsite.pipeline.workspace.config import Config
from benchsite.pipeline.workspace.download_cache import DownloadCache
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.methodology_store import Committed, MethodologyStore
from benchsite.receipt import UNNAMED, Document
from benchsite.repo import REGULAR, Repository, TreeFile
from benchsite.track import Track
from benchsite.words import shown_path

__all__ = ["LARGEST_FIXTURE", "Snapshot", "materials_without_record"]

_NO_RECEIPT: Final = "give a path, a receipt id or its first characters"


class Snapshot:
    """Everything that the record says at one commit; `commit` is None on a branch without a commit."""

    def __init__(
        self,
        repository: Repository,
        commit: str | None,
        *,
        config: Config | None = None,
        downloads: DownloadCache | None = None,
    ) -> None:
        self.repository = repository
        self.commit = commit
        self._config = config
        self._downloads = downloads or DownloadCache()

    def sibling(self, commit: str | None) -> Self:
        """Return the record at another commit of this repository, read by the configuration of this one."""
        if commit == self.commit:
            return self
        return type(self)(self.repository, commit, config=self.config, downloads=self._downloads)

    @cached_property
    def config(self) -> Config:
        """`mkdocs.yml` of the commit.

        Raises:
            PrerequisiteError: the commit has no such file, or the file configures no instance.
            InputError: the file is malformed.
        """
        if self._config is not None:
            return self._config
        data = self.read(CONFIG)
        if data is None:
            raise PrerequisiteError(
                f"{CONFIG} is not committed" if self.commit else "nothing was committed yet",
                hint=f"git add {CONFIG}, commit, and re-run the command",
            )
        return Config(yaml_document.load(data, CONFIG))

    @property
    def _is_configured(self) -> bool:
        return self._config is not None or self.read(CONFIG) is not None

    @cached_property
    def tracks(self) -> Mapping[str, Track]:
        """Track name to installed track."""
        return plugins.tracks()

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if it is absent or not a regular file."""
        return self.repository.read(path, rev=self.commit) if self.commit is not None else None

    def tree(self, *folders: str) -> list[TreeFile]:
        """Return every file below some folders, in path order."""
        return self.repository.tree(*folders, rev=self.commit) if self.commit is not None else []

    def top_names(self) -> list[str]:
        """Return the names at the top of the tree, files and folders."""
        return self.repository.top_names(rev=self.commit) if self.commit is not None else []

    def committed_at(self, path: str) -> int:
        """Return when the newest commit that changed a path was made, in seconds since 1970; 0 if none did."""
        return (self.repository.committed_at(path, rev=self.commit) if self.commit is not None else None) or 0

    @cached_property
    def files(self) -> Sequence[TreeFile]:
        """Every file under `results/` and `keys/`, in path order."""
        return tuple(self.tree(*RECORD))

    def of_sort(self, sort: Sort) -> Sequence[TreeFile]:
        """Return the files under `results/` and `keys/` of one sort, in path order."""
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
    def checkpoint(self) -> bytes:
        """The bytes of the signed checkpoint; empty without a log."""
        return self.read(CHECKPOINT_PATH) or b""

    @cached_property
    def log(self) -> Log | None:
        """The log, its checkpoint, key events and the copies of the keys verified; None before `keys init`.

        Raises:
            IntegrityError: the log's files contradict each other or their signatures.
        """
        log = self.log_alone
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
    def log_alone(self) -> Log | None:
        """The log by its segments and checkpoint, without a look at `keys/`; raises as `log`."""
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
        blob, settings = self.repository.blob, self.config.benchsite
        segments = (blob(item.blob_id) for item in files)
        return open_log(segments, blob(checkpoint.blob_id), origin=settings.origin, roots=settings.root_keys)

    def require_log(self) -> Log:
        """Return the log; raises `PrerequisiteError` before `keys init`, otherwise as `log`."""
        if self.log is None:
            raise PrerequisiteError("log not initialized", hint="run `benchsite keys init` to create it")
        return self.log

    def require_grown(self) -> None:
        """Check that the newest change did not shorten or remove the log, as a revert would.

        Raises:
            IntegrityError: as `log`, and if it did.
        """
        log = self.log
        if log is not None and self.commit is not None:
            self._require_longer(log, self.commit)
        elif self._is_configured and self.config.benchsite.root_keys:
            raise IntegrityError(
                f"no log: {CONFIG} names root keys, and results/log is missing",
                hint="`git log -- results/log` shows who removed it; to create a log: benchsite keys init",
            )

    def _require_longer(self, log: Log, commit: str) -> None:
        for parent in self.repository.behind_last_change(CHECKPOINT_PATH, rev=commit):
            note = self.repository.read(CHECKPOINT_PATH, rev=parent)
            try:
                before = Checkpoint.parse(Note.parse(note).text) if note is not None else None
            except NoteError:
                continue
            if before is not None and (before.size > log.size or log.root(before.size) != before.root):
                raise IntegrityError(
                    f"log truncated: {log.size} entries, {before.size} in commit {parent[:12]}",
                    hint="find the commit with `git log -- results/log/checkpoint`, and git revert it",
                )

    @cached_property
    def published(self) -> Sequence[TreeFile]:
        """Every file under `results/published/` but the placeholder; raises `IntegrityError` at links and other names."""
        files = [item for item in self.tree(PUBLISHED) if not item.path.endswith("/.gitkeep")]
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
        """The cosignatures of the witnesses of `mkdocs.yml`; None without a log. Raises as `witnessing_of`."""
        return self.witnessing_of(self.log) if self.log is not None else None

    def witnessing_of(self, log: Log) -> Witnessing:
        """Check the cosignatures of this commit against this or another log.

        Raises:
            IntegrityError: the file is malformed, or a witness's line is not valid for the log.
            InputError: a witness key is a key of the log.
        """
        _require_plain(self.tree(COSIGNATURES_PATH))
        return Witnessing.of(log, self.config.witnesses, self.read(COSIGNATURES_PATH) or b"")

    @cached_property
    def evidence(self) -> EvidenceStore:
        """Evidence by its SHA-256: of the commit, beside drafts, and at mirrors."""
        return EvidenceStore(
            self.repository,
            self.commit,
            lambda: self.config.benchsite.mirrors if self._is_configured else (),
            self._downloads,
        )

    @cached_property
    def materials(self) -> Materials:
        """The methodologies and the evidence that re-scoring is given."""
        return self.materials_with()

    def materials_with(self, folders: Sequence[Path] = (), *, evaluate: bool = False) -> Materials:
        """Return what re-scoring is given, with the documents in some folders first.

        Args:
            folders: each has a version's files, or evidence under its SHA-256.
            evaluate: give the data of benchmarks too, so that their evaluators are run.
        """
        root = self.repository.root
        return Materials(
            methodology_lookup(folders, self.methodologies, root),
            self.evidence.reading(folders),
            lambda name, sha256: fixture_data(root, name, sha256) if evaluate else None,
            self.evidence.damage,
        )

    @cached_property
    def methodologies(self) -> MethodologyStore:
        """The methodologies of the commit."""
        return MethodologyStore(Committed(self.repository, self.commit))

    def methodology_digest(self, track: str, version: str) -> str | None:
        """Return the digest of a methodology version; None unless all its files are regular files."""
        folder = methodology_folder(track, version)
        names = methodology.FILES
        read = {name: self.read(f"{folder}/{name}") for name in names}
        files = {name: data for name, data in read.items() if data is not None}
        return methodology.digest(files) if len(files) == len(read) else None

    def fixture(self, fixture_id: str) -> Json:
        """Return the document of a fixture; None unless it is a regular file of strict JSON."""
        data = self.read(fixture_path(fixture_id))
        try:
            return canonical.loads(data, max_bytes=LARGEST_FIXTURE) if data is not None else None
        except canonical.JsonError:
            return None

    def fixture_digest(self, fixture_id: str) -> str | None:
        """Return the digest of a fixture; None as `fixture`."""
        value = self.fixture(fixture_id)
        return canonical.digest(value) if value is not None else None

    def summary(self, document: Document) -> Summary:
        """Return what a header would keep of the body of a receipt or draft whose track is installed."""
        named = document.get("methodology")
        found = self.materials.methodology(named["sha256"]) if named is not None else None
        track: Scorer = self.tracks[str(document.get("track", UNNAMED))]
        return track.summary(document, found)

    def history(self, spread: Spread = executors.run, size: int | None = None) -> History:
        """Verify every published receipt.

        Args:
            spread: maps the work.
            size: as the record was with this many log entries; all by default.

        Raises:
            UsageError: the log does not have that many entries.
        """
        log, witnessing = (self.log, self.witnessing) if size is None else self._until(size)
        by_path = {item.path: item.blob_id for item in self.published}
        entries = log.receipts.items() if log is not None else ()
        logged = [Filed(path := receipt_path(name), by_path.pop(path, None), at) for name, at in entries]
        stray = [Filed(path, blob_id, None) for path, blob_id in by_path.items()] if size is None else []
        return verify_record(
            log,
            [*logged, *stray],
            self.tracks,
            self.repository.blobs,
            materials=self.materials,
            spread=spread,
            witnessing=witnessing,
        )

    def _until(self, size: int) -> tuple[Log, Witnessing | None]:
        log = self.require_log()
        if not 0 < size <= log.size:
            raise UsageError(
                f"the log has {log.size:,} entries: no size {size:,}",
                hint=f"give a size from 1 to {log.size}",
            )
        return log.until(size), self.witnessing.until(size) if self.witnessing is not None else None

    def receipt_bytes(self, name: str) -> tuple[str | None, bytes]:
        """Return (repository path, bytes) of the receipt or draft of a path, an id or a unique prefix of an id.

        The repository path is None for a file that was handed over.

        Raises:
            UsageError: no receipt, or more than one, has the name.
            InputError: the file cannot be read.
        """
        path = Path(name)
        if path.suffix == ".json" or "/" in name or os.path.exists(name):  # noqa: PTH110 - a name too long is no path, and no error
            return None, read_bounded(path, canonical.MAX_BYTES)
        found = [item for item in self.published if item.path.rsplit("/", 1)[-1].startswith(name)]
        if len(found) == 1:
            return found[0].path, self.repository.blob(found[0].blob_id)
        waiting = (self.repository.root / DRAFTS).glob("*.json")
        drafts = [draft for draft in waiting if draft.name.startswith(name)]
        if not found and len(drafts) == 1:
            return None, read_bounded(drafts[0], canonical.MAX_BYTES)
        if found or drafts:
            count = len(found) + len(drafts)
            raise UsageError(f"{name!r} matches {count} receipt ids", hint="give more characters")
        raise UsageError(f"no receipt named {name!r}", hint=_NO_RECEIPT)

    def _check_key_files(self, log: Log) -> None:
        """Check that `keys/` is a copy of the log's key events, byte for byte."""
        held = {item.path: item for item in self.tree("keys")}
        for path, data in key_files(log.keyring).items():
            item = held.get(path)
            if item is None or item.is_symlink or self.repository.blob(item.blob_id) != data:
                what = "is missing" if item is None else "differs from the log's key events"
                raise IntegrityError(f"{path} {what}", hint=f"git log -- {path} shows who changed it")


def materials_without_record(folders: Sequence[Path] = ()) -> Materials:
    """Return what re-scoring is given outside a repository: some folders, and the installed methodologies."""
    return Materials(methodology_lookup(folders), EvidenceStore.in_folders(folders))


def _require_plain(files: Sequence[TreeFile]) -> None:
    """Refuse anything under results/ that is not a regular file."""
    for item in files:
        if item.mode not in REGULAR:
            raise IntegrityError(
                f"{shown_path(item.path)} is not a regular file (git mode {item.mode})",
                hint="results/ and keys/ hold regular files only; remove it in a commit",
            )
