"""New log entries on their way into a commit: which files change, and to what bytes.

Nothing is written here. A `Ledger` collects entries on top of a verified log and gives the segment, checkpoint
and key files of the grown log as repository paths and bytes.
"""

from __future__ import annotations

import re
from typing import Final

from benchsite import log as logs
from benchsite.errors import IntegrityError
from benchsite.layout import CHECKPOINT_PATH
from benchsite.log import Entry, KeyEvent, Log
from benchsite.signing import PrivateKey

_PLACE: Final = re.compile(r"^results/log/entries/[0-9]+\.jsonl line [0-9]+: ")


class Ledger:
    """Entries waiting on top of a log."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._new: list[bytes] = []
        self._keys_changed = False

    @property
    def size(self) -> int:
        """The size the log will have."""
        return self.log.size + len(self._new)

    @property
    def entries(self) -> list[Entry]:
        """The new entries, in log order."""
        return [logs.decode_entry(data) for data in self._new]

    def append(self, entry: Entry) -> None:
        """Add an entry at the end; one that is among the new ones already is not added again."""
        data = logs.encode_entry(entry)
        if data not in self._new:
            self._new.append(data)
            self._keys_changed = self._keys_changed or isinstance(entry, KeyEvent)

    def holds(self, entry: Entry) -> bool:
        """Whether exactly this entry is in the log or among the new ones."""
        data = logs.encode_entry(entry)
        return data in self._new or any(data == self.log.entry_bytes(at) for at in range(self.log.size))

    def grown(self) -> Log:
        """The log with the new entries.

        Raises:
            IntegrityError: a rule of the log does not allow one of them.
        """
        try:
            return self.log.extended(self._new)
        except IntegrityError as error:
            # The log names the line an entry would stand on; there is no such line yet.
            raise IntegrityError(_PLACE.sub("", error.message), hint=error.hint) from None

    def writes(self, key: PrivateKey) -> dict[str, bytes]:
        """Repository path to bytes of every file the new entries change, signed checkpoint included.

        Args:
            key: the log key in force.
        """
        return record_files(self.grown(), key, since=self.log.size, keys=self._keys_changed)


def record_files(log: Log, key: PrivateKey, *, since: int, keys: bool) -> dict[str, bytes]:
    """The log's own files from entry `since` on, the checkpoint signed by `key`, and `keys/` where it changed."""
    writes = log.segments(since)
    writes[CHECKPOINT_PATH] = logs.sign_checkpoint(log.checkpoint(), key).encode()
    if keys:
        writes.update(logs.key_files(log.keyring))
    return writes
