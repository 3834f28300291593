"""Every error benchsite raises on purpose, and the exit code each one ends a command with.

    BenchsiteError               1
    ├── ProviderError            1   benchsite.tracks: a model gave no answer, which a run records
    ├── AlreadyMeasuredError     1   benchsite.track: the work ended in a receipt before
    ├── ThemeError               1   the theme is not what the builder can use
    ├── UsageError               2   the command line asks for something that does not exist
    ├── IntegrityError           3   something signed, logged or scored is not what it claims to be
    │   ├── LogError             3   benchsite.log: an entry, a segment or the log as a whole
    │   ├── NoteError            3   benchsite.log: a signed note, a checkpoint or a cosignature
    │   ├── ReceiptError         3   benchsite.receipt: a receipt against its schema
    │   └── RewrittenError       3   benchsite.repo: the remote's branch lost commits it had
    ├── InputError               4   a file handed to us is malformed or unreadable
    │   ├── DocumentError        4   benchsite.methodology: a methodology document, with every fault of it
    │   ├── JsonError            4   benchsite.canonical: JSON that is not strict
    │   └── YamlError            4   benchsite.yaml_document: YAML that is not strict
    └── PrerequisiteError        5   the command is fine, the place is not ready for it
        ├── GitError             5   benchsite.repo: a git command failed
        │   └── HeadError        5   benchsite.repo: the commit that HEAD names was lost or damaged
        ├── MovedError           5   benchsite.repo: the branch moved while it was written
        ├── PushRejectedError    5   benchsite.repo: the remote has newer commits
        ├── UncheckedError       5   benchsite.history: the numbers cannot be checked by this installation
        ├── TrackError           5   the package of a track failed
        ├── NotInstalledError    5   benchsite.isolation: a system isn't installed
        ├── NotGrantedError      5   benchsite.isolation: a program asks for more than it was granted
        └── UnsupportedSchema    5   benchsite.receipt: a schema that this release does not know
            └── UnclaimedSchema  5   benchsite.receipt: a file that names no schema of ours

A failure of the harness is an exception from this tree. A failure of a measured subject is data in the
receipt and never an exception. Every error names the next step: as its own `hint`, or as its class's.
"""

from __future__ import annotations

from typing import ClassVar


class BenchsiteError(Exception):
    """Base of the tree: a sentence naming the thing and the place, and a hint naming the next step.

    A class whose errors all share one next step names it as `next_step`; an error of its own `hint` keeps that.
    """

    exit_code: ClassVar[int] = 1
    next_step: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.next_step


class ThemeError(BenchsiteError):
    """A template, style or script of the theme is missing, or is not what the builder can use."""

    next_step = "`git log -- theme` shows who changed it; restore it, or reinstall benchsite"


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


class TrackError(PrerequisiteError):
    """The package of a track raised what it should not have; its receipts' signatures and places are checked without it."""

    next_step = "report it to the maintainers of that package"
