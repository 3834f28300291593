"""What may become a receipt: drafts that were read once, scored again once, and whose source was decided once.

    names -> paths -> candidates (receipt, source, path), and what is left out with the reason

A draft comes from a **maintainer** (a run on this machine), from a measuring **job** (measured systems could write where
its drafts are), or from the **inbox** (a submitter's pull request, `pipeline.publish.inbox`). Everything that publish
decides about trust it decides by that. A refused draft of the inbox is left out; any other stops the batch.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchsite import canonical
from benchsite.errors import BenchsiteError, InputError, IntegrityError
from benchsite.history import Rescoring
from benchsite.layout import inbox_path, receipt_path
from benchsite.pipeline.publish import inbox
from benchsite.pipeline.publish.preview import Preview, preview
from benchsite.pipeline.publish.recheck import recheck, require_shape, require_track
from benchsite.pipeline.record import evidence
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace import drafts as draft_files
from benchsite.progress import Progress, silent
from benchsite.receipt import Receipt, parse
from benchsite.words import shown_path

Source = Literal["maintainer", "job", "inbox"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft as it will be published, where it came from, and the file that held it.

    Attributes:
        receipt: the draft as it will be published.
        source: who made it.
        path: the file.
        about: the draft in words.
        logged: the log holds it already, and the draft is kept until the remote has the commit.
        public: the remote is known to have it, or there is none.
        rescoring: its re-score; None if it is logged.
        evidence: the files of evidence that its commit brings, by repository path.
        blob_id: the blob of its file in the inbox; empty for other drafts.
    """

    receipt: Receipt
    source: Source
    path: Path
    about: Preview
    logged: bool = False
    public: bool = False
    rescoring: Rescoring | None = None
    evidence: Mapping[str, bytes] = field(default_factory=dict)
    blob_id: str = ""

    @property
    def receipt_id(self) -> str:
        """The receipt's id."""
        return self.receipt.receipt_id


@dataclass(slots=True)
class Collected:
    """Candidates in the order they were named, and what was left out, by id or path, with the reason."""

    candidates: list[Candidate] = field(default_factory=list)
    left: dict[str, BenchsiteError] = field(default_factory=dict)


def waiting(workspace: Workspace, snapshot: Snapshot) -> list[Path]:
    """Every draft of this machine and every file of the inbox, as paths."""
    return [*workspace.draft_paths(), *(workspace.root / item.path for item in inbox.sent(snapshot))]


def named(workspace: Workspace, snapshot: Snapshot, names: Sequence[str]) -> list[Path]:
    """The drafts with these paths, ids or prefixes; all that wait where none is named.

    Raises:
        InputError: a name fits no draft, or more than one.
    """
    known = waiting(workspace, snapshot)
    found: list[Path] = []
    for name in names:
        is_file = os.path.isfile(name)  # noqa: PTH113 - a name too long is no file, and no error
        fits = (
            [_named_file(workspace, Path(name))]
            if is_file
            else [path for path in known if name and path.name.startswith(name)]
        )
        if len(fits) != 1:
            count = "no draft" if not fits else f"{len(fits)} drafts"
            raise InputError(f"{count} named {name!r}", hint="run `benchsite drafts list`")
        found += fits
    return list(dict.fromkeys(found)) if names else known


def _named_file(workspace: Workspace, path: Path) -> Path:
    """A file that was named, by the path that `waiting` has for it where it waits."""
    known = workspace.drafts / path.name
    return known if path.parent.resolve() == workspace.drafts.resolve() else path


def collect(
    workspace: Workspace,
    snapshot: Snapshot,
    paths: Sequence[Path],
    *,
    untrusted: bool = False,
    digests: Mapping[Path, str] | None = None,
    progress: Progress = silent,
) -> Collected:
    """Read drafts, decide their source, and score each again, everything included.

    Args:
        workspace: the working tree that has the drafts.
        snapshot: the record that they are compared with.
        paths: the drafts; files of the inbox are read from the commit.
        untrusted: drafts outside the inbox come from a job that ran other people's systems.
        digests: sha256 of the drafts that this very command made; a file that differs was changed since.
        progress: called with (done, total, label).

    Raises:
        InputError, IntegrityError: a draft that is not the inbox's cannot be read or is refused.
        PrerequisiteError: its track is not installed.
    """
    found = Collected()
    sent = {item.path: item for item in inbox.sent(snapshot)} if paths else {}
    for done, path in enumerate(paths):
        progress(done, len(paths), f"re-scoring {path.stem[:8]}")
        try:
            candidate = _read(workspace, snapshot, path, sent, (digests or {}).get(path), untrusted=untrusted)
        except BenchsiteError as error:
            place = inbox.place(workspace, path)
            if place is None:
                raise
            found.left[path.stem if place == inbox_path(path.stem) else place] = error
        else:
            found.candidates += [candidate] if candidate is not None else []
    _one_for_each_id(found)
    return found


