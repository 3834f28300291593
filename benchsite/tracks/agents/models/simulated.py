"""The provider `simulated`: the completions of a script, one after the other, for tests and demonstrations.

    benchsite run agents --model simulated:script.json ...

The script is a JSON list of completions (`recorded`). The n-th request of a run gets the n-th, requests after the last one
get the last. No model answers: receipts are marked `simulated` and never ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchsite.canonical import Json
from benchsite.errors import InputError
from benchsite.tracks.agents.models import Completion, Message
from benchsite.tracks.agents.models.recorded import read_file
from benchsite.tracks.agents.tools import Tool

__all__ = ["Simulated"]


class Simulated:
    """A script; a conversation without an assistant's message begins it again."""

    simulated = True

    def __init__(self, path: str) -> None:
        self._script, self.sha256 = read_file(path, "simulated")
        if not self._script:
            raise InputError(f"model simulated: {path}: no completion", hint="write at least one")
        self.requested = "simulated"

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        settings: Mapping[str, Json],
    ) -> Completion:
        """Return the completion whose number is that of the assistant's messages so far."""
        del tools, settings
        turn = sum(message.get("role") == "assistant" for message in messages)
        return self._script[min(turn, len(self._script) - 1)].completion("simulated")
