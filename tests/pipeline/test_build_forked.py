"""Verification and pages in several processes, which a record of a test is too small for by itself."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from publishing import git
from rebuilding import tree
from snapshots import opened

from benchsite import executors
from benchsite.errors import InputError
from benchsite.pipeline import build
from benchsite.pipeline.workspace import Workspace


def workers() -> list[str]:
    """This process's children that run the same program, which forks do."""
    own = Path("/proc/self/cmdline").read_bytes()
    ids = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()
    return [number for number in ids if Path(f"/proc/{number}/cmdline").read_bytes() == own]


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_WORTH_FORKING", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


@pytest.mark.full
def test_a_site_made_by_several_processes_is_the_same(
    small: Workspace, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    alone = tree(build.build(small, opened(small), tmp_path / "alone", full=True).site)
    request.getfixturevalue("forked")
    site = build.build(small, opened(small), tmp_path / "together", full=True).site
    assert tree(site) == alone
    assert tree(build.build(small, opened(small), site).site) == alone


@pytest.mark.usefixtures("forked")
def test_a_build_that_fails_leaves_no_process_and_no_folder(small: Workspace, tmp_path: Path) -> None:
    """The pages of receipts are under way when mkdocs comes to the link that is broken."""
    (tmp_path / "out").mkdir()
    threads = threading.active_count()
    (small.root / "content").mkdir(exist_ok=True)
    (small.root / "content/zz.md").write_text("# Title\n\n[nowhere](nowhere.md)\n")
    git(small.root, "add", "content")
    with pytest.raises(InputError, match=r"zz\.md:3"):
        build.build(small, opened(small), tmp_path / "out" / "site", full=True)
    assert threading.active_count() == threads
    assert not workers()
    assert not list((tmp_path / "out").glob("*"))
