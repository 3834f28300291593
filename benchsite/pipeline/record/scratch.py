"""The scratch folder `.benchsite/`: no commit holds it, and it is a folder of this machine, no link to another.

Follows specs/log.md, "Threats": nothing under `.benchsite/` is ever authority. What a commit brings there could pass
for a draft, a queue or a journal of this machine, so a commit that holds any of it is refused. What a symbolic link
leads to is outside the repository, so nothing is written through one.
"""

from __future__ import annotations

import os
from pathlib import Path

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import SCRATCH, in_scratch
from benchsite.repo import Repository
from benchsite.words import shown_path

__all__ = ["require_folder", "require_uncommitted"]


def require_uncommitted(repository: Repository, rev: str = "HEAD") -> None:
    """Refuse a commit whose tree holds anything at or below `.benchsite`, in any case and of any type.

    Raises:
        IntegrityError: it does; the first path is named.
        GitError: `rev` names no commit. An unborn HEAD holds nothing.
    """
    top = next((name for name in repository.top(rev) if in_scratch(name)), None)
    if top is None:
        return
    path = next((file.path for file in repository.tree(top, rev=rev)), top)
    raise IntegrityError(
        f"{shown_path(path)} is committed, and no commit may hold {SCRATCH}/: {rev}",
        hint=f"git rm -r --cached {shown_path(top)}, then commit",
    )


def require_folder(root: Path) -> None:
    """Refuse a `.benchsite` that is no plain folder, or that holds a link where a file or folder of benchsite belongs.

    An absent folder is accepted: the first command that needs it creates it.

    Raises:
        IntegrityError: a symbolic link, or another thing than a folder, has the name.
        InputError: it cannot be read.
    """
    folder = root / SCRATCH
    try:
        if folder.is_symlink():
            raise _link(SCRATCH)
        if not os.path.lexists(folder):
            return
        if not folder.is_dir():
            raise IntegrityError(f"{SCRATCH} is not a folder", hint=f"remove it: rm {SCRATCH}")
        with os.scandir(folder) as found:
            links = sorted(entry.name for entry in found if entry.is_symlink())
    except OSError as error:
        raise InputError(
            f"cannot read {SCRATCH}: {error.strerror}", hint="make it readable, or remove it"
        ) from None
    if links:
        raise _link(f"{SCRATCH}/{links[0]}")


def _link(path: str) -> IntegrityError:
    return IntegrityError(
        f"{shown_path(path)} is a symbolic link, and benchsite writes through none",
        hint=f"remove the link: rm {shown_path(path)}",
    )
