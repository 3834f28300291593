"""The record of an instance at HEAD, or at another commit, as tests ask about it."""

from __future__ import annotations

from benchsite.log import Log
from benchsite.pipeline import head
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.snapshot import Snapshot


def snapshot(instance: Instance, commit: str | None = None) -> Snapshot:
    """The record at a commit, HEAD unless it is named; that the log grew is not checked."""
    return Snapshot(instance.repository, commit or instance.repository.head())


def log_of(instance: Instance) -> Log:
    """The log at HEAD."""
    return snapshot(instance).require_log()


def opened(instance: Instance) -> Snapshot:
    """The record at HEAD as a command opens it."""
    return head.snapshot(instance.repository)
