from __future__ import annotations

import pickle
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchsite.errors import InputError, PrerequisiteError
from benchsite.repo import (
    FALLBACK_IDENTITY,
    GitError,
    MovedError,
    PushRejectedError,
    Repository,
    write_atomically,
)
from benchsite.repo.head import resolve_head


def git(folder: Path, *arguments: str) -> str:
    out = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return out.stdout.strip()


def commit(repository: Repository, files: dict[str, bytes], message: str = "x") -> str:
    parent = resolve_head(repository)
    made = repository.build_commit(files, parent=parent, message=message)
    repository.advance(made, expected=parent)
    repository.materialise(files, "HEAD")
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with closing(Repository.create(tmp_path / "repo")) as made:
        yield made


def test_a_commit_holds_exactly_the_bytes_given(repository: Repository) -> None:
    data = b"no newline, \r\n kept, \x00\xff too"
    commit(repository, {"a/b.bin": data, "c.txt": b""})
    assert repository.read("a/b.bin", rev="HEAD") == data
    assert (repository.root / "a/b.bin").read_bytes() == data
    assert [item.path for item in repository.tree("a", rev="HEAD")] == ["a/b.bin"]
    assert repository.read("absent", rev="HEAD") is None
    assert repository.state(resolve_head(repository))["dirty"] is False


def test_the_state_is_that_of_the_commit_that_is_named(repository: Repository) -> None:
    """A commit that lands after HEAD was resolved gives the receipt neither its id nor its tag."""
    commit(repository, {"a": b"1"})
    first = resolve_head(repository)
    git(repository.root, "tag", "one")
    assert repository.state(first) == {"commit": first, "dirty": False, "tag": "one"}
    commit(repository, {"a": b"2"})
    git(repository.root, "tag", "two")
    assert repository.state(first) == {"commit": first, "dirty": True, "tag": "one"}
    assert repository.state(None) == {"commit": None, "dirty": True, "tag": None}


def test_nothing_points_to_a_commit_before_advance(repository: Repository) -> None:
    commit(repository, {"a": b"1"})
    head = resolve_head(repository)
    repository.build_commit({"a": b"2"}, parent=head, message="never")
    assert resolve_head(repository) == head
    assert repository.read("a", rev="HEAD") == b"1"


def test_advance_refuses_when_the_branch_has_moved(repository: Repository) -> None:
    first = commit(repository, {"a": b"1"})
    commit(repository, {"a": b"2"})
    late = repository.build_commit({"a": b"3"}, parent=first, message="late")
    with pytest.raises(MovedError):
        repository.advance(late, expected=first)
    assert repository.read("a", rev="HEAD") == b"2"


def test_two_first_commits_cannot_both_win(repository: Repository) -> None:
    one = repository.build_commit({"a": b"1"}, parent=None, message="one")
    two = repository.build_commit({"a": b"2"}, parent=None, message="two")
    repository.advance(one, expected=None)
    with pytest.raises(MovedError):
        repository.advance(two, expected=None)


def test_files_outside_the_commit_are_left_alone(repository: Repository) -> None:
    commit(repository, {"a": b"1", "b": b"1"})
    (repository.root / "b").write_bytes(b"my own edit")
    commit(repository, {"a": b"2"})
    assert (repository.root / "b").read_bytes() == b"my own edit"
    assert repository.changed_paths("b") == ["b"]


def test_removed_paths_leave_tree_and_folder(repository: Repository) -> None:
    commit(repository, {"a": b"1", "b": b"1"})
    parent = resolve_head(repository)
    made = repository.build_commit({}, removes=["b"], parent=parent, message="rm")
    repository.advance(made, expected=parent)
    repository.materialise(["b"], "HEAD")
    assert repository.read("b", rev="HEAD") is None
    assert not (repository.root / "b").exists()
    assert repository.state(resolve_head(repository))["dirty"] is False


@pytest.mark.parametrize("count", [3, 250])
def test_few_paths_and_many_reach_the_working_tree(repository: Repository, count: int) -> None:
    commit(repository, {"gone": b"", "stays": b"as it was"})
    names = [f"*[{n}] ?/\u00e9\n{n}.txt" for n in range(count)]  # what git would take for patterns, or quote
    made = repository.build_commit(
        {name: name.encode() for name in names},
        removes=["gone"],
        parent=resolve_head(repository),
        message="more",
    )
    repository.advance(made, expected=resolve_head(repository))
    (repository.root / "stays").unlink()
    repository.materialise(["gone", "never was", *names], "HEAD")
    assert [(repository.root / name).read_bytes() for name in names] == [name.encode() for name in names]
    assert not (repository.root / "gone").exists()
    assert not (repository.root / "stays").exists(), "nobody asked for it"
    assert repository.changed_paths() == ["stays"]
    repository.restore(["stays", "never was"], "HEAD")
    assert repository.state(resolve_head(repository))["dirty"] is False


