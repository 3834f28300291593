"""What git cannot read is said with git's own reason (exit code 5): never that nothing is there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import run_in
from publishing import git

from benchsite.errors import PrerequisiteError
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import GitError, Repository
from benchsite.repo.head import resolve_head

COMMANDS = ("status", "verify --all", "log head", "audit", "check --no-build", "build --output ../site")
HEAD = "git cannot read the commit that HEAD names: "


def loose(root: Path, name: str) -> Path:
    """The file of an object, by itself and not in a pack."""
    packs = list((root / ".git/objects/pack").glob("*.pack"))
    for pack in packs:
        data = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        Repository.open(root)._git.run("unpack-objects", "-q", data=data)
    object_id = git(root, "rev-parse", name)
    place = root / ".git/objects" / object_id[:2] / object_id[2:]
    place.chmod(0o644)
    return place


def written(root: Path, name: str, text: str) -> None:
    place = root / ".git" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def broken_configuration(root: Path) -> None:
    with (root / ".git/config").open("a") as file:
        file.write("[user]\n<<<<<<< theirs\n")


DAMAGES = {
    "empty commit": (lambda root: loose(root, "HEAD").write_bytes(b""), f"{HEAD}object file .git/objects/"),
    "lost commit": (lambda root: loose(root, "HEAD").unlink(), f"{HEAD}bad object HEAD"),
    "damaged commit": (lambda root: loose(root, "HEAD").write_bytes(b"x"), HEAD),
    "empty tree": (lambda root: loose(root, "HEAD^{tree}").write_bytes(b""), "is empty"),
    "branch of garbage": (
        lambda root: written(root, "refs/heads/main", "not a hash\n"),
        f"{HEAD}your current branch appears to be broken",
    ),
    "branch of a lost commit": (
        lambda root: written(root, "refs/heads/main", f"{'1' * 40}\n"),
        f"{HEAD}bad object HEAD",
    ),
    "HEAD of garbage": (
        lambda root: written(root, "HEAD", "rubbish\n"),
        "git does not recognize this repository",
    ),
    "packed refs": (
        lambda root: (git(root, "pack-refs", "--all"), written(root, "packed-refs", "garbage\n")),
        f"{HEAD}unexpected line in .git/packed-refs",
    ),
    "configuration": (broken_configuration, "git cannot read its configuration: bad config line"),
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_head_is_not_absent_because_git_cannot_read_it(begun: Workspace, damage: str) -> None:
    do, message = DAMAGES[damage]
    do(begun.root)
    for ask in (files, differences):
        with pytest.raises(GitError) as caught:
            ask(Repository.open(begun.root))
        assert message in caught.value.message


def files(repository: Repository) -> object:
    commit = resolve_head(repository)
    assert commit is not None
    return repository.tree("results", rev=commit)


def differences(repository: Repository) -> object:
    return list(repository.branch_beyond(resolve_head(repository), None).difference())


@pytest.mark.parametrize(
    ("damage", "hint"),
    [
        ("empty commit", "run `git fsck`, or make a new clone"),
        ("configuration", "correct that line of the file, then re-run the command"),
    ],
)
def test_every_command_says_so_and_none_says_that_the_log_was_removed(
    begun: Workspace, tmp_path: Path, damage: str, hint: str
) -> None:
    do, message = DAMAGES[damage]
    do(begun.root)
    for command in COMMANDS:
        ran = run_in(tmp_path, begun.root)(*command.split())
        assert ran.code == 5, command
        assert message in ran.err, command
        assert hint in ran.err, command


def test_a_users_configuration_that_git_cannot_read_is_named(begun: Workspace, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n<<<<<<< Updated upstream\n\tname = x\n")
    for command in ("status", "check --no-build"):
        ran = run_in(home, begun.root)(*command.split(), GIT_CONFIG_GLOBAL=str(home / ".gitconfig"))
        assert ran.code == 5
        assert f"bad config line 2 in file {home}/.gitconfig" in ran.err


def test_a_branch_without_commits_has_no_head(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "new")
    assert resolve_head(repository) is None
    with pytest.raises(PrerequisiteError, match="nothing was committed yet"):
        repository.branch_beyond(resolve_head(repository), None)


def test_a_working_tree_whose_repository_is_gone_is_not_outside_of_any(
    begun: Workspace, tmp_path: Path
) -> None:
    git(begun.root, "worktree", "add", "-q", str(tmp_path / "beside"))
    shutil.rmtree(begun.root / ".git/worktrees")
    with pytest.raises(GitError, match=r"does not recognize this repository: .*worktrees/beside"):
        Repository.open(tmp_path / "beside")
    with pytest.raises(PrerequisiteError, match="is not in a git repository"):
        Repository.open(tmp_path)


@pytest.mark.parametrize("text", ["not a hash\n", "", f"{'1' * 40}\n"])
def test_the_remotes_branch_is_not_absent_because_git_cannot_read_it(begun: Workspace, text: str) -> None:
    """Else the whole repository would be checked as new, and every commit taken for one that nobody has."""
    git(begun.root, "remote", "add", "origin", "https://example.invalid/x.git")
    written(begun.root, "refs/remotes/origin/main", text)
    repository = Repository.open(begun.root)
    with pytest.raises(GitError, match="refs/remotes/origin/main"):
        repository.branch_beyond(resolve_head(repository), None)
    with pytest.raises(GitError, match="refs/remotes/origin/main"):
        repository.remote_head()
