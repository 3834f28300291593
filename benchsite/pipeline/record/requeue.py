"""Entries that were logged in a commit the remote overtook, and wait to be logged again.

A receipt goes back to the draft it came from; an intent, an event, a key event or a pinned version comes here, one
file each in `.benchsite/pending/`, in log order. Whatever appends next appends these first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import SCRATCH
from benchsite.log import MAX_ENTRY_BYTES, Entry, decode_entry, encode_entry, leaf_hash
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.instance.files import read_bounded
from benchsite.repo import write_atomically

FOLDER: Final = "pending"


def save(instance: Instance, entries: Sequence[bytes]) -> None:
    """Keep entries, behind those that wait already; one that waits already is kept once."""
    folder = _folder(instance)
    folder.mkdir(parents=True, exist_ok=True)
    waiting = [path.name for path in _paths(instance)]
    digests = {name.partition("-")[2] for name in waiting}
    number = int(waiting[-1].partition("-")[0]) + 1 if waiting else 0
    for data in entries:
        name = f"{leaf_hash(data).hex()[:16]}.json"
        if name not in digests:
            write_atomically(folder / f"{number:06}-{name}", data)
            digests.add(name)
            number += 1


def load(instance: Instance) -> list[tuple[Path, Entry]]:
    """What waits, oldest first.

    Raises:
        InputError: a file there is no log entry.
    """
    found = []
    for path in _paths(instance):
        try:
            found.append((path, decode_entry(read_bounded(path, MAX_ENTRY_BYTES))))
        except IntegrityError as error:
            raise InputError(f"{path} is no log entry: {error.message}", hint="move it away") from None
    return found


def drop(instance: Instance, logged: Collection[bytes]) -> None:
    """Forget the entries that are logged for good."""
    for path, entry in load(instance):
        if encode_entry(entry) in logged:
            path.unlink(missing_ok=True)


def _folder(instance: Instance) -> Path:
    return instance.root / SCRATCH / FOLDER


def _paths(instance: Instance) -> list[Path]:
    return sorted(_folder(instance).glob("[0-9]*-*.json"))
