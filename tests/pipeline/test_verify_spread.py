"""`verify --all` over several processes says, in the same order, what one process says."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from builders import commit
from commands import run_in
from snapshots import opened

from benchsite import canonical, executors
from benchsite.layout import receipt_path
from benchsite.pipeline import verify as checking
from benchsite.pipeline.workspace import Workspace

STRAY = receipt_path("22222222-2222-4222-8222-222222222222")


@pytest.fixture
def damaged(published: Workspace) -> Workspace:
    """One receipt is missing, one impossible, one of another schema, one good, and one in no log; the fixture is edited."""
    names = [
        receipt.path
        for receipt in published.repository.tree("results/published", rev="HEAD")
        if "/." not in receipt.path
    ]
    lost, good, impossible, unsupported = names
    changed = json.loads(published.repository.read(impossible, rev="HEAD") or b"")
    changed["scores"] = dict.fromkeys(changed["scores"], 2)
    newer = json.loads(published.repository.read(unsupported, rev="HEAD") or b"")
    newer["schemaVersion"] = "9.0.0"
    writes = {
        impossible: canonical.dumps(changed),
        unsupported: canonical.dumps(newer),
        STRAY: published.repository.read(good, rev="HEAD") or b"",
        "fixtures/small-v1/fixture.json": b"{}",
    }
    commit(published, writes, removes=(lost,))
    return published


@pytest.mark.parametrize("words", [("verify", "--all"), ("verify", "--all", "--json"), ("rescore", "--all")])
def test_the_words_and_their_order_are_those_of_one_process(
    damaged: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    run = run_in(tmp_path / "home", damaged.root)
    alone = run(*words)
    _spread(monkeypatch)
    spread = run(*words)
    assert (spread.code, spread.out, spread.err) == (alone.code, alone.out, alone.err)
    assert alone.code == 3
    assert all(path in alone.out + alone.err for path in (STRAY, "fixtures/small-v1"))


def test_the_library_keeps_every_receipt(published: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    _spread(monkeypatch)
    found = [checked.examination for checked in checking.verify(opened(published), (), everything=True)]
    assert all(seen is not None and seen.receipt is not None for seen in found)
    lean = [
        checked.receipt_id
        for checked in checking.verify(opened(published), (), everything=True, documents=False)
    ]
    assert lean == [seen.receipt_id for seen in found if seen is not None]


def test_a_killed_worker_ends_the_command_with_the_next_step(
    published: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spread(monkeypatch)
    parent = os.getpid()

    def killed(shared: object, units: object) -> list[object]:
        assert os.getpid() != parent
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    monkeypatch.setattr(checking, "_check_some", killed)
    found = run_in(tmp_path / "home", published.root)("verify", "--all")
    assert found.code == 5
    assert "a worker process was killed" in found.err


def _spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork for every single receipt."""
    monkeypatch.setattr(executors, "CHUNK", 1)
    monkeypatch.setattr(executors, "_WORTH_FORKING", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
