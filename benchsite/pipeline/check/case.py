"""The branch under examination: its commits, the instance as they leave it, and the log as they found it."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchsite import yaml_document
from benchsite.errors import BenchsiteError
from benchsite.layout import CONFIG
from benchsite.log import Log
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.config import Config
from benchsite.pipeline.measure import run
from benchsite.pipeline.record import Record
from benchsite.pipeline.report import Item, Step, altered, commit_named, failure, judged
from benchsite.repo import Branch, Change, Repository

__all__ = ["Case", "configured", "opened"]


@dataclass(frozen=True, slots=True)
class Case:
    """What every step looks at.

    Attributes:
        changes: every file that each commit of the branch changes, newest first.
        difference: every file that differs between the base and HEAD.
        instance: None where the configuration is malformed.
        before: the log at the base; None where it had not begun, or cannot be opened.
        after: the log at HEAD; None for the same reasons.
    """

    repository: Repository
    branch: Branch
    changes: tuple[Change, ...]
    difference: tuple[Change, ...]
    instance: Instance | None
    before: Log | None
    after: Log | None


def configured(root: Path) -> tuple[Instance | None, tuple[Item, ...]]:
    """The instance, and what is wrong with its configuration, the suite included."""
    try:
        instance = Instance(root)
    except BenchsiteError as error:
        return None, (failure(CONFIG, error),)
    try:
        if instance.config.benchsite.suite:
            run.suite(instance)
    except BenchsiteError as error:
        return instance, (failure(CONFIG, error),)
    return instance, ()


def opened(
    repository: Repository, branch: Branch, instance: Instance | None, faults: tuple[Item, ...]
) -> tuple[Case, Step, tuple[Item, ...]]:
    """Open the log at both ends.

    Returns:
        The case, the step of the configuration (which may not change who the log is), and what is wrong with
        the log at either end.
    """
    changes = tuple(branch.changes())
    items, troubles = list(faults), list[Item]()
    before = after = None
    if instance is not None:
        earlier = _earlier(instance, branch, troubles)
        if earlier is not None:
            items.extend(_identity(earlier.config, instance.config, repository, changes))
            before = _log(earlier, branch.base or "", f"the log at {branch.onto}", troubles)
        after = _log(instance, branch.head, "the log at HEAD", troubles)
    case = Case(repository, branch, changes, tuple(branch.difference()), instance, before, after)
    return case, judged("configuration", items, f"{CONFIG} is valid"), tuple(troubles)


def _earlier(instance: Instance, branch: Branch, troubles: list[Item]) -> Instance | None:
    """The same repository under the configuration of the base; None where that had none, or none that is valid."""
    data = instance.repository.read(CONFIG, rev=branch.base) if branch.base is not None else None
    if data is None:
        return None
    try:
        config = Config(yaml_document.load(data, CONFIG))
    except BenchsiteError as error:
        troubles.append(failure(f"{CONFIG} at {branch.onto}", error))
        return None
    earlier = copy.copy(instance)
    earlier.config = config
    return earlier


def _identity(earlier: Config, now: Config, repository: Repository, changes: Sequence[Change]) -> list[Item]:
    """A log keeps its origin and its root keys permanently, in every commit."""
    old = earlier.benchsite
    if not old.root_keys:
        return []
    found: dict[str, Item] = {}
    for config, when in (*_past(repository, changes), (now, "")):
        new = config.benchsite
        for name, differs in (
            ("origin", old.origin != new.origin),
            ("root_keys", old.root_keys != new.root_keys),
        ):
            if differs and name not in found:
                found[name] = altered(
                    CONFIG,
                    f"extra.benchsite.{name} was changed{when} after the log was created",
                    "restore it, and remove the commit that changed it (git rebase -i): it identifies the log",
                )
    return list(found.values())


def _past(repository: Repository, changes: Sequence[Change]) -> Iterator[tuple[Config, str]]:
    """The configurations that the branch's commits had, oldest first, as far as they are any."""
    for change in reversed(changes):
        if change.path == CONFIG and change.is_regular:
            with contextlib.suppress(BenchsiteError):
                yield Config(yaml_document.load(repository.blob(change.blob), CONFIG)), commit_named(change)


def _log(instance: Instance, rev: str, where: str, troubles: list[Item]) -> Log | None:
    try:
        return Record.at(instance, rev).log
    except BenchsiteError as error:
        troubles.append(failure(where, error))
        return None
