"""Steps of a trajectory in ATIF, and the trace events that they tell (Harbor's RFC 0001, versions 1.0 to 1.8).

A step of the agent is an `act` with its tokens, cost and model, then a `tool_call` for each call, then a `tool_result` for each result.
Messages of the system and of the user are `given` of the next event. A call that delegates to a subagent is a message to it, no tool
call. What ATIF has no field for is read from the member `benchsite` of `extra`, if benchsite wrote the file (`trace.remainder`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite.dates import posix_seconds
from benchsite.errors import InputError
from benchsite.tracks.agents.importers.foreign_text import fitted
from benchsite.tracks.agents.importers.json_object import objects, part
from benchsite.tracks.agents.importers.messages import part_text, read_call, told_text
from benchsite.tracks.agents.importers.run_lines import FOREIGN
from benchsite.tracks.agents.trace.event import timestamp
from benchsite.tracks.agents.trace.remainder import KEY, restored

__all__ = ["Author", "Steps", "microseconds_of", "results"]

_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\d*(Z|[+-]00:00)?")


class Author(NamedTuple):
    """Who acts in the steps of a trajectory, by which model, and whether tokens and costs of its steps count."""

    actor: str
    model: str | None = None
    has_tokens: bool = True
    has_costs: bool = True


class Steps:
    """The events of a run, from the steps of its trajectories one after another.

    Attributes:
        events: members of events, without ids; an event's id is `e` and its place from 1.
    """

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._given: list[dict[str, Any]] = []
        self._last: tuple[int, str] | None = None

    def add(
        self, step: Mapping[str, Any], author: Author, where: str, delegated: Mapping[str, Sequence[str]]
    ) -> None:
        """Add the events of a step; `delegated` names the subagents of a call.

        Raises:
            InputError: the step is malformed.
        """
        source, rest = step.get("source"), _rest(step)
        if source not in ("system", "user", "agent"):
            raise InputError(
                f"{where}: step {step.get('step_id')}: source must be system, user or agent", hint=FOREIGN
            )
        message = step.get("message")
        parts = message if isinstance(message, list) else [message]
        text = "\n".join(filter(None, (part_text(one, where) for one in parts)))
        if source == "agent" or rest is not None:
            self._lead(step, author, text, rest)
        elif text:
            self._given.append({"role": source, "text": text})
        calls = dict[str, str]()
        for call in objects(step.get("tool_calls")) if source == "agent" else ():
            self._call(call, step, author, where, delegated)
            name = call.get("tool_call_id")
            calls[name if isinstance(name, str) else ""] = f"e{len(self.events)}"
        for result in results(step):
            self._result(result, author, where, calls)

    def finished(self) -> list[dict[str, Any]]:
        """Return the events; a last text is the answer, and an empty trajectory one empty `act`."""
        if self._last is not None and self._last[0] == len(self.events):
            event = self.events[-1]
            payload = {name: one for name, one in event["payload"].items() if not name.startswith("text")}
            self.events[-1] = {
                **event,
                "event_type": "finalize",
                "payload": {**payload, "output": self._last[1]},
            }
        return self.events or [{"event_type": "act", "payload": {"text": ""}}]

    def _lead(
        self, step: Mapping[str, Any], author: Author, text: str, rest: Mapping[str, Any] | None
    ) -> None:
        """The event of a step's message and model; a step that has neither tells its calls and results only."""
        used, named = part(step, "metrics"), step.get("model_name")
        if not text and not used and rest is None:
            return
        payload, long = dict[str, Any](), list[str]()
        if used:
            payload["model_responded"] = named if isinstance(named, str) else author.model
        if type(cached := used.get("cached_tokens")) is int and cached >= 0:
            payload["tokens_cached"] = cached
        if text:
            kind = part(rest, "event").get("event_type")
            said, long = told_text("output" if kind == "finalize" else "text", text, rest)
            payload |= said
        told = {
            "event_type": "act",
            "payload": {name: value for name, value in payload.items() if value is not None},
            "long": long,
            **_moment(step),
            **(
                {"token_in": used.get("prompt_tokens"), "token_out": used.get("completion_tokens")}
                if author.has_tokens
                else {}
            ),
            **({"cost_usd": used.get("cost_usd")} if author.has_costs else {}),
        }
        self._append(told, author, rest)
        if text and rest is None:
            self._last = len(self.events), text

    def _call(
        self,
        told: Mapping[str, Any],
        step: Mapping[str, Any],
        author: Author,
        where: str,
        delegated: Mapping[str, Sequence[str]],
    ) -> None:
        name, rest = told.get("tool_call_id"), _rest(told)
        call = read_call(told.get("function_name"), told.get("arguments"), name, where)
        action = {"tool": call["tool"], "arguments": call["arguments"]}
        payload: dict[str, Any] = {"tool": call["tool"], "input": call["arguments"], "action": action}
        if rest is None and call["id"] in delegated:
            payload = {
                "kind": "send",
                "recipients": list(delegated[call["id"]]),
                "tool": call["tool"],
                "input": call["arguments"],
            }
        self._append({"event_type": "tool_call", "payload": payload, **_moment(step)}, author, rest)

    def _result(self, told: Mapping[str, Any], author: Author, where: str, calls: Mapping[str, str]) -> None:
        content, name, rest = told.get("content"), told.get("source_call_id"), _rest(told)
        if content is None and name is None and rest is None and told.get("subagent_trajectory_ref"):
            return
        parts = content if isinstance(content, list) else [content]
        text = "\n".join(filter(None, (part_text(one, where) for one in parts)))
        named, long = told_text("observation", text, rest)
        payload = {**named, "error": False}
        parent = calls.get(name) if isinstance(name, str) else None
        event = {"event_type": "tool_result", "payload": payload, "long": long, "parent": parent}
        self._append(event, author, rest)

    def _append(self, told: dict[str, Any], author: Author, rest: Mapping[str, Any] | None) -> None:
        if self._given:
            told["payload"]["given"], self._given = self._given, []
            told["long"] = [*told.get("long", ()), "given"]
        told = {"actor": author.actor, **told}
        self.events.append(told if rest is None else restored(told, rest))


def results(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the results of a step's observation."""
    return objects(part(step, "observation").get("results"))


def _rest(told: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What benchsite states of an event; None in files of others."""
    found = part(told, "extra").get(KEY)
    return fitted(found) if isinstance(found, dict) else None


def _moment(step: Mapping[str, Any]) -> dict[str, str]:
    """The start of a step, if it is a time in UTC."""
    moment = microseconds_of(step.get("timestamp"))
    return {} if moment is None else {"timestamp_start": timestamp(moment)}


def microseconds_of(value: Any) -> int | None:
    """Return microseconds since 1970 of an ISO 8601 text in UTC; None for anything else."""
    found = _TIME.fullmatch(str(value))
    if found is None:
        return None
    return posix_seconds(f"{found[1]}Z") * 1_000_000 + int((found[2] or "").ljust(6, "0"))
