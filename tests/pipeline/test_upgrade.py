"""`benchsite upgrade --check`: a record under this release, and one whose receipt was altered."""

from __future__ import annotations

import json
from pathlib import Path

from builders import commit
from commands import run_in
from snapshots import log_of

from benchsite.layout import receipt_path
from benchsite.pipeline.workspace import Workspace


def test_a_record_is_re_scored_and_an_altered_receipt_is_named(published: Workspace, tmp_path: Path) -> None:
    benchsite = run_in(tmp_path / "home", published.root)
    before = {path: path.read_bytes() for path in published.root.rglob("*") if path.is_file()}
    told = benchsite("upgrade", "--check", "--json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["results"] == {"MATCHES": 4}
    after = {path: path.read_bytes() for path in published.root.rglob("*") if path.is_file()}
    assert after == before, "no file of the record, of git or of scratch changes"
    receipt_id = next(iter(log_of(published).receipts))
    path = receipt_path(receipt_id)
    data = published.repository.read(path, rev="HEAD")
    assert data is not None
    commit(published, {path: data.replace(b'"benchVersion":"0', b'"benchVersion":"9', 1)})
    told = benchsite("upgrade", "--check")
    assert told.code == 3
    assert receipt_id in told.out
    assert "3 MATCHES, 1 unreadable" in told.out


def test_upgrade_without_check_says_that_nothing_is_converted(published: Workspace, tmp_path: Path) -> None:
    told = run_in(tmp_path / "home", published.root)("upgrade")
    assert told.code == 2
    assert "benchsite upgrade --check" in told.err
