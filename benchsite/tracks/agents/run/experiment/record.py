"""The record on disk of a system on a benchmark: the only truth about which units are done.

Owns its folder `<benchmark>/<system>/`: `configuration.json`, and `runs.jsonl`, to which each unit is appended as one line
when it ends: a file a run would cost more than the run where models are fast. The last line of a unit counts. What a kill or
a full disk left of a line is cut off by the next writer. The files of a run are derived (`artifacts`). One command works on a
folder at a time; its workers append under a lock. Refuses to go on with another configuration than the one that the folder
was started with. A line or a file of another unit changes nothing.
"""

from __future__ import annotations

import fcntl
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError, PrerequisiteError
from benchsite.tracks.agents.redaction import REDACTED
from benchsite.tracks.agents.run.experiment.line import LARGEST, unit_line
from benchsite.tracks.agents.run.experiment.unit import Unit, first_difference
from benchsite.words import one_line

__all__ = ["MARK", "Kept", "Record", "read_json", "unwritable", "write_file"]

MANIFEST: Final = "configuration.json"
RUNS: Final = "runs.jsonl"
MARK: Final = ".gitignore"
"""What is in the folder of every experiment: its files are no change of the repository."""
_LOCK: Final = ".lock"
_BLOCK: Final = 1 << 16
_IGNORED: Final = b"# experiments are local; remove this file to commit them\n*\n"


@dataclass(frozen=True, slots=True)
class Kept:
    """A unit that is done: its result, and where its line is."""

    unit: Unit
    result: Mapping[str, Any]
    path: Path
    start: int
    size: int

    def line(self) -> dict[str, Any]:
        """Return everything that was recorded of it.

        Raises:
            PrerequisiteError: the record cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(self.start)
                found: Any = canonical.loads(file.read(self.size), max_bytes=LARGEST)
        except (OSError, JsonError):
            raise PrerequisiteError(
                f"cannot read the record: {self.path.name}", hint="re-run the command"
            ) from None
        return dict(found)


class Record:
    """The folder of one system on one benchmark, below that of the experiment.

    Args:
        experiment: the folder of the experiment; it is made if it is absent.
        benchmark: the benchmark's id.
        system: the system's name.
        secrets: texts that no file may have.
    """

    def __init__(self, experiment: Path, benchmark: str, system: str, secrets: tuple[str, ...] = ()) -> None:
        self.experiment = experiment
        self.folder = experiment / benchmark / system
        self.secrets = tuple(secret.encode() for secret in secrets)
        self._index: dict[str, tuple[Mapping[str, Any], int, int]] | None = None

    @contextmanager
    def opened(
        self, configuration: Mapping[str, Any], facts: Mapping[str, Any], concurrency: int
    ) -> Iterator[dict[str, Any]]:
        """Hold the folder for one command and give its manifest, which is written if this command begins it.

        Args:
            configuration: what every unit of the folder has in common.
            facts: what else a new manifest says, such as the id of the receipt to come.
            concurrency: how many runs of this command go on at once; the manifest has the most of all commands.

        Raises:
            InputError: the folder was begun with another configuration.
            PrerequisiteError: another command writes it, or it cannot be written.
        """
        self._make()
        descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            self._lock(descriptor)
            made = self._begun(configuration) or {"configuration": dict(configuration), **facts}
            if made.get("concurrency", 0) < concurrency:
                made["concurrency"] = concurrency
                self.write(MANIFEST, canonical.dumps(made) + b"\n")
            yield made
        finally:
            os.close(descriptor)

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (ignore := self.experiment / MARK).exists():
                write_file(ignore, _IGNORED)
        except OSError as error:
            raise unwritable(self.folder, error) from None

    def _lock(self, descriptor: int) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PrerequisiteError(
                f"another command works on this experiment: {self.shown}",
                hint="wait until it has ended; after a kill, its last runs end first",
            ) from None

    @property
    def shown(self) -> str:
        """The folder as messages name it, without the path to it."""
        return "/".join(self.folder.parts[-3:])

    def manifest(self) -> Mapping[str, Any] | None:
        """Return what the folder was begun with; None if it was not, or if that file is damaged."""
        return read_json(self.folder / MANIFEST)

    def _begun(self, configuration: Mapping[str, Any]) -> dict[str, Any] | None:
        found = self.manifest()
        if found is None or not isinstance(found.get("configuration"), dict):
            return None
        for name, old, new in first_difference(found["configuration"], dict(configuration)):
            was, now = (one_line(canonical.dumps(one).decode(), 80) for one in (old, new))
            raise InputError(
                f"{self.shown} was started with another configuration: {name} was {was}, is {now}",
                hint="use the same options, or start another experiment: --experiment-id ID",
            )
        return dict(found)

    def base(self, unit: Unit) -> Path:
        """Return the path of a unit's files up to the dot before their kind."""
        return self.folder / unit.task / f"run_{unit.run}"

    def kept(self, unit: Unit) -> Kept | None:
        """Return a unit that is done; None if it was not run."""
        if self._index is None:
            self._index = {line["unit"]: (line["result"], start, size) for line, start, size in self._lines()}
        found = self._index.get(unit.sha256)
        return None if found is None else Kept(unit, found[0], self.folder / RUNS, found[1], found[2])

    def _lines(self) -> Iterator[tuple[Mapping[str, Any], int, int]]:
        """The whole lines of the record that are units, each with its place and size."""
        try:
            with (self.folder / RUNS).open("rb") as file:
                start = 0
                for data in file:
                    line = unit_line(data)
                    if line is not None:
                        yield line, start, len(data)
                    start += len(data)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unwritable(self.folder / RUNS, error) from None

    def commit(self, unit: Unit, result: Mapping[str, Any], body: Mapping[str, Any]) -> Kept:
        """Record a unit in one line; an earlier line of it counts no more.

        Raises:
            PrerequisiteError: the disk is full or the folder cannot be written; nothing is left half-written.
        """
        whole = {"unit": unit.sha256, "result": dict(result), **body}
        data = self._clean(canonical.dumps(whole)) + b"\n"
        path = self.folder / RUNS
        try:
            start = _append(path, data)
        except OSError as error:
            raise unwritable(path, error) from None
        return Kept(unit, result, path, start, len(data))

    def write_files(self, unit: Unit, files: Mapping[str, bytes]) -> None:
        """Write the files of a run by kind; raises `PrerequisiteError`."""
        for kind, data in files.items():
            self.write_of_task(unit.task, f"run_{unit.run}.{kind}", data)

    def write_of_task(self, task: str, name: str, data: bytes) -> None:
        """Replace a file in the folder of a task; raises `PrerequisiteError`."""
        try:
            (self.folder / task).mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder / task, error) from None
        self.write(f"{task}/{name}", data)

    def spent_elsewhere(self) -> float:
        """Return the US dollars that the recorded runs of the other systems of the experiment cost."""
        others = (path.parent for path in self.experiment.glob(f"*/*/{RUNS}") if path.parent != self.folder)
        costs = (
            line["result"]["columns"].get("costUsd")
            for folder in others
            for line, _, _ in Record(self.experiment, folder.parent.name, folder.name)._lines()  # noqa: SLF001
        )
        return math.fsum(cost for cost in costs if isinstance(cost, float | int))

    def write(self, name: str, data: bytes) -> None:
        """Replace a file of the folder; raises `PrerequisiteError`."""
        write_file(self.folder / name, self._clean(data))

    def _clean(self, data: bytes) -> bytes:
        """Return a file without secrets; what runs record is redacted before, this is the last door."""
        for secret in self.secrets:
            data = data.replace(secret, REDACTED.encode())
        return data


