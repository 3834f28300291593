"""What is said where git itself ends before it answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from publishing import git

from benchsite.errors import PrerequisiteError
from benchsite.repo import Repository


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "x").write_bytes(b"x")
    git(tmp_path, "add", "x")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


@pytest.mark.parametrize("signal", [9, 15])
def test_a_killed_git_is_no_missing_object(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, signal: int
) -> None:
    """Else a machine without memory would be told that its record was removed."""
    program = tmp_path_factory.mktemp("bin") / "git"
    program.write_text(f'#!/bin/sh\ncase "$*" in *cat-file*) kill -{signal} $$;; esac\nexec git "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("GIT_PYTHON_GIT_EXECUTABLE", str(program))
    with pytest.raises(PrerequisiteError, match=rf"killed \(signal {signal}\)"):
        Repository.open(root).head()


def test_an_object_that_is_not_there_is_none(root: Path) -> None:
    assert Repository.open(root).read("y") is None
