"""Transcripts: the column `full_response`, read with `ast` alone, and the trace events that it tells.

A transcript is the text of a Python mapping with `input`, `output` and `intermediate_steps`, whose steps are pairs of
`AgentAction(tool=, tool_input=, log=)` and what the tool returned. What cannot be read is a reason, never an exception.

**Events of a published run** (`events`), in the order in which the transcript tells them:

- each step is a `tool_call` (the tool, its input, the model's own text as `log`, and the action as it is graded)
  and then a `tool_result`, whose parent is the call; its `error` is true where the tool refused the call or is unknown;
- an action that is graded and has no step is a `tool_call` with the action alone;
- where the transcript cannot be read or there is none, the events have `partial`: the steps of the run are unknown;
- a final answer is a `finalize` with the `output`; it is absent where an error or a limit ended the run;
- an error or a limit is an `error`, with its text and its source (`endings`).

The actor is the one agent, of tool results too, so that a tool is no handoff. An `error` of the harness or the provider has
the actor `system`. The source has no clock, token count, cost or state: these are null. The original keeps no transcript
of a run that ended with an exception: its steps are unknown, and its one event is the `error`.
Texts over 10,000 characters are cut, and the SHA-256 of the whole text is beside them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.tracks.agents.benchmarks.workbench.actions import action_text, canonical_action
from benchsite.tracks.agents.benchmarks.workbench.endings import ending
from benchsite.tracks.agents.benchmarks.workbench.literals import (
    UnreadableError,
    as_json,
    as_text,
    parsed,
    value_of,
)
from benchsite.tracks.agents.benchmarks.workbench.results import ResultRow
from benchsite.tracks.agents.tools import Action, Call
from benchsite.words import amount

__all__ = ["Step", "Transcript", "actions_of", "events", "graded", "is_refusal", "notes", "read_transcript"]

MAX_TEXT: Final = 10_000
AGENT: Final = "agent"
SYSTEM: Final = "system"

_REFUSED: Final = re.compile(
    r"[A-Z][A-Za-z ,]{0,60} not (?:provided|found|valid)\b"
    r"|Invalid recipient email address\.|Missing task details\.|No search parameters provided\."
    r"|Please provide all required fields: |Value to plot must be one of |Plot type must be one of "
    r"|.{0,200} is not a valid tool, try one of "
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the tool's name, its input (a mapping, or text where the model wrote no arguments), the model's text, and the result."""

    tool: str
    input: Mapping[str, Any] | str
    log: str
    observation: Any


@dataclass(frozen=True, slots=True)
class Transcript:
    """Steps and final output of a run (None where it has none), or why the text could not be read (`reason`, else empty)."""

    steps: tuple[Step, ...]
    output: Any
    reason: str


@dataclass(frozen=True, slots=True)
class _Action:
    tool: str
    input: Mapping[str, Any] | str
    log: str


def read_transcript(text: str) -> Transcript:
    """The transcript that a text is. Never raises."""
    if not text:
        return Transcript((), None, "no transcript: the run ended with an exception")
    try:
        document = value_of(parsed(text), calls=_call)
        return _transcript(document)
    except UnreadableError as error:
        return Transcript((), None, str(error))


def _transcript(document: Any) -> Transcript:
    if not isinstance(document, dict) or not isinstance(document.get("intermediate_steps"), list):
        raise UnreadableError("expected a mapping with intermediate_steps")
    return Transcript(
        tuple([_step(entry) for entry in document["intermediate_steps"]]), document.get("output"), ""
    )


def actions_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """The actions that the original writes for some steps: those before the first whose input is no mapping."""
    found = []
    for step in steps:
        if isinstance(step.input, str):
            break
        found.append(action_text(step.tool, step.input))
    return tuple(found)


def notes(row: ResultRow, transcript: Transcript) -> tuple[str, ...]:
    """What a reader should know of a run: a transcript that could not be read, or that disagrees with the graded actions."""
    if transcript.reason:
        return (
            (f"{transcript.reason}; {amount(len(row.actions), 'action')} graded",)
            if row.response or row.actions
            else ()
        )
    told = actions_of(transcript.steps)
    if told == row.actions:
        return ()
    return (
        f"the transcript tells {amount(len(told), 'action')}, the graded column {len(row.actions)}; the column is graded",
    )


def is_refusal(observation: Any) -> bool:
    """Whether a tool's result says that it did not do what was asked; a search that found nothing did."""
    return isinstance(observation, str) and _REFUSED.match(observation) is not None


