"""What a check found: steps, each with its state and a sentence, and the items that decided it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchsite.errors import BenchsiteError, InputError, IntegrityError, PrerequisiteError
from benchsite.repo import Change
from benchsite.words import amount, shown_path

__all__ = [
    "Item",
    "Step",
    "altered",
    "commit_named",
    "failure",
    "judged",
    "malformed",
    "shown_path",
    "skipped",
    "suspect",
    "warned",
]

State = Literal["pass", "fail", "warning", "not checked"]
_REPORTED = (IntegrityError.exit_code, InputError.exit_code, PrerequisiteError.exit_code)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to act on: where it is, what is wrong, what to do next, and its exit code, 0 for a warning."""

    where: str
    message: str
    hint: str
    code: int


@dataclass(frozen=True, slots=True)
class Step:
    """One check of the branch, and its result."""

    name: str
    state: State
    detail: str
    items: tuple[Item, ...] = ()


def altered(where: str, message: str, hint: str) -> Item:
    """Something that was published, or must never be, is not as it should be."""
    return Item(where, message, hint, IntegrityError.exit_code)


def malformed(where: str, message: str, hint: str) -> Item:
    """A file of the branch is not what a file of its kind must be."""
    return Item(where, message, hint, InputError.exit_code)


def suspect(where: str, message: str, hint: str) -> Item:
    """Something that is allowed, and that a maintainer must have seen."""
    return Item(where, message, hint, 0)


def failure(where: str, error: BenchsiteError) -> Item:
    """An error as an item; whatever a file names that does not exist is malformed input here."""
    code = error.exit_code if error.exit_code in _REPORTED else InputError.exit_code
    return Item(where, error.message, error.hint, code)


def judged(name: str, items: Sequence[Item], good: str) -> Step:
    """A step that failed where there are items, with `good` as its sentence where there are none.

    Items that are warnings fail no step, and do not count among the faults of one that others fail.
    """
    faults = sum(item.code != 0 for item in items)
    if not faults:
        return warned(name, items, amount(len(items), "warning"), good)
    return Step(name, "fail", f"{amount(faults, 'problem')} found", tuple(items))


def warned(name: str, items: Sequence[Item], count: str, good: str) -> Step:
    """A step that no item fails: a warning with `count` as its sentence, or passed where there is none."""
    return Step(name, "warning", count, tuple(items)) if items else Step(name, "pass", good)


def skipped(name: str, reason: str) -> Step:
    """A step that was not taken."""
    return Step(name, "not checked", reason)


def commit_named(change: Change) -> str:
    """` in commit 0123456789ab`, where the change is a commit's; nothing for a difference of two trees."""
    return f" in commit {change.commit[:12]}" if change.commit else ""
