"""Long-lived readers of objects: one `git cat-file` a question and a process, whatever the number of questions.

Safe after a fork: the pipe of a reader belongs to the process that started it, and another process starts its own.
"""

from __future__ import annotations

import os
import subprocess
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, Literal, cast

from benchsite.repo._neutral import command, environment, refuse_killed

_AHEAD: Final = 60
"""Names asked for at once: fewer bytes than the smallest pipe holds (4 KiB), so that neither side waits for the other."""
_MOMENT_S: Final = 1.0
"""How long a reader whose pipe is closed may take to end."""
Question = Literal["--batch", "--batch-check"]


class Reader:
    """Objects of one repository by name: content, or only what they are."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._owner = os.getpid()
        self._running: dict[Question, subprocess.Popen[bytes]] = {}
        self._inherited: list[subprocess.Popen[bytes]] = []

    def content(self, name: str) -> bytes | None:
        """The bytes of an object; None where it is missing here, or from the remote of a partial clone."""
        head = self._asked("--batch", name)
        return self._body(self._running["--batch"], head[1]) if head is not None else None

    def contents(self, ids: Sequence[str]) -> Iterator[bytes | None]:
        """The bytes of many objects, by their ids, as `content` has each: asked ahead, so that git reads meanwhile."""
        for start in range(0, len(ids), _AHEAD):
            part = ids[start : start + _AHEAD]
            process = self._process("--batch")
            with suppress(OSError):
                cast("BinaryIO", process.stdin).write("".join(f"{name}\n" for name in part).encode())
                cast("BinaryIO", process.stdin).flush()
            # All are read before one is passed on, because the caller may ask for another object in between.
            yield from [
                self._body(process, head[1]) if (head := self._answer(process)) else None for _ in part
            ]

    def header(self, name: str) -> tuple[str, int] | None:
        """(id, size) of the object that a name or a revision stands for now; None where there is none."""
        return self._asked("--batch-check", name)

    def close(self) -> None:
        """End the readers of this process."""
        if self._owner == os.getpid():
            for process in self._running.values():
                _end(process, self._owner)
            self._running.clear()

    def _asked(self, question: Question, name: str) -> tuple[str, int] | None:
        if "\n" in name:  # a reader takes one name a line
            return None
        process = self._process(question)
        try:
            cast("BinaryIO", process.stdin).write(f"{name}\n".encode("utf-8", "surrogateescape"))
            cast("BinaryIO", process.stdin).flush()
        except OSError:
            _refuse_killed(process)
            return None
        return self._answer(process)

    @staticmethod
    def _body(process: subprocess.Popen[bytes], size: int) -> bytes | None:
        """The bytes that follow an object's line."""
        found = cast("BinaryIO", process.stdout)
        data = found.read(size)
        found.read(1)
        if len(data) == size:
            return data
        _refuse_killed(process)
        return None

    @staticmethod
    def _answer(process: subprocess.Popen[bytes]) -> tuple[str, int] | None:
        """(id, size) of the next object; None where there is none."""
        try:
            fields = cast("BinaryIO", process.stdout).readline().decode("utf-8", "replace").split()
        except OSError:
            fields = []
        if not fields:
            _refuse_killed(process)
        # An object's line is "<id> <type> <size>"; whatever else is said means that there is none.
        if len(fields) != 3 or not fields[2].isdecimal() or len(fields[0]) not in (40, 64):
            return None
        return fields[0], int(fields[2])

    def _process(self, question: Question) -> subprocess.Popen[bytes]:
        if os.getpid() != self._owner:
            # After a fork the program on the other end of the pipe is the parent's: leave it, unclosed.
            self._inherited += self._running.values()
            self._running, self._owner = {}, os.getpid()
        process = self._running.get(question)
        if process is None or process.poll() is not None:
            process = self._running[question] = subprocess.Popen(
                command("cat-file", question),
                cwd=self._root,
                env=environment(os.environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            weakref.finalize(self, _end, process, self._owner)
        return process


def _refuse_killed(process: subprocess.Popen[bytes]) -> None:
    """Raise `PrerequisiteError` where a signal ended a reader: that an object is missing is then not known."""
    with suppress(subprocess.TimeoutExpired):
        refuse_killed("cat-file", process.wait(_MOMENT_S))


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a reader and release its pipes, in the process that started it only."""
    if os.getpid() == owner:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
