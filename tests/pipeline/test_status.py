"""`status`: what it compares, and the order of its advice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from builders import commit
from commands import Run, run_in
from publishing import git
from rebuilding import Secrets, disputing, measured, published, retracting, superseding
from snapshots import opened

from benchsite import history
from benchsite.environment import Credentials
from benchsite.layout import JOURNAL, receipt_path
from benchsite.pipeline.measure import published as runs
from benchsite.pipeline.status import status
from benchsite.pipeline.workspace import Workspace

KEY = b"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA" + b"A" * 40 + b"\n-----END PRIVATE KEY-----\n"


@pytest.fixture
def benchsite(tmp_path: Path) -> Run:
    return run_in(tmp_path / "home", tmp_path)


def test_it_verifies_no_signature_and_no_score(small: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "examine", lambda *_, **__: pytest.fail("a receipt was verified"))
    assert status(small, opened(small), Credentials()).faults == ()


def test_runs_by_logged_hash_are_those_of_verified_receipts(small: Workspace, secrets: Secrets) -> None:
    assert runs.logged(opened(small)) == runs.published(opened(small)) != frozenset()
    for step in (superseding, retracting, disputing):
        step(small, dict(secrets))
        assert runs.logged(opened(small)) == runs.published(opened(small))
    lost = measured(small, secrets)
    before = runs.logged(opened(small))
    commit(small, {receipt_path(lost): b"{}"})
    assert runs.logged(opened(small)) == runs.published(opened(small)) < before


@pytest.mark.parametrize("change", ["edited", "deleted", "added"])
def test_a_file_of_the_record_that_differs_in_the_working_tree_is_named(
    small: Workspace, benchsite: Run, change: str
) -> None:
    path = receipt_path(published(small)[0])
    if change == "edited":
        (small.root / path).write_bytes(b"{}")
    elif change == "deleted":
        (small.root / path).unlink()
    else:
        path = "results/log/more"
        (small.root / path).write_text("x")
    ran = benchsite("status", cwd=small.root)
    assert ran.code == 3
    assert f"record  pass at HEAD; 1 file differs in the working tree: {path}" in ran.out.splitlines()
    assert json.loads(benchsite("status", "--json", cwd=small.root).out)["changed"] == [path]


def test_an_untracked_draft_in_the_inbox_is_no_fault(small: Workspace, benchsite: Run) -> None:
    inbox = small.root / "results/inbox"
    inbox.mkdir(exist_ok=True)
    (inbox / "notes.txt").write_text("x")
    assert benchsite("status", cwd=small.root).code == 0


def test_an_interrupted_publish_comes_first_and_is_no_fault(small: Workspace) -> None:
    shutil.rmtree(small.root / "results/published")
    (small.root / JOURNAL).write_text("{}")
    found = status(small, opened(small), Credentials())
    assert found.next_steps[0] == "benchsite publish       finishes an interrupted publish"
    assert found.differing == ()


def test_a_committed_key_is_followed_by_no_advice_to_publish(small: Workspace, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "origin.git")
    git(small.root, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(small.root, "push", "--quiet", "--set-upstream", "origin", "main")
    commit(small, {"notes.txt": KEY})
    steps = status(small, opened(small), Credentials()).next_steps
    assert [step for step in steps if step.startswith("do not push")]
    assert not [step for step in steps if "benchsite publish" in step]
