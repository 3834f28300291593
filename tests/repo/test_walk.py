from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from altering import by_hand, merge
from publishing import git

from benchsite.repo import GitError, Past, Repository, _walk


@pytest.fixture(params=["sha1", "sha256"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Three commits: a file added, changed, removed; another one beside it stays."""
    folder = tmp_path / "repo"
    subprocess.run(
        ["git", "init", "-q", "-b", "main", f"--object-format={request.param}", str(folder)], check=True
    )
    (folder / "a").mkdir()
    (folder / "a/stays").write_bytes(b"s")
    (folder / "a/x").write_bytes(b"one")
    by_hand(folder)
    (folder / "a/x").write_bytes(b"two")
    by_hand(folder)
    (folder / "a/x").unlink()
    by_hand(folder)
    return folder


def walked(folder: Path, **options: str) -> list[tuple[str, str, str]]:
    with Past(folder).walk(("a",), **options, head="HEAD") as revisions:
        return [(item.status, item.path, item.commit) for item in revisions]


def test_newest_first_and_without_additions(root: Path) -> None:
    newest, middle, _ = git(root, "rev-list", "HEAD").split()
    assert walked(root) == [("D", "a/x", newest), ("M", "a/x", middle)]
    assert walked(root, since=middle) == [("D", "a/x", newest)]
    assert walked(root, since=newest) == []


def test_a_revision_says_what_was_and_what_is(root: Path) -> None:
    past = Past(root)
    with past.walk(("a",), head="HEAD") as revisions:
        gone, changed = revisions
    assert changed.old_id == past.blob_id(b"one") == git(root, "rev-parse", "HEAD~2:a/x")
    assert changed.new_id == gone.old_id == past.blob_id(b"two")
    assert (gone.old_mode, gone.new_mode, set(gone.new_id)) == ("100644", "000000", {"0"})
    assert gone.parents == (changed.commit,)
    assert changed.day == git(root, "log", "-1", "--format=%as", "HEAD~1")


def test_a_change_of_type(root: Path) -> None:
    (root / "a/stays").unlink()
    (root / "a/stays").symlink_to("x")
    made = by_hand(root)
    assert walked(root)[0] == ("T", "a/stays", made)


def test_a_merge_is_compared_with_each_of_its_parents(root: Path) -> None:
    for name in ("one", "two"):
        git(root, "switch", "-q", "-c", name, "main")
        (root / name).write_bytes(b"x")
        by_hand(root)
    git(root, "switch", "-q", "main")
    merge(root, "one", "two", strategy="octopus")
    (root / "a/stays").write_bytes(b"changed in the merge")
    made = by_hand(root)
    parents = git(root, "log", "-1", "--format=%P").split()
    assert walked(root)[: len(parents)] == [("M", "a/stays", made)] * len(parents)
    assert len(parents) >= 2


def test_blobs_come_in_the_order_asked_for(root: Path) -> None:
    past = Past(root)
    one, two = past.blob_id(b"one"), past.blob_id(b"two")
    assert list(past.blobs([two, one, two])) == [(two, b"two"), (one, b"one"), (two, b"two")]
    assert list(past.blobs([])) == []


def test_growing_files_have_the_bytes_that_git_has(root: Path) -> None:
    versions = [b"a\nb\nc\n", b"a\nb\n", b"x\nb\n", b"x\n", b"x\ny\nz\n", b"", b"x\ny\nz\n", b"x\nY\n"]
    past = Past(root)
    for data in versions:
        (root / "a/stays").write_bytes(data)
        git(root, "hash-object", "-w", "a/stays")
    ids = [past.blob_id(data) for data in versions]
    assert list(past.growing(ids)) == list(past.blobs(ids)) == list(zip(ids, versions, strict=True))
    assert list(past.growing([])) == []


@pytest.mark.parametrize("read", [Past.blobs, Past.growing])
def test_a_blob_that_is_missing_or_none_is_an_error(
    root: Path, read: Callable[[Past, list[str]], Iterator[tuple[str, bytes]]]
) -> None:
    past = Past(root)
    with pytest.raises(GitError, match="missing, expected"):
        list(read(past, [past.blob_id(b"never committed")]))
    with pytest.raises(GitError, match="commit .*expected"):
        list(read(past, [git(root, "rev-parse", "HEAD")]))


def test_a_history_that_git_cannot_read_is_an_error_and_not_the_end_of_the_walk(root: Path) -> None:
    broken = git(root, "rev-parse", "HEAD~1")
    (root / ".git/objects" / broken[:2] / broken[2:]).unlink()
    with pytest.raises(GitError, match="git log"):
        walked(root)


def test_a_caller_who_stops_early_leaves_no_process(root: Path) -> None:
    def stop_at_the_first() -> None:
        with Past(root).walk(("a",), head="HEAD") as revisions:
            raise KeyError(next(revisions).path)

    with pytest.raises(KeyError, match="a/x"):
        stop_at_the_first()


def test_a_walk_that_was_started_ahead_is_taken_over_once(root: Path) -> None:
    past = Past(root)
    head = git(root, "rev-parse", "HEAD")
    with past.ahead(past.commit("HEAD")):
        with past.walk(("a",), head=head) as started:
            assert [(item.status, item.path, item.commit) for item in started] == walked(root)
        assert started.commits == 3
        with past.walk(("a",), head=head) as again:
            assert len(list(again)) == 2


def test_a_walk_that_was_started_ahead_of_another_head_or_range_is_not_taken(root: Path) -> None:
    past = Past(root)
    middle = git(root, "rev-parse", "HEAD~1")
    with past.ahead(past.commit("HEAD")):
        (root / "a/stays").write_bytes(b"changed meanwhile")
        made = by_hand(root)
        with past.walk(("a",), head=made, since=middle) as revisions:
            assert [item.path for item in revisions] == ["a/stays", "a/x"]
        with past.walk(("a",), head=made) as revisions:
            assert next(revisions).commit == made
            assert len(list(revisions)) == 2


def test_nothing_is_started_ahead_where_there_is_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    with Past(tmp_path).ahead(None):
        pass


def test_a_history_that_git_cannot_read_is_an_error_of_the_walk_that_was_started_ahead(root: Path) -> None:
    broken = git(root, "rev-parse", "HEAD~1")
    (root / ".git/objects" / broken[:2] / broken[2:]).unlink()
    past, head = Past(root), git(root, "rev-parse", "HEAD")
    with (
        past.ahead(past.commit("HEAD")),
        pytest.raises(GitError, match="git log"),
        past.walk(("a",), head=head) as revisions,
    ):
        list(revisions)


def test_more_than_a_queue_holds_is_walked_and_may_be_left(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_walk, "_PIECE", 16)
    monkeypatch.setattr(_walk, "_AHEAD", 1)
    assert len(walked(root)) == 2
    with Past(root).walk(("a",), head="HEAD") as revisions:
        assert next(revisions).status == "D"


def test_questions_about_single_commits(root: Path) -> None:
    past = Past(root)
    newest, middle, oldest = git(root, "rev-list", "HEAD").split()
    assert [item.commit for item in past.mentions("a/x", "HEAD", limit=9)] == [newest, middle, oldest]
    assert [item.commit for item in past.mentions("a/x", "HEAD", limit=9, added=True)] == [oldest]
    assert past.mentions("a/*", "HEAD", limit=9) == [], "a path is no pattern"
    assert past.additions(oldest) == [("a/stays", past.blob_id(b"s")), ("a/x", past.blob_id(b"one"))]
    assert past.count(None, head="HEAD") == 3
    assert past.count(oldest, head="HEAD") == 2
    assert past.commit("HEAD~1") == middle
    assert past.commit("nothing") is None
    assert past.commit("--all") is None
    assert Repository.open(root).is_ancestor(oldest, newest)
