"""The files under results/ and keys/ that each commit of the branch touches, judged by the rule table.

Every commit is examined, because history keeps what a later commit reverts, and `audit` finds it there. A pull request
may add drafts to `results/inbox/` and lines to `results/log/cosignatures`, and edit the prose. Only if the log at HEAD
extends the log at the base, the branch contains publishes, and other files of the record may change as the table says.
Follows specs/log.md, "Git audit".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from benchsite.errors import BenchsiteError
from benchsite.layout import (
    CHECKPOINT_PATH,
    COSIGNATURES_PATH,
    EVIDENCE,
    INBOX,
    evidence_sha256,
    in_record,
    receipt_path,
    sort_of,
)
from benchsite.log import Log, decode_cosignatures
from benchsite.pipeline.changes import FileChange, Version, judge
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.report import (
    Item,
    Step,
    altered,
    failure,
    judged,
    malformed,
    shown_path,
)
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.snapshot.evidence_store import uncompressed
from benchsite.pipeline.snapshot.integrity import faults, refusal
from benchsite.repo import Change

__all__ = ["check"]

NAME: Final = "record"
_NAMED: Final = re.compile(rb'"sha256":"([0-9a-f]{64})"')


def check(case: Case, troubles: tuple[Item, ...]) -> Step:
    """Compare everything that the branch does to the record with the rule table."""
    items = list(troubles)
    grown = _grown(case, items)
    named: set[str] = set()
    forbidden = _added(case) if grown is not None else _unpublished(case)
    for finding in (*forbidden, *case.alterations, *_reordered(case)):
        if in_record(finding.path) and finding.path not in named:
            named.add(finding.path)
            items.append(_item(case, finding))
    if case.workspace is not None and any(_is_published(change.path) for change in _all(case)):
        items.extend(_against_log(case.snapshot, named))
    items.extend(_waiting_drafts(case, grown))
    items.extend(_cosignatures(case))
    if grown is not None:
        good = f"every entry up to {grown.size:,} is signed by the log, and every receipt matches its entry"
    else:
        good = "no published file was changed"
    return judged(NAME, items, good)


def _all(case: Case) -> tuple[Change, ...]:
    """Every change of the branch, oldest first, and the difference to the base."""
    return (*reversed(case.changes), *case.difference)


def _is_published(path: str) -> bool:
    return in_record(path) and sort_of(path) not in ("free", "cosignatures")


def _unpublished(case: Case) -> Iterator[Finding]:
    """Without a publish on the branch, no file changes that only publish writes."""
    yield from _added(case)
    for change in _all(case):
        if _is_published(change.path):
            detail = "it was changed, and the log did not grow"
            before, after = change.old_blob, change.blob
            yield Finding(Kind.EDITED, change.path, detail, change.commit, before=before, after=after)


def _reordered(case: Case) -> Iterator[Finding]:
    """The cosignatures at HEAD begin with those of the base, whatever the branch merged."""
    read = case.repository.blob
    for change in case.difference:
        if change.path == COSIGNATURES_PATH and change.old_blob and change.is_regular:
            old, new = (Version(change.mode, blob, read(blob)) for blob in (change.old_blob, change.blob))
            yield from judge(FileChange(change.path, old, new), case.published).findings


def _added(case: Case) -> Iterator[Finding]:
    """What is wrong with the files that the branch adds to the record."""
    published = replace(case.published, pinned=_pinned(case))
    for change in _all(case):
        if change.added and in_record(change.path):
            new = Version(change.mode, change.blob)
            found = judge(FileChange(change.path, None, new), published).findings
            for finding in found or _misnamed(case, change):
                yield replace(finding, commit=change.commit)


def _misnamed(case: Case, change: Change) -> tuple[Finding, ...]:
    """Evidence has the name of its digest in each commit, though a later one may withdraw it."""
    if sort_of(change.path) != "evidence":
        return ()
    if uncompressed(case.repository.blob(change.blob), evidence_sha256(change.path)) is not None:
        return ()
    return (Finding(Kind.EDITED, change.path, "its hash differs from its file name", after=change.blob),)


def _item(case: Case, finding: Finding) -> Item:
    """What to do about an alteration."""
    where = shown_path(finding.path)
    commit = f" in commit {finding.commit[:12]}" if finding.commit else ""
    if sort_of(finding.path) == "free":
        return malformed(where, f"is not a regular file{commit}", "replace it with a plain file")
    if finding.kind is Kind.COSIGNATURES:
        return altered(
            where,
            f"existing lines were changed or removed{commit}",
            "append your lines and leave the others unchanged, in every commit",
        )
    base = case.branch.base[:12] if case.branch.base else "--root"
    return altered(
        where,
        f"was {finding.deed}{commit}: only `benchsite publish` writes there",
        f"remove that commit from the branch (git rebase -i {base}): undoing it in a later one leaves it in the "
        f"history. To publish a result, send its draft in {INBOX}",
    )


def _grown(case: Case, items: list[Item]) -> Log | None:
    """The log at HEAD where the branch has extended it; what does not continue the base's is an item."""
    before, after = case.before, case.after
    if after is None or case.workspace is None:
        return None
    if before is not None and before.size == after.size and before.root() == after.root():
        return None
    if case.published.log is not after:
        size = before.size if before is not None else 0
        items.append(
            altered(
                CHECKPOINT_PATH,
                f"the log at HEAD is not an extension of the log at {case.branch.onto}, which has {size} entries",
                f"recreate the branch from {case.branch.onto}; entries are never removed or replaced",
            )
        )
        return None
    return after


