"""Files that one command leaves to spare the next one work: `.benchsite/cache/`, and who may be believed there.

Owns how such a file is opened and replaced. What is in it is its owner's: keys of content, and what a line can make true.
None is read in CI, under `--full`, or where the commit at HEAD holds scratch. A file that cannot be written is not kept,
and no command fails for that.

Refuses, as OSError, ValueError or InputError, a link, a file of another user, one that is too large, and no regular file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from benchsite.errors import BenchsiteError
from benchsite.layout import CACHE
from benchsite.pipeline.instance.scratch import require_folder

__all__ = ["New", "opened", "replacing"]


def opened(root: Path, name: str, *, largest: int) -> BinaryIO:
    """A regular file of this user in the folder of caches, for reading; raises as this module says."""
    path = require_folder(root, CACHE, make=False) / name
    with ExitStack() as held:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        source = held.enter_context(os.fdopen(handle, "rb"))
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_size > largest:
            raise ValueError(path)
        held.pop_all()
    return source


class New:
    """A file on its way to take the place of a cache."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._temporary: Path | None = None
        self.out: BinaryIO | None = None
        """What to write to; None where nothing can be written."""

    def create(self, root: Path, held: ExitStack) -> None:
        """Make the file, and remove what killed commands left."""
        self._temporary = require_folder(root, CACHE) / f".{self._name}.{os.getpid()}.tmp"
        for left in self._temporary.parent.glob(f".{self._name}.*.tmp"):
            if not _is_running(left.name.split(".")[-2]) or left == self._temporary:
                left.unlink()
        handle = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        held.callback(_forgotten, self._temporary)
        self.out = os.fdopen(handle, "wb")
        held.callback(_closed, self.out)

    def take_place(self) -> None:
        """Become the cache; the file is whole."""
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.replace(self._temporary.with_name(self._name))


@contextmanager
def replacing(root: Path, name: str) -> Iterator[New]:
    """A new file for a cache, which is gone at the end unless it took the place of the old one."""
    with ExitStack() as held:
        new = New(name)
        with suppress(OSError, BenchsiteError):
            new.create(root, held)
        yield new


def _is_running(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True


def _closed(out: BinaryIO) -> None:
    with suppress(OSError):  # what a full disk did not take is written once more
        out.close()


def _forgotten(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
