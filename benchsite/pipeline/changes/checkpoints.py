"""Past and foreign checkpoints compared with one log (specs/log.md, "Git audit" and "Threats").

A checkpoint that agrees with the log about its first `size` entries is harmless whoever signed it, so its signatures
are checked only if it contradicts the log. If a log key in service signed such a checkpoint, it proves a split view;
otherwise the file is broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from benchsite.log import Checkpoint, KeyStatus, Log, Note, NoteError, key_status
from benchsite.pipeline.findings import Kind

Signer = Literal["in force", "compromised", "out of force", "no log key"]
COMPROMISED: Final = "by a compromised key, above the size up to which it is trusted"
OUT_OF_FORCE: Final = "by a log key that was not valid at that size"
_WORTH: Final[tuple[Signer, ...]] = ("in force", "compromised", "out of force")


@dataclass(frozen=True, slots=True)
class SeenCheckpoint:
    """The bytes of a checkpoint, and what is wrong with it; `checkpoint` is None if it cannot be parsed."""

    data: bytes
    checkpoint: Checkpoint | None
    fault: tuple[Kind, str] | None = None

    @property
    def size(self) -> int | None:
        """The number of entries that it names."""
        return self.checkpoint.size if self.checkpoint is not None else None

    @property
    def proves_split_view(self) -> bool:
        """Whether the log's own key signed other entries than the log has."""
        return self.fault is not None and self.fault[0] is Kind.SPLIT_VIEW


def examine(data: bytes, log: Log) -> SeenCheckpoint:
    """Compare a checkpoint file with the log."""
    try:
        note = Note.parse(data)
        checkpoint = Checkpoint.parse(note.text)
    except NoteError as error:
        return SeenCheckpoint(data, None, (Kind.CHECKPOINT, error.message))
    if checkpoint.origin != log.origin:
        detail = f"it names the log {checkpoint.origin}, and this is {log.origin}"
        return SeenCheckpoint(data, checkpoint, (Kind.CHECKPOINT, detail))
    if checkpoint.size > log.size:
        detail = f"it names {checkpoint.size} entries, and the log has {log.size}"
        return SeenCheckpoint(data, checkpoint, (Kind.CHECKPOINT, detail))
    if checkpoint.root == log.root(checkpoint.size):
        return SeenCheckpoint(data, checkpoint)
    return SeenCheckpoint(data, checkpoint, _contradiction(note, checkpoint, log))


def _contradiction(note: Note, checkpoint: Checkpoint, log: Log) -> tuple[Kind, str]:
    signer = signer_of(note, checkpoint.size, log)
    detail = f"its root is not that of the log's first {checkpoint.size:,} entries"
    if signer == "in force":
        return Kind.SPLIT_VIEW, f"the log's own key signed it, and {detail}"
    who = {"compromised": f", signed {COMPROMISED}", "out of force": f", signed {OUT_OF_FORCE}"}
    return Kind.CHECKPOINT, detail + who.get(signer, ", and no log key signed it")


def signer_of(note: Note, size: int, log: Log) -> Signer:
    """Return which kind of log key signed a checkpoint; of several, the one that counts most."""
    signers: set[Signer] = set()
    for record in log.keyring:
        if record.role != "log":
            continue
        try:
            note.check_signed(log.origin, [record.public_key])
        except NoteError:
            continue
        limit = record.trusted_below_index
        if key_status(record, size - 1) is KeyStatus.TRUSTED:
            signers.add("in force")
        elif limit is not None and size > limit:
            signers.add("compromised")
        else:
            signers.add("out of force")
    return next((signer for signer in _WORTH if signer in signers), "no log key")
