"""What a site is made from besides the record: folders of prose and themes, and of an instance only what git tracks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from benchsite import resources, temporary
from benchsite.errors import InputError
from benchsite.layout import SCRATCH, in_record
from benchsite.pipeline.building.quoted_findings import FOLDER
from benchsite.pipeline.secrets.keyfinder import KeyFinder
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.words import amount, shown_path

__all__ = ["Gathered", "Own", "check", "gathered", "links", "promised"]

_OWN: Final = ("content", "theme")
_PRIVATE: Final = frozenset({".git", SCRATCH})
_MARKDOWN: Final = (".markdown", ".mdown", ".mkdn", ".mkd", ".md")
"""What mkdocs reads as prose."""
_NAMED: Final = 5
_PIECE: Final = 1024 * 1024


class Own(NamedTuple):
    """Files of an instance's prose and theme: those that git tracks, and the others."""

    tracked: tuple[Path, ...]
    untracked: tuple[Path, ...]

    def notes(self, root: Path) -> Iterator[str]:
        """Say which files are not served."""
        if self.untracked:
            names = [shown_path(path.relative_to(root).as_posix()) for path in self.untracked[:_NAMED]]
            more = len(self.untracked) - len(names)
            named = f"{', '.join(names)}{f' and {more} more' if more else ''}"
            yield f"not served: {named}: git does not track {amount(len(self.untracked), 'file')} (git add)"


class Gathered(NamedTuple):
    """One folder of prose and one of the theme."""

    prose: Path
    theme: Path


def prose(workspace: Workspace) -> tuple[Path, ...]:
    """The folders of prose: what came with benchsite, then the instance's own, whose files are added or replace ours."""
    packaged, own = resources.folder("content"), workspace.root / "content"
    return (packaged, own) if own.is_dir() and not own.samefile(packaged) else (packaged,)


def promised(workspace: Workspace) -> Iterator[tuple[Path, str]]:
    """Yield each folder of prose, and what the URLs start with that it promises for another repository; empty for none."""
    own = workspace.root / "content"
    for folder in prose(workspace):
        yield folder, "" if _is_same(own, folder) else f"{FOLDER}/"


def check(workspace: Workspace, snapshot: Snapshot) -> Own:
    """List the instance's own prose and theme; refuse what cannot be read, would look like the record, or is private.

    Raises:
        InputError: a file name or a page of the instance's own prose or theme is not UTF-8, a file contains a private
            key, a symbolic link leads to what git does not track, or to a folder that it is in, or `content/` has files
            where the site serves the record.
    """
    root, prose = workspace.root.resolve(), workspace.root / "content"
    tracked = workspace.repository.tracked_paths(rev=snapshot.commit)
    finder = KeyFinder([key.public_key for key in snapshot.log.keyring] if snapshot.log is not None else ())
    own: dict[bool, list[Path]] = {True: [], False: []}
    for path in _own(workspace):
        where = shown_path(path.relative_to(workspace.root).as_posix())
        if path.is_relative_to(prose) and in_record(path.relative_to(prose).as_posix()):
            raise InputError(f"{where} is where the site serves the record", hint="move it")
        if path.is_symlink() and path.exists() and not _may_lead(root, path, tracked):
            raise InputError(
                f"{where} is a symbolic link to {shown_path(str(path.resolve()))}, which the site must not contain",
                hint="replace the link with the files themselves",
            )
        if not path.is_dir():
            is_tracked = _is_tracked(workspace.root, path, tracked)
            if is_tracked or not path.name.startswith("."):
                own[is_tracked].append(path)
        try:
            _require_text(path, where)
            if path.is_file() and (found := finder.found_in(_pieces(path))):
                raise InputError(
                    f"{where}: {found}",
                    hint="move it out of the repository; if it was ever served or pushed, replace the key",
                )
        except OSError:
            continue  # what reads it names it
    return Own(tuple(own[True]), tuple(own[False]))