def _against_log(snapshot: Snapshot, named: AbstractSet[str]) -> Iterator[Item]:
    """What is wrong with the record at HEAD, in files that no item names yet."""
    try:
        for finding in faults(snapshot):
            if finding.path not in named:
                yield failure(shown_path(finding.path), refusal(finding))
    except BenchsiteError as error:
        yield failure("results/", error)


def _pinned(case: Case) -> frozenset[str]:
    """Return every sha256 that a published receipt names; none if the branch brings no evidence."""
    log = case.published.log
    if log is None or not any(change.path.startswith(f"{EVIDENCE}/") for change in _all(case)):
        return frozenset()
    read = case.snapshot.read
    return frozenset(
        sha256.decode() for name in log.receipts for sha256 in _NAMED.findall(read(receipt_path(name)) or b"")
    )


def _waiting_drafts(case: Case, grown: Log | None) -> Iterator[Item]:
    """A branch adds drafts; those that waited before it are somebody else's, and only publish takes them."""
    for change in case.difference:
        if not change.path.startswith(f"{INBOX}/") or change.added or change.path.endswith("/.gitkeep"):
            continue
        if change.removed and grown is not None:
            continue
        deed = "was removed" if change.removed else "was edited"
        yield altered(
            shown_path(change.path),
            f"{deed}, but it was in the inbox before this branch",
            f"restore it: git checkout {case.branch.onto or 'HEAD~'} -- {INBOX}",
        )


def _cosignatures(case: Case) -> Iterator[Item]:
    """Every line is valid for the log at HEAD."""
    touched = any(change.path == COSIGNATURES_PATH for change in _all(case))
    if touched and not any(finding.path == COSIGNATURES_PATH for finding in case.alterations):
        yield from _lines(case)


def _lines(case: Case) -> Iterator[Item]:
    advice = "add the line that `benchsite log cosign` prints, complete and with its newline"
    data = case.snapshot.read(COSIGNATURES_PATH) or b""
    size = case.after.size if case.after is not None else 0
    try:
        lines = decode_cosignatures(data)
    except BenchsiteError as error:
        yield malformed(COSIGNATURES_PATH, error.message, advice)
        return
    for number, line in enumerate(lines, start=1):
        if line.size > size:
            problem = f"line {number} cosigns {line.size} entries, and the log has {size}"
            yield malformed(COSIGNATURES_PATH, problem, advice)
            return
    try:
        if case.workspace is not None:
            case.snapshot.witnessing  # noqa: B018 - opening it is the question
    except BenchsiteError as error:
        yield failure(COSIGNATURES_PATH, error)
