"""The record on disk of a system on a benchmark: the only truth about which units are done.

Owns its folder `<benchmark>/<system>/`: `configuration.json`, and per unit the files `<task>/run_<n>.*`. A unit is done if
its `run_<n>.result.json` has its id and the digests of the unit's other files; that file is written last. Every file is
replaced by a rename, so that whatever ends the process leaves whole files. One command writes at a time. Refuses to go on
with another configuration than the one that the folder was begun with. A file that no unit names changes nothing.
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
from benchsite.tracks.agents.run.experiment.unit import Unit, first_difference
from benchsite.tracks.agents.run.redaction import REDACTED
from benchsite.words import one_line

__all__ = ["LARGEST", "MARK", "Kept", "Record", "read_json", "unwritable", "write_file"]

LARGEST: Final = 512 * 1024 * 1024
MANIFEST: Final = "configuration.json"
RESULT: Final = "result.json"
MARK: Final = ".gitignore"
"""What is in the folder of every experiment: its files are no change of the repository."""
_LOCK: Final = ".lock"
_IGNORED: Final = b"# experiments are local; remove this file to commit them\n*\n"


@dataclass(frozen=True, slots=True)
class Kept:
    """A unit that is done: its result, and where its files are."""

    unit: Unit
    result: Mapping[str, Any]
    base: Path

    def read(self, kind: str) -> bytes:
        """Return the bytes of one of its files, such as `trace.jsonl`.

        Raises:
            PrerequisiteError: the file cannot be read.
        """
        return _read(_of(self.base, kind))


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
        """Return a unit that is done; None if it was not run, or if one of its files is not the one it wrote."""
        base = self.base(unit)
        result = read_json(_of(base, RESULT))
        if result is None or result.get("unit") != unit.sha256 or not isinstance(result.get("files"), dict):
            return None
        for kind, sha256 in result["files"].items():
            path = _of(base, str(kind))
            try:
                if "/" in kind or canonical.sha256_hex(path.read_bytes()) != sha256:
                    return None
            except OSError:
                return None
        return Kept(unit, result, base)

    def commit(self, unit: Unit, files: Mapping[str, bytes], result: Mapping[str, Any]) -> Kept:
        """Record a unit: its files, then the result that pins them. An earlier attempt is replaced.

        Raises:
            PrerequisiteError: the disk is full or the folder cannot be written; no file is left half-written.
        """
        base = self.base(unit)
        files = {kind: self._clean(data) for kind, data in files.items()}
        pinned = {kind: canonical.sha256_hex(data) for kind, data in files.items()}
        whole = {**result, "unit": unit.sha256, "files": pinned}
        try:
            base.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(base.parent, error) from None
        for kind, data in files.items():
            write_file(_of(base, kind), data)
        write_file(_of(base, RESULT), self._clean(canonical.dumps(whole)) + b"\n")
        return Kept(unit, whole, base)

    def spent_elsewhere(self) -> float:
        """Return the US dollars that the recorded runs of the other systems of the experiment cost."""
        costs = (
            (read_json(path) or {}).get("columns", {}).get("costUsd")
            for path in self.experiment.glob(f"*/*/*/run_*.{RESULT}")
            if not path.is_relative_to(self.folder)
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


def _of(base: Path, kind: str) -> Path:
    return base.parent / f"{base.name}.{kind}"


def read_json(path: Path) -> Mapping[str, Any] | None:
    """Return the object of a file of the record; None if there is none or the file is damaged."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        found = canonical.loads(path.read_bytes(), max_bytes=LARGEST)
    except (OSError, JsonError):
        return None
    return found if isinstance(found, dict) else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise PrerequisiteError(
            f"cannot read the artifacts: {path.name}: {reason}", hint="re-run the command"
        ) from None


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
