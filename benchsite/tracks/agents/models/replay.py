"""The provider `replay`: recorded completions by the digest of their request, so that a run repeats without its model.

    benchsite run agents --model replay:answers.jsonl ...
    benchsite run agents --model replay:answers.jsonl#qwen2.5-coder-0.5b ...

The file is one that `--record` has written (`recording`); after `#` is the model, if the file has several. A run gets the
answers that the run of this name was given, in their order, and its errors. For a run that was not recorded all answers to the
same request count, in the order of the file. Only the recording shows whether a model ever answered: receipts are marked
`simulated`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.errors import UsageError
from benchsite.tracks.agents.models import Completion, Message, ProviderError
from benchsite.tracks.agents.models.connection import shaping
from benchsite.tracks.agents.models.recorded import Answer, request_sha256
from benchsite.tracks.agents.models.recording import read_recording
from benchsite.tracks.agents.tools import Tool

__all__ = ["Replay"]


class _Recorded:
    """The answers of one model, by request and run."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        latest = {one.place: one for one in answers}  # of two attempts at a run the later one counts
        self._by_request: dict[str, list[Answer]] = {}
        for one in latest.values():
            self._by_request.setdefault(one.request, []).append(one)

    def answers(self, run: str, request: str) -> Sequence[Answer]:
        """Return the answers to a request of a run, in their order."""
        every = self._by_request.get(request, [])
        own = sorted((one for one in every if one.run == run), key=lambda one: one.occurrence)
        return own or every


class Replay:
    """The recorded answers of one model."""

    simulated = True

    def __init__(self, text: str) -> None:
        path, _, name = text.partition("#")
        answers = read_recording(Path(path))
        models = sorted({one.model for one in answers})
        if not name and len(models) > 1:
            raise UsageError(
                f"model replay: {path} has answers of {len(models)} models",
                hint=f"add #NAME; available: {', '.join(models)}",
            )
        self.requested = name or (models[0] if models else "replay")
        if answers and self.requested not in models:
            raise UsageError(
                f"model replay: {path} has no answers of {self.requested!r}",
                hint=f"available: {', '.join(models)}",
            )
        self.sha256: str | None = canonical.sha256_hex(Path(path).read_bytes())
        self._recorded = _Recorded([one for one in answers if one.model == self.requested])
        self._settings: Mapping[str, object] = {}
        self._run = ""
        self._asked: Counter[str] = Counter()

    @classmethod
    def of(cls, path: Path, name: str, settings: Mapping[str, object] | None = None) -> Self:
        """Return the recording of a model, connected with these settings; without a name, of the only one in the file."""
        made = cls(f"{path}#{name}" if name else str(path))
        made._settings = settings or {}
        return made

    def for_run(self, run: str) -> Self:
        """Return the model for one run, whose requests are counted from 0."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__, _run=run, _asked=Counter())
        return made

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Return the recorded completion of this request.

        Raises:
            ProviderError: the provider failed then, or the request was not recorded as often.
        """
        request = request_sha256(self.requested, messages, tools, settings, shaping(self._settings))
        number = self._asked[request]
        self._asked[request] += 1
        answers = self._recorded.answers(self._run, request)
        if not answers:
            raise ProviderError(f"model {self.requested}: request {request[:12]} is not recorded")
        if number >= len(answers):
            raise ProviderError(
                f"model {self.requested}: request {request[:12]} is recorded {len(answers)} times, and made once more"
            )
        found = answers[number]
        if found.error is not None:
            raise ProviderError(found.error)
        return found.completion(self.requested)
