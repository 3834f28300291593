"""The commit that HEAD names: a command resolves it once, here, and passes the snapshot on.

An import contract names who may ask: the command line, the Python API and the appending step of publish.
"""

from __future__ import annotations

from benchsite.pipeline.instance import Instance
from benchsite.pipeline.snapshot import Snapshot
from benchsite.repo import Repository
from benchsite.repo.head import resolve_head

__all__ = ["commit", "snapshot", "unchecked"]


def commit(repository: Repository) -> str | None:
    """Return the commit that HEAD names; None on a branch without a commit."""
    return resolve_head(repository)


def snapshot(instance: Instance) -> Snapshot:
    """Open the record at HEAD, for readers; raises as `Snapshot.require_grown`."""
    found = unchecked(instance)
    found.require_grown()
    return found


def unchecked(instance: Instance) -> Snapshot:
    """Return the record at HEAD, its log not opened: for an audit, and before a log is created."""
    return Snapshot(instance.repository, commit(instance.repository), downloads=instance.downloads)
