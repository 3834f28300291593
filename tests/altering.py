"""What tests of the audit share: a log that grows by small entries, commits by hand, and what was found."""

from __future__ import annotations

from pathlib import Path

from builders import commit
from publishing import git
from snapshots import log_of, snapshot

from benchsite.log import Checkpoint, Entry, IntentEntry, Log, sign_checkpoint
from benchsite.pipeline.audit import Audit, Kind, audit
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.pipeline.snapshot import sizes
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

CHECKPOINT = "results/log/checkpoint"
SEGMENT = "results/log/entries/000000.jsonl"


def intent(number: int) -> IntentEntry:
    return IntentEntry(
        intentId=f"{number:08x}-0000-4000-8000-000000000000",
        track="retrieval",
        subjectSha256="a" * 64,
        configSha256="b" * 64,
        target="small-v1",
        methodology="1.0.0",
        seed=number,
    )


def grow(instance: Workspace, key: PrivateKey, *entries: Entry) -> str:
    """Append entries as a publish does, in one commit."""
    new = NewEntries(log_of(instance))
    for entry in entries:
        new.append(entry)
    commit(instance, new.writes(key, sizes.before(snapshot(instance))))
    return head(instance)


def head(instance: Workspace) -> str:
    return git(instance.root, "rev-parse", "HEAD")


def receipt(instance: Workspace) -> str:
    return snapshot(instance).published[0].path


def data_of(instance: Workspace, path: str, rev: str = "HEAD") -> bytes:
    data = instance.repository.read(path, rev=rev)
    assert data is not None
    return data


def forged_head(log: Log, size: int, key: PrivateKey) -> bytes:
    """A head that the log's own key signed over other entries."""
    return sign_checkpoint(Checkpoint(log.origin, size, b"\x07" * 32), key).encode()


def found(instance: Workspace, **options: object) -> set[tuple[Kind, str, str]]:
    """(kind, path, commit) of everything an audit finds."""
    result: Audit = audit(snapshot(Workspace(instance.root)), **options)  # type: ignore[arg-type]
    return {(item.kind, item.path, item.commit) for item in result.findings}


def kinds(instance: Workspace, **options: object) -> set[Kind]:
    return {kind for kind, _, _ in found(instance, **options)}


def by_hand(folder: Path, message: str = "by hand") -> str:
    """Commit the working tree as it is."""
    git(folder, "add", "-A", "--force")
    git(folder, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def merge(folder: Path, *branches: str, strategy: str = "ort") -> str:
    """Merge branches into the current one and stop before the commit, so that a test may add its own evil."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@t")
    git(folder, *identity, "merge", "-q", "--no-ff", "--no-commit", "-s", strategy, *branches)
    return git(folder, "rev-parse", "HEAD")
