"""log: its head, proofs out of it, what was said in it, and cosigning it from outside (specs/log.md, "Witnesses").

A witness works in a clone of its own and remembers, in a small file, the last size and root it signed. That file
moves before the signature is shown and never backwards, so that a crash cannot lead to two roots at one size.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from benchsite import canonical, environment
from benchsite import log as logs
from benchsite.environment import Credentials
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.layout import COSIGNATURES_PATH, SCRATCH
from benchsite.log import (
    Checkpoint,
    Cosignature,
    Log,
    Note,
    NoteError,
    Proof,
    ReceiptEntry,
    WithdrawEvidenceEntry,
    Witness,
    Witnessing,
)
from benchsite.log.entries import Index, Origin
from benchsite.pipeline.publish.keys import write_private
from benchsite.pipeline.record.commit import locked
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.receipt import Receipt, ReceiptError, parse
from benchsite.repo import write_atomically
from benchsite.schema import Base64Hash, Schema
from benchsite.signing import PrivateKey

_LARGEST_STATE: Final = 64 * 1024
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Head:
    """The newest checkpoint, and the verifier key of the log key in force; None without one."""

    checkpoint: Checkpoint
    vkey: str | None


def head(snapshot: Snapshot) -> Head:
    """Return the checkpoint of a snapshot's log."""
    log = snapshot.require_log()
    signer = log.keyring.in_force("log")
    vkey = logs.verifier_key(log.origin, signer.public_key) if signer is not None else None
    return Head(log.checkpoint(), vkey)


def proof(snapshot: Snapshot, name: str) -> Proof:
    """Return a receipt's inclusion proof under the checkpoint that the site serves, with its entry's bytes.

    Args:
        snapshot: the record with the log.
        name: path, id or unique prefix of the receipt.

    Raises:
        PrerequisiteError: the receipt is not in the log.
        IntegrityError: the log records other bytes for it.
    """
    log = snapshot.require_log()
    receipt = _receipt(snapshot, name)
    index = log.receipts.get(receipt.receipt_id)
    if index is None:
        raise PrerequisiteError(
            f"receipt {receipt.receipt_id} is not among the {log.size:,} entries of {log.origin}",
            hint="run `benchsite publish` to log a draft, or `git pull` to fetch published receipts",
        )
    entry = log.entry(index)
    if not isinstance(entry, ReceiptEntry) or entry.sha256 != canonical.sha256_hex(receipt.file_bytes()):
        raise IntegrityError(
            f"log entry {index} has another hash for receipt {receipt.receipt_id}",
            hint=f"`benchsite verify {name}` for details",
        )
    note = Note.parse(served_checkpoint(snapshot, log))
    return Proof(index, tuple(log.inclusion_proof(index)), note, log.entry_bytes(index))


def served_checkpoint(snapshot: Snapshot, log: Log) -> bytes:
    """Return the stored checkpoint with the lines of the witnesses who have cosigned this size."""
    stored, witnessing = snapshot.checkpoint, snapshot.witnessing
    return stored if witnessing is None else witnessing.served(stored, log.size)


def events(snapshot: Snapshot, name: str = "") -> Iterator[tuple[int, logs.Entry]]:
    """Yield every entry but receipts, with its index; given a receipt's name, only entries about that receipt."""
    log = snapshot.require_log()
    if not name:
        for index in range(log.size):
            entry = log.entry(index)
            if not isinstance(entry, ReceiptEntry):
                yield index, entry
        return
    receipt = _receipt(snapshot, name)
    pinned = {evidence["sha256"] for evidence in receipt.document.get("evidence") or ()}
    about = {index for index, _ in log.events_about(receipt.receipt_id)}
    for index in range(log.size):
        entry = log.entry(index)
        if index in about or (isinstance(entry, WithdrawEvidenceEntry) and entry.sha256 in pinned):
            yield index, entry


def _receipt(snapshot: Snapshot, name: str) -> Receipt:
    _, data = snapshot.receipt_bytes(name)
    try:
        return parse(data)
    except ReceiptError as error:
        if error.field != "signature":
            raise
        raise PrerequisiteError(
            f"{name} is a draft: not signed, not in the log",
            hint="run `benchsite publish` to sign and log it",
        ) from None


class _State(Schema):
    """What a witness signed last."""

    origin: Origin
    size: Index
    root: Base64Hash


@dataclass(frozen=True, slots=True)
class Cosigned:
    """A cosignature ready for `results/log/cosignatures`; `known` where `mkdocs.yml` names its witness already."""

    cosignature: Cosignature
    witness: Witness
    previous: int | None
    known: bool


