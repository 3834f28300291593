"""One change of one file in one commit, and what the rule table answers about it. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, NamedTuple

from benchsite.layout import CONFIG, FIXTURE_FILE, FIXTURES, METHODOLOGY, Sort, in_record, sort_of
from benchsite.methodology import FILES
from benchsite.pipeline.findings import Finding, Kind

Subject = Sort | Literal["methodology", "fixture", "configuration", "other"]

_TYPES: Final = {
    "100644": "a file",
    "100755": "a file",
    "120000": "a symbolic link",
    "160000": "a submodule",
}
_REGULAR: Final = frozenset(mode for mode, kind in _TYPES.items() if kind == "a file")


class Version(NamedTuple):
    """One version of a file: git mode, blob id, and the bytes if `must_read` asked for them."""

    mode: str
    blob: str
    data: bytes = b""

    @property
    def kind(self) -> str:
        """What the mode means, in words."""
        return _TYPES.get(self.mode, f"of mode {self.mode}")

    @property
    def is_regular(self) -> bool:
        """Whether this is a file, not a link or a submodule."""
        return self.mode in _REGULAR


class FileChange(NamedTuple):
    """One file of one commit compared with one parent.

    Attributes:
        path: the file.
        old: the parent's version; None for a file that was added.
        new: the commit's version; None for a file that was removed.
        size_before: entries of the log in the parent; needed only if `is_dated`.
        size_after: entries of the log in the commit; needed only if `is_dated`.
        merge: whether the commit has other parents too, whose lines may come between.
    """

    path: str
    old: Version | None
    new: Version | None
    size_before: int = 0
    size_after: int = 0
    merge: bool = False


class Judgment(NamedTuple):
    """What the table says about one change; empty if the change is allowed.

    Attributes:
        findings: what the commit did wrong.
        replaced: what was wrong with the version that the commit replaced.
        notes: what an auditor may want to know, and what is allowed.
    """

    findings: tuple[Finding, ...] = ()
    replaced: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


ALLOWED: Final = Judgment()


@lru_cache(maxsize=1024)  # most commits of a history change the same few files
def subject_of(path: str) -> Subject:
    """Return what a path is to the rule table; `other` for a file that no rule protects."""
    if path == CONFIG:
        return "configuration"
    if in_record(path):
        return sort_of(path)
    parts = path.split("/")
    if parts[0] == FIXTURES and len(parts) == 3 and parts[2] == FIXTURE_FILE:
        return "fixture"
    if parts[0] == METHODOLOGY and len(parts) == 4 and parts[3] in FILES:
        return "methodology"
    return "other"


def found(change: FileChange, kind: Kind, detail: str) -> Judgment:
    """Return the answer with one finding."""
    return Judgment((finding(change, kind, detail),))


def finding(change: FileChange, kind: Kind, detail: str) -> Finding:
    """Return a finding about one file of one commit."""
    before, after = (version.blob if version is not None else "" for version in (change.old, change.new))
    return Finding(kind, change.path, detail, before=before, after=after)
