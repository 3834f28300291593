"""Reading files and folders of unknown size."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchsite.errors import InputError
from benchsite.words import shown_path

_NAME: Final = "check the path and its permissions"
_SMALLER: Final = "it is read whole: give a smaller file"
_MOST_FILES: Final = 10_000
_PIECE: Final = 1024 * 1024


class Folder(Mapping[str, bytes]):
    """The regular files of one kind in a folder and below it, by relative path; each is read when it is asked for.

    Linked folders are passed over with a warning and linked files refused, so that nothing outside the folder is read.
    """

    def __init__(self, path: Path, suffixes: str | tuple[str, ...], limit: int) -> None:
        """List the files.

        Args:
            path: the folder.
            suffixes: endings of the files' names, with their dots.
            limit: bytes of one file at most.

        Raises:
            InputError: it is no folder, holds too many files, or a file of the kind is a link.
        """
        if not path.is_dir():
            raise InputError(f"cannot read {path}: not a folder", hint=_NAME)
        self._path, self._limit = path, limit
        self._names: dict[str, None] = {}
        for file in sorted(_below(path)):
            place = file.relative_to(path).as_posix()
            if file.is_symlink() and file.is_dir():
                logging.getLogger("benchsite").warning(
                    "folder passed over: %s in %s is a symbolic link; to have it read, put the folder itself there",
                    shown_path(place),
                    path,
                )
            elif file.is_symlink() and file.name.endswith(suffixes):
                raise InputError(
                    f"{place} in {path} is a symbolic link, which is not followed",
                    hint="put the file itself there",
                )
            elif file.name.endswith(suffixes) and file.is_file():
                self._names[place] = None
            if len(self._names) > _MOST_FILES:
                kinds = suffixes if isinstance(suffixes, str) else " and ".join(suffixes)
                raise InputError(f"{path} holds more than {_MOST_FILES:,} {kinds} files", hint=_NAME)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return read_bounded(self._path / name, self._limit)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def path(self, name: str) -> Path:
        """Return the path of a file, for one that is too large to be read."""
        return self._path / name

    def __len__(self) -> int:
        return len(self._names)


def _below(folder: Path) -> Iterator[Path]:
    """Every file, and every folder that is a link, in a folder and below it."""
    for place, folders, files in os.walk(folder):
        here = Path(place)
        yield from (here / name for name in files)
        yield from (linked for name in folders if (linked := here / name).is_symlink())


def bounded_lines(path: Path, limit: int) -> Iterator[bytes]:
    """Yield a file's lines, one in memory at a time.

    Raises:
        InputError: it cannot be read, or a line is longer than `limit` bytes.
    """
    with _reading(path), path.open("rb") as source:
        for number, line in enumerate(iter(lambda: source.readline(limit + 1), b""), 1):
            if len(line) > limit:
                raise InputError(
                    f"{path} line {number}: longer than {limit:,} bytes", hint="shorten the line"
                )
            yield line


def read_bounded(path: Path, limit: int) -> bytes:
    """A file's bytes.

    Raises:
        InputError: it cannot be read, or is larger than `limit`.
    """
    with _reading(path), path.open("rb") as source:
        data = source.read(limit + 1)
    if len(data) > limit:
        raise InputError(f"{path} is larger than {limit:,} bytes", hint=_SMALLER)
    return data


class Streamed:
    """A regular file that is read in pieces: a `benchsite.track.parts.Readable`."""

    def __init__(self, path: Path) -> None:
        """Look at the file.

        Raises:
            InputError: it cannot be read.
        """
        with _reading(path), path.open("rb") as source:
            self.size = os.fstat(source.fileno()).st_size
        self.name, self.path = path.name, str(path)

    def chunks(self) -> Iterator[bytes]:
        """Yield its bytes from the start, 1 MiB at a time; raises `InputError`."""
        path = Path(self.path)
        with _reading(path), path.open("rb") as source:
            yield from iter(lambda: source.read(_PIECE), b"")

    def sha256(self) -> str:
        """Return the SHA-256 of its bytes; raises `InputError`."""
        found = hashlib.sha256()
        for piece in self.chunks():
            found.update(piece)
        return found.hexdigest()


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn what the operating system says of an unreadable file into an `InputError`."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot read {path}: not a regular file", hint=_NAME)
        yield
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {(error.strerror or 'unreadable').lower()}", hint=_NAME
        ) from None
    except ValueError as error:
        raise InputError(f"cannot read {str(path)!r}: {error}", hint=_NAME) from None
