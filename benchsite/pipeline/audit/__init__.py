"""audit: was the record ever altered (specs/log.md, "Git audit")?

    whole clone? -> log at HEAD -> HEAD against its log -> one pass over the past -> past heads -> remembered heads

Owns the order of these steps and what becomes of their findings. Nothing is raised for an altered record: everything
that is wrong is found and named with its commit. What is raised is that an audit is not possible here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchsite import executors
from benchsite.errors import IntegrityError, PrerequisiteError, UsageError
from benchsite.layout import CHECKPOINT_PATH, CONFIG, RECORD, SCRATCH
from benchsite.log import KeyAdd, Log
from benchsite.pipeline.audit import blame, memory
from benchsite.pipeline.audit.documents import Documents, identity
from benchsite.pipeline.audit.growth import Growth, Sizes
from benchsite.pipeline.audit.heads import Heads
from benchsite.pipeline.audit.outcome import Audit
from benchsite.pipeline.audit.rules import Later, Rules
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.files import read_bounded
from benchsite.pipeline.record import Record, sizes
from benchsite.pipeline.record.findings import Finding, Kind
from benchsite.pipeline.record.whole import Whole, odd_files
from benchsite.progress import Progress, silent
from benchsite.repo import REGULAR, Past, Revision

__all__ = ["PROTECTED", "Audit", "Finding", "Kind", "audit"]

PROTECTED: Final = ("results", "keys", "methodology", "fixtures", CONFIG)
_LARGEST_CHECKPOINT: Final = 1024 * 1024
_EARLIER: Final = 20
"""How many commits of the log are tried for a newest log that opens, where HEAD's does not."""
_HEX: Final = frozenset("0123456789abcdef")
_SHORTEST_ID: Final = 7
_TOLD_EVERY: Final = 500


def audit(
    instance: Instance,
    *,
    since: str | None = None,
    checkpoints: Sequence[Path] = (),
    root: str = "",
    progress: Progress = silent,
    past: Past | None = None,
) -> Audit:
    """Audit a record over the whole history of HEAD.

    Args:
        instance: where.
        since: a commit whose history was audited before: only what came after it is walked.
        checkpoints: signed checkpoints from elsewhere that this log must be consistent with.
        root: the fingerprint that entry 0 must carry; not checked where empty.
        progress: called with (done, total, label).
        past: the instance's past, where git has started on it already (`Past.ahead`).

    Raises:
        PrerequisiteError: a shallow clone, no commit or no log yet, or a commit that git cannot read.
        UsageError: `since` names no commit, or `root` is no fingerprint.
        InputError: a file of `checkpoints` is no signed checkpoint.
    """
    root = _fingerprint(root)
    past = past or Past(instance.root)
    past.require_whole()
    head = instance.repository.head()
    if head is None:
        raise PrerequisiteError(
            "this repository has no commit yet", hint="run `benchsite init DIR` to create an instance"
        )
    notes = [(str(path), read_bounded(path, _LARGEST_CHECKPOINT)) for path in checkpoints]
    case = _Case(instance, past, head)
    case.since = case.start(since)
    with past.walk(PROTECTED, head=head, since=case.since) as revisions:
        progress(0, 0, "opening the log")
        case.open()
        case.at_head(root, progress, revisions)
    case.remember(notes)
    return case.closed(past.count(case.since, head=head) if case.since is not None else revisions.commits)


