"""What a site is made from besides the record: folders of prose and themes, and what verification and the last build left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchsite import resources, temporary
from benchsite.pipeline.building import output
from benchsite.pipeline.building.cache import Shown
from benchsite.pipeline.building.headers import Headers
from benchsite.pipeline.instance import Instance

__all__ = ["Site", "folders", "joined", "prose", "themes"]


class Site(NamedTuple):
    """What a site is made from besides the record: `pages` as the last build noted them, `pinned` what receipts name."""

    staging: Path
    prose: Path
    headers: Headers
    pages: Mapping[str, Shown]
    release: str
    pinned: AbstractSet[str]


def prose(instance: Instance) -> tuple[Path, ...]:
    """The folders of prose: what came with benchsite, then the instance's own, whose files are added or replace ours."""
    packaged, own = resources.folder("content"), instance.root / "content"
    return (packaged, own) if own.is_dir() and not own.samefile(packaged) else (packaged,)


def themes(instance: Instance) -> tuple[Path, Path]:
    """The theme of the pages, the instance's own if there is one, and benchsite's, which verify.html always uses."""
    own, packaged = instance.root / "theme", resources.folder("theme")
    return own if own.is_dir() else packaged, packaged


def folders(instance: Instance) -> tuple[Path, ...]:
    """Every folder of prose and of themes that a site is made from."""
    return (*prose(instance), *themes(instance))


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
