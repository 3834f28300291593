"""Every error benchsite raises on purpose, and the exit code each one ends a command with.

    BenchsiteError           1
    ├── UsageError           2   the command line asks for something that does not exist
    ├── IntegrityError       3   something signed, logged or scored is not what it claims to be
    ├── InputError           4   a file handed to us is malformed or unreadable
    └── PrerequisiteError    5   the command is fine, the place is not ready for it

A failure of the harness is an exception from this tree. A failure of a measured subject is data in the
receipt and never an exception.
"""

from __future__ import annotations

from typing import ClassVar


class BenchsiteError(Exception):
    """Base of the tree: a sentence naming the thing and the place, and a hint naming the next step."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(BenchsiteError):
    """The command line names an option, adapter, fixture or receipt that does not exist."""

    exit_code = 2


class IntegrityError(BenchsiteError):
    """A signature, a log proof, a hash, a re-score or an invariant does not hold."""

    exit_code = 3


class InputError(BenchsiteError):
    """A fixture, receipt draft, sheet, key or configuration file is malformed or unreadable."""

    exit_code = 4


class PrerequisiteError(BenchsiteError):
    """A key, an optional dependency, a git repository or a clean working tree is missing."""

    exit_code = 5
