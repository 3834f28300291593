"""What can be wrong with a record: one finding an alteration, and the words for each kind, which scripts may rely on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What happened to a file of the record; the values never change their meaning."""

    EDITED = "edited"
    RESTORED = "restored"
    DELETED = "deleted"
    RENAMED = "renamed"
    TYPE_CHANGED = "type-changed"
    MODE_CHANGED = "mode-changed"
    SYMLINK = "symlink"
    STRAY = "stray"
    FILE_WITHOUT_ENTRY = "file-without-entry"
    ENTRY_WITHOUT_FILE = "entry-without-file"
    SUPERSEDE_MISMATCH = "supersede-mismatch"
    TRUNCATED = "truncated"
    REORDERED = "reordered"
    LOG_EDITED = "log-edited"
    LOG_BROKEN = "log-broken"
    CHECKPOINT = "checkpoint-inconsistent"
    NOT_OUR_CHECKPOINT = "checkpoint-not-ours"
    SPLIT_VIEW = "split-view"
    REWRITTEN = "history-rewritten"
    STALE = "stale"
    COSIGNATURES = "cosignatures-edited"
    SIZES = "sizes-edited"
    WITNESS = "witness-contradicts"
    ROOT = "root-changed"
    ORIGIN = "origin-changed"
    MANIFEST = "manifest"
    KEY_FILE = "key-file"
    METHODOLOGY = "methodology-edited"
    FIXTURE = "fixture-edited"
    EVIDENCE = "evidence-missing"
    WITHDRAWN = "evidence-withdrawn"
    UNPINNED = "evidence-unpinned"


@dataclass(frozen=True, slots=True)
class Finding:
    """One alteration.

    Attributes:
        kind: what happened.
        path: the file; in an audit as text that can be printed whatever bytes git holds.
        detail: one sentence.
        commit: where it happened; empty for what is wrong with HEAD and no single commit was found to have done.
        day: the author date of that commit, as its author gave it.
        before: the blob that stood there before the commit; empty where none did or none is meant.
        after: the blob that stands there since.
    """

    kind: Kind
    path: str
    detail: str
    commit: str = ""
    day: str = ""
    before: str = ""
    after: str = ""

    @property
    def deed(self) -> str:
        """What the commit did to the file: added, removed or edited."""
        if not self.before:
            return "added"
        return "edited" if self.after else "removed"
