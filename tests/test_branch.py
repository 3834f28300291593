from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from benchsite.errors import PrerequisiteError, UsageError
from benchsite.repo import Branch, Change, Repository
from benchsite.repo.head import resolve_head


def git(folder: Path, *arguments: str | bytes) -> str:
    line = [b"git", b"-C", os.fsencode(folder), b"-c", b"user.name=x", b"-c", b"user.email=x@tests.invalid"]
    out = subprocess.run([*line, *map(os.fsencode, arguments)], capture_output=True, check=True)
    return out.stdout.decode().strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Repository.create(tmp_path / "repo").close()
    return tmp_path / "repo"


def committed(root: Path, message: str = "x") -> str:
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)
    return git(root, "rev-parse", "HEAD")


def written(root: Path, name: str | bytes, data: bytes) -> None:
    (root / os.fsdecode(name)).write_bytes(data)


def branch(root: Path, onto: str | None) -> Branch:
    repository = Repository.open(root)
    return repository.branch_beyond(resolve_head(repository), onto)


def test_every_kind_of_change_is_told_apart(root: Path) -> None:
    for name in ("edited", "removed", "linked", "moved"):
        written(root, name, name.encode())
    base = committed(root)
    written(root, "edited", b"new")
    written(root, "added", b"")
    (root / "removed").unlink()
    (root / "linked").unlink()
    (root / "linked").symlink_to("added")
    (root / "moved").rename(root / "elsewhere")
    (root / "added").chmod(0o755)
    commit = committed(root)
    found = {change.path: change for change in branch(root, base).changes()}
    assert {change.commit for change in found.values()} == {commit}
    assert set(found) == {"edited", "added", "removed", "linked", "moved", "elsewhere"}
    assert (found["edited"].added, found["edited"].removed, found["edited"].is_regular) == (
        False,
        False,
        True,
    )
    assert (found["added"].added, found["added"].mode, found["added"].old_blob) == (True, "100755", "")
    assert (found["removed"].removed, found["removed"].blob) == (True, "")
    assert (found["linked"].mode, found["linked"].is_regular) == ("120000", False)
    assert found["moved"].removed, "a rename is a removal and an addition"
    assert found["elsewhere"].blob == found["moved"].old_blob


def test_names_may_hold_anything_git_allows(root: Path) -> None:
    base = committed_empty(root)
    names = [b":100644 x", b"a\nb", b"\xff\xfe", "\u202eα".encode(), b"0" * 40, b" lead and trail "]
    for name in names:
        written(root, name, name)
    committed(root)
    found = branch(root, base)
    for changes in (found.changes(), found.difference()):
        assert sorted(os.fsencode(change.path) for change in changes) == sorted(names)


def committed_empty(root: Path) -> str:
    git(root, "commit", "-q", "--allow-empty", "-m", "empty")
    return git(root, "rev-parse", "HEAD")


def test_a_merge_counts_for_what_it_changes_itself(root: Path) -> None:
    written(root, "a", b"1")
    base = committed(root)
    git(root, "switch", "-qc", "side")
    written(root, "b", b"side")
    side = committed(root)
    git(root, "switch", "-q", "main")
    written(root, "c", b"main")
    ours = committed(root)
    git(root, "merge", "-q", "--no-commit", "side")
    written(root, "b", b"neither")
    written(root, "d", b"new")
    merge = committed(root)
    found = {(change.commit, change.path): change for change in branch(root, base).changes()}
    assert set(found) == {(side, "b"), (ours, "c"), (merge, "b"), (merge, "d")}
    assert found[merge, "b"].added, "before is the first parent, which had no b"
    assert found[merge, "d"].added
    assert branch(root, base).commits()[0] == merge


def test_an_octopus_and_a_second_root(root: Path) -> None:
    written(root, "a", b"1")
    base = committed(root)
    for name in ("one", "two"):
        git(root, "switch", "-qc", name, base)
        written(root, name, b"x")
        committed(root)
    git(root, "switch", "-q", "main")
    git(root, "merge", "-q", "--no-edit", "one", "two")
    assert sorted(change.path for change in branch(root, base).changes()) == ["one", "two"]
    git(root, "switch", "-q", "--orphan", "root")
    written(root, "lonely", b"x")
    committed(root)
    git(root, "switch", "-q", "main")
    git(root, "merge", "-q", "--no-edit", "--allow-unrelated-histories", "root")
    assert sorted(change.path for change in branch(root, base).changes()) == ["lonely", "one", "two"]


def test_a_submodule_has_no_blob(root: Path) -> None:
    base = committed_empty(root)
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{base},sub")
    git(root, "commit", "-qm", "a submodule")
    (change,) = branch(root, base).changes()
    assert (change.mode, change.blob, change.is_regular) == ("160000", "", False)
    assert isinstance(change, Change)


def test_sizes_and_pieces(root: Path) -> None:
    base = committed_empty(root)
    data = os.urandom(2**20 * 2 + 5)
    written(root, "large", data)
    committed(root)
    found = branch(root, base)
    (change,) = found.changes()
    assert found.sizes([change.blob, "0" * 40]) == {change.blob: len(data)}
    pieces = list(found.pieces(change.blob))
    assert [len(piece) for piece in pieces] == [2**20, 2**20, 5]
    assert b"".join(pieces) == data


def test_what_a_branch_is_compared_with(root: Path, tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="nothing was committed"):
        branch(root, None)
    first = committed_empty(root)
    assert (branch(root, None).kinship, branch(root, None).base) == ("alone", None)
    second = committed_empty(root)
    assert branch(root, first).base == first
    assert branch(root, None).commits() == [second, first]
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(root), str(clone)], check=True)
    git(clone, "switch", "-qc", "mine")
    third = committed_empty(clone)
    assert (branch(clone, None).base, branch(clone, None).onto) == (second, "origin/HEAD")
    git(clone, "remote", "set-head", "origin", "--delete")
    assert branch(clone, None).onto == "origin/main"
    assert branch(clone, None).commits() == [third]
    for name in ("nowhere", "--help", "-x", ""):
        with pytest.raises(UsageError, match="no commit"):
            branch(clone, name)
