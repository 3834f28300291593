"""Reading a file whose size nobody vouches for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from benchsite.errors import InputError

_NAME: Final = "check that the path names the file you mean, and that you may read it"


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
