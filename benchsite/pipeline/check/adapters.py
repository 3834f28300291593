"""The contract test for every adapter that the branch adds or changes, and the sentence why others were left alone.

An adapter is found in three places: the suite of `mkdocs.yml`, programs at `adapters/<name>/adapter`, and the entry
points of any `pyproject.toml` in the repository. Nothing is imported to find one: what measures or is measured is
never loaded into this process. A class that is not installed here cannot be tested, and that is said, not passed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchsite import plugins
from benchsite.errors import BenchsiteError, PrerequisiteError
from benchsite.isolation.environments.installed import NotInstalledError
from benchsite.isolation.source import file_argument
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.measure import adapters
from benchsite.pipeline.measure.run import suite
from benchsite.pipeline.report import Item, Step, failure, judged, malformed, skipped
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import REGULAR
from benchsite.track import COMMAND, PROGRAMS

__all__ = ["check"]

NAME: Final = "adapters"
_PROJECT: Final = "pyproject.toml"
_INSTALLED: Final = ".ci/subjects.txt"
_LARGEST_PROJECT: Final = 1024 * 1024
_PROGRAM: Final = re.compile(rf"{adapters.FOLDER}/([^/]+)/{adapters.PROGRAM}")


@dataclass(frozen=True, slots=True)
class _Subject:
    """An adapter as the command line names it.

    Attributes:
        name: of an entry point, or a command.
        options: as the suite gives them.
        reference: what the repository registers it as.
        folder: of the package in the repository that registers it; empty for any other, and for the root.
    """

    name: str
    options: Mapping[str, Any]
    reference: str = ""
    folder: str = ""

    @property
    def label(self) -> str:
        shown = " ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name} ({shown})" if shown else self.name


def check(case: Case, workspace: Workspace) -> Step:
    """Test each adapter of the branch; commands start where the repository's own do, at its root."""
    with contextlib.chdir(workspace.root):
        return _check(case, workspace)


def _check(case: Case, workspace: Workspace) -> Step:
    changed = {change.path for change in case.difference if change.mode}
    known = list(_known(case, workspace))
    chosen = [subject for subject in known if _concerned(workspace, subject, changed)]
    left = sorted({subject.label for subject in known} - {subject.label for subject in chosen})
    rest = f"; not checked, unchanged on this branch: {', '.join(left)}" if left else ""
    leaving = {subject.label: item for subject in known for item in _leaving_links(case, workspace, subject)}
    chosen = [subject for subject in chosen if subject.label not in leaving]
    items = [*_links(case), *leaving.values(), *_not_installed(case, workspace, changed)]
    rest += _not_measured(workspace, chosen)
    if not chosen and not items:
        return skipped(NAME, f"no adapter changed{rest}")
    refused: list[str] = []
    kept = []
    for subject in chosen:
        untested = _tested(subject, workspace, items)
        if untested:
            refused.append(f"{subject.label}: {untested}")
        else:
            kept.append(subject.label)
    if refused:
        rest = f"; not checked, because `check` grants and installs nothing: {'; '.join(refused)}{rest}"
    if not kept and not items:
        return skipped(NAME, rest.removeprefix("; "))
    tested = ", ".join(kept) or "none"
    step = judged(NAME, items, f"conformance test passed: {tested}{rest}")
    return (
        step
        if step.state == "pass"
        else Step(NAME, "fail", f"{step.detail}; tested: {tested}{rest}", step.items)
    )


def _known(case: Case, workspace: Workspace) -> Iterator[_Subject]:
    """Every adapter the repository speaks of, each configuration once."""
    seen = set()
    registered = {subject.name: subject for subject in _registered(case)}
    for found in (*_of_suite(workspace), *_programs(case), *registered.values()):
        own = registered.get(found.name)
        # One that the suite lists and that is not installed is the branch's own all the same.
        subject = (
            replace(found, reference=own.reference) if own is not None and not found.reference else found
        )
        key = (_plain(subject.name), tuple(sorted(subject.options.items())))
        if key not in seen:
            seen.add(key)
            yield subject


def _links(case: Case) -> Iterator[Item]:
    for change in case.difference:
        if _PROGRAM.fullmatch(change.path) and change.mode and not change.is_regular:
            yield malformed(change.path, "is a symbolic link or a submodule", "commit the file itself")


def _not_installed(case: Case, workspace: Workspace, changed: set[str]) -> Iterator[Item]:
    """Changed adapter packages of the repository that no workflow installs."""
    listed = (case.snapshot.read(_INSTALLED) or b"").decode("utf-8", "replace").splitlines()
    folders = {
        line.split("#")[0].strip().removeprefix("-e ").strip().strip("/").removeprefix("./")
        for line in listed
    }
    for subject in _registered(case):
        if subject.folder and subject.folder not in folders and _concerned(workspace, subject, changed):
            yield malformed(
                _INSTALLED,
                f"no line for the package of adapter {subject.name}: workflows cannot install it",
                f"add the line ./{subject.folder} to {_INSTALLED}",
            )


def _not_measured(workspace: Workspace, chosen: Iterable[_Subject]) -> str:
    """Which of these adapters the suite does not list, and what to add."""
    listed = {_plain(subject.name) for subject in _of_suite(workspace)}
    names = sorted({subject.name for subject in chosen if _plain(subject.name) not in listed})
    if not names:
        return ""
    entry = f'{{track: {adapters.track().name}, adapter: "{names[0]}", fixture: ID}}'
    return f"; not in the suite, so workflows do not measure: {', '.join(names)}; add to suite in mkdocs.yml: - {entry}"


