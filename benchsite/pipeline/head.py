"""The commit that HEAD names: a command resolves it once, here, and passes the snapshot on.

An import contract names who may ask: the command line, the Python API and the appending step of publish.
"""

from __future__ import annotations

from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository
from benchsite.repo.head import resolve_head

__all__ = ["commit", "snapshot", "unchecked"]


def commit(repository: Repository) -> str | None:
    """Return the commit that HEAD names; None on a branch without a commit."""
    return resolve_head(repository)


def snapshot(workspace: Workspace) -> Snapshot:
    """Open the record at HEAD, for readers; raises as `Snapshot.require_grown`."""
    found = unchecked(workspace)
    found.require_grown()
    return found


def unchecked(workspace: Workspace) -> Snapshot:
    """Return the record at HEAD, its log not opened: for an audit, and before a log is created."""
    return Snapshot(workspace.repository, commit(workspace.repository), downloads=workspace.downloads)
