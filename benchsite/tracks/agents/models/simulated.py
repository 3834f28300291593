"""The provider `simulated`: no model answers. Receipts are marked `simulated` and never ranked.

    benchsite run agents --model simulated ...               answers drawn by seed 0 and the request
    benchsite run agents --model simulated:7 ...             the same by seed 7
    benchsite run agents --model simulated:script.json ...   the completions of a script, one after the other

A drawn answer calls tools as their schemas and the worked examples of the conversation have it, and ends with what the last
tool gave. The same request always gets the same answer; at a temperature above 0 only within a run. Four characters of the
messages and of the answer, as JSON, are one token.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from copy import copy
from random import Random
from typing import Any, Final, Self

from benchsite.canonical import Json
from benchsite.errors import InputError
from benchsite.tracks.agents.models import Completion, Message, Model, Usage
from benchsite.tracks.agents.models.drawing import Drawing
from benchsite.tracks.agents.models.recorded import read_script
from benchsite.tracks.agents.tools import Call, Tool

__all__ = ["Script", "Simulated", "simulated"]

NAME: Final = "simulated"
_CALLS: Final = (0.9, 0.4, 0.15)
"""Chances of a call after none, one, and more results of the same task."""
_REPEATS: Final = 0.85
"""Chance that an answer is the last result."""


def simulated(text: str) -> Model:
    """Return the model of `simulated:TEXT`: TEXT is a seed or the path of a script, and empty for seed 0."""
    if re.fullmatch(r"[0-9]{0,15}", text):
        return Simulated(int(text or 0))
    return Script(text)


class Script:
    """A script; each conversation of a run begins it again.

    A request continues the conversation of an earlier one whose messages it begins with. So worked examples, which are
    messages of the assistant too, count for nothing.
    """

    simulated = True

    def __init__(self, path: str) -> None:
        self._script, sha256 = read_script(path, NAME)
        self.sha256: str | None = sha256
        if not self._script:
            raise InputError(f"model simulated: {path}: no completion", hint="write at least one")
        self.requested = NAME
        self._turns: dict[bytes, int] = {}

    def for_run(self, run: str) -> Self:
        """Return the model for one run, which has not begun a conversation."""
        del run
        made = copy(self)
        made.__dict__["_turns"] = {}
        return made

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Return the completion whose number is that of the conversation's requests so far."""
        del tools, settings
        turn, so_far, digest = 0, b"", hashlib.sha256()
        for message in messages:
            if so_far in self._turns:
                turn = self._turns[so_far] + 1
            digest.update(_json(dict(message)).encode() + b"\n")
            so_far = digest.digest()
        self._turns[so_far] = turn
        return self._script[min(turn, len(self._script) - 1)].completion(NAME)


class Simulated:
    """Answers drawn by a seed and the request."""

    simulated = True
    sha256: str | None = None

    def __init__(self, seed: int = 0, run: str = "") -> None:
        self._seed, self._run = seed, run
        self.requested = f"{NAME}:{seed}" if seed else NAME

    def for_run(self, run: str) -> Simulated:
        """Return the model for one run."""
        return Simulated(self._seed, run)

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Draw a completion."""
        asked = _json(list(messages))
        run = self._run if settings.get("temperature") else ""
        names = [tool.name for tool in tools]
        key = hashlib.sha256(f"{self._seed}\0{run}\0{names}\0{_json(dict(settings))}\0{asked}".encode())
        random = Random(key.digest())  # noqa: S311 - no secret: repeatable by design
        text, calls = _drawn(random, messages, tools, settings)
        answered = text or _json([dict(call.arguments) for call in calls])
        usage = Usage(_tokens(asked), _tokens(answered))
        return Completion(text, calls, "tool_calls" if calls else "stop", NAME, usage)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def _tokens(text: str) -> int:
    return -(-len(text) // 4)


def _drawn(
    random: Random, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
) -> tuple[str | None, tuple[Call, ...]]:
    """Return the text or the call of an answer."""
    start = max((place for place, one in enumerate(messages) if one.get("role") == "user"), default=0)
    task = str(messages[start].get("content")) if messages else ""
    results = [str(one.get("content")) for one in messages[start:] if one.get("role") == "tool"]
    drawing = Drawing(random, task)
    choice = settings.get("tool_choice", "auto")
    chance = 1.0 if choice == "required" else _CALLS[min(len(results), len(_CALLS) - 1)]
    if tools and choice != "none" and random.random() < chance:
        return None, (_call(random, messages[:start], tools, drawing),)
    if (schema := settings.get("schema")) is not None:
        return json.dumps(drawing.value(schema), ensure_ascii=False), ()
    if results and random.random() < _REPEATS:
        return results[-1][:500], ()
    return drawing.word(), ()


def _call(random: Random, earlier: Sequence[Message], tools: Sequence[Tool], drawing: Drawing) -> Call:
    """Return a call as one in the worked examples, or of any tool."""
    offered = {tool.name: tool for tool in tools}
    shown = [
        call
        for message in earlier
        for call in (message.get("calls") or ())  # type: ignore[union-attr]
        if isinstance(call, Mapping) and call.get("tool") in offered
    ]
    if shown and random.random() < _REPEATS:
        like: Any = random.choice(shown)
        return Call(like["tool"], drawing.arguments(offered[like["tool"]].parameters, like["arguments"]))
    tool = random.choice(tools)
    return Call(tool.name, drawing.arguments(tool.parameters, {}))
