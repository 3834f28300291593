"""The commit that HEAD names: a command resolves it once, here, and passes the snapshot on.

An import contract names who may ask: the command line, the Python API and the appending step of publish.
"""

from __future__ import annotations

from benchsite.pipeline.snapshot import Snapshot
from benchsite.repo import Repository

__all__ = ["snapshot"]


def snapshot(repository: Repository) -> Snapshot:
    """Open the record at HEAD, for readers; raises as `Snapshot.open`."""
    return Snapshot.open(repository, repository.head())
