"""The commits that findings of one audit belong to, once all findings are known.

A file that was removed and is elsewhere with the same bytes was renamed. A file that was edited or removed, and later
is what it had been, was restored, and both commits are named. What is wrong with HEAD itself gets the commit that
touched the file last. Each question costs one call of git, so only so many are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from typing import Final

from benchsite.layout import CHECKPOINT_PATH
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.snapshot import Snapshot
from benchsite.repo import Past
from benchsite.words import shown_path

_ASKED: Final = 200
_ADDITIONS: Final = 20
_TOUCHED: Final = frozenset(
    {
        *(Kind.EDITED, Kind.SYMLINK, Kind.STRAY, Kind.FILE_WITHOUT_ENTRY, Kind.ENTRY_WITHOUT_FILE),
        *(Kind.MANIFEST, Kind.KEY_FILE, Kind.METHODOLOGY, Kind.FIXTURE, Kind.UNPINNED),
    }
)
"""Kinds for which the commit that touched the file last is the one that did it."""


def attribute_commits(findings: Sequence[Finding], past: Past, snapshot: Snapshot) -> tuple[Finding, ...]:
    """Return the findings as they are reported.

    Args:
        findings: in the order of the steps.
        past: answers about single commits.
        snapshot: the record that is audited.
    """
    present, head = {item.path: item.blob_id for item in snapshot.files}, snapshot.commit or ""
    damaged = {item.path for item in findings if not item.commit}
    in_the_past = {(item.kind, item.path) for item in findings if item.commit}
    joined: dict[tuple[Kind, str, str], Finding] = {}
    for place, item in enumerate(findings):
        if not item.commit and (item.kind, item.path) in in_the_past:
            continue  # the pass names the commit that did it
        finding = item
        more: Iterator[Finding] = iter(())
        if _is_restored(item, damaged, present):
            finding = replace(item, kind=Kind.RESTORED, detail="it was put back to what it had been")
        elif place < _ASKED and item.kind is Kind.DELETED:
            finding = _renamed(item, past)
            more = _added_again(item, past, snapshot) if item.path in present else more
        elif place < _ASKED and not item.commit and item.kind in _TOUCHED:
            finding = _touched(item, past, head)
        for one in chain((finding,), more):
            joined.setdefault((one.kind, one.path, one.commit), replace(one, path=shown_path(one.path)))
    return tuple(joined.values())


def _is_restored(item: Finding, damaged: AbstractSet[str], present: Mapping[str, str]) -> bool:
    """The edit left what HEAD has, and HEAD is as its log says; a log pins no bytes of its checkpoint."""
    if item.kind is not Kind.EDITED or item.path in damaged or item.path == CHECKPOINT_PATH:
        return False
    return present.get(item.path) == item.after


def _renamed(item: Finding, past: Past) -> Finding:
    """The same finding, or the place where the removed bytes turned up in the same commit."""
    same = [path for path, blob_id in past.additions(item.commit) if blob_id == item.before]
    if not same:
        return item
    return replace(item, kind=Kind.RENAMED, detail=f"it was renamed to {shown_path(same[0])}")


def _added_again(item: Finding, past: Past, snapshot: Snapshot) -> Iterator[Finding]:
    for mention in past.mentions(item.path, snapshot.commit or "", limit=_ADDITIONS, added=True):
        if mention.commit != item.commit and snapshot.repository.is_ancestor(item.commit, mention.commit):
            said = f"it was re-added after commit {item.commit[:12]} had removed it"
            yield Finding(Kind.RESTORED, item.path, said, mention.commit, mention.day)


def _touched(item: Finding, past: Past, head: str) -> Finding:
    last = next(iter(past.mentions(item.path, head, limit=1)), None)
    return replace(item, commit=last.commit, day=last.day) if last is not None else item
