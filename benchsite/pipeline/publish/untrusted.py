"""What is asked of drafts that the maintainer did not make: a submitter's, or a measuring job's.

A measuring job runs other people's systems, which may write any draft they like. What it hands over is bounded by the
suite: each draft is the run of one entry (subject, options, target), and no entry has two. Refused are links to other
entries of the log, another name in `ranBy`, the id of a draft in the inbox, and ratings that differ from those of the
committed sheets of one entry. What was published before is left out. Which methodology is in force is the maintainer's
decision, by `benchsite methodology publish`: a version the log pins, or the newest before it pins any of the track. Drafts
of the inbox (`pipeline.publish.inbox`) were read by the maintainer who merged them, and only that last rule applies to them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchsite import canonical, environment
from benchsite.errors import BenchsiteError, IntegrityError, PrerequisiteError
from benchsite.history import Summary
from benchsite.layout import CONFIG, INBOX, inbox_path
from benchsite.pipeline.measure import run
from benchsite.pipeline.measure import sheets as sheet_files
from benchsite.pipeline.measure.published import published
from benchsite.pipeline.measure.surroundings import context
from benchsite.pipeline.publish.candidates import Candidate
from benchsite.pipeline.record import evidence
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import silent
from benchsite.receipt import Receipt
from benchsite.track import PROGRAMS, Work
from benchsite.words import shown_path

__all__ = ["require_bounds", "require_known_methodology"]

_LINKS: Final = ("supersedes", "reproduces", "intentId", "derivedFrom")
_LOOK: Final = "a program in the measuring job made this draft: inspect the job, and re-run it"
_SHEETS: Final = sheet_files.FOLDER


def require_known_methodology(
    workspace: Workspace, pins: Collection[tuple[str, str]], draft: Receipt
) -> None:
    """An untrusted draft puts no methodology in force: it has a version that the log pins, or the newest before any.

    Args:
        workspace: where the versions are.
        pins: (track, version) of every version that the log pins.
        draft: the draft.

    Raises:
        PrerequisiteError: the version is neither.
    """
    name, version = draft.document["methodology"]["id"], draft.document["methodology"]["version"]
    pinned = {number for track, number in pins if track == name}
    if version not in (pinned or workspace.methodologies.versions(name)[-1:]):
        raise PrerequisiteError(
            f"draft {draft.receipt_id}: methodology {name} {version} is not in the log, and an untrusted draft cannot add it",
            hint=f"as maintainer: benchsite methodology publish {name} {version}, then publish the draft",
        )


def require_bounds(
    workspace: Workspace, snapshot: Snapshot, candidates: Sequence[Candidate]
) -> dict[str, BenchsiteError]:
    """Hold what a measuring job handed over against the suite.

    Args:
        workspace: the working tree, which has the suite and its sheets as they are committed.
        snapshot: the record; drafts in its log are passed over.
        candidates: all that the job handed over.

    Returns:
        The drafts, by id, that are left out because they were published before, and why.

    Raises:
        IntegrityError: one is no run of an entry of the suite, or the second one; acts on another entry of the log, names
            another runner, or takes the id of a draft in the inbox.
        PrerequisiteError: the suite or a file in `fixtures/` is not as it was committed.
    """
    ours = environment.ran_by(workspace.repository.identity()[0])
    suite = _Suite(workspace, snapshot)
    changed = workspace.repository.changed_paths(_SHEETS, CONFIG) if candidates else []
    if changed:
        raise PrerequisiteError(
            f"{shown_path(changed[0])} has uncommitted changes: `--untrusted` reads committed files only",
            hint="commit it, or restore it",
        )
    repeated: dict[str, BenchsiteError] = {}
    for candidate in candidates:
        if snapshot.log is not None and candidate.receipt_id in snapshot.log.receipts:
            continue
        draft = candidate.receipt
        _require_unlinked(snapshot, draft, ours)
        if (again := suite.repeated(draft)) is not None:
            repeated[draft.receipt_id] = again
        suite.require_entry(draft)
    return repeated


def _require_unlinked(snapshot: Snapshot, draft: Receipt, ours: Mapping[str, str]) -> None:
    """What a job's draft says of other entries, of its runner and of its id is not believed."""
    document = draft.document
    linked = next((name for name in _LINKS if document[name] is not None), None)
    other = "ranBy" if document["ranBy"] != ours else "origin" if document["origin"] != "native" else None
    if linked is not None or other is not None:
        raise IntegrityError(
            f"draft {draft.receipt_id}: {linked or other} differs from what the suite gives", hint=_LOOK
        )
    if snapshot.read(inbox_path(draft.receipt_id)) is not None:
        raise IntegrityError(
            f"draft {draft.receipt_id}: a draft in {INBOX}/ has this id and other content", hint=_LOOK
        )