def _require_text(path: Path, where: str) -> None:
    """Raise InputError if a name or a page is not UTF-8."""
    try:
        path.name.encode()
        if path.name.endswith(_MARKDOWN) and path.is_file():
            path.read_bytes().decode()
    except UnicodeEncodeError:
        raise InputError(f"{where}: the file name is not UTF-8", hint="rename the file") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where} is not UTF-8 at byte {error.start}", hint="save the file as UTF-8"
        ) from None


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        while piece := source.read(_PIECE):
            yield piece


def _may_lead(root: Path, link: Path, tracked: frozenset[str]) -> bool:
    """Check that a link leads to what git tracks, which is not private, and to no folder that contains the link."""
    target = link.resolve()
    if not target.is_relative_to(root) or link.parent.resolve().is_relative_to(target):
        return False
    path = target.relative_to(root)
    if not _PRIVATE.isdisjoint(map(str.casefold, path.parts)):
        return False
    return path.as_posix() in tracked or any(name.startswith(f"{path.as_posix()}/") for name in tracked)


def _is_tracked(root: Path, path: Path, tracked: frozenset[str]) -> bool:
    """Check that git tracks a file, or a link on the way to it and what it leads to."""
    if path.relative_to(root).as_posix() in tracked:
        return True
    links = (one for one in path.parents if one.is_relative_to(root) and one.is_symlink())
    if not any(one.relative_to(root).as_posix() in tracked for one in links):
        return False
    return path.resolve().relative_to(root.resolve()).as_posix() in tracked


def links(workspace: Workspace) -> Iterator[str]:
    """The symbolic links among the instance's own prose and theme, by their paths."""
    for path in _own(workspace):
        if path.is_symlink():
            yield path.relative_to(workspace.root).as_posix()


def _own(workspace: Workspace) -> Iterator[Path]:
    """The instance's own folders of prose and theme, and what is in them; what a link leads to comes after the link."""
    for name in _OWN:
        top = workspace.root / name
        if top.exists() or top.is_symlink():
            yield top
        for folder, names, files in os.walk(top, followlinks=True):
            yield from (Path(folder, one) for one in sorted([*names, *files]))


@contextmanager
def gathered(workspace: Workspace, own: Own) -> Iterator[Gathered]:
    """Join the packaged prose and the tracked files of the instance, which replace packaged ones of the same path.

    Raises:
        InputError: a file cannot be read, or has the path of a folder of another.
    """
    packaged = Gathered(resources.folder("content"), resources.folder("theme"))
    with temporary.folder("benchsite-prose-") as made:
        folders = Gathered(made / "content", made / "theme")
        if not _is_same(workspace.root / "content", packaged.prose):
            # Findings are about the record of the repository that they are in.
            pages = (path for path in packaged.prose.rglob("*") if path.is_file())
            ours = (path for path in pages if path.relative_to(packaged.prose).parts[0] != FOLDER)
            _copy(packaged.prose, ours, folders.prose)
        for name, into in zip(_OWN, folders, strict=True):
            _copy(
                workspace.root / name,
                (path for path in own.tracked if path.is_relative_to(workspace.root / name)),
                into,
            )
        yield Gathered(folders.prose, folders.theme if folders.theme.is_dir() else packaged.theme)


def _is_same(one: Path, other: Path) -> bool:
    return one.is_dir() and one.samefile(other)


def _copy(folder: Path, files: Iterator[Path], into: Path) -> None:
    """Copy files to the same paths below another folder; one that is gone from the working tree is left out."""
    for path in files:
        target = into / path.relative_to(folder)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                shutil.copyfile(path, target)
        except OSError as error:
            where = shown_path(f"{into.name}/{path.relative_to(folder).as_posix()}")
            raise InputError(
                f"cannot add {where} to the packaged prose: {error.strerror or 'not a regular file'}",
                hint="check its permissions, and that it is not named like a packaged folder, such as content/docs/",
            ) from None
