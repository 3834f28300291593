"""The record on disk: who may write it, how one commit changes it, and what a crash leaves to be finished.

A commit is built beside the working tree, a journal names it and its parent, the branch moves by compare-and-swap, the
files follow, the journal goes. `recover` restores exactly the files in which the two commits of a journal differ.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchsite.errors import InputError, PrerequisiteError
from benchsite.layout import JOURNAL, LOCK, RECORD, in_record, sort_of
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.scratch import require_folder
from benchsite.repo import EMPTY_TREE, GitError, Repository, write_atomically
from benchsite.words import shown_path

_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LARGEST_JOURNAL: Final = 4096
TRAILER: Final = "Benchsite-Log-Size"
"""The line of a commit message that says how many entries the log has afterwards."""


@contextmanager
def locked(workspace: Workspace) -> Iterator[None]:
    """Hold the instance's lock; a second publisher on this machine waits for the first."""
    require_folder(workspace.root)
    if (workspace.root / LOCK).is_symlink():
        raise InputError(
            f"{LOCK} is a symbolic link: benchsite does not write through links",
            hint=f"remove the link: rm {LOCK}",
        )
    handle = _lock(workspace.root / LOCK)
    try:
        yield
    finally:
        os.close(handle)


def _lock(path: Path) -> int:
    """Open a lock file and lock it; opened again if another file got its name while this process waited."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise InputError(
                f"cannot open {LOCK}: {(error.strerror or 'unknown error').lower()}",
                hint="it must be a plain file: remove what is there",
            ) from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if path.exists() and os.path.samestat(os.fstat(handle), path.lstat()):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def commit_record(
    workspace: Workspace,
    writes: dict[str, bytes],
    removes: Sequence[str],
    *,
    parent: str | None,
    message: str,
) -> str:
    """Commit record files: journal, objects, compare-and-swap, working tree, journal gone."""
    repository = workspace.repository
    commit = repository.build_commit(writes, removes=removes, parent=parent, message=message, sign=True)
    with journalled(workspace, parent, commit):
        repository.advance(commit, expected=parent)
        repository.materialise(sorted({*writes, *removes}), commit)
    return commit


def discard(workspace: Workspace, commit: str, parent: str) -> None:
    """Return to the parent of a commit that was not pushed, files included."""
    with journalled(workspace, commit, parent):
        workspace.repository.move_to(parent, expected=commit)
    workspace.refresh()


@contextmanager
def journalled(workspace: Workspace, before: str | None, after: str) -> Iterator[None]:
    """Note from which commit to which one the files are about to go, so that `recover` can end it after a crash.

    The note stays when the work in between fails, and the next append begins by restoring from HEAD.
    """
    journal = _journal(workspace)
    write_atomically(journal, json.dumps({"before": before, "after": after}).encode())
    yield
    journal.unlink(missing_ok=True)


def recover(workspace: Workspace, head: str | None) -> bool:
    """Finish or forget an interrupted append: the files that differ between its two commits are restored from HEAD.

    The journal names commits and no path, because anything could have written it: which files differ is git's answer, and
    commits that HEAD does not contain are not believed. A file outside the record, the inbox among them, may be the user's own: it is restored
    only where it holds what one of the two commits has, or the beginning of it, that is, where the interrupted command
    wrote it, was about to, or died over it.
    """
    journal = _journal(workspace)
    if not os.path.lexists(journal):
        return False
    if journal.is_symlink() or not journal.is_file():
        raise InputError(f"{JOURNAL} is not a plain file", hint=f"move it away: mv {JOURNAL} {JOURNAL}.old")
    repository = workspace.repository
    revisions = _noted(journal)
    if head is not None and revisions and _contained(repository, head, revisions):
        paths = repository.differing(revisions[0] if len(revisions) > 1 else EMPTY_TREE, revisions[-1])
        ours = [path for path in paths if in_record(path) and sort_of(path) != "free"]
        repository.materialise(ours, head)
        others = [path for path in paths if path not in ours]
        repository.restore([path for path in others if _untouched(workspace, path, revisions)], head)
    journal.unlink()
    workspace.refresh()
    return True


def _noted(journal: Path) -> list[str]:
    """The commits that a journal names, in order; none where it is no journal."""
    try:
        noted: Any = json.loads(read_bounded(journal, _LARGEST_JOURNAL))
        named = [noted[name] for name in ("before", "after")]
    except (InputError, ValueError, KeyError, TypeError, RecursionError):
        return []
    commits = [commit for commit in named if commit is not None]
    return commits if all(isinstance(item, str) and _COMMIT.fullmatch(item) for item in commits) else []


def _contained(repository: Repository, head: str, commits: Sequence[str]) -> bool:
    """Whether HEAD contains one of the commits, and all are in this repository."""
    try:
        there = [repository.commit(item) for item in commits]
    except GitError:
        return False
    return any(item == head or repository.is_ancestor(item, head) for item in there)


def _untouched(workspace: Workspace, path: str, revisions: Sequence[str]) -> bool:
    """Whether a file holds what one of the commits has for it, or the beginning: nothing of anybody's own is lost then."""
    held = workspace.root / path
    if held.is_symlink() or not held.is_file():
        return not held.exists()
    here = held.read_bytes()
    whole = [workspace.repository.read(path, rev=rev) for rev in revisions]
    return any(data is not None and data.startswith(here) for data in whole)


def _journal(workspace: Workspace) -> Path:
    return workspace.root / JOURNAL


def require_clean(workspace: Workspace) -> None:
    """Nothing but publish writes the record; raises `PrerequisiteError` naming the first path that differs."""
    changed = workspace.repository.changed_paths(*RECORD)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise PrerequisiteError(
            f"uncommitted changes in the record: {shown_path(changed[0])}{more}",
            hint="only `benchsite publish` writes there: run `git status results keys`, then restore them",
        )


def require_branch(workspace: Workspace) -> None:
    """A record grows on one branch: on another, or on none, a second log of the same size would be signed."""
    followed, upstream = workspace.repository.record_branch(), workspace.repository.upstream()
    if followed is not None and upstream is not None and upstream[1] != followed:
        raise PrerequisiteError(
            f"wrong branch: this one tracks {upstream[1]}, results are published on {followed}",
            hint=f"git switch {followed}; other branches carry drafts in results/inbox only, never log entries",
        )
    if workspace.repository.branch() == "HEAD":
        raise PrerequisiteError("HEAD is detached: publishing needs a branch", hint="git switch main")
