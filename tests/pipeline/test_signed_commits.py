"""A remote that accepts signed commits only, and `commit.gpgsign` (shared case signed-commits-required)."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from examples import some
from publishing import git, measure, remote_pair
from snapshots import log_of, opened, snapshot

from benchsite.environment import Credentials
from benchsite.errors import PrerequisiteError
from benchsite.pipeline import publish
from benchsite.pipeline.audit import audit
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head

HOOK = """#!/bin/sh
while read -r old new ref; do
  for commit in $(git rev-list "$new" --not --all); do
    git cat-file commit "$commit" | grep -q '^gpgsig' ||
      { echo "error: GH013: - Commits must have verified signatures: $commit" >&2; exit 1; }
  done
done
"""


@pytest.fixture
def strict(begun: Workspace, tmp_path: Path) -> Workspace:
    """A clone of a remote that requires signatures, whose person has an ssh key."""
    _, clone = remote_pair(begun, tmp_path)
    hook = tmp_path / "origin.git/hooks/pre-receive"
    hook.write_text(HOOK)
    hook.chmod(0o755)
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    for name, value in (
        ("gpg.format", "ssh"),
        ("user.signingkey", f"{key}.pub"),
        ("user.name", "somebody"),
        ("user.email", "somebody@tests.invalid"),
    ):
        git(clone.root, "config", name, value)
    return clone


def is_signed(instance: Workspace, rev: str = "HEAD") -> bool:
    return "\ngpgsig " in git(instance.root, "cat-file", "commit", rev)


def test_the_commit_is_signed_as_git_is_configured(strict: Workspace, credentials: Credentials) -> None:
    git(strict.root, "config", "commit.gpgsign", "true")
    instance = Workspace(strict.root)
    done = publish.publish(instance, opened(instance), [measure(instance)], credentials)
    assert done.appended.public
    assert is_signed(instance)
    assert audit(snapshot(instance)).ok


@pytest.mark.parametrize("count", some([1, 2], gate=1), ids=["one commit", "two commits"])
def test_the_refusal_of_an_unsigned_commit_names_what_signs_it(
    strict: Workspace, credentials: Credentials, count: int
) -> None:
    for adapter in ("recency", "bm25")[: count - 1]:
        publish.publish(strict, opened(strict), [measure(strict, adapter)], credentials, push=False)
    draft = measure(strict, "random")
    with pytest.raises(PrerequisiteError, match="GH013: - Commits must have verified signatures") as caught:
        publish.publish(strict, opened(strict), [draft], credentials)
    assert draft.exists()
    assert not is_signed(strict)
    first = caught.value.hint.splitlines()[0]
    assert first.startswith("sign the commit, then run benchsite publish: git ")
    assert ("git commit --amend --no-edit -S" in first) == (count == 1)
    git(strict.root, *shlex.split(first.partition(": git ")[2]))
    instance = Workspace(strict.root)
    assert publish.publish(instance, opened(instance), [draft], credentials).appended.public
    assert all(is_signed(instance, f"HEAD~{number}") for number in range(count))
    assert audit(snapshot(instance)).ok
    assert not draft.exists()


def test_what_git_cannot_sign_is_said_before_anything_is_signed(
    strict: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    git(strict.root, "config", "commit.gpgsign", "true")
    (tmp_path / "key").unlink()
    instance = Workspace(strict.root)
    size, head = log_of(instance).size, resolve_head(instance.repository)
    draft = measure(instance)

    def objects() -> set[str]:
        kinds = "%(objecttype) %(objectname)"
        listed = git(strict.root, "cat-file", "--batch-all-objects", f"--batch-check={kinds}")
        return {line for line in listed.splitlines() if line.startswith("blob ")}

    before = objects()
    with pytest.raises(
        PrerequisiteError, match="commit.gpgsign is on, and git cannot sign a commit: "
    ) as caught:
        publish.publish(instance, opened(instance), [draft], credentials)
    assert "git config commit.gpgsign false" in caught.value.hint
    assert objects() == before, "no receipt and no checkpoint was signed and stored"
    assert (log_of(instance).size, resolve_head(instance.repository)) == (size, head)
    assert draft.exists()


def test_hooks_of_the_clone_are_not_run(strict: Workspace, credentials: Credentials, tmp_path: Path) -> None:
    """A signed commit is git's own; programs that a repository brings are nobody's to start."""
    git(strict.root, "config", "commit.gpgsign", "true")
    for name in ("pre-commit", "commit-msg", "post-commit", "pre-push", "reference-transaction"):
        hook = strict.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    instance = Workspace(strict.root)
    assert publish.publish(instance, opened(instance), [measure(instance)], credentials).appended.public
    assert not (tmp_path / "ran").exists()
