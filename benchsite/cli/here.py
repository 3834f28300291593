"""The instance around the current folder, and its record at the commit that HEAD names when a command begins."""

from __future__ import annotations

from pathlib import Path

from benchsite.pipeline import head
from benchsite.pipeline.instance import Instance, optional_instance
from benchsite.pipeline.snapshot import Snapshot

__all__ = ["opened", "optional_snapshot", "snapshot"]


def opened() -> tuple[Instance, Snapshot]:
    """Return the instance and its record; raises `PrerequisiteError` outside any, otherwise as `head.snapshot`."""
    instance = Instance(Path.cwd())
    return instance, head.snapshot(instance)


def snapshot() -> Snapshot:
    """Return the record of the instance; raises as `opened`."""
    return opened()[1]


def optional_snapshot() -> Snapshot | None:
    """Return the record of the instance; None outside any, because files can be verified without one."""
    instance = optional_instance(Path.cwd())
    return head.snapshot(instance) if instance is not None else None