@pytest.mark.parametrize(
    ("old", "new"), [("a", "a/b"), ("a/b", "a"), (":!a", ":(top)b")], ids=["a folder", "a file", "odd"]
)
def test_a_path_may_become_a_folder_and_back(repository: Repository, old: str, new: str) -> None:
    commit(repository, {old: b"old", "z": b"z"})
    made = repository.build_commit({new: b"new"}, removes=[old], parent=resolve_head(repository), message="x")
    repository.advance(made, expected=resolve_head(repository))
    for paths in ([old, new], [new, old]):
        repository.materialise(paths, "HEAD")  # twice: as after a crash
        assert (repository.root / new).read_bytes() == b"new"
    repository.restore([old, new], "HEAD")
    assert repository.state(resolve_head(repository))["dirty"] is False


def test_a_folder_where_a_file_was_removed_is_left_alone(repository: Repository) -> None:
    commit(repository, {"z": b"z"})
    (repository.root / "a").mkdir()
    (repository.root / "a/mine.txt").write_text("mine")
    for step in (repository.materialise, repository.restore):
        step(["a", "a/b", "z/b"], "HEAD")
    assert (repository.root / "a/mine.txt").read_text() == "mine"
    assert (repository.root / "z").read_bytes() == b"z"


def test_hooks_and_signing_of_the_machine_do_not_apply(repository: Repository) -> None:
    git(repository.root, "config", "commit.gpgsign", "true")
    for name in ("pre-commit", "reference-transaction", "post-index-change"):
        hook = repository.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
    commit(repository, {"a": b"1"})
    assert repository.read("a", rev="HEAD") == b"1"


