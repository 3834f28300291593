"""The two published editions of WorkBench: the one that is read, of July 2024, and that of June 2026, which is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from benchsite.errors import InputError

__all__ = ["COMMIT", "is_newer_header", "other_edition", "require_known"]

COMMIT: Final = "42f1b6d"
"""Commit of olly-styles/WorkBench with the edition of July 2024."""
_FOLDER: Final = "processed/tasks_and_outcomes/"


def require_known(names: Iterable[str]) -> None:
    """Raise `InputError` if the files are those of the edition of June 2026."""
    for name in names:
        if name.startswith((_FOLDER, _FOLDER.removeprefix("processed/"))):
            raise other_edition("this folder")


def is_newer_header(header: Sequence[str]) -> bool:
    """Whether the columns of a file of results are those of the edition of June 2026."""
    return len(header) > 0 and header[0] == "task" and "function_calls" in header


def other_edition(what: str) -> InputError:
    """Return the error that names the edition that was found, and the commit of the one that is read."""
    return InputError(
        f"WorkBench: {what} is of the 2026 edition; the edition that benchsite reads is of July 2024, "
        f"commit {COMMIT} of the same repository",
        hint=f"run: git -C WorkBench checkout {COMMIT}",
    )
