"""The rule table: which rule answers for which file, and what that rule must be told. Pure."""

from __future__ import annotations

from typing import Final

from benchsite.pipeline.changes.change import ALLOWED, FileChange, Judgment, subject_of
from benchsite.pipeline.changes.documents import judge_configuration, judge_document
from benchsite.pipeline.changes.published import Published
from benchsite.pipeline.changes.record import judge_record

_READ: Final = frozenset(
    {"segment", "sizes", "checkpoint", "cosignatures", "manifest", "current", "fixture", "configuration"}
)
_DATED: Final = frozenset({"manifest", "current", "methodology", "fixture", "configuration"})

_APPEND_ONLY: Final = frozenset({"segment", "sizes"})


def judge(change: FileChange, published: Published) -> Judgment:
    """Return what is wrong with one change."""
    subject = subject_of(change.path)
    if subject == "other":
        return ALLOWED
    if subject == "configuration":
        return judge_configuration(change, published)
    if subject in ("methodology", "fixture"):
        return judge_document(change, published)
    return judge_record(subject, change, published)


def is_dated(path: str) -> bool:
    """Return whether the answer depends on how many entries the log had."""
    return subject_of(path) in _DATED


def is_append_only(path: str) -> bool:
    """Return whether each version of a file has to begin with the one before."""
    return subject_of(path) in _APPEND_ONLY


def must_read(change: FileChange, published: Published) -> bool:
    """Return whether `judge` needs the bytes of the regular versions of this change."""
    old, new = change.old, change.new
    subject = subject_of(change.path)
    if subject not in _READ or old is None or (new is not None and old.blob == new.blob):
        return False
    if subject == "configuration":
        return True
    if subject == "fixture":
        index = published.named_at(change.path)
        if index is None or change.size_before <= index:
            return False
    return new is not None and old.is_regular and new.is_regular
