"""What is said where git itself ends before it answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from publishing import git

from benchsite.errors import PrerequisiteError
from benchsite.repo import Past, Repository
from benchsite.repo.head import resolve_head


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "x").write_bytes(b"x")
    git(tmp_path, "add", "x")
    git(tmp_path, "commit", "-qm", "x")
    (tmp_path / "x").write_bytes(b"y")
    git(tmp_path, "commit", "-qam", "y")
    return tmp_path


@pytest.fixture
def ended(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], None]:
    """Lets a signal end git where its command line has some words, after it has done a part of its work."""

    def end(words: str, part: str = "kill -9 $$") -> None:
        program = tmp_path_factory.mktemp("bin") / "git"
        program.write_text(f'#!/bin/sh\ncase "$*" in *"{words}"*) {part};; esac\nexec git "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("GIT_PYTHON_GIT_EXECUTABLE", str(program))

    return end


@pytest.mark.parametrize("signal", [9, 15])
def test_a_killed_git_is_no_missing_object(root: Path, ended: Callable[..., None], signal: int) -> None:
    """Else a machine without memory would be told that its record was removed."""
    ended("cat-file", f"kill -{signal} $$")
    with pytest.raises(PrerequisiteError, match=rf"killed \(signal {signal}\)"):
        resolve_head(Repository.open(root))


@pytest.mark.parametrize("cut", [0, 1, 40, 52, 53, 54, 60, 95, 140, 153, 154, 155, 156, 157])
def test_a_walk_that_was_killed_is_no_shorter_walk(root: Path, ended: Callable[..., None], cut: int) -> None:
    """What git printed before may end anywhere: in an id, in the modes, between them and the path."""
    ended(" log ", f'git "$@" | head -c {cut}; kill -9 $$')
    seen = []
    with (
        pytest.raises(PrerequisiteError, match=r"git log .*\(signal 9\)"),
        Past(root).walk(["x"], head="HEAD") as walk,
    ):
        seen = list(walk)
    assert {revision.path for revision in seen} <= {"x"}


def test_a_killed_batch_is_no_missing_object(root: Path, ended: Callable[..., None]) -> None:
    (blob,) = [item.blob_id for item in Repository.open(root).tree("x", rev="HEAD")]
    ended("cat-file --batch --buffer")
    with pytest.raises(PrerequisiteError, match=r"git cat-file was killed \(signal 9\)"):
        list(Past(root).blobs([blob]))


def test_a_killed_git_is_no_answer(root: Path, ended: Callable[..., None]) -> None:
    """Else a shallow clone could pass for a whole one."""
    ended("--is-shallow-repository")
    with pytest.raises(PrerequisiteError, match=r"git rev-parse was killed \(signal 9\)"):
        Past(root).require_whole()


def test_an_object_that_is_not_there_is_none(root: Path) -> None:
    assert Repository.open(root).read("y", rev="HEAD") is None