@dataclass(slots=True)
class _Suite:
    """The entries of the suite, each good for one draft."""

    workspace: Workspace
    snapshot: Snapshot
    _taken: set[int] = field(default_factory=set)
    _works: list[Work | None] | None = None
    _faults: list[str] = field(default_factory=list)
    _done: set[tuple[str, str, str, str]] | None = None

    def require_entry(self, draft: Receipt) -> None:
        """Refuse a draft that no entry of the suite makes, and take the entry that does."""
        track = self.workspace.tracks[draft.track]
        sheets = track.sheets.digests(draft.document) if track.sheets is not None else None
        if sheets is not None:
            self._require_committed(draft, sheets)
        fits = [
            number
            for number, work in enumerate(self._entries())
            if work is not None and work.track == draft.track and self._makes(work, draft, sheets)
        ]
        free = [number for number in fits if number not in self._taken]
        if free:
            self._taken.add(free[0])
            return
        which = "its sheets match" if sheets is not None else "it matches"
        what = "another draft matches the same entry" if fits else f"{which} no entry"
        raise IntegrityError(
            f"draft {draft.receipt_id} of {self._summary(draft).subject.name}: {what} of the suite in {CONFIG}",
            hint="; ".join([f"list the run under extra.benchsite.suite; else {_LOOK}", *self._faults]),
        )

    def repeated(self, draft: Receipt) -> BenchsiteError | None:
        """Why it is not published again: dated again it would be later in the log, or come back retracted."""
        if self._done is None:
            self._done = set(published(self.snapshot))
        summary = self._summary(draft)
        version = draft.document["methodology"]["version"]
        key = (summary.identity, summary.target, summary.target_sha256, version)
        if key in self._done:
            return IntegrityError(
                f"draft {draft.receipt_id}: this run is already published",
                hint="a maintainer can publish it without --untrusted",
            )
        return None

    def _summary(self, draft: Receipt) -> Summary:
        return self.snapshot.summary(draft.document)

    def _require_committed(self, draft: Receipt, sheets: Sequence[str]) -> None:
        """The files of ratings that a draft joins are committed, and nothing beside them was changed."""
        files, read = sheet_files.committed(self.snapshot), self.snapshot.repository.blob
        committed = {canonical.sha256_hex(read(item.blob_id)) for item in files}
        if not committed >= set(sheets):
            raise IntegrityError(
                f"draft {draft.receipt_id}: config.sheets names sheets that are not committed in {_SHEETS}/",
                hint=f"commit the sheets in a folder of {_SHEETS}/; if there are none, {_LOOK}",
            )

    def _makes(self, work: Work, draft: Receipt, sheets: Sequence[str] | None) -> bool:
        """Whether a draft is the run of an entry; ratings are scored again from the entry's own sheets."""
        if sheets is None:
            name = self._summary(draft).subject.name
            known = {other.subject for other in self._entries() if other is not None}
            if work.subject.startswith(PROGRAMS) and name in known:
                return False  # a program cannot take the name of a system that the suite names
            named = draft.document["methodology"]
            rules = self.workspace.methodologies.read(named["id"], named["version"])
            command = self.workspace.tracks[draft.track].command
            return bool(command.measures(work, draft.document, rules))
        try:
            scored = _scored(self.workspace, self.snapshot, work)
        except BenchsiteError as error:
            self._faults.append(f"an entry of the suite cannot be scored: {error.message}")
            return False
        if scored["config"] != draft.document["config"]:
            return False
        unlike = [
            name
            for name, value in scored.items()
            if canonical.dumps(value) != canonical.dumps(draft.document[name])
        ]
        if unlike:
            raise IntegrityError(
                f"draft {draft.receipt_id}: {unlike[0]} differs from the scores of its sheets in {_SHEETS}/",
                hint=_LOOK,
            )
        return True

    def _entries(self) -> list[Work | None]:
        """The work of each entry; None where one is malformed."""
        if self._works is None:
            self._works = []
            for place in range(len(self.workspace.config.benchsite.suite)):
                try:
                    self._works.append(run.entry_work(self.workspace, place))
                except BenchsiteError as error:
                    self._works.append(None)
                    self._faults.append(error.message)
        return self._works


def _scored(workspace: Workspace, snapshot: Snapshot, work: Work) -> dict[str, Any]:
    """The keys of a receipt that its sheets decide."""
    prepared = run.prepare(workspace, snapshot, work)
    with context(silent) as made:
        measured = prepared.track.runner.run(work, prepared.resolved, made)
    return {
        "methodology": prepared.rules.reference,
        "config": dict(measured.config),
        "evidence": [evidence.reference(item) for item in measured.evidence],
        **measured.payload,
    }
