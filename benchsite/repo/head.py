"""The commit that HEAD names now. An import contract names who may ask: everything else is given a commit."""

from __future__ import annotations

from benchsite.repo._repository import Repository

__all__ = ["resolve_head"]


def resolve_head(repository: Repository) -> str | None:
    """Return the commit that HEAD names; None on a branch without a commit."""
    return repository._head()  # noqa: SLF001 - this module is its one public door
