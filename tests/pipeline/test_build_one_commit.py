"""A build reads one commit: what is published meanwhile is in the next site whole, and not at all in this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import commit
from publishing import git, measure
from rebuilding import Secrets, new_methodology, superseding, tree, with_evidence
from snapshots import opened, snapshot

from benchsite.environment import Credentials
from benchsite.log import Checkpoint, Note
from benchsite.pipeline import build, publish
from benchsite.pipeline.workspace import Workspace
from benchsite.repo._process import Git

Site = dict[str, bytes]


@pytest.fixture
def commits(small: Workspace, secrets: Secrets) -> tuple[str, str]:
    """Two commits of a record: the later one has more of everything that a build reads. HEAD is the first."""
    first = git(small.root, "rev-parse", "HEAD")
    superseding(small, secrets)
    with_evidence(small, secrets)
    new_methodology(small, secrets)
    commit(small, {"LICENSE": b"words\n", "fixtures/more/fixture.json": b"{}"})
    second = git(small.root, "rev-parse", "HEAD")
    git(small.root, "update-ref", "refs/heads/main", first)
    return first, second


def built(instance: Workspace, site: Path) -> Site:
    return tree(build.build(Workspace(instance.root), opened(Workspace(instance.root)), site, full=True).site)


@pytest.fixture
def whole(small: Workspace, commits: tuple[str, str], tmp_path: Path) -> list[Site]:
    """The site of each commit."""
    sites = []
    for number, name in enumerate(commits):
        git(small.root, "update-ref", "refs/heads/main", name)
        sites.append(built(small, tmp_path / f"site{number}"))
    git(small.root, "update-ref", "refs/heads/main", commits[0])
    return sites


def moving(instance: Workspace, monkeypatch: pytest.MonkeyPatch, head: Callable[[int], str]) -> list[str]:
    """Move HEAD before each read of it, to the commit for its number; list what is read."""
    reads: list[str] = []
    resolve, run = Git.resolve, Git.run

    def moved(what: str) -> None:
        if "HEAD" in what:
            reads.append(what)
            git(instance.root, "update-ref", "refs/heads/main", head(len(reads) - 1))

    def resolving(self: Git, rev: str) -> str | None:
        moved(rev)
        return resolve(self, rev)

    def running(self: Git, *arguments: str, **options: object) -> bytes:
        moved(" ".join(arguments))
        return run(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "resolve", resolving)
    monkeypatch.setattr(Git, "run", running)
    return reads


def test_a_head_that_moves_at_every_read_gives_the_site_of_one_commit(
    small: Workspace,
    commits: tuple[str, str],
    whole: list[Site],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert whole[0] != whole[1]
    reads = moving(small, monkeypatch, lambda number: commits[number % 2])
    assert built(small, tmp_path / "site") in whole, reads


@pytest.mark.full
@pytest.mark.stories
def test_a_head_that_moves_once_gives_the_site_of_one_commit(
    small: Workspace, commits: tuple[str, str], whole: list[Site], tmp_path: Path
) -> None:
    """Before each read in turn, until there are no more."""
    for place in range(100):
        git(small.root, "update-ref", "refs/heads/main", commits[0])
        with pytest.MonkeyPatch.context() as patch:
            reads = moving(small, patch, lambda number, place=place: commits[number >= place])
            assert built(small, tmp_path / "site") in whole, (place, reads)
        if len(reads) <= place:
            return
    pytest.fail("HEAD is read a hundred times")


@pytest.mark.full
def test_a_publish_while_leaderboards_are_composed_is_in_the_next_site(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    draft = measure(published, "bm25")
    before = snapshot(published).log
    assert before is not None

    def progress(_done: int, _total: int, label: str) -> None:
        if label == "composing leaderboards":
            publish.publish(
                Workspace(published.root), opened(Workspace(published.root)), [draft], credentials, push=False
            )

    site = build.build(published, opened(published), tmp_path / "site", progress=progress).site
    head = Checkpoint.parse(Note.parse(next(site.rglob("checkpoint")).read_bytes()).text)
    assert head.size == before.size
    assert len(list(site.glob("results/published/*/*.json"))) == len(before.receipts)
    assert not draft.exists()
