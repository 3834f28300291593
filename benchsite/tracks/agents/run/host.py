"""The host of one Python system in its own process.

    python -P -m benchsite.tracks.agents.run.host package.module:Class

Methods: initialize, describe, reset, solve, shutdown. While `solve` runs, the system asks the harness for `tool.call`,
`model.complete` and `trace.event`; any program that speaks this protocol is a system too (content/docs/agents.md).
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchsite.isolation.worker import Ask, InvalidParamsError, Server, mistyped, options_of, serve
from benchsite.tracks.agents.benchmarks import Example, Step, Task
from benchsite.tracks.agents.models import Completion, Message, Usage
from benchsite.tracks.agents.tools import Call, Observation, Tool

__all__ = ["host", "main"]

_DECLARED = (
    *("name", "version", "author", "network", "hosts", "hosted"),
    *("environment", "distributions", "assets"),
)


class _Tools:
    """Tools by request to the harness."""

    def __init__(self, ask: Ask, tools: Sequence[Mapping[str, Any]]) -> None:
        self._ask = ask
        self.tools = tuple(Tool(**tool) for tool in tools)

    def call(self, name: str, arguments: Mapping[str, Any], *, actor: str = "") -> Observation:
        params = {"name": name, "arguments": dict(arguments), "actor": actor}
        return Observation(**self._ask("tool.call", params))


class _Model:
    """One role's model by request to the harness."""

    def __init__(self, ask: Ask, role: str) -> None:
        self._ask = ask
        self._role = role

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        settings: Mapping[str, Any] | None = None,
        *,
        event: str = "act",
        actor: str = "",
        state_id: str = "",
    ) -> Completion:
        found = self._ask(
            "model.complete",
            {
                "role": self._role,
                "messages": [dict(message) for message in messages],
                "tools": [tool.name for tool in tools],
                "settings": dict(settings or {}),
                "event": event,
                "actor": actor,
                "stateId": state_id,
            },
        )
        return Completion(
            found["text"],
            tuple(Call(**call) for call in found["calls"]),
            found["finishReason"],
            found["responded"],
            Usage(found["tokensIn"], found["tokensOut"]),
            found["costUsd"],
            found["latencyMs"],
        )


class _Models(dict[str, _Model]):
    """A model for every role; the harness knows which one that is."""

    def __init__(self, ask: Ask) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, role: str) -> _Model:
        return self.setdefault(role, _Model(self._ask, role))


class _Trace:
    """The record of the run, kept by the harness."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def event(
        self, event_type: str, payload: Mapping[str, Any], *, actor: str = "", state_id: str = ""
    ) -> None:
        params = {"eventType": event_type, "payload": dict(payload), "actor": actor, "stateId": state_id}
        self._ask("trace.event", params)


class _Host:
    def __init__(self, reference: str, ask: Ask) -> None:
        self._reference = reference
        self._ask = ask
        self._class: Any = None
        self._system: Any = None

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        module, _, attribute = self._reference.partition(":")
        self._class = getattr(importlib.import_module(module), attribute)
        takes = options_of(self._class)
        offered = params.get("offered", {}).items()
        taken = {name: value for name, value in offered if takes is True or name in takes}
        options = {**taken, **params["options"]}
        if unknown := [name for name in options if takes is not True and name not in takes]:
            raise InvalidParamsError(f"no option {unknown[0]!r}")
        if wrongly := mistyped(self._class, params["options"]):
            raise InvalidParamsError(wrongly)
        if "seed" in inspect.signature(self._class).parameters:
            options.setdefault("seed", params["seed"])
        self._system = self._class(**options)
        return {**_declaration(self._system), "options": takes}

    def declaration(self) -> dict[str, Any]:
        return {**_declaration(self._class), "options": options_of(self._class)}

    def describe(self, _: dict[str, Any]) -> Any:
        return dict(self._system.describe())

    def reset(self, _: dict[str, Any]) -> None:
        self.optional("reset")

    def solve(self, params: dict[str, Any]) -> dict[str, Any]:
        if params.get("given") is not None:
            self._system.prepare(params["given"])
        tools, models = _Tools(self._ask, params["tools"]), _Models(self._ask)
        answer = self._system.solve(_task(params["task"]), tools, models, _Trace(self._ask))
        return dict(answer) if isinstance(answer, Mapping) else {"answer": answer}

    def optional(self, name: str) -> None:
        method = getattr(self._system, name, None)
        if method is not None:
            method()


def _task(told: Mapping[str, Any]) -> Task:
    """Return the task that the harness sent."""
    examples = tuple(
        Example(one["query"], tuple(Step(**step) for step in one["steps"]), one["answer"])
        for one in told["examples"]
    )
    return Task(**{**told, "examples": examples})


def _declaration(source: Any) -> dict[str, Any]:
    """Return what a system declares, unchecked: the parent process checks it."""
    return {key: getattr(source, key, None) for key in _DECLARED}


def host(reference: str, ask: Ask) -> Server:
    """Return the server of one system, which is imported by `initialize`."""
    one = _Host(reference, ask)
    methods = {
        "initialize": one.initialize,
        "describe": one.describe,
        "reset": one.reset,
        "solve": one.solve,
        "shutdown": lambda _: one.optional("close"),
    }
    return Server(methods, one.declaration, (__file__,))


def main(argv: list[str]) -> int:
    """Serve the system that the first argument names."""
    serve(lambda ask: host(argv[1], ask))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