def test_identity_falls_back_to_our_own(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    assert repository.identity() == FALLBACK_IDENTITY
    commit(repository, {"a": b"1"})
    assert git(repository.root, "log", "-1", "--format=%an <%ae>") == "benchsite <benchsite@localhost>"
    git(repository.root, "config", "user.name", "Ada")
    assert repository.identity()[0] == "Ada"


def test_symbolic_links_are_seen_and_never_read_through(repository: Repository) -> None:
    commit(repository, {"a": b"1"})
    (repository.root / "link").symlink_to("a")
    git(repository.root, "add", "link")
    git(repository.root, "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "link")
    assert [item.is_symlink for item in repository.tree("link", rev="HEAD")] == [True]
    assert repository.read("link", rev="HEAD") is None


def test_untracked_files_make_the_tree_dirty(repository: Repository) -> None:
    commit(repository, {"a": b"1"})
    (repository.root / "new").write_text("x")
    assert repository.state(resolve_head(repository))["dirty"] is True


def test_a_folder_outside_any_repository_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="git repository"):
        Repository.open(tmp_path)


@pytest.fixture
def clone_pair(tmp_path: Path) -> Iterator[tuple[Repository, Repository]]:
    """Two clones of one remote, `origin.git`."""
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    first = Repository.create(tmp_path / "one")
    git(first.root, "remote", "add", "origin", str(origin))
    commit(first, {"a": b"1"})
    first.push("HEAD")
    subprocess.run(["git", "clone", "-q", str(origin), str(tmp_path / "two")], check=True)
    with closing(first), closing(Repository.open(tmp_path / "two")) as second:
        yield first, second


def test_a_rejected_push_is_told_apart_and_the_clone_can_follow(
    clone_pair: tuple[Repository, Repository],
) -> None:
    first, second = clone_pair
    commit(first, {"a": b"2"})
    first.push("HEAD")
    mine = commit(second, {"b": b"mine"})
    with pytest.raises(PushRejectedError):
        second.push("HEAD")
    theirs = second.fetch()
    assert theirs == resolve_head(first)
    assert [text.strip() for _, text in second.commits(second.fork_point(mine, theirs), mine)] == ["x"]
    second.move_to(theirs, expected=mine)
    assert second.read("a", rev="HEAD") == b"2"
    assert (second.root / "a").read_bytes() == b"2"
    assert not (second.root / "b").exists()
    assert second.state(resolve_head(second))["dirty"] is False


def test_an_unreachable_remote_is_a_prerequisite(
    clone_pair: tuple[Repository, Repository], tmp_path: Path
) -> None:
    _, second = clone_pair
    git(second.root, "remote", "set-url", "origin", str(tmp_path / "gone.git"))
    with pytest.raises(PrerequisiteError, match="cannot fetch"):
        second.fetch()


def test_a_remote_url_with_credentials_is_never_shown(repository: Repository) -> None:
    git(repository.root, "remote", "add", "origin", "https://user:secret@a.example/x.git")
    assert repository.public_url() is None
    git(repository.root, "remote", "set-url", "origin", "https://a.example/x.git")
    assert repository.public_url() == "https://a.example/x.git"


def test_write_atomically_leaves_old_bytes_when_it_fails(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    target.mkdir()
    with pytest.raises(InputError, match="cannot write"):
        write_atomically(target / "x" / "y", b"data")
    assert list(target.iterdir()) == []


def test_a_calling_git_does_not_steer_ours(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As under a git hook, where GIT_DIR and GIT_INDEX_FILE name another repository."""
    commit(repository, {"keys/a": b"1"})
    other = Repository.create(tmp_path / "other")
    other.close()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    with closing(Repository.open(repository.root)) as again:
        assert resolve_head(again) == resolve_head(repository)
        assert again.changed_paths("keys") == []


def test_a_protected_branch_is_told_apart_from_a_race(
    clone_pair: tuple[Repository, Repository], tmp_path: Path
) -> None:
    first, _ = clone_pair
    hook = tmp_path / "origin.git/hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho protected branch >&2\nexit 1\n")
    hook.chmod(0o755)
    commit(first, {"a": b"2"})
    with pytest.raises(PrerequisiteError, match="protected branch|hook declined") as caught:
        first.push("HEAD")
    assert not isinstance(caught.value, PushRejectedError)


def test_a_missing_object_is_an_error_of_ours(repository: Repository) -> None:
    with pytest.raises(GitError, match="is missing"):
        repository.blob("0" * 39 + "1")


def test_many_objects_are_read_in_order_whatever_is_asked_in_between(repository: Repository) -> None:
    contents = [b"%d" % number * number for number in range(40)]
    files = {f"a/{number:02}": data for number, data in enumerate(contents)}
    commit(repository, files)
    ids = [item.blob_id for item in repository.tree("a", rev="HEAD")]
    for found, expected in zip(repository.blobs(ids), contents, strict=True):
        assert (found, repository.blob(ids[7])) == (expected, b"7777777")
    some = repository.blobs(ids)
    assert next(some) == b""
    some.close()
    assert repository.blob(ids[3]) == b"333", "what was asked and not taken is no answer to another question"
    with pytest.raises(GitError, match="f{40} is missing"):
        list(repository.blobs([ids[1], "f" * 40]))


def test_git_errors_survive_a_process_boundary() -> None:
    again = pickle.loads(pickle.dumps(GitError("push", "fatal: no\n")))  # noqa: S301 - our own bytes
    assert (again.message, again.reason) == ("git push: fatal: no", "fatal: no")


def test_a_written_file_and_its_name_are_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power loss a renamed file is there only where its folder was flushed after the rename."""
    flushed: list[tuple[str, bool]] = []
    target = tmp_path / "journal"

    def fsync(descriptor: int) -> None:
        flushed.append((Path(f"/proc/self/fd/{descriptor}").readlink().name, target.exists()))

    monkeypatch.setattr("benchsite.repo._disk.os.fsync", fsync)
    write_atomically(target, b"data")
    (file, before), (folder, after) = flushed
    assert (file.startswith(".journal."), before) == (True, False)
    assert (folder, after) == (tmp_path.name, True)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "error: file write error: No space left on device\nfatal: unable to write tree\n",
            "No space left on device",
        ),
        ("fatal: write error: Out of diskspace\n", "Out of diskspace"),
        ("error: unable to write file: Disk quota exceeded\n", "Disk quota exceeded"),
    ],
)
def test_a_full_disk_is_what_git_s_error_names(said: str, reason: str) -> None:
    """`git status` and `git fsck` do not help there."""
    error = GitError("write-tree", said)
    assert (error.reason, error.hint) == (reason, "free space on that disk, then re-run the command")