def _plain(name: str) -> str:
    """One spelling of a command, so that `command:./a` and `command:a` are the same program."""
    return name.removeprefix(COMMAND).removeprefix("./") if name.startswith(PROGRAMS) else name


def _of_suite(workspace: Workspace) -> Iterator[_Subject]:
    if not workspace.config.benchsite.suite:
        return
    try:
        works = suite(workspace)
    except BenchsiteError:  # the configuration's own step says so
        return
    installed = plugins.subjects(adapters.group())
    for work in works:
        if work.track == adapters.track().name:
            options = work.request.get("options", {})
            yield _Subject(work.subject, options, installed.get(work.subject, ""))


def _programs(case: Case) -> Iterator[_Subject]:
    for file in case.snapshot.tree(adapters.FOLDER):
        if _PROGRAM.fullmatch(file.path) and file.mode in REGULAR:
            yield _Subject(f"{COMMAND}{shlex.quote(file.path)}", {})


def _registered(case: Case) -> Iterator[_Subject]:
    """Entry points that a `pyproject.toml` of the repository declares."""
    for file in case.snapshot.tree():
        if file.path.rpartition("/")[2] == _PROJECT and file.mode in REGULAR:
            folder = file.path.rpartition("/")[0]
            for name, reference in _entry_points(case.repository.blob(file.blob_id)).items():
                yield _Subject(name, {}, reference, folder)


def _entry_points(data: bytes) -> dict[str, str]:
    try:
        project = tomllib.loads(data[:_LARGEST_PROJECT].decode())["project"]
        found = project["entry-points"][adapters.group()]
        return {str(name): str(value) for name, value in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _concerned(workspace: Workspace, subject: _Subject, changed: set[str]) -> bool:
    """Whether the branch changes an adapter, or cannot be seen not to."""
    if not subject.name.startswith(PROGRAMS):
        module = subject.reference.partition(":")[0].replace(".", "/")
        ends = (f"/{module}.py", f"/{module}/__init__.py")
        return bool(module) and any(f"/{path}".endswith(ends) for path in changed)
    own = list(_own_files(workspace, subject.name))
    return not own or any(
        path in changed or (folder and any(other.startswith(f"{folder}/") for other in changed))
        for path, folder in own
    )


def _leaving_links(case: Case, workspace: Workspace, subject: _Subject) -> Iterator[Item]:
    """Report the first committed link of a command that leads out of the repository."""
    root = workspace.root.resolve()
    links = {root / file.path for file in case.snapshot.tree() if file.is_symlink}
    for part in _parts(subject.name) if links else ():
        named = file_argument(part)[1]
        if named is None or named.resolve().is_relative_to(root):
            continue
        places = {Path(os.path.abspath(named)), root / named}  # noqa: PTH100 - a link must not be resolved
        if any(links & {place, *place.parents} for place in places):
            yield malformed(
                subject.label,
                f"{part} is a committed link out of the repository: it was not started",
                "commit the file itself, or declare what the program reads as an asset",
            )
            return


def _parts(name: str) -> list[str]:
    """Return the words of a command; none of any other name, and of one whose quotes do not close."""
    try:
        return shlex.split(name.partition(":")[2]) if name.startswith(PROGRAMS) else []
    except ValueError:
        return []


def _own_files(workspace: Workspace, name: str) -> Iterator[tuple[str, str]]:
    """The files of the repository that a command names, each with its folder; "" for the repository's own."""
    root = workspace.root.resolve()
    for part in _parts(name):
        if not os.path.isfile(part):  # noqa: PTH113 - a name too long, or with a NUL, is no file, and no error
            continue
        path = Path(part).resolve()
        if path.is_relative_to(root):
            found = path.relative_to(root)
            yield found.as_posix(), found.parent.as_posix() if len(found.parts) > 1 else ""


def _tested(subject: _Subject, workspace: Workspace, items: list[Item]) -> str:
    """Add what the contract test of one adapter finds wrong; why it was not checked, empty where it was."""
    by_hand = f"benchsite adapter check {shlex.quote(subject.name)}"
    if subject.reference and plugins.subjects(adapters.group()).get(subject.name) != subject.reference:
        error = PrerequisiteError(
            f"not checked: this branch registers it as {subject.reference}, and its package is not installed",
            hint=f"install the package (pip install -e, in its folder), then: {by_hand}",
        )
        items.append(failure(subject.label, error))
        return ""
    try:
        clauses = adapters.examined(subject.name, subject.options, workspace=workspace)
    except NotInstalledError as missing:
        return f"{missing.message.removeprefix(f'adapter {subject.name}: ')} ({missing.hint})"
    except BenchsiteError as refusal:
        items.append(failure(subject.label, refusal))
        return ""
    items += (
        malformed(subject.label, f"{clause.name}: {clause.detail}", clause.hint or by_hand)
        for clause in clauses
        if clause.state == "fail"
    )
    return (
        clauses[0].detail.removeprefix("not checked: ")
        if all(clause.state == "not checked" for clause in clauses)
        else ""
    )