@dataclass(slots=True)
class _Case:
    """One audit under way."""

    instance: Instance
    past: Past
    head: str
    since: str | None = None
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    changes: int = 0
    receipts: int = 0
    record: Record = field(init=False)
    log: Log | None = None
    heads: Heads | None = None
    growth: Growth = field(init=False)
    sizes: Sizes = field(init=False)
    later: Later = field(default_factory=Later)

    def start(self, since: str | None) -> str | None:
        """The commit after which the pass begins; None where there is none, or history no longer contains it."""
        if since is None:
            return None
        commit = self.past.commit(since)
        if commit is not None and self.instance.repository.is_ancestor(commit, self.head):
            return commit
        if commit is None and not (_HEX.issuperset(since.lower()) and len(since) >= _SHORTEST_ID):
            raise UsageError(f"no such commit: {since}", hint="name a commit id or a tag")
        here = "it is no longer part of the history" if commit else "this clone does not hold it"
        self.findings.append(
            Finding(
                Kind.REWRITTEN,
                "",
                f"history was rewritten, or {since} is a commit of another repository: {here}",
            )
        )
        return None

    def open(self) -> None:
        """The log at HEAD, or the newest one before it that opens."""
        self.record = Record.at(self.instance, self.head)
        repository = self.instance.repository
        self.growth = Growth(self.past.blob_id, repository.blob)
        self.sizes = Sizes(repository, self.growth)
        for item in (*self.record.of_sort("segment"), *self.record.of_sort("sizes")):
            if item.mode in REGULAR:
                self.growth.learn(item.path, item.blob_id)
        self.log, fault = memory.opened(self.record)
        if self.log is None and self.record.has_log:
            self.findings.append(Finding(Kind.LOG_BROKEN, CHECKPOINT_PATH, fault))
        if self.log is None:
            self._reach_back()
        self.heads = Heads(self.log) if self.log is not None else None

    def _reach_back(self) -> None:
        for mention in self.past.mentions("results/log", limit=_EARLIER):
            earlier, _ = memory.opened(Record.at(self.instance, mention.commit))
            if earlier is not None:
                self.log = earlier
                self.notes.append(
                    f"HEAD was compared with the log of commit {mention.commit[:12]}, the newest that opens"
                )
                return
        if self.record.has_log:
            self.notes.append(
                f"no log of the last {_EARLIER} commits opens: past checkpoints were not checked"
            )

    def at_head(self, root: str, progress: Progress, revisions: Iterator[Revision]) -> None:
        """HEAD against its log, and the pass over the past; what is wrong with HEAD is reported first."""
        if self.log is None:
            self.findings += odd_files(self.record)
            self.findings += (
                [
                    Finding(
                        Kind.ROOT, "", f"entry 0 of the log does not add the root key {root}: there is no log"
                    )
                ]
                if root
                else []
            )
            self.over(revisions, progress)
            return
        whole = Whole(self.record, self.log, self.past.blobs)
        with executors.beside(_compared, whole, units=len(self.record.files)) as compared:
            told, self.findings = self.findings, []
            self.over(revisions, progress)
            wrong, self.receipts, outside = compared()
        self.findings = [*told, *wrong, *_pinned(self.log, root), *self.findings]
        self.notes += outside

    def over(self, revisions: Iterator[Revision], progress: Progress) -> None:
        """The pass: every change to a protected file, newest first."""
        rules = Rules(self.log, self.growth, lambda revision, index: self.sizes.before(revision) > index)
        for revision in revisions:
            self.changes += 1
            if self.changes % _TOLD_EVERY == 1:
                progress(self.changes, 0, f"changes back to {revision.day}")
            self.findings += rules.findings(revision)
        self.later = rules.later
        progress(0, 0, "checking past checkpoints")
        self.heads_of_the_past()

    def heads_of_the_past(self) -> None:
        """What the pass left to be read: past checkpoints, and small files that are judged by what they say."""
        others = self.later.others
        self.past.prefetch(
            blob_id for item in others for blob_id in (item.old_id, item.new_id) if blob_id.strip("0")
        )
        documents = Documents(self.instance, self.log, self.sizes)
        for revision in others:
            self.findings += documents.findings(revision)
        self.notes += documents.notes
        if self.heads is not None:
            checkpoints, repository = self.later.checkpoints, self.instance.repository
            self.past.prefetch(blob_id for item in checkpoints for blob_id in (item.old_id, item.new_id))
            self.findings += self.heads.past(checkpoints, repository.blobs)
            self.findings += self.heads.order(checkpoints, repository.blobs)
            self.findings += self._listed(self.heads)

    def _listed(self, heads: Heads) -> Iterator[Finding]:
        """The list of sizes at HEAD against the checkpoints; a list or a log that is malformed was found before."""
        try:
            known = sizes.listed(self.record) if self.record.opened is not None else None
        except IntegrityError:
            return
        if known is not None:
            yield from heads.listed(known, all_seen=self.since is None)

    def remember(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Checkpoints from elsewhere, and logs this clone was shown; of two that contradict both are kept as evidence."""
        self.findings += memory.shown_before(self.instance, self.head, self.heads)
        if self.heads is None:
            said = "there is no log here that could hold what it names: history was rewritten, or this is another clone"
            self.findings += [Finding(Kind.REWRITTEN, name, said) for name, _ in files]
            return
        for name, data in files:
            findings, notes = self.heads.remembered(name, data)
            self.findings += findings
            self.notes += notes
        ours = self.instance.repository.read(CHECKPOINT_PATH, rev=self.head) or b""
        folder = self.instance.root / SCRATCH / "evidence"
        written, notes = self.heads.export(folder, self.instance.repository.blob, ours)
        self.evidence += written
        self.notes += notes

    def closed(self, commits: int) -> Audit:
        """The result, findings joined with the commits they belong to."""
        if self.log is None and not self.findings:
            raise PrerequisiteError("this instance has no log yet", hint="run `benchsite keys init`")
        blobs = {item.path: item.blob_id for item in self.record.files}
        return Audit(
            commits=commits,
            changes=self.changes,
            entries=self.log.size if self.log is not None else 0,
            receipts=self.receipts,
            checkpoints=self.heads.count if self.heads is not None else 0,
            findings=blame.told(self.findings, self.past, self.instance.repository, blobs),
            notes=tuple(dict.fromkeys(self.notes)),
            evidence=tuple(self.evidence),
        )


def _fingerprint(text: str) -> str:
    wanted = text if not text or text.startswith("sha256:") else f"sha256:{text}"
    if wanted and re.fullmatch("sha256:[0-9a-f]{64}", wanted) is None:
        raise UsageError(
            f"{text!r} is no fingerprint: expected sha256: and 64 hexadecimal digits",
            hint="`benchsite keys list` shows what they look like",
        )
    return wanted


def _compared(whole: Whole) -> tuple[list[Finding], int, list[str]]:
    """What is wrong with HEAD, how many receipts were hashed, and notes: work that another process does."""
    return list(whole.findings()), whole.receipts, list(_outside(whole.record))


def _outside(record: Record) -> Iterator[str]:
    """What an auditor may take for the record, and was not looked at."""
    instance = record.instance
    changed = instance.repository.changed_paths(*RECORD)
    if changed:
        yield (
            f"{changed[0]} differs from HEAD{f', and {len(changed) - 1} more' if len(changed) > 1 else ''}: "
            "an audit reads commits, and what is not committed was not looked at"
        )
    configured = instance.repository.read(CONFIG, rev=record.rev)
    settings = instance.config.benchsite
    if configured is not None and identity(configured) != (settings.origin, settings.root_keys):
        yield f"{CONFIG} in the working tree names another origin or other root keys than HEAD's"


def _pinned(log: Log, root: str) -> Iterator[Finding]:
    """Entry 0 against the root key somebody knows."""
    first = log.entry(0)
    if root and isinstance(first, KeyAdd) and first.fingerprint != root:
        said = f"entry 0 adds the root key {first.fingerprint}, and you expect {root}"
        yield Finding(Kind.ROOT, "results/log/entries/000000.jsonl", said)
