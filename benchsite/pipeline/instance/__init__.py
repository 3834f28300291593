"""An instance: one git repository with its configuration, rules, data, drafts and record.

Everything published is read from a commit, never from the working tree, so that what is verified is what
others can fetch. Drafts and imported fixtures live in `.benchsite/`, which git ignores.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from benchsite import canonical, environment, executors, plugins, yaml_document
from benchsite import methodology as methodologies
from benchsite.errors import IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Filed, History, verify_record
from benchsite.layout import (
    CHECKPOINT_PATH,
    CONFIG,
    COSIGNATURES_PATH,
    ENTRIES_FOLDER,
    FIXTURE_FILE,
    JOURNAL,
    PUBLISHED,
    SCRATCH,
    receipt_path,
    segment_number,
    segment_path,
)
from benchsite.log import Checkpoint, Log, Note, NoteError, Witnessing, key_files, open_log
from benchsite.pipeline.instance.config import Config
from benchsite.pipeline.instance.files import read_bounded
from benchsite.pipeline.instance.methodology_store import Rulebook
from benchsite.repo import REGULAR, Repository, TreeFile
from benchsite.schema import UUID4
from benchsite.words import shown_path

_UUID4: Final = re.compile(UUID4)
LARGEST_FIXTURE: Final = 512 * 1024 * 1024


class Instance:
    """A repository prepared by `benchsite init`."""

    def __init__(self, root: Path) -> None:
        self.repository = Repository.open(root)
        self.root = self.repository.root
        self.config = self._read_config()
        self.drafts = self.root / SCRATCH / "drafts"

    @cached_property
    def judges(self) -> Mapping[str, Any]:
        """Track name to track, for verification."""
        return plugins.tracks()

    def open_log(self, rev: str = "HEAD") -> Log | None:
        """The log at a commit, its checkpoint and key events verified; None before `keys init`.

        Raises:
            IntegrityError: the log's files contradict each other or their signatures.
        """
        files = [
            item
            for item in self.repository.tree(ENTRIES_FOLDER, rev=rev)
            if not item.path.endswith("/.gitkeep")
        ]
        checkpoint = self.repository.read(CHECKPOINT_PATH, rev=rev)
        if not files and checkpoint is None:
            return None
        if checkpoint is None:
            raise IntegrityError(
                f"{CHECKPOINT_PATH} is missing", hint="git log -- results/log shows who removed it"
            )
        _plain(files)
        for number, item in enumerate(files):
            if segment_number(item.path) != number:
                raise IntegrityError(f"{item.path} stands where {segment_path(number)} should")
        settings = self.config.benchsite
        segments = [self.repository.blob(item.blob_id) for item in files]
        log = open_log(segments, checkpoint, origin=settings.origin, roots=settings.root_keys)
        self._check_key_files(log, rev)
        return log

    def record_log(self) -> Log | None:
        """The log at HEAD, for readers; None where none was ever begun.

        Raises:
            IntegrityError: as `open_log`, and where `mkdocs.yml` names root keys of a log that is not there.
        """
        log = self.open_log()
        if log is not None:
            self._require_growth(log)
        if log is None and self.config.benchsite.root_keys:
            raise IntegrityError(
                f"{CONFIG} names root keys, and there is no log",
                hint="`git log -- results/log` shows who removed it; where none was begun: benchsite keys init",
            )
        return log

    def _require_growth(self, log: Log) -> None:
        """The newest commit that changed the checkpoint must have made the log longer: a revert would shorten it."""
        for parent in self.repository.behind_last_change(CHECKPOINT_PATH):
            note = self.repository.read(CHECKPOINT_PATH, rev=parent)
            try:
                before = Checkpoint.parse(Note.parse(note).text) if note is not None else None
            except NoteError:
                continue
            if before is not None and (before.size > log.size or log.root(before.size) != before.root):
                raise IntegrityError(
                    f"the log went back: it has {log.size} entries, and had {before.size} in commit {parent[:12]}",
                    hint="git log -- results/log/checkpoint shows which commit did it; git revert that one",
                )

    def _check_key_files(self, log: Log, rev: str) -> None:
        """`keys/` is a copy of what the log's key events say, for readers who do not replay them: byte for byte."""
        held = {item.path: item for item in self.repository.tree("keys", rev=rev)}
        for path, data in key_files(log.keyring).items():
            item = held.get(path)
            if item is None or item.is_symlink or self.repository.blob(item.blob_id) != data:
                what = "is missing" if item is None else "is not what the log's key events say"
                raise IntegrityError(f"{path} {what}", hint=f"git log -- {path} shows who changed it")

    def witnessing(self, log: Log | None, rev: str = "HEAD") -> Witnessing | None:
        """What the witnesses of `mkdocs.yml` have seen of the log, by the cosignatures at a commit.

        Raises:
            IntegrityError: the file is malformed, or a line of one of them does not hold for this log.
            InputError: one of them is a key of the log's own.
        """
        if log is None:
            return None
        _plain(self.repository.tree(COSIGNATURES_PATH, rev=rev))
        return Witnessing.of(
            log, self.config.witnesses, self.repository.read(COSIGNATURES_PATH, rev=rev) or b""
        )

    def history(self, log: Log | None, rev: str = "HEAD") -> History:
        """Verify every published receipt at a commit."""
        by_path = {item.path: item.blob_id for item in self.published(rev)}
        entries = log.receipts.items() if log is not None else ()
        logged = [Filed(path := receipt_path(name), by_path.pop(path, None), at) for name, at in entries]
        stray = [Filed(path, blob_id, None) for path, blob_id in by_path.items()]
        files, read = [*logged, *stray], self.repository.blob
        return verify_record(log, files, self.judges, read, executors.run, self.witnessing(log, rev))

    def check_record(self, log: Log, rev: str = "HEAD") -> None:
        """Hold the record at a commit against its log: every receipt there, unchanged, and the rules and data too.

        Raises:
            IntegrityError: the first file that is missing, edited or none of ours.
        """
        held = {item.path: item.blob_id for item in self.published(rev)}
        for name, index in log.receipts.items():
            path = receipt_path(name)
            blob_id = held.get(path)
            entry = log.entry(index)
            if blob_id is None:
                raise IntegrityError(f"{path} is missing", hint=f"git log -- {path} shows who removed it")
            if canonical.sha256_hex(self.repository.blob(blob_id)) != getattr(entry, "sha256", ""):
                raise IntegrityError(f"{path} was edited", hint=f"git log -- {path} shows who changed it")
        self.check_documents(log)

    def check_documents(self, log: Log) -> None:
        """Rules and fixtures that receipts were published under stand as they were logged.

        Raises:
            IntegrityError: one of them is missing or was edited.
        """
        for (track, version), logged in log.methodologies.items():
            found = self.rulebook.digest(track, version)
            if found != logged.sha256:
                what = "is missing" if found is None else "was edited after it was published"
                raise IntegrityError(
                    f"methodology/{track}/{version} {what}",
                    hint="restore it from git; new rules need a new version",
                )
        for fixture, logged in log.fixtures.items():
            path = self.root / "fixtures" / fixture / "fixture.json"
            if path.is_file() and self.fixture_digest(fixture) != logged.sha256:
                raise IntegrityError(
                    f"fixtures/{fixture}/fixture.json was edited after it was published",
                    hint="restore it from git; new content needs a new id",
                )

    def published(self, rev: str = "HEAD") -> list[TreeFile]:
        """Every file under `results/published/` at a commit but the placeholder; symlinks are refused."""
        files = [
            item for item in self.repository.tree(PUBLISHED, rev=rev) if not item.path.endswith("/.gitkeep")
        ]
        _plain(files)
        for item in files:
            name = item.path.rpartition("/")[2].removesuffix(".json")
            if not _UUID4.fullmatch(name) or item.path != receipt_path(name):
                raise IntegrityError(
                    f"{shown_path(item.path)} is not where any receipt lies: paths derive from ids",
                    hint="only publish writes there; remove the file in a commit",
                )
        return files

    def _read_config(self) -> Config:
        """`mkdocs.yml` of the working tree; the commit's, while an interrupted append has not reached the tree."""
        committed = self.repository.read(CONFIG) if (self.root / JOURNAL).is_file() else None
        return Config.read(self.root) if committed is None else Config(yaml_document.load(committed, CONFIG))

    def refresh(self) -> None:
        """Read configuration and rules again, after the working tree moved to another commit."""
        self.config = self._read_config()
        self.__dict__.pop("rulebook", None)

    def receipt_bytes(self, name: str) -> tuple[str | None, bytes]:
        """(repository path, bytes) of a receipt named by path, id or unique prefix of an id.

        The repository path is None for a file somebody handed over.

        Raises:
            UsageError: nothing, or more than one receipt, answers to the name.
            InputError: the file cannot be read.
        """
        path = Path(name)
        if path.suffix == ".json" or "/" in name or os.path.exists(name):  # noqa: PTH110 - a name too long is no path, and no error
            return None, read_bounded(path, canonical.MAX_BYTES)
        found = [item for item in self.published() if item.path.rsplit("/", 1)[-1].startswith(name)]
        if len(found) == 1:
            return found[0].path, self.repository.blob(found[0].blob_id)
        drafts = [draft for draft in self.draft_paths() if draft.name.startswith(name)]
        if not found and len(drafts) == 1:
            return None, read_bounded(drafts[0], canonical.MAX_BYTES)
        if found or drafts:
            raise UsageError(f"{name!r} is the beginning of {len(found) + len(drafts)} receipt ids")
        raise UsageError(
            f"no receipt named {name!r}", hint="give a path, a receipt id or the beginning of one"
        )

    def draft_paths(self) -> list[Path]:
        """Drafts waiting to be published, in name order."""
        return sorted(self.drafts.glob("*.json")) if self.drafts.is_dir() else []

    def fixture_path(self, fixture_id: str) -> Path:
        """Where a fixture's `fixture.json` lies: in the repository, else among the imported ones.

        Raises:
            UsageError: there is no such fixture.
        """
        for base in self._fixture_folders():
            path = base / fixture_id / "fixture.json"
            if os.path.isfile(path):  # noqa: PTH113 - a name too long is no path, and no error
                return path
        known = sorted(path.parent.name for path in self.fixture_paths())
        raise UsageError(
            f"no fixture named {fixture_id!r}",
            hint=f"known: {', '.join(known) or 'none'}; `benchsite fixture import` adds one",
        )

    def fixture_paths(self) -> Iterator[Path]:
        """Every fixture of the repository, then the imported ones, each group in name order."""
        for base in self._fixture_folders():
            yield from sorted(base.glob("*/fixture.json"))

    def imported(self, path: Path) -> bool:
        """Whether a fixture lies in `.benchsite/`, that is, was not cleared for redistribution."""
        return path.is_relative_to(self.root / SCRATCH)

    def _fixture_folders(self) -> tuple[Path, Path]:
        return self.root / "fixtures", self.root / SCRATCH / "fixtures"

    def fixture_bytes(self, fixture_id: str) -> bytes:
        """The bytes of a fixture; raises as `fixture_path`, or InputError where it cannot be read."""
        return read_bounded(self.fixture_path(fixture_id), LARGEST_FIXTURE)

    def fixture_digest(self, fixture_id: str) -> str:
        """The sha256 a receipt pins: of the canonical form of `fixture.json` as it is now."""
        return canonical.digest(canonical.loads(self.fixture_bytes(fixture_id), max_bytes=LARGEST_FIXTURE))

    def committed_fixture(self, fixture_id: str) -> str | None:
        """The digest of a fixture of the repository as HEAD holds it; None where it does not, as a regular file."""
        data = self.repository.read(f"fixtures/{fixture_id}/{FIXTURE_FILE}")
        try:
            value = canonical.loads(data, max_bytes=LARGEST_FIXTURE) if data is not None else None
        except canonical.JsonError:
            return None
        return canonical.digest(value) if value is not None else None

    def committed_methodology(self, track: str, version: str) -> str | None:
        """The digest of a methodology as HEAD holds it; None where it does not, as regular files."""
        names = (methodologies.DATA_FILE, methodologies.TEXT_FILE)
        read = {name: self.repository.read(f"methodology/{track}/{version}/{name}") for name in names}
        files = {name: data for name, data in read.items() if data is not None}
        return methodologies.digest(files) if len(files) == len(names) else None

    @cached_property
    def rulebook(self) -> Rulebook:
        """The methodologies of the working tree."""
        return Rulebook(self.root)

    def log_head(self, *, at_least: int = 0) -> dict[str, Any] | None:
        """The `logHead` member of a receipt composed now.

        A head that no remote has yet may still be discarded for another, and a receipt composed after it would
        belong to no log; so the newest public head is named, unless it has fewer than `at_least` entries.
        """
        log = self.open_log(self.repository.public_head() or "HEAD")
        if log is None or log.size < at_least:
            log = self.open_log()
        if log is None:
            return None
        return {"origin": log.origin, "size": log.size, "root": base64.b64encode(log.root()).decode()}

    def environment(self) -> dict[str, Any]:
        """The `environment` member of a receipt composed now."""
        return environment.describe(self.repository.state())


def _plain(files: list[TreeFile]) -> None:
    """Refuse anything under results/ that is not a regular file."""
    for item in files:
        if item.mode not in REGULAR:
            raise IntegrityError(
                f"{shown_path(item.path)} is not a regular file (git mode {item.mode})",
                hint="a record never contains symbolic links or submodules; remove it in a commit",
            )


def optional_instance(start: Path) -> Instance | None:
    """The instance around a folder, None outside any: files can be verified without one."""
    try:
        return Instance(start)
    except PrerequisiteError:
        return None
