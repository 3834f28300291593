"""The branch under examination: its commits, the instance as they leave it, and the log as they found it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchsite.errors import BenchsiteError
from benchsite.layout import CONFIG
from benchsite.log import Log
from benchsite.pipeline.changes import Published
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.measure import run
from benchsite.pipeline.record.alterations import branch_alterations
from benchsite.pipeline.report import Item, Step, altered, failure, judged
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.config import Config
from benchsite.repo import Branch, Change, Repository

__all__ = ["Case", "configured", "opened"]


@dataclass(frozen=True, slots=True)
class Case:
    """What every step examines.

    Attributes:
        changes: every file that each commit of the branch changes, newest first.
        difference: every file that differs between the base and HEAD.
        workspace: the working tree; None if its configuration is malformed.
        snapshot: the record at HEAD.
        before: the log at the base; None if it had not begun, or cannot be opened.
        after: the log at HEAD; None for the same reasons.
        published: the log that the commits are judged by: at HEAD if it extends the one at the base.
        alterations: what the commits of the branch did that the rule table forbids, oldest first.
    """

    repository: Repository
    branch: Branch
    changes: tuple[Change, ...]
    difference: tuple[Change, ...]
    workspace: Workspace | None
    snapshot: Snapshot
    before: Log | None
    after: Log | None
    published: Published
    alterations: tuple[Finding, ...]


def configured(root: Path) -> tuple[Workspace | None, tuple[Item, ...]]:
    """The instance, and what is wrong with its configuration, the suite included."""
    try:
        workspace = Workspace(root)
    except BenchsiteError as error:
        return None, (failure(CONFIG, error),)
    try:
        if workspace.config.benchsite.suite:
            run.suite(workspace)
    except BenchsiteError as error:
        return workspace, (failure(CONFIG, error),)
    return workspace, ()


def opened(
    repository: Repository, branch: Branch, workspace: Workspace | None, faults: tuple[Item, ...]
) -> tuple[Case, Step, tuple[Item, ...]]:
    """Open the log at both ends, and judge every commit by it.

    Returns:
        The case, the step of the configuration (which may not change the log's identity), and what is wrong with
        the log at either end.
    """
    changes = tuple(branch.changes())
    items, troubles = list(faults), list[Item]()
    before = after = earlier = None
    snapshot = Snapshot(repository, branch.head)
    if workspace is not None:
        earlier = _configured_at(repository, branch.base, f"{CONFIG} at {branch.onto}", troubles)
        before = _log(earlier, f"the log at {branch.onto}", troubles)
        after = _log(snapshot, "the log at HEAD", troubles)
    published = _published(before, after, earlier, snapshot)
    altered_by = list[Finding]()
    try:
        altered_by = branch_alterations(repository, branch, published)
    except BenchsiteError as error:
        troubles.append(failure("the history of the branch", error))
    if earlier is not None and workspace is not None:
        items.extend(_identity(earlier.config, workspace.config, altered_by))
    case = Case(
        repository,
        branch,
        changes,
        tuple(branch.difference()),
        workspace,
        snapshot,
        before,
        after,
        published,
        tuple(altered_by),
    )
    return case, judged("configuration", items, f"{CONFIG} is valid"), tuple(troubles)


def _published(
    before: Log | None, after: Log | None, earlier: Snapshot | None, snapshot: Snapshot
) -> Published:
    """Return the log at HEAD if it extends the log at the base, else the log at the base."""
    extends = after is not None and (
        before is None or (before.size <= after.size and after.root(before.size) == before.root())
    )
    log, opened_by = (after, snapshot) if extends else (before, earlier)
    if opened_by is None:
        return Published(log, ("", ()))
    settings = opened_by.config.benchsite
    return Published(log, (settings.origin, settings.root_keys))


def _configured_at(
    repository: Repository, commit: str | None, where: str, troubles: list[Item]
) -> Snapshot | None:
    """Return the record at a commit; None if that commit has no configuration, or a malformed one."""
    snapshot = Snapshot(repository, commit)
    try:
        if snapshot.read(CONFIG) is None:
            return None
        snapshot.config  # noqa: B018 - reading it is the question
    except BenchsiteError as error:
        troubles.append(failure(where, error))
        return None
    return snapshot


def _identity(earlier: Config, now: Config, alterations: Sequence[Finding]) -> list[Item]:
    """A log keeps its origin and its root keys permanently: in every commit, and in the working tree."""
    old, new = earlier.benchsite, now.benchsite
    if not old.root_keys:
        return []
    found: dict[str, Item] = {}
    for kind, name, differs in (
        (Kind.ORIGIN, "origin", old.origin != new.origin),
        (Kind.ROOT, "root_keys", old.root_keys != new.root_keys),
    ):
        commits = [f" in commit {item.commit[:12]}" for item in alterations if item.kind is kind]
        for when in [*commits, *([""] if differs else [])][:1]:
            found[name] = altered(
                CONFIG,
                f"extra.benchsite.{name} was changed{when} after the log was created",
                "restore it, and remove the commit that changed it (git rebase -i): it identifies the log",
            )
    return list(found.values())


def _log(snapshot: Snapshot | None, where: str, troubles: list[Item]) -> Log | None:
    try:
        return snapshot.log if snapshot is not None else None
    except BenchsiteError as error:
        troubles.append(failure(where, error))
        return None