def events(row: ResultRow, transcript: Transcript | None = None) -> Iterator[dict[str, Any]]:
    """The events of a published run, as the module's description says; `transcript` where it was read before."""
    told = read_transcript(row.response) if transcript is None else transcript
    ids = (f"e{number}" for number in range(1, 1_000_000))
    matching = actions_of(told.steps)
    partial = {"partial": True} if told.reason else {}
    for index, step in enumerate(told.steps):
        graded = row.actions[index] if index < min(len(row.actions), len(matching)) else None
        call = next(ids)
        yield _event(call, None, AGENT, "tool_call", _called(step, graded))
        result = {**_bounded("observation", step.observation), "error": is_refusal(step.observation)}
        yield _event(next(ids), call, AGENT, "tool_result", result)
    for action in row.actions[len(matching) :]:
        yield _event(
            next(ids),
            None,
            AGENT,
            "tool_call",
            {"tool": None, "input": as_text(action), "action": _graded(action), **partial},
        )
    end = ending(row.error)
    if end.kind == "none" and told.output is not None:
        yield _event(next(ids), None, AGENT, "finalize", _bounded("output", told.output))
    elif end.kind != "none":
        actor = SYSTEM if end.source in ("harness", "provider") else AGENT
        payload = {
            **_bounded("text", row.error),
            "source": end.source,
            "ending": end.kind,
            "limit": end.limit or None,
            **partial,
        }
        yield _event(next(ids), None, actor, "error", payload)


def _graded(text: str) -> Json:
    """An action as it is graded: its call, or its text if it is no call of a known tool."""
    action = canonical_action(text)
    if isinstance(action, str):
        return as_text(action)
    return {"tool": action.tool, "arguments": dict(action.arguments)}


def graded(told: Iterable[Mapping[str, Any]]) -> tuple[tuple[Action, ...], str]:
    """The actions and the error's text that a run's events hold: what its grade is computed from.

    The text of an error is cut as the event has it; that there is one is what counts.
    """
    actions, error = list[Action](), ""
    for event in told:
        kind, payload = event["event_type"], event["payload"]
        if kind == "tool_call" and payload.get("action") is not None:
            action = payload["action"]
            actions.append(action if isinstance(action, str) else Call(**action))
        elif kind == "error":
            error = error or str(payload.get("text") or "error")
    return tuple(actions), error


def _called(step: Step, graded: str | None) -> dict[str, Any]:
    return {
        "tool": as_text(step.tool),
        **_bounded("input", step.input),
        **_bounded("log", step.log),
        "action": None if graded is None else _graded(graded),
    }


def _event(name: str, parent: str | None, actor: str, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "parent": parent,
        "timestamp_start": None,
        "timestamp_end": None,
        "actor": actor,
        "event_type": kind,
        "payload": payload,
        "token_in": None,
        "token_out": None,
        "latency_ms": None,
        "cost_usd": None,
        "state_id": None,
    }


def _bounded(name: str, value: Any) -> dict[str, Any]:
    """A member of a payload; a text that was cut has the digest of the whole beside it."""
    plain = as_json(value)
    text = plain if isinstance(plain, str) else canonical.dumps(plain).decode("utf-8")
    if len(text) <= MAX_TEXT:
        return {name: plain}
    return {name: text[:MAX_TEXT], f"{name}_sha256": canonical.sha256_hex(text.encode("utf-8"))}


def _step(entry: Any) -> Step:
    if not isinstance(entry, list | tuple) or len(entry) < 2 or not isinstance(entry[-2], _Action):
        raise UnreadableError("a step that is no pair of AgentAction and result")
    return Step(entry[-2].tool, entry[-2].input, entry[-2].log, _observation(entry[-1]))


def _observation(value: Any) -> Any:
    if isinstance(value, _Action):
        raise UnreadableError("an AgentAction where a result was expected")
    return value


def _call(node: ast.Call, inner: Callable[[ast.expr], Any]) -> Any:
    """`AgentAction` of three arguments; `array` is its list, `Timestamp` its text, any other call its own text."""
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "?")
    if name == "AgentAction":
        return _action({keyword.arg: inner(keyword.value) for keyword in node.keywords})
    values = [inner(argument) for argument in node.args]
    if name in ("array", "Timestamp") and len(values) == 1:
        return values[0]
    return f"{name}({', '.join(map(repr, values))})"


def _action(found: Mapping[str | None, Any]) -> _Action:
    tool, given, log = found.get("tool"), found.get("tool_input"), found.get("log", "")
    if not isinstance(tool, str) or not isinstance(given, str | dict) or not isinstance(log, str):
        raise UnreadableError("an AgentAction without tool, tool_input or log")
    return _Action(tool, given, log)
