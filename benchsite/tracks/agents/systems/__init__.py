"""The contract of a system: a task in, an answer out (specs/agents.md, "Interfaces").

    class Mine:
        name, version, author = "mine", "1.0.0", "me"

        def solve(self, task, tools, models, trace):
            found = tools.call("kb.search", {"query": task.query})
            reply = models["default"].complete([{"role": "user", "content": f"{task.query} {found.result}"}])
            return reply.text

        def describe(self):
            return {"kind": "single-agent", "roles": ["default"]}

A system needs no import of benchsite. It is registered under the entry point `benchsite.agents.systems`, or is any program
that speaks the protocol of `run.host`, named `command:./mine`. It runs in a process of its own, without keys: tools and
models are the harness's, and so are the records of what it calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from benchsite.canonical import Json
from benchsite.tracks.agents.benchmarks import Task
from benchsite.tracks.agents.models import Completion, Message
from benchsite.tracks.agents.tools import Observation, Tool

__all__ = ["ModelHandle", "System", "Toolbox", "Trace"]


class Toolbox(Protocol):
    """The tools of a run."""

    tools: Sequence[Tool]

    def call(self, name: str, arguments: Mapping[str, Json], *, actor: str = "") -> Observation:
        """Call a tool, recorded as an actor's; raises `RefusedError` once a limit is reached."""


class ModelHandle(Protocol):
    """The model of one role."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        settings: Mapping[str, Json] | None = None,
        *,
        event: str = "act",
        actor: str = "",
        state_id: str = "",
    ) -> Completion:
        """Ask for a completion, recorded as an event of a type (`act`, `plan`, `verify`, `revise`) by an actor.

        `state_id` names the state that the actor is in, with the round; equal states have equal ids.
        """


class Trace(Protocol):
    """The record of a run, as far as a system adds to it."""

    def event(
        self, event_type: str, payload: Mapping[str, Json], *, actor: str = "", state_id: str = ""
    ) -> None:
        """Record a step of type `plan`, `act`, `verify` or `revise`."""


class System(Protocol):
    """A system. Optional attributes: `network` and `environment`, what it asks the maintainer to grant."""

    name: str
    version: str
    author: str

    def solve(
        self, task: Task, tools: Toolbox, models: Mapping[str, ModelHandle], trace: Trace
    ) -> str | Mapping[str, Any] | None:
        """Work on a task and return the answer; None for none. Whatever it raises ends the run as an error.

        Instead of the text, a system may return `{"answer": text, "confidence": from 0 to 1, "actor": name}`.
        """

    def describe(self) -> Mapping[str, Any]:
        """Return `kind`, `roles`, and perhaps `agents` and `controlFlow` (graphs), `sizes` and `prompts`.

        A graph is `{"nodes": [...], "edges": [[from, to], ...]}`; `sizes` are whole numbers by name; `prompts` are texts
        by name, of which the receipt has the digest.
        """
