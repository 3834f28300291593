"""What an audit looked at and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchsite.pipeline.record.findings import Finding, Kind

_OF_MEMORY: Final = frozenset({Kind.STALE, Kind.NOT_OUR_CHECKPOINT})


@dataclass(frozen=True, slots=True)
class Audit:
    """What was looked at and what was found.

    Attributes:
        commits: commits in the range.
        changes: changes, removals and changes of type that they made to protected files.
        entries: entries of the log at HEAD.
        receipts: published files at HEAD whose bytes were hashed.
        checkpoints: past versions of the checkpoint that were compared with today's log.
        findings: alterations, newest first.
        notes: what an auditor may want to know and is no alteration.
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
        """Whether each finding says as much about what was given as about the record."""
        return all(item.kind in _OF_MEMORY for item in self.findings)
