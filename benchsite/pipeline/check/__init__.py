"""check: will this pull request pass? Everything a change must hold to, asked before anybody reviews it.

    configuration -> names -> record -> private keys -> code -> methodologies -> fixtures -> drafts -> adapters -> build

Each step looks at what the branch has beyond the merge base, and one that fails does not hide the next. The record
and the drafts are read from commits; methodologies, fixtures and configuration from the working tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from benchsite.errors import BenchsiteError
from benchsite.pipeline import secrets
from benchsite.pipeline.check import adapters, code, documents, drafts, names, record, sheets, site
from benchsite.pipeline.check.case import Case, configured, opened
from benchsite.pipeline.report import (
    Item,
    Step,
    failure,
    judged,
    shown_path,
    skipped,
)
from benchsite.pipeline.verify import exit_code
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress, silent
from benchsite.repo import Branch, Repository
from benchsite.words import amount

__all__ = ["Item", "Report", "Step", "check"]

_STEPS: Final = 12


@dataclass(frozen=True, slots=True)
class Report:
    """What was asked of the branch, in order; `base` is the commit it was compared with, None for nothing."""

    base: str | None
    steps: tuple[Step, ...]

    @property
    def ok(self) -> bool:
        """Whether no step failed."""
        return not any(step.state == "fail" for step in self.steps)

    @property
    def exit_code(self) -> int:
        """0, or of everything that stands in the way 3 before 4 before 5."""
        return exit_code([item.code for step in self.steps for item in step.items])


def check(
    repository: Repository,
    head: str | None,
    *,
    onto: str | None = None,
    build: bool = True,
    progress: Progress = silent,
) -> Report:
    """Ask everything of a branch, whose newest commit the working tree has.

    Args:
        repository: where.
        head: the newest commit of the branch; None if nothing was committed yet.
        onto: the revision the branch is meant for; by default the default branch of `origin`.
        build: build the site too, into a folder that is thrown away.
        progress: called with (done, total, label) after each step.

    Raises:
        PrerequisiteError: nothing was committed yet.
        UsageError: `onto` names no commit.
    """
    branch = repository.branch_beyond(head, onto)
    steps = []
    for step in _steps(repository, branch, build=build):
        steps.append(step)
        progress(len(steps), _STEPS, step.name)
    return Report(branch.base, tuple(steps))


def _steps(repository: Repository, branch: Branch, *, build: bool) -> Iterator[Step]:
    yield _base(repository, branch)
    workspace, faults = configured(repository.root)
    case, configuration, troubles = opened(repository, branch, workspace, faults)
    yield configuration
    yield _guarded("names", lambda: names.check(case))
    yield _guarded("record", lambda: record.check(case, troubles))
    yield _guarded(
        "private keys", lambda: secrets.check(repository, branch, case.changes, _public_keys(case))
    )
    yield _guarded("code", lambda: code.check(case))
    rest: dict[str, Callable[[Case, Workspace], Step]] = {
        "methodologies": documents.methodologies,
        "fixtures": documents.fixtures,
        "sheets": sheets.check,
        "drafts": drafts.check,
        "adapters": adapters.check,
        "build": site.check if build else _not_built,
    }
    for name, ask in rest.items():
        if workspace is None:
            yield skipped(name, "fix the configuration first")
        else:
            yield _guarded(name, partial(ask, case, workspace))


def _guarded(name: str, ask: Callable[[], Step]) -> Step:
    """A step whose own failure is an item like any other."""
    try:
        return ask()
    except BenchsiteError as error:
        return judged(name, [failure(name, error)], "")


def _base(repository: Repository, branch: Branch) -> Step:
    """What the branch is compared with, and what of the working tree is no part of it."""
    if branch.kinship in ("unrelated", "shallow"):
        cut = branch.kinship == "shallow"
        hint = (
            "this clone is shallow; run: git fetch --unshallow"
            if cut
            else f"start from a clone of the repository: git switch -c NAME {branch.onto}, then move your changes there"
        )
        problem = f"this branch and {branch.onto} share no commit: every file was checked as new"
        item = Item(branch.onto, problem, hint, 5 if cut else 4)
        return judged("base", [item], "")
    waiting = repository.changed_paths()
    left = ""
    if waiting:
        first = shown_path(waiting[0]) + (", …" if len(waiting) > 1 else "")
        left = f"; not checked: {amount(len(waiting), 'uncommitted change')} ({first})"
    if branch.base is None:
        return Step("base", "pass", f"no origin/main to compare with: the whole repository is checked{left}")
    count = len(branch.commits())
    beyond = f"{amount(count, 'commit')} beyond {branch.onto} ({branch.base[:12]})"
    return Step("base", "pass", f"{beyond}{left}")


def _public_keys(case: Case) -> list[bytes]:
    """The keys of the log, at either end."""
    return [key.public_key for log in (case.before, case.after) if log is not None for key in log.keyring]


def _not_built(_case: Case, _workspace: Workspace) -> Step:
    return skipped("build", "not checked: --no-build")
