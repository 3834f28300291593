"""audit: was the record ever altered (specs/log.md, "Git audit")?

    complete clone? -> log -> HEAD compared with its log, and every past change with the rule table -> remembered logs

An altered record raises nothing: everything that is wrong is found and named with its commit. An error says that an
audit is not possible here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from benchsite import executors
from benchsite.errors import IntegrityError, PrerequisiteError, UsageError
from benchsite.layout import CHECKPOINT_PATH, CONFIG, RECORD, SCRATCH
from benchsite.log import KeyAdd, Log
from benchsite.pipeline.audit import memory
from benchsite.pipeline.audit.attribution import attribute_commits
from benchsite.pipeline.audit.checkpoints import check_sizes, export
from benchsite.pipeline.changes import Published, identity
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.record.alterations import PROTECTED, alterations
from benchsite.pipeline.snapshot import Snapshot, sizes
from benchsite.pipeline.snapshot.integrity import Whole, odd_files
from benchsite.pipeline.workspace.config import Config
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.progress import Progress, silent
from benchsite.repo import Past

__all__ = ["PROTECTED", "Audit", "Finding", "Kind", "audit"]

_LARGEST_CHECKPOINT: Final = 1024 * 1024
_EARLIER: Final = 20
"""How many commits are tried for a newest log that opens, if HEAD's does not."""
_HEX: Final = frozenset("0123456789abcdef")
_SHORTEST_ID: Final = 7
_OF_MEMORY: Final = frozenset({Kind.STALE, Kind.NOT_OUR_CHECKPOINT})


