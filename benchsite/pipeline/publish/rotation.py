"""keys rotate and keys compromise: a role's key is replaced, or what a stolen key signed stops counting.

Every step is a key event signed by a root key (specs/log.md, "Keys"). A role is never left without a key: the new
one enters service before the old one leaves, in the same commit, and the checkpoint over that commit is signed by
the log key in force after it. The new private key is written before anything is committed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchsite.environment import Credentials, Role
from benchsite.errors import BenchsiteError, PrerequisiteError, UsageError
from benchsite.log import Checkpoint, Log, make_key_event
from benchsite.pipeline.publish.keys import write_private
from benchsite.pipeline.record.append import Appended, Batch, append, newest
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress, silent
from benchsite.signing import KeyRecord, PrivateKey, fingerprint


@dataclass(frozen=True, slots=True)
class Rotated:
    """What changed.

    Attributes:
        role: of the keys.
        old: fingerprint of the key that left service or was disowned, empty where none did.
        new: fingerprint of the key that entered service, empty where none had to.
        file: where the new private key lies.
        appended: the commit.
    """

    role: Role
    old: str
    new: str
    file: Path | None
    appended: Appended


def find_key(log: Log, name: str) -> KeyRecord:
    """The key that a role (the one in force) or a fingerprint, whole or its beginning, names.

    Raises:
        UsageError: none, or more than one, answers to the name; two root keys are in force and only "root" is given.
    """
    if name in ("root", "receipt", "log"):
        found = [record for record in log.keyring if record.role == name and record.state == "active"]
        if name != "root":
            found = found[-1:]
    else:
        wanted = name.removeprefix("sha256:")
        found = [
            record
            for record in log.keyring
            if wanted and record.fingerprint.removeprefix("sha256:").startswith(wanted)
        ]
    if len(found) != 1:
        raise UsageError(
            f"{name!r} names {len(found) or 'no'} key{'s' if len(found) != 1 else ''} of this log",
            hint="give the start of a fingerprint: `benchsite keys list`",
        )
    return found[0]


def rotate(
    workspace: Workspace,
    snapshot: Snapshot,
    name: str,
    credentials: Credentials,
    *,
    keep: bool = False,
    folder: Path | None = None,
    push: bool = True,
    progress: Progress = silent,
) -> Rotated:
    """Put a new key in service and retire the old one.

    Args:
        workspace: whose log.
        snapshot: the record, whose log has the key.
        name: a role, or the fingerprint of the key to retire (of two root keys).
        credentials: hold a root key in force, and the log key unless that one is being replaced.
        keep: leave the old key in service too: the way to a second root key.
        folder: where to write the new private key, outside the repository.
        push: push the commit.
        progress: as elsewhere.

    Raises:
        PrerequisiteError: no root key was given or it is not in force, or as `append`.
        UsageError: the key to retire is not in service.
    """
    old = find_key(snapshot.require_log(), name)
    if old.state != "active":
        raise UsageError(
            f"the {old.role} key {old.fingerprint} is {old.state} already",
            hint="run `benchsite keys list` for the keys in service",
        )

    def close(batch: Batch, sign: _Signer) -> None:
        if not keep:
            sign.event(batch, "key-retire", old.role, old.public_key)

    new = PrivateKey.generate()
    return _replace(
        workspace, snapshot, old, new, credentials, close, folder=folder, push=push, progress=progress
    )


def compromise(  # noqa: PLR0913 - a limit and a reason besides what `rotate` takes
    workspace: Workspace,
    snapshot: Snapshot,
    name: str,
    credentials: Credentials,
    *,
    below: int | None,
    reason: str,
    folder: Path | None = None,
    push: bool = True,
    progress: Progress = silent,
) -> Rotated:
    """Disown what a key signed from a point on; where it was the only one of its role, put a new one in service first.

    Args:
        workspace: whose log.
        snapshot: the record, whose log has the key.
        name: a role, or a fingerprint.
        credentials: hold a root key in force (another one, where a root key leaked), and the log key unless that
            one leaked.
        below: how many entries of the log still count: receipts of a receipt key below this index, checkpoints of
            a log key up to this size. None for a root key.
        reason: one line, logged for ever.
        folder: where to write a new private key, outside the repository.
        push: push the commit.
        progress: as elsewhere.

    Raises:
        UsageError: a limit is missing, or given for a root key.
        IntegrityError: the log's rules do not allow it: see `benchsite.log.replay`.
        PrerequisiteError: as `rotate`.
    """
    held = snapshot.require_log()
    old = find_key(held, name)
    _require_limit(held, old, below)

    def close(batch: Batch, sign: _Signer) -> None:
        log = batch.new.log
        limit = Checkpoint(log.origin, below or 0, log.root(below)) if old.role == "log" else below
        sign.event(batch, "key-compromise", old.role, old.public_key, reason=reason, limit=limit)

    others = [
        record
        for record in held.keyring
        if record.role == old.role and record.state == "active" and record != old
    ]
    new = None if others else PrivateKey.generate()
    return _replace(
        workspace, snapshot, old, new, credentials, close, folder=folder, push=push, progress=progress
    )


def _require_limit(log: Log, old: KeyRecord, below: int | None) -> None:
    """A receipt key and a log key need a limit that they could have; a root key has none."""
    if old.role == "root" and below is not None:
        raise UsageError(
            "--trusted-below does not apply to a root key: undo its entries with separate events",
            hint="remove --trusted-below",
        )
    if old.role == "root":
        return
    if below is None:
        raise UsageError(
            f"--trusted-below is missing: how many entries still count for this {old.role} key?",
            hint="--trusted-below INDEX: keys/ROTATION.md",
        )
    if below > log.size:
        raise UsageError(
            f"--trusted-below {below} exceeds the log: {log.size} entries",
            hint=f"use --trusted-below {log.size} to keep all of them",
        )
    if below < old.from_index:
        raise UsageError(
            f"the {old.role} key {old.fingerprint} entered service at entry {old.from_index}: nothing below was its own",
            hint="for an earlier key, give its fingerprint: `benchsite keys list`",
        )


@dataclass(frozen=True, slots=True)
class _Signer:
    """The root key at work on one log."""

    root: PrivateKey
    origin: str

    def event(
        self,
        batch: Batch,
        kind: Literal["key-add", "key-retire", "key-compromise"],
        role: Role,
        public_key: bytes,
        *,
        reason: str | None = None,
        limit: int | Checkpoint | None = None,
    ) -> None:
        """Sign one key event and put it at the end of the batch; the log's rules are checked at once."""
        seq = batch.new.grown.key_events
        batch.new.append(
            make_key_event(
                kind,
                root=self.root,
                origin=self.origin,
                seq=seq,
                role=role,
                public_key=public_key,
                reason=reason,
                limit=limit,
            )
        )
        batch.lines.append(f"{kind}: {role} {fingerprint(public_key)}")


