"""`.benchsite/` is scratch and never authority: ignored by git, a real folder, and written by whatever runs here.

Drafts, evidence of drafts, imported fixtures, the journal, the lock and digests of built pages are there. What publish acts on is handed
over within one command or comes from the record. Refuses a commit that holds anything under it, and a link in its place.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import SCRATCH, in_scratch
from benchsite.repo import Repository
from benchsite.words import shown_path

__all__ = ["is_committed", "require_folder", "require_uncommitted"]


def is_committed(names: Iterable[str]) -> bool:
    """Whether a commit with these names at its top has scratch: `.benchsite/` may then be the commit's, and is not read."""
    return any(map(in_scratch, names))


def require_uncommitted(repository: Repository, commit: str | None) -> None:
    """Refuse a commit whose tree holds scratch, as files, as a folder, a link or a submodule; raises `IntegrityError`."""
    for name in repository.top_names(rev=commit) if commit is not None else ():
        if in_scratch(name):
            held = repository.tree(name, rev=commit or "")
            shown = shown_path(name)
            raise IntegrityError(
                f"{shown_path(held[0].path if held else name)} is committed: {SCRATCH}/ is scratch space and must not be committed",
                hint=f"git rm -r {shown}, commit, and look at who added it: git log -- {shown}",
            )


def require_folder(root: Path, folder: str = SCRATCH, *, make: bool = True) -> Path:
    """The scratch folder of a repository, or one below it (`layout`), made where it is absent and `make` says so.

    Raises:
        InputError: a link or a file is in the place of one of them, or it cannot be made.
    """
    place = root
    for name in folder.split("/"):
        place /= name
        shown = place.relative_to(root).as_posix()
        if place.is_symlink():
            raise InputError(
                f"{shown} is a symbolic link: benchsite does not write through links",
                hint=f"remove the link: rm {shown}",
            )
        if os.path.lexists(place) and not place.is_dir():
            raise InputError(f"{shown} is not a folder", hint=f"move it away: mv {shown} {shown}.old")
        try:
            if make:
                place.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot make {shown}: {(error.strerror or 'unknown error').lower()}",
                hint="free disk space, or fix the permissions of its parent folder",
            ) from None
    return place
