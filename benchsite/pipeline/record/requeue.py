"""Entries of commits that the remote overtook, waiting to be logged again.

The overtaken commit itself is kept, under a ref of its own: its checkpoint is signed by the log's key, so that what waits
is known to be ours, whatever else could write here. A receipt goes back to the draft it came from; an intent, an event, a
key event or a pinned version waits, and whatever appends next appends these first, in their order.

Refuses a commit whose log does not open: nothing is taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from benchsite.errors import BenchsiteError, IntegrityError
from benchsite.layout import SCRATCH, receipt_path
from benchsite.log import (
    Entry,
    FixtureEntry,
    Log,
    MethodologyEntry,
    ReceiptEntry,
    SupersedeEntry,
)
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.record import Record
from benchsite.receipt import parse

REFS: Final = "refs/benchsite-overtaken/"
_DRAFTS: Final = "drafts"
"""The kind of a commit made of drafts alone: whether a version is pinned is decided again with each of them."""
_ALL: Final = "all"
_REF: Final = re.compile(rf"{REFS}[0-9]{{6}}-({_ALL}|{_DRAFTS})")


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry that waits, and the ref of the commit that held it."""

    entry: Entry
    ref: str


def keep(instance: Instance, commit: str, *, pins: bool) -> None:
    """Keep an overtaken commit until its entries are public; `pins`: the versions it pinned wait too."""
    kept = _kept(instance)
    if any(there == commit for _, there in kept):
        return
    last = max((int(name.removeprefix(REFS)[:6]) for name, _ in kept), default=-1)
    instance.repository.keep_ref(f"{REFS}{last + 1:06}-{_ALL if pins else _DRAFTS}", commit)


def load(instance: Instance) -> list[Waiting]:
    """What waits, oldest first, each entry once.

    Raises:
        IntegrityError: the log of a kept commit contradicts itself or its signatures.
    """
    log = Record.at(instance).log
    found: dict[bytes, Waiting] = {}
    for ref, commit in _kept(instance):
        record, theirs = _opened(instance, ref, commit)
        if theirs is None or log is None:
            continue
        for at, data in _lost(theirs, log):
            entry = theirs.entry(at)
            if not _comes_with_a_draft(record, entry, pins=ref.endswith(_ALL)):
                found.setdefault(data, Waiting(entry, ref))
    return list(found.values())


def _kept(instance: Instance) -> list[tuple[str, str]]:
    """(ref, commit) of each kept commit, oldest first; refs of another form are not ours."""
    return [(name, commit) for name, commit in instance.repository.refs(REFS) if _REF.fullmatch(name)]


def _opened(instance: Instance, ref: str, commit: str) -> tuple[Record, Log | None]:
    """The record of a kept commit and its log; raises `IntegrityError` with the way to give the commit up."""
    try:
        record = Record.at(instance, commit)
        log = record.log
    except BenchsiteError as error:
        raise IntegrityError(
            f"{ref} keeps a commit overtaken by the remote, and its log cannot be read: {error.message}",
            hint=f"to discard it: git update-ref -d {ref}",
        ) from None
    return record, log


def left_by_older(instance: Instance) -> int:
    """How many entries an earlier release left in `.benchsite/pending/`: files that anything could write are not read."""
    return sum(1 for _ in (instance.root / SCRATCH / "pending").glob("[0-9]*-*.json"))


def forget(instance: Instance, given_up: Collection[Entry] = ()) -> None:
    """Let go of the commits of which nothing waits any more but what was given up."""
    kept = _kept(instance)
    still = {item.ref for item in load(instance) if item.entry not in given_up} if kept else set()
    for ref, _ in kept:
        if ref not in still:
            instance.repository.drop_ref(ref)


def _lost(theirs: Log, ours: Log) -> Iterator[tuple[int, bytes]]:
    """(index, bytes) of the entries of one log, behind what both share, that the other does not hold."""
    shared = _shared(theirs, ours)
    held = {ours.entry_bytes(at) for at in range(shared, ours.size)}
    for at in range(shared, theirs.size):
        data = theirs.entry_bytes(at)
        if data not in held:
            yield at, data


def _shared(one: Log, other: Log) -> int:
    """How many entries two logs begin with in common, by bisection over their roots."""
    low, high = 0, min(one.size, other.size)
    while low < high:
        middle = (low + high + 1) // 2
        if one.root(middle) == other.root(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _comes_with_a_draft(record: Record, entry: Entry, *, pins: bool) -> bool:
    """Whether publishing a draft again makes this entry again."""
    if isinstance(entry, SupersedeEntry):
        data = record.instance.repository.read(receipt_path(entry.by), rev=record.commit or "HEAD")
        return data is not None and parse(data).document.get("supersedes") == entry.receipt_id
    if isinstance(entry, MethodologyEntry):
        return not pins  # elsewhere a maintainer meant it, whatever becomes of the drafts scored under it
    return isinstance(entry, ReceiptEntry | FixtureEntry)