def _replace(  # noqa: PLR0913 - what both commands take
    workspace: Workspace,
    snapshot: Snapshot,
    old: KeyRecord,
    new: PrivateKey | None,
    credentials: Credentials,
    close: Callable[[Batch, _Signer], None],
    *,
    folder: Path | None,
    push: bool,
    progress: Progress,
) -> Rotated:
    """Put `new` in service, where there is one, then let `close` end the old key's."""
    sign = _Signer(_root_in_force(snapshot, credentials), snapshot.config.benchsite.origin)
    name = f"{old.role}-{new.fingerprint[7:19]}" if new is not None else ""
    files = write_private(workspace, {name: new}, folder) if new is not None else {}

    def stage(batch: Batch) -> None:
        batch.subject = f"keys: {old.role} key {old.fingerprint[7:19]}"
        batch.log_key = new if old.role == "log" else None
        if new is not None:
            sign.event(batch, "key-add", old.role, new.public)
        close(batch, sign)

    try:
        appended = append(workspace, credentials, stage, push=push, progress=progress)
    except BaseException as error:
        if new is not None and newest(workspace).require_log().keyring.get(new.fingerprint) is None:
            files[name].unlink(missing_ok=True)
        elif new is not None and isinstance(error, BenchsiteError):
            error.hint = f"{error.hint}\n       the new {old.role} key is already logged here; its private key: {files[name]}"
        raise
    left = appended.log.keyring.get(old.fingerprint)
    return Rotated(
        old.role,
        old.fingerprint if left is not None and left.state != "active" else "",
        new.fingerprint if new is not None else "",
        files.get(name),
        appended,
    )


def _root_in_force(snapshot: Snapshot, credentials: Credentials) -> PrivateKey:
    key = credentials.key("root", repository=snapshot.repository.root)
    record = snapshot.require_log().keyring.get(key.fingerprint)
    if record is None or record.role != "root" or record.state != "active":
        raise PrerequisiteError(
            f"{key.fingerprint} is not a root key of this log, or is out of service",
            hint="`benchsite keys list` shows them",
        )
    return key
