"""Recording: every completion of a model appended to a file as it comes, so that an experiment repeats without the model.

    --record answers.jsonl

A file that exists is continued. What a run had already been answered is taken from the file, so that nothing is paid for
twice after an interruption; an error of the provider is asked for again. Processes may share a file: each line is appended
whole under a lock, and what a killed process left of a line is removed by the next writer.
"""

from __future__ import annotations

import fcntl
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Final

from pydantic import ValidationError

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.errors import InputError, PrerequisiteError
from benchsite.schema import first_fault
from benchsite.tracks.agents.models import Completion, Message, Model, ProviderError, for_run
from benchsite.tracks.agents.models.connection import shaping
from benchsite.tracks.agents.models.recorded import Answer, request_sha256
from benchsite.tracks.agents.redaction import REDACTED
from benchsite.tracks.agents.tools import Tool

__all__ = ["Recording", "RecordingFile", "read_recording"]

_TAIL: Final = 1 << 16


def read_recording(path: Path) -> list[Answer]:
    """Return the answers of a recording in the order of the file; a last line that is cut is left out.

    Raises:
        InputError: it cannot be read, or a line is malformed.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"recording {path}: {(error.strerror or 'cannot be read').lower()}",
            hint="name a file that --record has written",
        ) from None
    found = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            found.append(Answer.model_validate(canonical.loads(line)))
        except JsonError as error:
            raise InputError(f"recording {path}: line {number}: {error.message}", hint=error.hint) from None
        except ValidationError as error:
            place, fault = first_fault(error)
            raise InputError(
                f"recording {path}: line {number}: {place or 'line'}: {fault}",
                hint="remove the line: with --record its request is sent to the model",
            ) from None
    return found


class RecordingFile:
    """A recording that answers are appended to.

    Attributes:
        path: the file, made with its folder when it is opened.

    Texts among `secrets` are redacted in what is appended.
    """

    def __init__(self, path: Path, secrets: tuple[str, ...] = ()) -> None:
        self.path = path
        self._secrets = tuple(secret.encode() for secret in secrets)
        self._lock = Lock()
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self._answers = {(one.model, *one.place): one for one in read_recording(path) if one.error is None}

    def answer(self, model: str, place: tuple[str, str, int]) -> Answer | None:
        """Return what the file had at this place when it was opened; None if it had nothing, or an error."""
        return self._answers.get((model, *place))

    def append(self, answer: Answer) -> None:
        """Append a line; it is in the file when this returns.

        Raises:
            PrerequisiteError: it cannot be written.
        """
        with self._errors(), self._lock, self.path.open("r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
            end = _end_of_lines(file.fileno())
            file.truncate(end)
            file.seek(end)
            line = memoryview(self._clean(answer.line()))
            while line:
                line = line[file.write(line) or 0 :]

    def _clean(self, line: bytes) -> bytes:
        for secret in self._secrets:
            line = line.replace(secret, REDACTED.encode())
        return line

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PrerequisiteError(
                f"cannot record completions: {self.path}: {(error.strerror or 'unknown error').lower()}",
                hint="free some space or check the permissions, then repeat the command: it goes on from there",
            ) from None


def _end_of_lines(descriptor: int) -> int:
    """Return the position after the last whole line."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - _TAIL)
        block = os.pread(descriptor, end - start, start)
        if (place := block.rfind(b"\n")) >= 0:
            return start + place + 1
        end = start
    return 0


class Recording:
    """A model whose completions are appended to a file.

    Args:
        model: the model, with its prices.
        file: shared by all models of an experiment.
        settings: those that the model was connected with.
        run: the run that asks.
    """

    def __init__(
        self, model: Model, file: RecordingFile, settings: Mapping[str, object] | None = None, run: str = ""
    ) -> None:
        self._model, self._file, self._settings, self._run = model, file, settings or {}, run
        self._asked: Counter[str] = Counter()
        self.requested, self.simulated, self.sha256 = model.requested, model.simulated, model.sha256

    def for_run(self, run: str) -> Recording:
        """Return the model for one attempt at a run, whose requests are counted from 0."""
        return Recording(for_run(self._model, run), self._file, self._settings, run)

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Ask for a completion, unless the file has it, and append it.

        Raises:
            ProviderError: the provider failed, which is appended too.
            PrerequisiteError: the file cannot be written.
        """
        request = request_sha256(self.requested, messages, tools, settings, shaping(self._settings))
        place = (self._run, request, self._asked[request])
        self._asked[request] += 1
        known = self._file.answer(self.requested, place)
        if known is not None:
            return replace(known.completion(self.requested), recalled=True)
        try:
            found = self._model.complete(messages, tools, settings)
            line = Answer.of(place, self.requested, found)
            line.line()
        except ProviderError as error:
            self._file.append(Answer.of(place, self.requested, error.message))
            raise
        except (ValidationError, JsonError):
            raise ProviderError(f"model {self.requested}: the completion cannot be recorded") from None
        self._file.append(line)
        return found