@dataclass(frozen=True, slots=True)
class Audit:
    """What was examined and what was found.

    Attributes:
        commits: commits in the range.
        changes: changes, removals and changes of type that they made to protected files.
        entries: entries of the log at HEAD.
        receipts: published files at HEAD whose bytes were hashed.
        checkpoints: past versions of the checkpoint that were compared with today's log.
        findings: alterations, newest first.
        notes: what an auditor may want to know and is not an alteration.
        evidence: paths of the files that prove a split view to others.
    """

    commits: int
    changes: int
    entries: int
    receipts: int
    checkpoints: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    evidence: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was altered."""
        return not self.findings

    @property
    def about_memory(self) -> bool:
        """Whether each finding may be about the checkpoint that was given, not about the record."""
        return all(item.kind in _OF_MEMORY for item in self.findings)


def audit(
    snapshot: Snapshot,
    *,
    since: str | None = None,
    checkpoints: Sequence[Path] = (),
    root: str = "",
    progress: Progress = silent,
    past: Past | None = None,
) -> Audit:
    """Audit a record over the whole history of its commit.

    Args:
        snapshot: the record at the newest commit.
        since: a commit whose history was audited before: only later commits are read.
        checkpoints: signed checkpoints from elsewhere that this log must be consistent with.
        root: the fingerprint that entry 0 must carry; not checked if empty.
        progress: called with (done, total, label).
        past: the history of the repository, if git has started on it already (`Past.ahead`).

    Raises:
        PrerequisiteError: a shallow clone, no commit or no log yet, or a commit that git cannot read.
        UsageError: `since` names no commit, or `root` is not a fingerprint.
        InputError: a file of `checkpoints` is not a signed checkpoint.
    """
    root = _fingerprint(root)
    past = past or Past(snapshot.repository.root)
    past.require_whole()
    head = _require_commit(snapshot)
    given = [(str(path), read_bounded(path, _LARGEST_CHECKPOINT)) for path in checkpoints]
    start, rewritten = _start(snapshot, past, head, since)
    with past.walk(PROTECTED, head=head, since=start) as revisions:
        progress(0, 0, "opening the log")
        opened = _open(snapshot, past)
        published = Published(opened.log, _identity(snapshot.config))
        with _present(opened, root, past) as present:
            changed = alterations(snapshot.repository, past, revisions, published, progress)
            at_head = present()
        commits = past.count(start, head=head) if start is not None else revisions.commits
    listed = _listed(opened, published, all_seen=start is None)
    remembered = memory.remember(snapshot, opened.log, given)
    evidence, unwritten = _evidence(snapshot, published, remembered)
    findings = [*rewritten, *opened.findings, *at_head.findings, *changed.findings, *listed]
    findings += remembered.findings
    if opened.log is None and not findings:
        raise PrerequisiteError("this instance has no log yet", hint="run `benchsite keys init`")
    notes = [*opened.notes, *at_head.notes, *changed.notes, *remembered.notes, *unwritten]
    return Audit(
        commits=commits,
        changes=changed.changes,
        entries=opened.log.size if opened.log is not None else 0,
        receipts=at_head.receipts,
        checkpoints=len(published.checkpoints),
        findings=attribute_commits(findings, past, snapshot),
        notes=tuple(dict.fromkeys(notes)),
        evidence=tuple(evidence),
    )


def _fingerprint(text: str) -> str:
    wanted = text if not text or text.startswith("sha256:") else f"sha256:{text}"
    if wanted and re.fullmatch("sha256:[0-9a-f]{64}", wanted) is None:
        raise UsageError(
            f"{text!r} is no fingerprint: expected sha256: and 64 hexadecimal digits",
            hint="`benchsite keys list` shows what they look like",
        )
    return wanted


def _require_commit(snapshot: Snapshot) -> str:
    if snapshot.commit is None:
        raise PrerequisiteError(
            "this repository has no commit yet", hint="run `benchsite init DIR` to create an instance"
        )
    return snapshot.commit


def _identity(config: Config) -> tuple[str, tuple[str, ...]]:
    settings = config.benchsite
    return settings.origin, settings.root_keys


def _start(snapshot: Snapshot, past: Past, head: str, since: str | None) -> tuple[str | None, list[Finding]]:
    """Return the commit after which the walk begins, None for the first; and a finding if history lost `since`."""
    if since is None:
        return None, []
    commit = past.commit(since)
    if commit is not None and snapshot.repository.is_ancestor(commit, head):
        return commit, []
    if commit is None and not (_HEX.issuperset(since.lower()) and len(since) >= _SHORTEST_ID):
        raise UsageError(f"no such commit: {since}", hint="name a commit id or a tag")
    lost = "it is no longer part of the history" if commit else "this clone does not hold it"
    detail = f"history was rewritten, or {since} is a commit of another repository: {lost}"
    return None, [Finding(Kind.REWRITTEN, "", detail)]


class _Opened(NamedTuple):
    """The record, and the newest log that opens: its own or an earlier one."""

    snapshot: Snapshot
    log: Log | None
    findings: Sequence[Finding]
    notes: Sequence[str]


def _open(snapshot: Snapshot, past: Past) -> _Opened:
    log, fault = memory.open_log(snapshot)
    if log is not None:
        return _Opened(snapshot, log, (), ())
    findings = [Finding(Kind.LOG_BROKEN, CHECKPOINT_PATH, fault)] if snapshot.has_log else []
    for mention in past.mentions("results/log", snapshot.commit or "", limit=_EARLIER):
        earlier, _ = memory.open_log(snapshot.sibling(mention.commit))
        if earlier is not None:
            which = f"the log of commit {mention.commit[:12]}, the newest that opens"
            return _Opened(snapshot, earlier, findings, (f"HEAD was compared with {which}",))
    note = f"no log of the last {_EARLIER} commits opens: past checkpoints were not checked"
    return _Opened(snapshot, None, findings, (note,) if snapshot.has_log else ())


class _Present(NamedTuple):
    """What is wrong with HEAD itself, and how many receipts were hashed."""

    findings: Sequence[Finding]
    receipts: int = 0
    notes: Sequence[str] = ()


@contextmanager
def _present(opened: _Opened, root: str, past: Past) -> Iterator[Callable[[], _Present]]:
    """Compare HEAD with its log while the caller does something else; the yielded function waits for the result."""
    snapshot, log = opened.snapshot, opened.log
    if log is None:
        odd = list(odd_files(snapshot))
        if root:
            detail = f"entry 0 of the log does not add the root key {root}: there is no log"
            odd.append(Finding(Kind.ROOT, "", detail))
        yield lambda: _Present(odd)
        return
    whole = Whole(snapshot, log, past.blobs)
    with executors.beside(_compared, whole, units=len(snapshot.files)) as compared:

        def present() -> _Present:
            findings, receipts, notes = compared()
            return _Present([*findings, *_pinned(log, root)], receipts, notes)

        yield present


def _compared(whole: Whole) -> tuple[list[Finding], int, list[str]]:
    """Work for another process: what is wrong with HEAD, how many receipts were hashed, and notes."""
    return list(whole.findings()), whole.receipts, list(_outside(whole.snapshot))


def _outside(snapshot: Snapshot) -> Iterator[str]:
    """Name what an auditor may take for the record and is not committed."""
    changed = snapshot.repository.changed_paths(*RECORD)
    if changed:
        yield (
            f"{changed[0]} differs from HEAD{f', and {len(changed) - 1} more' if len(changed) > 1 else ''}: "
            "an audit reads commits, and what is not committed was not looked at"
        )
    configured = snapshot.read(CONFIG)
    if configured is not None and identity(configured) != _identity(Config.read(snapshot.repository.root)):
        yield f"{CONFIG} in the working tree names another origin or other root keys than HEAD's"


def _pinned(log: Log, root: str) -> Iterator[Finding]:
    """Compare entry 0 with the root key that somebody knows."""
    first = log.entry(0)
    if root and isinstance(first, KeyAdd) and first.fingerprint != root:
        detail = f"entry 0 adds the root key {first.fingerprint}, and you expect {root}"
        yield Finding(Kind.ROOT, "results/log/entries/000000.jsonl", detail)


def _listed(opened: _Opened, published: Published, *, all_seen: bool) -> list[Finding]:
    """Compare the list of sizes at HEAD with the checkpoints; a malformed list or log is another finding."""
    snapshot = opened.snapshot
    try:
        known = sizes.listed(snapshot) if snapshot.log_alone is not None else None
    except IntegrityError:
        return []
    if known is None or opened.log is None:
        return []
    return list(check_sizes(known, published.checkpoints.values(), opened.log, all_seen=all_seen))


def _evidence(
    snapshot: Snapshot, published: Published, remembered: memory.Memory
) -> tuple[list[str], list[str]]:
    """Keep both halves of every split view as files."""
    past = published.checkpoints.values()
    views = [*(item for item in past if item.proves_split_view), *remembered.views]
    return export(snapshot.repository.root / SCRATCH / "evidence", views, past, snapshot.checkpoint)
