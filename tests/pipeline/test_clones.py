"""Clones that lack something: cut-off history, blobs left at the remote, a file system without case. A publisher in each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from commands import run_in
from examples import some
from publishing import git, measure
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.history import Verdict
from benchsite.pipeline import publish
from benchsite.pipeline.audit import audit
from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.stories

KINDS = {
    "shallow": ("--depth=1", "--no-single-branch"),
    "blobless": ("--filter=blob:none",),
    "treeless": ("--filter=tree:0",),
    "caseless": ("-c", "core.ignorecase=true"),
}


@pytest.fixture
def remote(published: Workspace, tmp_path: Path) -> Path:
    folder = tmp_path / "origin.git"
    git(tmp_path, "clone", "-q", "--bare", str(published.root), str(folder))
    git(folder, "config", "uploadpack.allowFilter", "true")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    return folder


@pytest.fixture(params=some(list(KINDS), gate=1))
def clone(request: pytest.FixtureRequest, remote: Path, tmp_path: Path) -> Iterator[Workspace]:
    git(tmp_path, "clone", "-q", *KINDS[request.param], f"file://{remote}", "clone")
    with closing((instance := Workspace(tmp_path / "clone")).repository):
        yield instance


def test_a_receipt_is_published_from_it_into_a_record_that_is_whole(
    clone: Workspace, remote: Path, credentials: Credentials, tmp_path: Path
) -> None:
    """And after another publisher: the remote has a commit that this clone has not seen."""
    git(tmp_path, "clone", "-q", str(remote), "other")
    with closing((other := Workspace(tmp_path / "other")).repository):
        publish.publish(other, opened(other), [measure(other, "bm25", seed=11)], credentials)
    draft = measure(clone, "recency", seed=11)
    publish.publish(clone, opened(clone), [draft], credentials)
    assert git(remote, "rev-parse", "main") == git(clone.root, "rev-parse", "HEAD")
    assert git(clone.root, "status", "--porcelain") == ""
    git(tmp_path, "clone", "-q", str(remote), "reader")
    with closing((reader := Workspace(tmp_path / "reader")).repository):
        headers = list(snapshot(reader).history())
        assert [header.verdict for header in headers] == [Verdict.LOGGED] * 6
        assert headers[-1].receipt_id == draft.stem
        assert audit(snapshot(reader)).ok


def test_its_record_is_verified_and_its_site_is_built(clone: Workspace, tmp_path: Path) -> None:
    benchsite = run_in(tmp_path / "home", clone.root)
    assert "4 receipts verified: 4 LOGGED; 0 problems" in benchsite("verify", "--all").out
    built = benchsite("build", "--output", str(tmp_path / "site"))
    assert built.code == 0, built.err
    assert (tmp_path / "site/verify.html").is_file()
