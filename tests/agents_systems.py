"""A harness in this process for tests of systems: scripted models, tools that are functions, and the record of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchsite.tracks.agents.benchmarks import Example, Task
from benchsite.tracks.agents.models import Completion, Usage
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Session
from benchsite.tracks.agents.systems.options import checked
from benchsite.tracks.agents.tools import Call, Observation, Tool


def says(
    text: str, tokens: tuple[int | None, int | None] = (10, 2), responded: str = "model-1"
) -> Completion:
    """A completion of text."""
    return Completion(text, (), "stop", responded, Usage(*tokens), 0.0, 1.5)


def calls(tool: str = "calculator", tokens: tuple[int, int] = (10, 2), **arguments: Any) -> Completion:
    """A completion that calls a tool."""
    return Completion(None, (Call(tool, arguments),), "tool_calls", "model-1", Usage(*tokens), 0.0, 1.5)


TASK = Task("t-1", "d", "What is 2 + 2?")


@dataclass
class Asked:
    """A request to a model."""

    role: str
    actor: str
    event: str
    messages: list[dict[str, Any]]
    tools: list[str]
    settings: dict[str, Any]
    state_id: str

    @property
    def last(self) -> str:
        return str(self.messages[-1]["content"])


@dataclass
class Harness:
    """The harness's side of one run.

    Args:
        script: completions in order, or a function of the request.
        tools: functions by name; one that raises fails.
    """

    script: Sequence[Completion] | Callable[[Asked], Completion]
    tools: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    task: Task = TASK
    asked: list[Asked] = field(default_factory=list)
    called: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Events that the system recorded itself: actor and payload."""

    def run(self, system: Any) -> Any:
        """Let a system solve the task."""
        return system.solve(self.task, _Toolbox(self), _Models(self), _Trace(self))

    def notes(self, kind: str) -> list[dict[str, Any]]:
        """The recorded events of a kind."""
        return [payload for _, payload in self.events if payload.get("kind") == kind]


class _Toolbox:
    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self.tools = tuple(Tool(name, f"{name}.") for name in harness.tools)

    def call(self, name: str, arguments: Mapping[str, Any], *, actor: str = "") -> Observation:
        self._harness.called.append((actor, name, dict(arguments)))
        try:
            return Observation(self._harness.tools[name](**arguments))
        except Exception as error:  # noqa: BLE001
            return Observation(str(error), failed=True)


class _Models(dict[str, Any]):
    def __init__(self, harness: Harness) -> None:
        super().__init__()
        self._harness = harness

    def __missing__(self, role: str) -> _Model:
        return self.setdefault(role, _Model(self._harness, role))


class _Model:
    def __init__(self, harness: Harness, role: str) -> None:
        self._harness, self._role = harness, role

    def complete(
        self, messages: Any, tools: Any = (), settings: Any = None, *, event="act", actor="", state_id=""
    ) -> Completion:
        copied = [dict(message) for message in messages]
        names = [tool.name for tool in tools]
        request = Asked(self._role, actor, event, copied, names, dict(settings or {}), state_id)
        self._harness.asked.append(request)
        script = self._harness.script
        return script(request) if callable(script) else script[len(self._harness.asked) - 1]


class _Trace:
    def __init__(self, harness: Harness) -> None:
        self._harness = harness

    def event(self, event_type: str, payload: Mapping[str, Any], *, actor="", state_id="") -> None:
        self._harness.events.append((actor, dict(payload)))


EXAMPLE = Example("What is 1 + 1?", (), "2")


def session(script: Any = (), options: Any = None, **harness: Any) -> tuple[Session, Harness]:
    """A session on its own, and its harness."""
    made = Harness(script, **harness)
    chosen = checked("fully-linked-debate", {}) if options is None else options
    return Session(made.task, _Toolbox(made), _Models(made), _Trace(made), chosen), made


def artifact(answer: str, agent: str = "worker-1", **fields: Any) -> Artifact:
    """An artifact of an agent; without an answer it is invalid."""
    return Artifact(answer, agent=agent, **{"status": "ok" if answer else "invalid", **fields})
