"""New log entries on their way into a commit: which files change, and to what bytes.

Nothing is written here. `NewEntries` collects entries on top of a verified log and gives the segment, checkpoint
and key files of the grown log as repository paths and bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from benchsite import log as logs
from benchsite.errors import IntegrityError
from benchsite.layout import CHECKPOINT_PATH, SIZES_PATH
from benchsite.log import Entry, KeyEvent, Log
from benchsite.signing import PrivateKey

_SHOWN: Final = "run `benchsite log events` and `benchsite keys list` for what the log holds"
_PLACE: Final = re.compile(r"^results/log/entries/[0-9]+\.jsonl line [0-9]+: ")


class NewEntries:
    """Entries that will be added at the end of a log, every rule of the log checked as they come."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._new: list[bytes] = []
        self._grown = log

    @property
    def size(self) -> int:
        """The size the log will have."""
        return self.log.size + len(self._new)

    @property
    def entries(self) -> list[Entry]:
        """The new entries, in log order."""
        return [logs.decode_entry(data) for data in self._new]

    def append(self, *entries: Entry) -> None:
        """Add entries at the end, all or none; one that is among the new ones already is not added again.

        Raises:
            IntegrityError: a rule of the log does not allow one of them.
        """
        self._grown, self._new = self._with(entries)

    def grown_by(self, *entries: Entry) -> Log:
        """The log with the new entries and some more, which are not added; raises as `append`."""
        return self._with(entries)[0]

    def _with(self, entries: Sequence[Entry]) -> tuple[Log, list[bytes]]:
        data = [item for item in map(logs.encode_entry, entries) if item not in self._new]
        try:
            return self._grown.extended(data), [*self._new, *data]
        except IntegrityError as error:
            # The log names the line an entry would be on; there is no such line yet.
            raise IntegrityError(_PLACE.sub("", error.message), hint=_SHOWN) from None

    @property
    def grown(self) -> Log:
        """The log with the new entries."""
        return self._grown

    def writes(self, key: PrivateKey, sizes: Sequence[int] | None) -> dict[str, bytes]:
        """Repository path to bytes of every file the new entries change, signed checkpoint included.

        Args:
            key: the log key in force.
            sizes: as `record_files` takes them.
        """
        keys = any(isinstance(entry, KeyEvent) for entry in self.entries)
        return record_files(self.grown, key, since=self.log.size, keys=keys, sizes=sizes)


def record_files(
    log: Log, key: PrivateKey, *, since: int, keys: bool, sizes: Sequence[int] | None
) -> dict[str, bytes]:
    """The log's own files from entry `since` on, the checkpoint signed by `key`, and `keys/` where it changed.

    `sizes` are those that had a checkpoint before this one; None where they are not known, and no list is written.
    """
    writes = log.segments(since)
    if sizes is not None:
        writes[SIZES_PATH] = logs.encode_sizes([*sizes, log.size])
    writes[CHECKPOINT_PATH] = logs.sign_checkpoint(log.checkpoint(), key).encode()
    if keys:
        writes.update(logs.key_files(log.keyring))
    return writes