def review(
    workspace: Workspace, snapshot: Snapshot, *, committed: bool = True, rescore: bool = True
) -> Iterator[tuple[Path, Candidate | BenchsiteError]]:
    """Read every draft that waits: the candidate, or why it would be refused.

    Drafts that the remote is known to have are left out: they only remain to be deleted.

    Args:
        workspace: the working tree that has the drafts.
        snapshot: the record that they are compared with.
        committed: of the inbox, read what the commit has; otherwise what the working tree has there.
        rescore: score each draft again; otherwise its numbers are as recorded, and of the schema only drafts of the inbox are checked whole.
    """
    files = inbox.sent(snapshot) if committed else inbox.in_working_tree(workspace, snapshot)
    sent = {item.path: item for item in files}
    for path in [*workspace.draft_paths(), *(workspace.root / name for name in sent)]:
        try:
            candidate = _read(workspace, snapshot, path, sent, None, untrusted=False, rescore=rescore)
        except BenchsiteError as error:
            yield path, error
        else:
            if candidate is not None and not candidate.public:
                yield path, candidate


def _read(
    workspace: Workspace,
    snapshot: Snapshot,
    path: Path,
    sent: Mapping[str, inbox.Sent],
    digest: str | None,
    *,
    untrusted: bool,
    rescore: bool = True,
) -> Candidate | None:
    """Read one draft, decide its source and review it; None if another publish has taken it."""
    place = inbox.place(workspace, path)
    if place is not None:
        receipt = inbox.accepted(sent, place)
        with inbox.contained(f"draft {receipt.receipt_id}"):
            blob_id = sent[place].blob_id
            return _reviewed(workspace, snapshot, receipt, "inbox", path, blob_id=blob_id, rescore=rescore)
    own = _loaded(workspace, snapshot, path, digest)
    if own is None:
        return None
    if not untrusted:
        return _reviewed(workspace, snapshot, own, "maintainer", path, rescore=rescore)
    with inbox.contained(f"draft {own.receipt_id}"):
        return _reviewed(workspace, snapshot, own, "job", path)


def _reviewed(
    workspace: Workspace,
    snapshot: Snapshot,
    receipt: Receipt,
    source: Source,
    path: Path,
    *,
    blob_id: str = "",
    rescore: bool = True,
) -> Candidate:
    """Re-score a draft that the log does not hold, and find its evidence: once, before it is shown and asked for."""
    log, is_logged = snapshot.log, False
    with suppress(IntegrityError):  # another one under its id is refused when it is published
        is_logged = published_already(snapshot, receipt)
    if is_logged:
        about, public = preview(workspace, snapshot, receipt), is_public(snapshot, receipt.receipt_id)
        return Candidate(receipt, source, path, about, logged=True, public=public, blob_id=blob_id)
    if not rescore:
        return Candidate(
            receipt, source, path, _glance(workspace, snapshot, receipt, source), blob_id=blob_id
        )
    rescoring = recheck(snapshot, receipt)
    files = evidence.to_publish(snapshot, log, receipt.document) if log is not None else {}
    about = preview(workspace, snapshot, receipt)
    return Candidate(receipt, source, path, about, rescoring=rescoring, evidence=files, blob_id=blob_id)


def _glance(workspace: Workspace, snapshot: Snapshot, receipt: Receipt, source: Source) -> Preview:
    """A draft in words; of this machine's own, what the words don't need is checked only if they can't be made."""
    require_track(snapshot, receipt)
    if source == "maintainer":
        with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return preview(workspace, snapshot, receipt)
    require_shape(snapshot, receipt)
    return preview(workspace, snapshot, receipt)


