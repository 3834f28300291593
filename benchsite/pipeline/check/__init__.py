"""check: will this pull request pass? Everything a change must hold to, asked before anybody reviews it.

    configuration -> record -> private keys -> methodologies -> fixtures -> drafts -> adapters -> build

Each step looks at what the branch has beyond the merge base, and one that fails does not hide the next. The record
and the drafts are read from commits; rules, data and configuration from the working tree, as `build` reads them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from benchsite.errors import BenchsiteError, InputError, IntegrityError, PrerequisiteError
from benchsite.pipeline import secrets
from benchsite.pipeline.check import adapters, documents, drafts, record, sheets
from benchsite.pipeline.check.case import Case, configured, opened
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.report import (
    Item,
    Step,
    failure,
    judged,
    shown_path,
    skipped,
)
from benchsite.pipeline.verify import exit_code
from benchsite.repo import Branch, Repository

__all__ = ["Item", "Progress", "Report", "Step", "check"]

Progress = Callable[[int, int, str], None]
_STEPS: Final = 10
_EXPECTED: Final = (IntegrityError.exit_code, InputError.exit_code, PrerequisiteError.exit_code)
_MOST_TOLD: Final = 20


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
    root: Path,
    *,
    onto: str | None = None,
    build: bool = True,
    progress: Progress = lambda _done, _total, _label: None,
) -> Report:
    """Ask everything of the branch that HEAD is on.

    Args:
        root: a folder of the repository.
        onto: the revision the branch is meant for; by default the default branch of `origin`.
        build: build the site too, into a folder that is thrown away.
        progress: called with (done, total, label) after each step.

    Raises:
        PrerequisiteError: no git repository, or nothing committed yet.
        UsageError: `onto` names no commit.
    """
    repository = Repository.open(root)
    branch = repository.branch_beyond(onto)
    steps = []
    for step in _steps(repository, branch, build=build):
        steps.append(step)
        progress(len(steps), _STEPS, step.name)
    return Report(branch.base, tuple(steps))


def _steps(repository: Repository, branch: Branch, *, build: bool) -> Iterator[Step]:
    yield _base(repository, branch)
    instance, faults = configured(repository.root)
    case, configuration, troubles = opened(repository, branch, instance, faults)
    yield configuration
    yield _guarded("record", lambda: record.check(case, troubles))
    yield _guarded(
        "private keys", lambda: secrets.check(repository, branch, case.changes, _public_keys(case))
    )
    rest: dict[str, Callable[[Case, Instance], Step]] = {
        "methodologies": documents.methodologies,
        "fixtures": documents.fixtures,
        "sheets": sheets.check,
        "drafts": drafts.check,
        "adapters": adapters.check,
        "build": _build if build else _not_built,
    }
    for name, ask in rest.items():
        if instance is None:
            yield skipped(name, "the configuration must be valid first")
        else:
            yield _guarded(name, partial(ask, case, instance))


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
            "the history of this clone is cut off: git fetch --unshallow"
            if cut
            else f"begin from a clone of the repository: git switch -c NAME {branch.onto}, and bring your changes there"
        )
        problem = f"this branch and {branch.onto} share no commit, so the whole of it was checked as new"
        item = Item(branch.onto, problem, hint, 5 if cut else 4)
        return judged("base", [item], "")
    waiting = repository.changed_paths()
    left = (
        f"; {len(waiting)} uncommitted changes, {shown_path(waiting[0])} among them, are no part of it"
        if waiting
        else ""
    )
    if branch.base is None:
        return Step("base", "pass", f"no origin/main to compare with: the whole repository is checked{left}")
    count = len(branch.commits())
    beyond = f"{count} commit{'s' if count != 1 else ''} beyond {branch.onto} ({branch.base[:12]})"
    return Step("base", "pass", f"{beyond}{left}")


def _public_keys(case: Case) -> list[bytes]:
    """The keys of the log, at either end."""
    return [key.public_key for log in (case.before, case.after) if log is not None for key in log.keyring]


def _not_built(_case: Case, _instance: Instance) -> Step:
    return skipped("build", "left out by --no-build")


def _build(_case: Case, instance: Instance) -> Step:
    """Build the site in a process of its own: a branch's theme and mkdocs hooks are code, and this one may hold keys."""
    with tempfile.TemporaryDirectory(prefix="benchsite-check-") as folder:
        command = [sys.executable, "-m", "benchsite", "build", "--output", f"{folder}/site"]
        done = subprocess.run(
            command, cwd=instance.root, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    said = [done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")]
    if done.returncode == 0:
        return Step("build", "pass", " ".join(said[0].split()).partition(", to ")[0])
    lines = [line.strip() for line in said[1].splitlines() if line.strip()] or ["it ended without a word"]
    code = done.returncode if done.returncode in _EXPECTED else InputError.exit_code
    hint = next((line.removeprefix("try: ") for line in lines if line.startswith("try: ")), "benchsite build")
    told = [line.removeprefix("error: ") for line in lines if not line.startswith("try: ")]
    return judged("build", [Item("site", line[:500], hint, code) for line in told[:_MOST_TOLD]], "")
