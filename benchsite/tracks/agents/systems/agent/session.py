"""One run of a system: requests to the harness, what the run has spent, and the tools that are switched off in it.

Requests go over one channel, one at a time: the agents of a run never work at the same moment, and the order of its events
is the order of its requests. Calls of tools are those that a model asked for; none is ever made up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.isolation.worker import RefusedError
from benchsite.tracks.agents.benchmarks import Task
from benchsite.tracks.agents.models import Completion, Message
from benchsite.tracks.agents.systems import ModelHandle, Toolbox, Trace
from benchsite.tracks.agents.systems.options import AgentOptions
from benchsite.tracks.agents.tools import Tool

__all__ = ["Position", "Session", "ToolUse", "clean"]

FAILURES: Final = 3
"""Consecutive failures of a tool after which an agent cannot call it any more."""
RESULT_CHARACTERS: Final = 8_000
"""Of a tool's result in a conversation."""
INVALID_REQUEST: Final = -32602
SYSTEM: Final = "system"
"""The actor of what no agent does: judgments, decisions, packets that are dropped."""


@dataclass(frozen=True, slots=True)
class Position:
    """The place of a step in the control flow."""

    phase: str
    round: int = 0
    discussion: int = 0


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call that an agent made, and its result as the agent read it."""

    tool: str
    arguments: Mapping[str, Json]
    result: str
    failed: bool

    @property
    def line(self) -> str:
        """The call and its result on one line."""
        return f"{self.tool}({canonical.dumps(dict(self.arguments)).decode()}) -> {self.result}"


@dataclass
class Session:
    """One run.

    Attributes:
        tokens: input and output tokens that the completions of the run state.
        unmeasured: completions that state no tokens.
        artifacts: artifacts made so far.
        judge_is_mock: whether no model answered for the judge, which is then not asked any more.
    """

    task: Task
    tools: Toolbox
    models: Mapping[str, ModelHandle]
    trace: Trace
    options: AgentOptions
    seed: int = 0
    tokens: int = 0
    unmeasured: int = 0
    artifacts: int = 0
    judge_is_mock: bool = False
    _failures: dict[tuple[str, str], int] = field(default_factory=dict)

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        actor: str,
        event: str,
        at: Position,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Json] | None = None,
        sample: int | None = None,
    ) -> Completion:
        """Ask a role's model.

        Args:
            role: whose model.
            messages: the conversation.
            actor: who asks.
            event: the type of event to record.
            at: the place in the control flow.
            tools: what the completion may call.
            schema: of the text, if it must be JSON.
            sample: number of the sample, drawn at the temperature of the options; None for temperature 0.
        """
        temperature = self.options.temperature if sample is not None else 0.0
        settings: dict[str, Any] = {"temperature": temperature, "max_tokens": self.options.max_tokens}
        if temperature:
            settings["seed"] = self._drawn(actor, at, sample)
        if schema is not None:
            settings["schema"] = schema
        found = self.models[role].complete(
            messages, tools, settings, event=event, actor=actor, state_id=_state(actor, at, messages)
        )
        if found.usage.tokens_in is None or found.usage.tokens_out is None:
            self.unmeasured += 1
        self.tokens += (found.usage.tokens_in or 0) + (found.usage.tokens_out or 0)
        return found

    def next_artifact(self) -> str:
        """Return the id of a new artifact."""
        self.artifacts += 1
        return f"a{self.artifacts}"

    def switch_on(self, actor: str) -> None:
        """Let an agent call every tool again, at the beginning of another attempt."""
        self._failures = {key: failures for key, failures in self._failures.items() if key[0] != actor}

    def offered(self, actor: str) -> tuple[Tool, ...]:
        """Return the tools that an agent may still call."""
        return tuple(
            tool for tool in self.tools.tools if self._failures.get((actor, tool.name), 0) < FAILURES
        )

    def call(self, tool: str, arguments: Mapping[str, Json], *, actor: str) -> ToolUse:
        """Call a tool that a model asked for; one that failed three times in a row is not called again."""
        failures = self._failures.get((actor, tool), 0)
        if failures >= FAILURES:
            self.note("call_refused", {"called": tool, "agent": actor, "failures": failures})
            text = f"error: {tool} failed {failures} times in a row and is switched off"
            return ToolUse(tool, arguments, text, failed=True)
        try:
            seen = self.tools.call(tool, arguments, actor=actor)
            text, failed = _text(seen.result), seen.failed
        except RefusedError as error:
            if error.code != INVALID_REQUEST:
                raise
            text, failed = str(error), True
        if failed and not text.lower().startswith("error"):
            text = f"error: {text}"
        self._count(actor, tool, failed=failed)
        return ToolUse(tool, arguments, self.cut(text, RESULT_CHARACTERS, f"result of {tool}", actor), failed)

    def _count(self, actor: str, tool: str, *, failed: bool) -> None:
        failures = self._failures.get((actor, tool), 0) + 1 if failed else 0
        self._failures[actor, tool] = failures
        if failures == FAILURES:
            self.note("circuit_breaker", {"called": tool, "agent": actor, "failures": failures})

    def cut(self, text: str, most: int, what: str, actor: str) -> str:
        """Return at most so many characters of a text; that it was cut is recorded. 0 is no limit."""
        if not most or len(text) <= most:
            return text
        self.note("truncation", {"what": what, "agent": actor, "characters": len(text), "kept": most})
        return f"{text[: most - 1]}…"

    def note(
        self, kind: str, payload: Mapping[str, Json], *, actor: str = SYSTEM, state_id: str = ""
    ) -> None:
        """Record what no completion and no call shows, as an event of type `act` with this `kind`."""
        self.trace.event("act", {"kind": kind, **payload}, actor=actor, state_id=state_id)

    def _drawn(self, actor: str, at: Position, sample: int | None) -> int:
        """Return the seed of one sample: of this run's seed, the task, the actor and the place."""
        text = f"{self.seed}/{self.task.id}/{actor}/{at.phase}/{at.round}/{at.discussion}/{sample}"
        return int(hashlib.sha256(text.encode()).hexdigest()[:7], 16)


def _state(actor: str, at: Position, messages: Sequence[Message]) -> str:
    """Return the state that an actor is in: its place, and the digest of what it read last."""
    last = str(messages[-1]["content"]).encode("utf-8", "replace")
    digest = hashlib.sha256(last).hexdigest()[:12]
    return f"{at.round}.{at.discussion}/{at.phase[:60]}/{actor[:100]}/{digest}"


def _text(result: Json) -> str:
    return clean(result) if isinstance(result, str) else canonical.dumps(result).decode()


def clean(text: str) -> str:
    """Return text that evidence can hold: without lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")
