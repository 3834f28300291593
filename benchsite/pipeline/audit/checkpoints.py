"""What an audit asks of signed checkpoints: the list of sizes, checkpoints from elsewhere, and both halves of a split view.

A checkpoint larger than the log is never called a fork: a clone that is behind cannot know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

from benchsite.errors import InputError
from benchsite.layout import SIZES_PATH
from benchsite.log import Checkpoint, Log, Note, NoteError
from benchsite.pipeline.changes.checkpoints import (
    COMPROMISED,
    OUT_OF_FORCE,
    SeenCheckpoint,
    examine,
    signer_of,
)
from benchsite.pipeline.findings import Finding, Kind
from benchsite.repo import write_atomically

_SHOWN: Final = 5
"""How many sizes a finding names."""


def check_sizes(
    sizes: Collection[int], seen: Iterable[SeenCheckpoint], log: Log, *, all_seen: bool
) -> Iterator[Finding]:
    """Compare the list of sizes with the past checkpoints that agree with the log.

    Args:
        sizes: what `results/log/sizes` lists at HEAD.
        seen: past checkpoints.
        log: the log at HEAD.
        all_seen: whether there were no other checkpoints.
    """
    signed = {log.size, *(item.checkpoint.size for item in seen if item.checkpoint and item.fault is None)}
    wrong = [("it lacks sizes that had a checkpoint", signed.difference(sizes))]
    if all_seen:
        wrong.append(("it lists sizes that never had a checkpoint", set(sizes) - signed))
    detail = "; ".join(f"{what}: {_some(which)}" for what, which in wrong if which)
    if detail:
        yield Finding(Kind.SIZES, SIZES_PATH, detail)


def compare(name: str, data: bytes, log: Log) -> Finding | SeenCheckpoint | str:
    """Compare a checkpoint from another clone, a witness or the site with the log.

    Returns:
        A finding, the half of a split view that proves one, or a note if nothing is wrong.

    Raises:
        InputError: the file is not a signed checkpoint.
    """
    try:
        note = Note.parse(data)
        checkpoint = Checkpoint.parse(note.text)
    except NoteError as error:
        raise InputError(
            f"{name}: {error.message}", hint="name a file such as results/log/checkpoint"
        ) from None
    if checkpoint.origin != log.origin:
        detail = f"it names the log {checkpoint.origin}, and this is {log.origin}"
        return Finding(Kind.NOT_OUR_CHECKPOINT, name, detail)
    signer = signer_of(note, checkpoint.size, log)
    if signer == "compromised":
        return f"{name} is not used: signed {COMPROMISED}"
    if signer != "in force":
        who = OUT_OF_FORCE if signer == "out of force" else "by none of this log's keys"
        return Finding(Kind.NOT_OUR_CHECKPOINT, name, f"it is signed {who}")
    if checkpoint.size > log.size:
        detail = (
            f"it names {checkpoint.size} entries and the log here has {log.size}: this clone is stale, behind the "
            "checkpoint you gave, or entries were removed; fetch, then re-run the audit"
        )
        return Finding(Kind.STALE, name, detail)
    seen = examine(data, log)
    return (
        seen if seen.fault else f"{name} agrees: the log is consistent with its {checkpoint.size:,} entries"
    )


def export(
    folder: Path, views: Iterable[SeenCheckpoint], seen: Iterable[SeenCheckpoint], newest: bytes
) -> tuple[list[str], list[str]]:
    """Write both halves of every split view as files.

    Args:
        folder: where to.
        views: checkpoints that the log's key signed and that contradict the log.
        seen: past checkpoints; ours of a view's size is among them, if there was one.
        newest: our checkpoint at HEAD, for a size that had none.

    Returns:
        The paths, and what to say if they could not be written.
    """
    ours = {item.size: item.data for item in seen if item.fault is None}
    files: dict[str, bytes] = {}
    for view in views:
        files[f"{view.size or 0}-theirs-{len(files):03}.checkpoint"] = view.data
        files[f"{view.size or 0}-ours.checkpoint"] = ours.get(view.size, newest)
    try:
        if files:
            folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_atomically(folder / name, data)
    except (InputError, OSError) as error:
        return [], [f"the evidence could not be written to {folder}: {error}"]
    return [str(folder / name) for name in files], []


def _some(sizes: Collection[int]) -> str:
    more = f" and {len(sizes) - _SHOWN} more" if len(sizes) > _SHOWN else ""
    return ", ".join(map(str, sorted(sizes)[:_SHOWN])) + more