def _append(path: Path, data: bytes) -> int:
    """Append a line after the last whole one, and return its place; a line that does not fit is taken back."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # until it is closed
        size = os.fstat(descriptor).st_size
        start = _end_of_lines(descriptor, size)
        try:
            if start != size:
                os.ftruncate(descriptor, start)
            left = memoryview(data)
            while left:
                left = left[os.pwrite(descriptor, left, start + len(data) - len(left)) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, start)
            raise
        return start
    finally:
        os.close(descriptor)


def _end_of_lines(descriptor: int, end: int) -> int:
    """Return the place after the last line feed of a file of a size."""
    if end and os.pread(descriptor, 1, end - 1) == b"\n":
        return end
    while end:
        first = max(0, end - _BLOCK)
        found = os.pread(descriptor, end - first, first).rfind(b"\n")
        if found >= 0:
            return first + found + 1
        end = first
    return 0


def read_json(path: Path) -> Mapping[str, Any] | None:
    """Return the object of a file of the record; None if there is none or the file is damaged."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        found = canonical.loads(path.read_bytes(), max_bytes=LARGEST)
    except (OSError, JsonError):
        return None
    return found if isinstance(found, dict) else None


def write_file(path: Path, data: bytes) -> None:
    """Replace a file by a whole new one; a power failure, unlike a kill, may undo the last seconds.

    Raises:
        PrerequisiteError: the disk is full, or the folder cannot be written.
    """
    temporary = path.parent / f".{path.name}.{os.getpid()}"
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> PrerequisiteError:
    """Return the error that says why a file or folder of an experiment cannot be written."""
    reason = (error.strerror or "unknown error").lower()
    return PrerequisiteError(
        f"cannot write the artifacts: {path.name}: {reason}",
        hint="free some space or check the permissions of the output folder, then re-run the command: "
        "it continues where it stopped",
    )
