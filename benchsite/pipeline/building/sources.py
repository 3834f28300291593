"""What a site is made from besides the record: folders of prose and themes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchsite import resources, temporary
from benchsite.errors import InputError
from benchsite.layout import SCRATCH, in_record
from benchsite.pipeline.building import output
from benchsite.pipeline.instance import Instance
from benchsite.words import shown_path

__all__ = ["check", "joined", "links", "prose", "themes"]

_OWN: Final = ("content", "theme")
_PRIVATE: Final = frozenset({".git", SCRATCH})
_MARKDOWN: Final = (".markdown", ".mdown", ".mkdn", ".mkd", ".md")
"""What mkdocs reads as prose."""


def prose(instance: Instance) -> tuple[Path, ...]:
    """The folders of prose: what came with benchsite, then the instance's own, whose files are added or replace ours."""
    packaged, own = resources.folder("content"), instance.root / "content"
    return (packaged, own) if own.is_dir() and not own.samefile(packaged) else (packaged,)


def themes(instance: Instance) -> tuple[Path, Path]:
    """The theme of the pages, the instance's own if there is one, and benchsite's, which verify.html always uses."""
    own, packaged = instance.root / "theme", resources.folder("theme")
    return own if own.is_dir() else packaged, packaged


def check(instance: Instance) -> None:
    """Refuse what cannot be read, what would look like the record, and links to what the repository does not publish.

    Raises:
        InputError: a file name or a page of the instance's own prose or theme is not UTF-8, a symbolic link leads out of
            the repository, into `.git` or `.benchsite`, or to a folder that it is in, or `content/` has files where the
            site serves the record.
    """
    root, prose = instance.root.resolve(), instance.root / "content"
    for path in _own(instance):
        where = shown_path(path.relative_to(instance.root).as_posix())
        if path.is_relative_to(prose) and in_record(path.relative_to(prose).as_posix()):
            raise InputError(f"{where} is where the site serves the record", hint="move it")
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
        except OSError:
            continue  # what reads it names it
        if path.is_symlink() and path.exists() and not _may_lead(root, path):
            raise InputError(
                f"{where} is a symbolic link to {shown_path(str(path.resolve()))}, which the site must not contain",
                hint="replace the link with the files themselves",
            )


def _may_lead(root: Path, link: Path) -> bool:
    """Whether what a link leads to is in the repository, not private, and no folder that contains the link."""
    target = link.resolve()
    inside = target.is_relative_to(root)
    public = inside and _PRIVATE.isdisjoint(map(str.casefold, target.relative_to(root).parts))
    return public and not link.parent.resolve().is_relative_to(target)


def links(instance: Instance) -> Iterator[str]:
    """The symbolic links among the instance's own prose and theme, by their paths."""
    for path in _own(instance):
        if path.is_symlink():
            yield path.relative_to(instance.root).as_posix()


def _own(instance: Instance) -> Iterator[Path]:
    """The instance's own folders of prose and theme, and what is in them; what a link leads to comes after the link."""
    for name in _OWN:
        top = instance.root / name
        if top.exists() or top.is_symlink():
            yield top
        for folder, names, files in os.walk(top, followlinks=True):
            yield from (Path(folder, one) for one in sorted([*names, *files]))


@contextmanager
def joined(parts: Sequence[Path]) -> Iterator[Path]:
    """One folder with the files of all of them, a later folder's file in place of an earlier one's.

    Raises:
        InputError: a file cannot be read, or has the path of a folder of another.
    """
    if len(parts) == 1:
        yield parts[0]
        return
    with temporary.folder("benchsite-prose-") as made:
        whole = made / "content"
        for folder in parts:
            output.copied(folder, whole)
        yield whole
