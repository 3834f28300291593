"""Models for tests: one that counts what it is asked, and one that fails when it is told to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchsite.canonical import Json
from benchsite.tracks.agents.models import Completion, Message, ProviderError, Usage
from benchsite.tracks.agents.tools import Call, Tool


class Counting:
    """A model whose n-th completion says n, and calls a tool each second time."""

    simulated = False

    def __init__(self, requested: str = "counting", failing: Sequence[int] = ()) -> None:
        self.requested = requested
        self.sha256: str | None = None
        self.asked = 0
        self._failing = failing

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        self.asked += 1
        if self.asked in self._failing:
            raise ProviderError(f"model {self.requested}: down at {self.asked}")
        calls = (Call("sum", {"terms": [self.asked, 0.5, None]}),) if self.asked % 2 == 0 else ()
        text = None if calls else f"answer {self.asked} é😀"
        usage = Usage(10 * self.asked, self.asked, 3, 1)
        return Completion(text, calls, "stop", f"{self.requested}-served", usage, 0.001 * self.asked)
