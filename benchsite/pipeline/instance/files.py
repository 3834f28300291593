"""Reading files and folders of unknown size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from benchsite.errors import InputError

_NAME: Final = "check the path and its permissions"
_MOST_FILES: Final = 10_000


class Folder(Mapping[str, bytes]):
    """The regular files of one kind in a folder and below it, by relative path; each is read when it is asked for.

    Linked folders are passed over and linked files refused, so that nothing outside the folder is read.
    """

    def __init__(self, path: Path, suffix: str, limit: int) -> None:
        """List the files.

        Args:
            path: the folder.
            suffix: of the files, with its dot.
            limit: bytes of one file at most.

        Raises:
            InputError: it is no folder, holds too many files, or a file of the kind is a link.
        """
        if not path.is_dir():
            raise InputError(f"cannot read {path}: not a folder", hint=_NAME)
        self._path, self._limit = path, limit
        self._names: list[str] = []
        for file in sorted(path.rglob(f"*{suffix}")):
            if file.is_symlink():
                place = file.relative_to(path).as_posix()
                raise InputError(
                    f"{place} in {path} is a symbolic link, which is not followed",
                    hint="put the file itself there",
                )
            inside = not any(part.is_symlink() for part in file.parents if path in part.parents)
            if inside and file.is_file():
                self._names.append(file.relative_to(path).as_posix())
            if len(self._names) > _MOST_FILES:
                raise InputError(f"{path} holds more than {_MOST_FILES:,} {suffix} files", hint=_NAME)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return read_bounded(self._path / name, self._limit)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def read_bounded(path: Path, limit: int) -> bytes:
    """A file's bytes.

    Raises:
        InputError: it cannot be read, or is larger than `limit`.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot read {path}: not a regular file", hint=_NAME)
        with path.open("rb") as source:
            data = source.read(limit + 1)
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {(error.strerror or 'unreadable').lower()}", hint=_NAME
        ) from None
    except ValueError as error:
        raise InputError(f"cannot read {str(path)!r}: {error}", hint=_NAME) from None
    if len(data) > limit:
        raise InputError(f"{path} is larger than {limit:,} bytes", hint=_NAME)
    return data
