"""The record of an instance at HEAD, or at another commit, as tests ask about it."""

from __future__ import annotations

from pathlib import Path

from benchsite.log import Log
from benchsite.pipeline import head
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository
from benchsite.repo.head import resolve_head


def snapshot(instance: Workspace, commit: str | None = None) -> Snapshot:
    """The record at a commit, HEAD unless it is named; that the log grew is not checked."""
    named = instance.repository.commit(commit) if commit is not None else resolve_head(instance.repository)
    return Snapshot(instance.repository, named, downloads=instance.downloads)


def log_of(instance: Workspace) -> Log:
    """The log at HEAD."""
    return snapshot(instance).require_log()


def opened(instance: Workspace) -> Snapshot:
    """The record at HEAD as a command opens it."""
    return head.snapshot(instance)


def at_head(root: Path) -> tuple[Repository, str | None]:
    """The repository that holds a folder, and the commit that HEAD names."""
    repository = Repository.open(root)
    return repository, resolve_head(repository)
