"""Rules and data: every methodology and fixture parses, and those that the log names stand as they were logged.

A published document is held in every commit of the branch, not only at its end. A fixture that is not published
yet is asked for what a reader must know of it: its licence, its source, and whether models may have seen it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from benchsite.errors import BenchsiteError
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.check.sheets import any_in
from benchsite.pipeline.findings import Finding, Kind
from benchsite.pipeline.measure import fixtures as fixture_store
from benchsite.pipeline.report import (
    Item,
    Step,
    altered,
    failure,
    judged,
    malformed,
    shown_path,
)
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.methodology_store import read_methodology
from benchsite.track import Described

__all__ = ["fixtures", "methodologies", "open_questions"]

_RULES: Final = re.compile(r"methodology/([^/]+)/([^/]+)/(methodology\.yaml|parameters\.json|text\.md)")
_DATA: Final = re.compile(r"fixtures/([^/]+)/fixture\.json")
_NO_ANSWER: Final = frozenset({"", "?", "-", "n/a", "none", "tbd", "todo", "unknown", "unlicensed"})
_TAKE_BACK: Final = (
    "remove that commit from the branch (git rebase -i): undoing it in a later commit leaves it in the history; "
    "new {} need a new {}"
)


def methodologies(case: Case, workspace: Workspace) -> Step:
    """Every version in the working tree, and those that were published."""
    items = list(_links(case, "methodology/"))
    items.extend(_commits_that_edit(case, Kind.METHODOLOGY, "rules", "version"))
    named = {item.where for item in items}
    count = 0
    for path in sorted((workspace.root / "methodology").glob("*/*")):
        where = path.relative_to(workspace.root).as_posix()
        try:
            found = read_methodology(path, where)
        except BenchsiteError as error:
            items.append(failure(where, error))
            continue
        count += 1
        logged = _logged(case).get((found.data.track, found.data.version))
        if logged not in (None, found.sha256) and not any(name.startswith(where) for name in named):
            items.append(_differs(where, "rules", "version"))
    return judged("methodologies", items, f"{count} valid; published ones are unchanged")


def _logged(case: Case) -> dict[tuple[str, str], str]:
    log = case.before or case.after
    return {name: known.sha256 for name, known in log.methodologies.items()} if log is not None else {}


def fixtures(case: Case, workspace: Workspace) -> Step:
    """Every fixture in the working tree's `fixtures/`, and those that were published."""
    items = list(_links(case, "fixtures/"))
    items.extend(_commits_that_edit(case, Kind.FIXTURE, "data", "id"))
    items.extend(_without_file(case))
    named = {item.where for item in items}
    log = case.before or case.after
    known = log.fixtures if log is not None else {}
    count = 0
    for listed in fixture_store.listed(workspace):
        if listed.imported:
            continue
        where = listed.path.relative_to(workspace.root).as_posix()
        if listed.fixture is None:
            if listed.error is not None:
                items.append(failure(where, listed.error))
            continue
        count += 1
        logged = known.get(listed.fixture.id)
        if logged is None:
            items.extend(_unanswered(where, listed.fixture) if _is_new(case, where) else ())
        elif logged.sha256 != listed.fixture.sha256 and where not in named:
            items.append(_differs(where, "data", "id"))
    return judged("fixtures", items, f"{count} valid; published ones are unchanged")


def _commits_that_edit(case: Case, kind: Kind, what: str, name: str) -> Iterator[Item]:
    """One item for each published file that a commit of the branch changes: its first change."""
    found: dict[str, Finding] = {}
    for finding in case.alterations:
        if finding.kind is kind:
            found.setdefault(finding.path, finding)
    for path, finding in found.items():
        message = f"was {finding.deed} in commit {finding.commit[:12]} after it was published"
        yield altered(shown_path(path), message, _TAKE_BACK.format(what, name))


def _differs(where: str, what: str, name: str) -> Item:
    return altered(
        where,
        "differs from what was published under this name",
        f"restore it from git; new {what} need a new {name}",
    )


def _links(case: Case, prefix: str) -> Iterator[Item]:
    for change in case.difference:
        if change.path.startswith(prefix) and change.mode and not change.is_regular:
            yield malformed(
                shown_path(change.path),
                "is a symbolic link or a submodule",
                "commit the file itself: a link's target is not part of the repository",
            )


def _is_new(case: Case, where: str) -> bool:
    return any(change.path == where and change.mode for change in case.difference)


def open_questions(fixture: Described) -> Iterator[tuple[str, str]]:
    """The fields in which a dataset leaves open what `check` asks of new ones: each field, and the question."""
    questions = (
        ("license", fixture.license, "name the license of the texts"),
        ("source", fixture.source, "name an address, a paper or the author"),
        (
            "notes",
            fixture.notes,
            "say how queries and relevance labels were made, and whether models may have seen them",
        ),
    )
    for key, text, question in questions:
        if text.strip().lower() in _NO_ANSWER:
            yield key, f"{key} leaves a question open: {question}"


def _unanswered(where: str, fixture: Described) -> Iterator[Item]:
    for key, message in open_questions(fixture):
        yield malformed(where, message, f'answer it in "{key}" of the file')


def _without_file(case: Case) -> Iterator[Item]:
    """A folder that the branch fills and that no program finds: it holds no `fixture.json` and no sheet."""
    added = {
        change.path.split("/")[1]
        for change in case.difference
        if change.path.startswith("fixtures/") and change.path.count("/") >= 2 and change.mode
    }
    for name in sorted(added):
        where = f"fixtures/{name}"
        held = {item.path for item in case.snapshot.tree(where)}
        if f"{where}/fixture.json" not in held and not any_in(case.snapshot, where):
            yield malformed(
                shown_path(where),
                "no fixture.json and no evaluation sheet",
                "name the dataset's file fixture.json, or put the sheets (.yaml or .yml) beside their transcripts",
            )