def cosign(
    workspace: Workspace,
    snapshot: Snapshot,
    credentials: Credentials,
    name: str,
    *,
    state: Path | None = None,
) -> Cosigned:
    """Check that the log continues the one this witness signed last, and sign its checkpoint.

    Args:
        workspace: the witness's own clone.
        snapshot: the record of that clone.
        credentials: with the witness's key.
        name: the witness's name, a URL without a scheme.
        state: the file that remembers what was signed last; in `.benchsite/witness/` by default.

    Raises:
        IntegrityError: the log does not verify, is shorter than the last one, or is another one of that size.
        UsageError: the name cannot stand in a signed note.
        InputError: the key is one of the log's own, or the state file is malformed.
        PrerequisiteError: no key was given, or the clone is behind its remote.
    """
    _require_newest(snapshot)
    log = snapshot.require_log()
    key = credentials.key("witness", repository=workspace.root)
    witness = _witness(log, name, key)
    # What the record says this witness signed must still hold, should its own memory be lost.
    Witnessing.of(log, (witness,), snapshot.read(COSIGNATURES_PATH) or b"")
    path = state if state is not None else workspace.root / SCRATCH / "witness" / _file_name(name)
    with locked(workspace):
        previous = _read_state(path)
        if previous is not None:
            _must_continue(log, previous, path)
        checkpoint = log.checkpoint()
        time = logs.posix_seconds(environment.now())
        line = logs.cosign(checkpoint, name=name, key=key, time=time)
        _write_state(path, checkpoint)
    return Cosigned(
        cosignature=Cosignature(log.size, line),
        witness=witness,
        previous=previous.size if previous is not None else None,
        known=witness in snapshot.config.witnesses,
    )


def _require_newest(snapshot: Snapshot) -> None:
    """Check that the clone is not behind: an old checkpoint signed late makes honest runs look back-dated."""
    repository, ours = snapshot.repository, snapshot.commit
    theirs = repository.fetch()
    if theirs is not None and ours is not None and not repository.is_ancestor(theirs, ours):
        raise PrerequisiteError(
            "this clone is behind its remote", hint="git pull, then re-run `benchsite log cosign`"
        )


def _witness(log: Log, name: str, key: PrivateKey) -> Witness:
    try:
        witness = Witness(name, key.public)
    except NoteError as error:
        raise UsageError(
            error.message, hint="use a URL without a scheme, for example witness.example/w1"
        ) from None
    own = log.keyring.get(key.fingerprint)
    if own is not None:
        raise InputError(
            f"the witness key given is the {own.role} key of this log: a log key cannot be a witness key",
            hint="run `benchsite log witness-key` to create a witness key",
        )
    return witness


def _must_continue(log: Log, previous: _State, path: Path) -> None:
    """The first `previous.size` entries must still be the ones that were signed: then this log only grew."""
    if previous.origin != log.origin:
        raise IntegrityError(
            f"{path}: origin mismatch: last cosigned {previous.origin}, this log is {log.origin}",
            hint="use one state file per log: --state FILE",
        )
    if log.size < previous.size:
        raise IntegrityError(
            f"log truncated: {log.size} entries here, {previous.size} when you last cosigned",
            hint="git pull; if the entries stay missing, keep this clone: it is the evidence",
        )
    if base64.b64encode(log.root(previous.size)).decode() != previous.root:
        raise IntegrityError(
            f"log forked: its first {previous.size} entries are not the ones you cosigned",
            hint=f"do not cosign; keep this clone, your older clone and {path} as evidence, and publish both checkpoints",
        )


def _file_name(name: str) -> str:
    """A file for a name that may hold anything a note allows; the digest keeps two names apart."""
    return f"{_UNSAFE.sub('_', name)[:80]}-{sha256(name.encode()).hexdigest()[:8]}.json"


def _read_state(path: Path) -> _State | None:
    if not path.exists():
        return None
    try:
        return _State.model_validate(canonical.loads(read_bounded(path, _LARGEST_STATE)))
    except (canonical.JsonError, ValidationError) as error:
        what = error.message if isinstance(error, canonical.JsonError) else "not {origin, size, root}"
        raise InputError(
            f"{path}: {what}",
            hint="restore it from a backup: without it a rewrite since your last cosignature is undetectable",
        ) from None


def _write_state(path: Path, checkpoint: Checkpoint) -> None:
    root = base64.b64encode(checkpoint.root).decode()
    value = canonical.dumps({"origin": checkpoint.origin, "size": checkpoint.size, "root": root})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make {path.parent}: {error.strerror}", hint="choose another file with --state"
        ) from None
    write_atomically(path, value)


def witness_key(
    workspace: Workspace, snapshot: Snapshot, name: str, *, folder: Path | None
) -> tuple[Witness, Path]:
    """Make a key for a witness of this name, and write its private half to a file outside the repository.

    Raises:
        UsageError: the name cannot stand in a signed note.
        PrerequisiteError: the folder lies in the repository.
        InputError: there is a key already, or the file cannot be written.
    """
    key = PrivateKey.generate()
    witness = _witness(snapshot.require_log(), name, key)
    return witness, write_private(workspace, {"witness": key}, folder)["witness"]
