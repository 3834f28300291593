"""Reading a file whose size nobody vouches for."""

from __future__ import annotations

from pathlib import Path

from benchsite.errors import InputError


def read_bounded(path: Path, limit: int) -> bytes:
    """A file's bytes.

    Raises:
        InputError: it cannot be read, or is larger than `limit`.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot read {path}: not a regular file")
        with path.open("rb") as source:
            data = source.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None
    except ValueError as error:
        raise InputError(f"cannot read {str(path)!r}: {error}") from None
    if len(data) > limit:
        raise InputError(f"{path} is larger than {limit:,} bytes")
    return data
