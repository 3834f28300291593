"""Many publishers at once: each receipt lands once, whoever wins (specs/log.md, threats)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from publishers import (
    BENCHSITE,
    PUBLISH,
    TIMEOUT,
    Head,
    Scene,
    assert_one_head_a_size,
    assert_public,
    assert_whole,
    clone,
    draft,
    finished,
    pair,
    published_heads,
    start,
    stored_heads,
)
from publishing import git
from snapshots import snapshot

from benchsite.pipeline.workspace import Workspace

pytestmark = pytest.mark.stories

PUBLISHERS = 8
MANY = 50
# Three keys, the methodology and the fixture that the first receipt names, then the receipts.
ENTRIES_BEFORE_RECEIPTS = 3 + 2


@pytest.fixture
def scene(begun_template: Path, tmp_path: Path) -> Scene:
    return pair(begun_template, tmp_path / "scene")


def log_size(folder: Path) -> int:
    instance = Workspace(folder)
    with closing(instance.repository):
        log = snapshot(instance).log
        return log.size if log is not None else 0


def sent_by(folder: Path, scene: Scene) -> set[Head]:
    """What this clone has signed and the remote was given.

    When two pushes arrive together, git keeps the objects of the one that loses, though no branch names them.
    """
    lost = (stored_heads(folder) & stored_heads(scene.origin)) - published_heads(scene.origin)
    return lost | published_heads(folder, f"--author={folder.name}@tests.invalid")


@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.full)])
def test_eight_clones_of_one_remote_publish_at_once(scene: Scene, rounds: int) -> None:
    clones = [clone(scene, f"publisher-{place}") for place in range(PUBLISHERS)]
    for folder in clones:
        git(folder, "config", "user.name", "tests")
        git(folder, "config", "user.email", f"{folder.name}@tests.invalid")
    receipts: list[str] = []
    for _ in range(rounds):
        receipts += [draft(folder, "recency") for folder in clones]
        processes = [start(folder, (*BENCHSITE, *PUBLISH)) for folder in clones]
        assert [finished(process) for process in processes] == [(0, "")] * PUBLISHERS
        for folder in clones:
            git(folder, "pull", "-q", "--ff-only")
            assert log_size(folder) == ENTRIES_BEFORE_RECEIPTS + len(receipts)
            assert_public(scene, folder)
            assert_one_head_a_size(sent_by(folder, scene))
        assert_whole(clones[0], receipts)
        assert_one_head_a_size(published_heads(scene.origin))


@pytest.mark.full
def test_fifty_clones_of_one_bare_remote_publish_at_once(scene: Scene) -> None:
    """The last one to get through is overtaken by up to 49 others, and plans on each of their commits."""
    clones = [clone(scene, f"publisher-{place}") for place in range(MANY)]
    receipts = [draft(folder, "recency") for folder in clones]
    processes = [start(folder, (*BENCHSITE, *PUBLISH)) for folder in clones]
    assert [finished(process, timeout=MANY * TIMEOUT) for process in processes] == [(0, "")] * MANY
    for folder in clones:
        git(folder, "pull", "-q", "--ff-only")
        assert_public(scene, folder)
    assert log_size(clones[0]) == ENTRIES_BEFORE_RECEIPTS + MANY
    assert_whole(clones[0], receipts)
    assert_one_head_a_size(published_heads(scene.origin))
    commits = git(clones[0], "rev-list", "--count", "HEAD", "--", "results/log/checkpoint")
    assert int(commits) == 1 + MANY, "one commit each: nobody signed twice"


@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.full)])
def test_eight_processes_in_one_clone_publish_a_draft_each_at_once(scene: Scene, rounds: int) -> None:
    receipts = list(scene.mine)
    waiting = list(scene.mine)
    for _ in range(rounds):
        waiting += [draft(scene.instance, "recency") for _ in range(PUBLISHERS - len(waiting))]
        receipts += [name for name in waiting if name not in receipts]
        processes = [start(scene.instance, (*BENCHSITE, *PUBLISH, name)) for name in waiting]
        assert [finished(process) for process in processes] == [(0, "")] * PUBLISHERS
        assert log_size(scene.instance) == ENTRIES_BEFORE_RECEIPTS + len(receipts)
        assert_whole(scene.instance, receipts)
        assert_public(scene, scene.instance)
        waiting = []
    # One lock, one commit a publish: nobody signed twice.
    commits = git(scene.instance, "rev-list", "--count", "HEAD", "--", "results/log/checkpoint")
    assert int(commits) == 1 + len(receipts)


@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.full)])
def test_eight_processes_that_want_the_same_drafts_publish_them_once(scene: Scene, rounds: int) -> None:
    receipts = list(scene.mine)
    for done in range(rounds):
        if done:
            receipts += [draft(scene.instance, "recency"), draft(scene.instance, "bm25")]
        processes = [start(scene.instance, (*BENCHSITE, *PUBLISH)) for _ in range(PUBLISHERS)]
        assert [finished(process) for process in processes] == [(0, "")] * PUBLISHERS
        assert_whole(scene.instance, receipts)
        assert_public(scene, scene.instance)