def is_public(snapshot: Snapshot, receipt_id: str) -> bool:
    """Whether nothing keeps the draft of a logged receipt: the remote, as last seen here, has it, or there is none."""
    repository = snapshot.repository
    seen = repository.remote_head()
    if seen is None:
        return not repository.has_remote()
    return repository.read(receipt_path(receipt_id), rev=seen) is not None


def published_already(snapshot: Snapshot, draft: Receipt) -> bool:
    """Whether this very draft is in the log; raises `IntegrityError` where another one is under the same id."""
    if snapshot.log is None or draft.receipt_id not in snapshot.log.receipts:
        return False
    data = snapshot.read(receipt_path(draft.receipt_id))
    if data is None or parse(data).signed_bytes() != draft.file_bytes():
        raise IntegrityError(
            f"receipt {draft.receipt_id} is already published with other content",
            hint="published receipts never change: re-run it to get a new id",
        )
    return True


def discard(workspace: Workspace, path: Path) -> None:
    """Delete a draft of this machine, whatever it holds, and the evidence that no other draft pins.

    Raises:
        InputError: it is no file of `.benchsite/drafts`, or cannot be deleted.
    """
    if path.parent.resolve() != workspace.drafts.resolve():
        raise InputError(
            f"{path} is not in .benchsite/drafts",
            hint="run `benchsite drafts list`; delete any other file yourself",
        )
    pinned = _pinned(path)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot delete {path}: {(error.strerror or 'unknown error').lower()}",
            hint="fix its permissions, or the folder's",
        ) from None
    for other in workspace.draft_paths():
        pinned -= _pinned(other)
    evidence.forget(workspace, pinned)


def is_run_of(path: Path, receipt: Receipt) -> bool:
    """Whether a file is a draft of the same run as a receipt, whatever `ranBy` says."""
    try:
        return inbox.same(draft_files.load(path), receipt)
    except BenchsiteError:
        return False


def _pinned(path: Path) -> set[str]:
    """The sha256 of each document that a draft pins; none where it is no draft."""
    try:
        return {item["sha256"] for item in draft_files.load(path).document["evidence"]}
    except BenchsiteError:
        return set()


def _loaded(workspace: Workspace, snapshot: Snapshot, path: Path, digest: str | None) -> Receipt | None:
    """Read a draft of this machine; None if another publish has taken it since it was named.

    That publish may be newer than the snapshot. A draft that this very command made (`digest`) must be in the log then.
    """
    log = snapshot.log
    may_be_gone = digest is None or (log is not None and path.stem in log.receipts)
    if may_be_gone and not path.exists():
        return None
    if path.parent == workspace.drafts and path.is_symlink():
        raise InputError(
            f"draft {shown_path(path.name)} is a symbolic link",
            hint="name its target, or discard the link",
        )
    try:
        receipt = draft_files.load(path)
    except InputError:
        if may_be_gone and not os.path.lexists(path):
            return None
        raise
    if digest is not None and canonical.sha256_hex(receipt.data) != digest:
        raise IntegrityError(
            f"draft {path} was changed after the run and before publishing",
            hint="a measured system may have written it: discard it, inspect the systems of this run, and re-run",
        )
    return receipt


def _one_for_each_id(found: Collected) -> None:
    """One candidate for each id, a maintainer's before any other; the same bytes twice are one, the inbox's.

    Raises:
        IntegrityError: two that are not the inbox's have one id and differ.
    """
    chosen: dict[str, Candidate] = {}
    order = ("maintainer", "job", "inbox")
    for candidate in sorted(found.candidates, key=lambda item: order.index(item.source)):
        first = chosen.setdefault(candidate.receipt_id, candidate)
        if first is candidate:
            continue
        if first.receipt.data == candidate.receipt.data:
            chosen[candidate.receipt_id] = candidate
            continue
        if first.source == "maintainer" and inbox.same(first.receipt, candidate.receipt):
            continue  # a maintainer's own run, submitted by its maintainer too
        error = IntegrityError(
            f"draft {candidate.receipt_id}: another draft has this id and other content",
            hint="one id per run: discard the wrong draft",
        )
        if candidate.source != "inbox":
            raise error
        found.left[candidate.receipt_id] = error
    found.candidates[:] = chosen.values()
