"""results/ and keys/ are append-only, and nothing but publish appends: the files each commit of the branch touches.

Every commit is looked at, because history keeps what a later commit takes back, and `audit` would find it there.
A pull request may add drafts to `results/inbox/` and lines to `results/log/cosignatures`, and edit the prose.
Where the log at HEAD is a signed continuation of the log at the base, the branch holds publishes: then the files
that log names are accepted too. Follows specs/log.md, "Git audit".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from benchsite import canonical
from benchsite.errors import BenchsiteError
from benchsite.layout import (
    CHECKPOINT_PATH,
    COSIGNATURES_PATH,
    ENTRIES_FOLDER,
    EVIDENCE,
    INBOX,
    RECORD,
    SIZES_PATH,
    evidence_path,
    receipt_path,
)
from benchsite.log import Checkpoint, Log, Note, NoteError, decode_cosignatures, key_files
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record
from benchsite.pipeline.record.whole import faults, refusal
from benchsite.pipeline.report import (
    Item,
    Step,
    altered,
    commit_named,
    failure,
    judged,
    malformed,
    shown_path,
)
from benchsite.repo import Change

__all__ = ["check"]

NAME: Final = "record"
_PROSE: Final = "keys/ROTATION.md"
_NAMED: Final = re.compile(rb'"sha256":"([0-9a-f]{64})"')


def check(case: Case, troubles: tuple[Item, ...]) -> Step:
    """Hold everything the branch does to the record against what a branch may do to it."""
    items = list(troubles)
    grown = _grown(case, items)
    pinned = _pinned(case, grown)
    seen = set()
    for change in (*reversed(case.changes), *case.difference):
        if change.path.split("/")[0] not in RECORD or change.path in seen:
            continue
        item = _judged(case, change, grown, pinned)
        if item is not None:
            seen.add(change.path)
            items.append(item)
    items.extend(_waiting_drafts(case, grown))
    items.extend(_cosignatures(case))
    if grown is not None:
        good = f"every entry up to {grown.size:,} is signed by the log, and every receipt matches its entry"
    else:
        good = "no published file was changed"
    return judged(NAME, items, good)


def _grown(case: Case, items: list[Item]) -> Log | None:
    """The log at HEAD where the branch has extended it; what does not continue the base's is an item."""
    before, after = case.before, case.after
    if after is None or case.instance is None:
        return None
    if before is not None and before.size == after.size and before.root() == after.root():
        return None
    if before is not None and (before.size > after.size or after.root(before.size) != before.root()):
        items.append(
            altered(
                CHECKPOINT_PATH,
                f"the log at HEAD is not an extension of the log at {case.branch.onto}, which has {before.size} entries",
                f"recreate the branch from {case.branch.onto}; entries are never removed or replaced",
            )
        )
        return None
    items.extend(_against_log(case.instance))
    return after


def _against_log(instance: Instance) -> Iterator[Item]:
    try:
        for finding in faults(Record.at(instance)):
            yield failure(shown_path(finding.path), refusal(finding))
    except BenchsiteError as error:
        yield failure("results/", error)


def _judged(case: Case, change: Change, grown: Log | None, pinned: frozenset[bytes]) -> Item | None:
    """What is wrong with one change to a protected file; drafts and cosignatures are judged apart."""
    path = change.path
    if path.startswith(f"{INBOX}/") or path == COSIGNATURES_PATH:
        return None
    if path == _PROSE or path.rpartition("/")[2] == ".gitkeep":
        if change.removed or change.is_regular:
            return None
        return malformed(path, f"is not a regular file{commit_named(change)}", "replace it with a plain file")
    if grown is not None and case.instance is not None and _published(case.instance, change, grown, pinned):
        return None
    deed = "was added" if change.added else "was removed" if change.removed else "was edited"
    base = case.branch.base[:12] if case.branch.base else "--root"
    return altered(
        shown_path(path),
        f"{deed}{commit_named(change)}: only `benchsite publish` writes there",
        f"remove that commit from the branch (git rebase -i {base}): undoing it in a later one leaves it in the "
        f"history. To publish a result, send its draft in {INBOX}",
    )


def _published(instance: Instance, change: Change, log: Log, pinned: frozenset[bytes]) -> bool:
    """Whether publish writes this; what a commit on the way held must be a beginning of the log at HEAD."""
    if change.removed:
        # Withdrawn evidence leaves the tree, and nothing else ever does.
        folder, _, name = change.path.rpartition("/")
        return folder == f"{EVIDENCE}/{name[:2]}" and name in log.withdrawn
    if not change.is_regular:
        return False
    if change.path in (CHECKPOINT_PATH, SIZES_PATH) or change.path.startswith(f"{ENTRIES_FOLDER}/"):
        held = [instance.repository.blob(blob) for blob in (change.old_blob, change.blob) if blob]
        extent = _entries if change.path == CHECKPOINT_PATH else len
        return all(_past(instance, change.path, data, log) for data in held) and held == sorted(
            held, key=extent
        )
    if change.path.startswith("keys/"):
        return change.path in key_files(log.keyring)
    if _is_evidence(change):
        sha256 = canonical.sha256_hex(instance.repository.blob(change.blob))
        return change.added and change.path == evidence_path(sha256) and sha256.encode() in pinned
    return change.added and log.index_of_path(change.path) is not None


def _pinned(case: Case, log: Log | None) -> frozenset[bytes]:
    """Every sha256 that a published receipt names; not looked for where the branch brings no evidence."""
    brought = (*case.changes, *case.difference)
    if log is None or case.instance is None or not any(_is_evidence(change) for change in brought):
        return frozenset()
    read = case.instance.repository.read
    return frozenset(
        sha256 for name in log.receipts for sha256 in _NAMED.findall(read(receipt_path(name)) or b"")
    )


def _is_evidence(change: Change) -> bool:
    return change.path.startswith(f"{EVIDENCE}/")


def _past(instance: Instance, path: str, data: bytes, log: Log) -> bool:
    """Whether a checkpoint, a segment or the list of sizes was, at some time, what this log has there."""
    if path != CHECKPOINT_PATH:
        now = instance.repository.read(SIZES_PATH) if path == SIZES_PATH else log.segments().get(path)
        return (now or b"").startswith(data) and data.endswith(b"\n")
    try:
        head = Checkpoint.parse(Note.parse(data).text)
    except NoteError:
        return False
    return head.origin == log.origin and head.size <= log.size and log.root(head.size) == head.root


def _entries(checkpoint: bytes) -> int:
    """The second line of a checkpoint: how many entries it covers."""
    return int(checkpoint.split(b"\n", 2)[1])


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
    """Lines may be added at the end, and every one of them holds for the log at HEAD."""
    touched = [
        change for change in (*reversed(case.changes), *case.difference) if change.path == COSIGNATURES_PATH
    ]
    for change in touched:
        old = case.repository.blob(change.old_blob) if change.old_blob else b""
        if not change.is_regular or not case.repository.blob(change.blob).startswith(old):
            yield altered(
                COSIGNATURES_PATH,
                f"existing lines were changed or removed{commit_named(change)}",
                "append your lines and leave the others unchanged, in every commit",
            )
            return
    if touched:
        yield from _lines(case)


def _lines(case: Case) -> Iterator[Item]:
    advice = "add the line that `benchsite log cosign` prints, complete and with its newline"
    data = case.repository.read(COSIGNATURES_PATH, rev=case.branch.head) or b""
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
        if case.instance is not None:
            Record.at(case.instance, case.branch.head).witnessing  # noqa: B018 - opening it is the question
    except BenchsiteError as error:
        yield failure(COSIGNATURES_PATH, error)
