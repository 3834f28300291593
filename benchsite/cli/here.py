"""The instance around the current folder, and its record at the commit that HEAD names when a command begins."""

from __future__ import annotations

from pathlib import Path

from benchsite.pipeline import head
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace, optional_workspace

__all__ = ["opened", "optional_snapshot", "snapshot"]


def opened() -> tuple[Workspace, Snapshot]:
    """Return the instance and its record; raises `PrerequisiteError` outside any, otherwise as `head.snapshot`."""
    workspace = Workspace(Path.cwd())
    return workspace, head.snapshot(workspace)


def snapshot() -> Snapshot:
    """Return the record of the instance; raises as `opened`."""
    return opened()[1]


def optional_snapshot() -> Snapshot | None:
    """Return the record of the instance; None outside any, because files can be verified without one."""
    workspace = optional_workspace(Path.cwd())
    return head.snapshot(workspace) if workspace is not None else None
