"""The record on disk: who may write it, how one commit changes it, and what a crash leaves to be finished.

A commit is built beside the working tree, a journal names the files that are about to change, the branch moves by
compare-and-swap, the files follow, the journal goes. `recover` restores exactly what a journal left behind names.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchsite.errors import PrerequisiteError
from benchsite.layout import JOURNAL, RECORD, SCRATCH
from benchsite.pipeline.instance import Instance
from benchsite.repo import write_atomically
from benchsite.words import shown_path

TRAILER: Final = "Benchsite-Log-Size"
"""The line of a commit message that says how many entries the log has afterwards."""


@contextmanager
def locked(instance: Instance) -> Iterator[None]:
    """Hold the instance's lock; a second publisher on this machine waits for the first."""
    folder = instance.root / SCRATCH
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def commit_record(
    instance: Instance, writes: dict[str, bytes], removes: Sequence[str], *, parent: str | None, message: str
) -> str:
    """Commit record files: journal, objects, compare-and-swap, working tree, journal gone."""
    repository = instance.repository
    commit = repository.build_commit(writes, removes=removes, parent=parent, message=message)
    paths = sorted({*writes, *removes})
    with journalled(instance, parent, commit, paths):
        repository.advance(commit, expected=parent)
        repository.materialise(paths)
    return commit


@contextmanager
def journalled(instance: Instance, before: str | None, after: str, paths: Sequence[str]) -> Iterator[None]:
    """Note which files are about to go from one commit's state to another's, so that `recover` can end it after a crash.

    The note stays when the work in between fails, and the next append begins by restoring from HEAD.
    """
    journal = _journal(instance)
    note = {"before": before, "after": after, "paths": list(paths)}
    write_atomically(journal, json.dumps(note).encode())
    yield
    journal.unlink(missing_ok=True)


def recover(instance: Instance) -> bool:
    """Finish or forget an interrupted append: the paths its journal names are restored from HEAD.

    A file outside the record is somebody's own: it is restored only where it holds what one of the two commits has, or
    the beginning of it, that is, where the interrupted command wrote it, was about to, or died over it.
    """
    journal = _journal(instance)
    if not journal.exists():
        return False
    try:
        noted: Any = json.loads(journal.read_bytes())
        revisions = [noted[name] for name in ("before", "after") if noted[name]]
        paths = [str(path) for path in noted["paths"]]
    except (ValueError, KeyError, TypeError):
        revisions, paths = [], []
    record = [path for path in paths if path.split("/")[0] in RECORD]
    others = [path for path in paths if path not in record and _untouched(instance, path, revisions)]
    instance.repository.materialise(record)
    instance.repository.restore(others)
    journal.unlink()
    instance.refresh()
    return True


def _untouched(instance: Instance, path: str, revisions: Sequence[str]) -> bool:
    """Whether a file holds what one of the commits has for it, or the beginning: nothing of anybody's own is lost then."""
    held = instance.root / path
    if held.is_symlink() or not held.is_file():
        return not held.exists()
    here = held.read_bytes()
    whole = (instance.repository.read(path, rev=rev) for rev in revisions)
    return any(data is not None and data.startswith(here) for data in whole)


def _journal(instance: Instance) -> Path:
    return instance.root / JOURNAL


def require_clean(instance: Instance) -> None:
    """Nothing but publish writes the record; raises `PrerequisiteError` naming the first path that differs."""
    changed = instance.repository.changed_paths(*RECORD)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise PrerequisiteError(
            f"uncommitted changes in the record: {shown_path(changed[0])}{more}",
            hint="nothing but publish writes there: `git status results keys`, then restore them",
        )


def require_branch(instance: Instance) -> None:
    """A record grows on one branch: on another, or on none, a second log of the same size would be signed."""
    followed, upstream = instance.repository.record_branch(), instance.repository.upstream()
    if followed is not None and upstream is not None and upstream[1] != followed:
        raise PrerequisiteError(
            f"this branch goes to {upstream[1]}, and the record grows on {followed}",
            hint=f"git switch {followed}; a branch of your own carries drafts in results/inbox, never entries of the log",
        )
    if instance.repository.branch() == "HEAD":
        raise PrerequisiteError(
            "HEAD is detached: a publish would belong to no branch", hint="git switch main"
        )
