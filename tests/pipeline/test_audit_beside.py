"""An audit that compares HEAD in a process of its own finds what one process finds, in the same order."""

from __future__ import annotations

import os
import signal

import pytest
from altering import receipt
from builders import commit
from snapshots import snapshot

from benchsite import executors
from benchsite.errors import PrerequisiteError
from benchsite.pipeline import audit as auditing
from benchsite.pipeline.audit import Kind, audit
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import GitError


def test_the_findings_and_their_order_are_those_of_one_process(
    published: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = receipt(published)
    was = published.repository.read(path, rev="HEAD") or b""
    commit(published, {path: was + b"\n", "keys/manifest.json": b"{}"})
    commit(published, {"results/published/odd.txt": b"stray", "results/log/sizes": b"1\n"})
    alone = audit(snapshot(published))
    _spread(monkeypatch)
    beside = audit(snapshot(published))
    assert beside == alone
    assert {Kind.EDITED, Kind.MANIFEST, Kind.STRAY, Kind.SIZES} <= {
        finding.kind for finding in alone.findings
    }
    assert alone.receipts == 4


def test_an_object_that_is_missing_is_an_error_and_no_finding(
    published: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spread(monkeypatch)
    commit(published, {receipt(published): b"{}"})  # an object that is in no pack
    item = next(
        item
        for item in published.repository.tree("results/published", rev="HEAD")
        if item.path == receipt(published)
    )
    (published.root / ".git/objects" / item.blob_id[:2] / item.blob_id[2:]).unlink()
    with pytest.raises(GitError, match="missing, expected a blob"):
        audit(snapshot(published))


def test_a_killed_process_is_an_error_and_no_clean_audit(
    published: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spread(monkeypatch)
    monkeypatch.setattr(auditing, "_compared", _killed)
    with pytest.raises(PrerequisiteError, match="killed"):
        audit(snapshot(published))


def _killed(_whole: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_WORTH_FORKING", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
