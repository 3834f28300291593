"""Finding a repository: what git itself says of the same folder is the expected answer."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from publishing import git

from benchsite.errors import PrerequisiteError
from benchsite.repo import GitError, Repository
from benchsite.repo.head import resolve_head


def usual(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main", "plain")
    git(root / "plain", "commit", "-qm", "x", "--allow-empty")
    return root / "plain"


def below(root: Path) -> Path:
    folder = usual(root) / "a" / "b"
    folder.mkdir(parents=True)
    return folder


def worktree(root: Path) -> Path:
    git(usual(root), "worktree", "add", "-q", str(root / "tree"))
    return root / "tree"


def separate(root: Path) -> Path:
    git(root, "init", "-q", "--separate-git-dir", str(root / "elsewhere"), "plain")
    return root / "plain"


def through_a_link(root: Path) -> Path:
    made = usual(root)
    (made / ".git").rename(root / "moved")
    (made / ".git").symlink_to(root / "moved")
    return made


@pytest.mark.parametrize("kind", [usual, below, worktree, separate, through_a_link])
def test_every_kind_of_working_tree_is_found(kind: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = kind(tmp_path)

    def said(question: str) -> str:
        command = ["git", "rev-parse", question]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()

    with closing(Repository.open(folder)) as found:
        assert str(found.root) == said("--show-toplevel")
        head = subprocess.run(
            ["git", "rev-parse", "-q", "--verify", "HEAD"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert resolve_head(found) == (head.stdout.strip() or None)


@pytest.mark.parametrize("setting", ["core.bare=true", "core.bare=yes", "core.bare"])
def test_a_bare_repository_is_refused(setting: str, tmp_path: Path) -> None:
    made = usual(tmp_path)
    name, equals, value = setting.removeprefix("core.").partition("=")
    with (made / ".git/config").open("a") as out:
        out.write(f"[core]\n\t{name}{' = ' if equals else ''}{value}\n")
    with pytest.raises(PrerequisiteError, match="bare repository"):
        Repository.open(made)


@pytest.mark.parametrize("missing", ["HEAD", "objects", "refs"])
def test_a_folder_that_is_no_repository_is_refused(missing: str, tmp_path: Path) -> None:
    made = usual(tmp_path)
    (made / ".git" / missing).rename(tmp_path / "moved")
    with pytest.raises(GitError, match="git does not recognize this repository"):
        Repository.open(made)
