"""A command reads one commit, wherever a publish lands while it runs (specs/log.md, "Threats")."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from moving_head import MovingHead, require_one_commit
from publishing import git, measure
from snapshots import at_head, opened

from benchsite.environment import Credentials
from benchsite.pipeline import build, check, publish, verify
from benchsite.pipeline.status import status
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head

_OPENED = (2, 3)
"""The moments after a command has resolved HEAD: whatever reads it again sees the second commit."""


@pytest.fixture
def head(small: Workspace, credentials: Credentials) -> MovingHead:
    """Four receipts at the first commit, a fifth at the second."""
    first = resolve_head(small.repository)
    draft = measure(small, "bm25", repeats=2)
    publish.publish(small, opened(small), [draft], credentials, push=False)
    second = resolve_head(small.repository)
    assert first is not None
    assert second is not None
    return MovingHead(small, first, second)


def _verified(head: MovingHead) -> object:
    found = verify.verify(opened(Workspace(head.root)), (), everything=True)
    return [(item.path, item.examination.verdict if item.examination else str(item.error)) for item in found]


def _built(head: MovingHead) -> object:
    instance, site = Workspace(head.root), head.root.parent / "site"
    shutil.rmtree(site, ignore_errors=True)
    built = build.build(instance, opened(instance), site, full=True)
    digests = {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in site.rglob("*")
        if path.is_file()
    }
    return digests, built.notes, built.damaged


def _status(head: MovingHead) -> object:
    instance = Workspace(head.root)
    found = status(instance, opened(instance), Credentials())
    return replace(found, dirty=False)  # a tree that is no longer at the commit is dirty


def _checked(head: MovingHead) -> object:
    report = check.check(*at_head(head.root), build=False)
    return [(step.name, step.state, step.items) for step in report.steps], report.base


@pytest.mark.parametrize(
    ("command", "moments"),
    [(_verified, count(1)), (_status, count(1)), pytest.param(_built, _OPENED, marks=pytest.mark.stories)],
)
def test_a_publish_while_a_command_runs_changes_nothing(
    head: MovingHead, command: object, moments: Iterable[int]
) -> None:
    assert callable(command)
    assert require_one_commit(head, lambda: command(head), moments) > 0


@pytest.mark.full
@pytest.mark.stories
def test_a_commit_while_a_branch_is_checked_changes_nothing(small: Workspace) -> None:
    """The second commit has a dataset that is malformed."""
    first = resolve_head(small.repository)
    folder = small.root / "fixtures/broken"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("neither a dataset nor a sheet\n")
    head = MovingHead(small, first or "", _committed(small.root))
    assert require_one_commit(head, lambda: _checked(head), count(1)) > 0


def _committed(root: Path) -> str:
    git(root, "add", "fixtures")
    git(root, "commit", "-qm", "a folder")
    return git(root, "rev-parse", "HEAD")


@pytest.mark.stories
def test_a_publish_at_any_moment_of_a_build_gives_the_site_of_one_commit(head: MovingHead) -> None:
    assert require_one_commit(head, lambda: _built(head), count(1)) > 2
