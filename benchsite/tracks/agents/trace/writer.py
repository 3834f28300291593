"""Writing a trace while a run goes on: append-only, so that whatever ends the process leaves a valid prefix.

Owns the file: each event is one line in one write, handed to the kernel at once, and `close` asks the disk to keep it.
After `kill -9` the file is whole lines and at most one half line, which `Trace` drops. Reopening cuts that half line off
and says so; it changes no whole line. Refuses an existing file with any other bad line, an id that occurs twice, and two
writers of one file.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from benchsite.errors import InputError, PrerequisiteError
from benchsite.tracks.agents.record.sentences import said
from benchsite.tracks.agents.trace.event import Event, Trace, line

CHUNK: Final = 64 * 1024


def read_chunks(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of an open file, for `Trace`."""
    return iter(partial(file.read, CHUNK), b"")


class TraceWriter:
    """Appends events to a trace file; a context manager.

    Attributes:
        events: how many whole events the file holds.
        dropped: bytes of the half line that opening cut off; 0 where there was none.
    """

    def __init__(self, path: Path) -> None:
        """Create the file, or reopen it after its last whole line.

        Raises:
            PrerequisiteError: the file cannot be opened, or another process writes it.
            InputError: what the file holds is no trace.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise PrerequisiteError(
                f"cannot write the trace: {path.name}: {error.strerror}",
                hint="check the folder and its permissions",
            ) from None
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        self._name = path.name
        try:
            self._reopen()
        except BaseException:
            self._file.close()
            raise

    def _reopen(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PrerequisiteError(
                f"another process writes the trace: {self._name}", hint="wait until that run has ended"
            ) from None
        trace = Trace(read_chunks(self._file), name=self._name, drop_half_line=True)
        self._ids = {event.id for event in trace}
        self.events = len(self._ids)
        self.dropped = os.fstat(self._file.fileno()).st_size - trace.end
        if self.dropped:
            self._file.truncate(trace.end)

    def append(self, event: Event) -> None:
        """Write one event; it has left this process when this returns.

        Raises:
            InputError: its id was written before, or its payload holds what JSON cannot.
            PrerequisiteError: the disk is full, or the file cannot be written.
        """
        if event.id in self._ids:
            raise InputError(said("id-twice", where=self._name), hint="give each event of a run its own id")
        data = line(event)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise self._unwritable(error) from None
        self._ids.add(event.id)
        self.events += 1

    def _unwritable(self, error: OSError) -> PrerequisiteError:
        reason = (error.strerror or "unknown error").lower()
        return PrerequisiteError(
            f"cannot write the trace: {self._name}: {reason}",
            hint="free some space or check the permissions of .benchsite/traces, then re-run the command",
        )

    def close(self) -> None:
        """Have the disk keep the file, and close it; a second call does nothing.

        Raises:
            PrerequisiteError: the disk refuses it.
        """
        if not self._file.closed:
            try:
                os.fsync(self._file.fileno())
            except OSError as error:
                raise self._unwritable(error) from None
            finally:
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self.close()
