"""Runs as trials of a Harbor job with trajectories in ATIF 1.8 (Harbor's RFC 0001): the inverse of `importers.atif`.

Of each run `TASK__RUN/result.json` with its reward and exception, and `TASK__RUN/agent/trajectory.json`. An event of a model and the
tool calls that follow it are one step. If several agents act, each stretch of one agent's events is an embedded subagent, which a step
of the system refers to. What ATIF has no field for is in `extra.benchsite`, so that an import gives the same events.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.tracks.agents.exporters.runs import Exported, agents_of, exported, model_of, system_of
from benchsite.tracks.agents.importers.atif_steps import Author, Steps
from benchsite.tracks.agents.trace.conduct import names_model
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import is_agent
from benchsite.tracks.agents.trace.remainder import KEY, remainder

__all__ = ["VERSION", "files", "trajectory"]

VERSION: Final = "ATIF-v1.8"
_TOOLS: Final = frozenset({"tool_call", "tool_result"})
_TEXTS: Final = {"tool_result": ("observation", "result"), "finalize": ("output", "text")}
"""Members of payloads that hold the text of an event, the one that an import writes first; of others `text`, then `output`."""


def files(document: Document, traces: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a job by relative path, run by run.

    Raises:
        InputError: the traces are malformed.
    """
    for run in exported(document, traces):
        folder = f"{run.task}__{run.run}"
        yield f"{folder}/result.json", _written(_result(document, run))
        yield f"{folder}/agent/trajectory.json", _written(trajectory(document, run))


def _written(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"


def _result(document: Document, run: Exported) -> dict[str, Any]:
    """The result of a trial as Harbor states one: a success has the reward 1, a lower score is the reward otherwise."""
    (name, version), model = system_of(document), model_of(document)
    is_success = run.outcome == "success"
    score = run.score if run.score is not None and run.score < 1 else 0.0
    made: dict[str, Any] = {
        "task_name": run.task,
        "trial_name": f"{run.task}__{run.run}",
        "trial_uri": f"benchsite:{document['receiptId']}/{run.task}/{run.run}",
        "task_id": {"path": run.task},
        "source": document["benchmark"]["id"],
        "task_checksum": document["benchmark"]["sha256"],
        "config": {"task": {"path": run.task}, "trial_name": f"{run.task}__{run.run}"},
        "agent_info": {
            "name": name,
            "version": version,
            "model_info": {"name": model, "provider": None} if model is not None else None,
        },
        "verifier_result": {"rewards": {"reward": 1.0 if is_success else score}}
        if run.outcome != "error"
        else None,
        "exception_info": _exception(document, run),
        KEY: run.stated,
    }
    started, finished = _span(run.events)
    if any(event.latency_ms is not None for event in run.events):
        made["agent_execution"] = {"started_at": started, "finished_at": finished}
    return made


def _exception(document: Document, run: Exported) -> dict[str, Any] | None:
    if run.outcome not in ("limit", "error"):
        return None
    kinds = {"seconds": "AgentTimeoutError", None: "AgentError"}
    return {
        "exception_type": kinds.get(run.limit, "AgentLimitError"),
        "exception_message": run.error or run.limit or run.outcome,
        "exception_traceback": "",
        "occurred_at": _span(run.events)[1] or document["ranAt"],
    }


def _span(events: Sequence[Event]) -> tuple[str | None, str | None]:
    """The first start and the last end of some events."""
    starts = [event.timestamp_start for event in events if event.timestamp_start is not None]
    ends = [event.timestamp_end for event in events if event.timestamp_end is not None]
    return min(starts, default=None), max(ends, default=None)


def trajectory(document: Document, run: Exported) -> dict[str, Any]:
    """Return the trajectory of a run."""
    (name, version), model = system_of(document), model_of(document)
    agent = {"name": name, "version": version, **({"model_name": model} if model is not None else {})}
    agents, session = agents_of(run.events), f"{document['receiptId']}/{run.task}/{run.run}"
    own = agents[0] if len(agents) == 1 else None
    made, steps, inner = _Made(own or "system", model), list[dict[str, Any]](), list[dict[str, Any]]()
    for stretch in _stretches(run.events, own):
        actor = stretch[0].actor
        if own is not None or not is_agent(actor):
            steps += made.steps(stretch, len(steps))
            continue
        label = f"{len(inner) + 1}-{actor}"
        within = _Made(actor, model, made)
        inner.append(_embedded({**agent, "name": actor}, label, actor, within.steps(stretch, 0)))
        reference = {"results": [{"subagent_trajectory_ref": [{"trajectory_id": label}]}]}
        steps.append({"step_id": len(steps) + 1, "source": "system", "message": "", "observation": reference})
    return {
        "schema_version": VERSION,
        "session_id": session,
        "agent": agent,
        "steps": steps or [{"step_id": 1, "source": "system", "message": ""}],
        "final_metrics": _totals(run.events),
        **({"subagent_trajectories": inner} if inner else {}),
        "extra": {KEY: {"actor": own or "system", "receipt": document["receiptId"]}},
    }


def _embedded(
    agent: Mapping[str, Any], label: str, actor: str, steps: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "schema_version": VERSION,
        "trajectory_id": label,
        "agent": dict(agent),
        "steps": list(steps),
        "extra": {KEY: {"actor": actor}},
    }


def _totals(events: Sequence[Event]) -> dict[str, Any]:
    """The sums of what events state; absent if none states it."""
    told = [event.token_in for event in events if event.token_in is not None]
    made = [event.token_out for event in events if event.token_out is not None]
    costs = [event.cost_usd for event in events if event.cost_usd is not None]
    return {
        **({"total_prompt_tokens": sum(told)} if told else {}),
        **({"total_completion_tokens": sum(made)} if made else {}),
        **({"total_cost_usd": math.fsum(costs)} if costs else {}),
    }


def _stretches(events: Sequence[Event], own: str | None) -> Iterator[list[Event]]:
    """The events in stretches of one actor; in one if a single agent acts."""
    held = list[Event]()
    for event in events:
        if held and own is None and event.actor != held[-1].actor:
            yield held
            held = []
        held.append(event)
    if held:
        yield held


class _Made:
    """The steps of one trajectory, and how an import reads each."""

    def __init__(self, actor: str, model: str | None, root: _Made | None = None) -> None:
        self._author = Author(actor, model)
        self._read: Steps = root._read if root is not None else Steps()  # noqa: SLF001 - one run, one numbering

    def steps(self, events: Sequence[Event], before: int) -> list[dict[str, Any]]:
        """Return the steps of some events, numbered from `before`."""
        made = list[dict[str, Any]]()
        for group in _groups(events):
            for given in _given(group[0]):
                made.append({"step_id": before + len(made) + 1, **given})
                self._read.add(made[-1], self._author, "", {})
            made.append({"step_id": before + len(made) + 1, **_step(group)})
            self._complete(made[-1], group)
        return made

    def _complete(self, step: dict[str, Any], group: Sequence[Event]) -> None:
        """Add to a step what an import would not read in it."""
        start = len(self._read.events)
        self._read.add(step, self._author, "", {})
        told = self._read.events[start:]
        for event, place, one in zip(group, _places(step, group), told, strict=True):
            named, rest = place["extra"][KEY], remainder(dict(event), one)
            members = {**named.get("event", {}), **rest.get("event", {})}
            place["extra"] = {KEY: {**named, **rest, **({"event": members} if members else {})}}


def _groups(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The events of each step: one event of a model or of another kind, then tool calls, then their results."""
    group, is_open = list[Event](), False
    for event in events:
        kind = event.event_type
        continues = (
            is_open
            and "given" not in event.payload
            and (
                (kind == "tool_call" and group[-1].event_type != "tool_result")
                or (
                    kind == "tool_result"
                    and event.parent in {one.id for one in group if one.event_type == "tool_call"}
                )
            )
        )
        if group and not continues:
            yield group
            group = []
        group.append(event)
        is_open = kind == "tool_call" or continues or (kind not in _TOOLS and names_model(event))
    if group:
        yield group


def _given(event: Event) -> list[dict[str, Any]]:
    """What the agent was given before an event, as steps; none unless all of it is of the system or of the user."""
    given = event.payload.get("given")
    told = [
        {"source": one["role"], "message": one["text"]}
        for one in (given if isinstance(given, list) else ())
        if isinstance(one, dict)
        and one.keys() == {"role", "text"}
        and one["role"] in ("system", "user")
        and isinstance(one["text"], str)
        and one["text"]
    ]
    return told if isinstance(given, list) and len(told) == len(given) else []


def _step(group: Sequence[Event]) -> dict[str, Any]:
    """A step without its number; every event of it has a member `extra` to be completed."""
    first = group[0]
    step: dict[str, Any] = {"source": "agent", "message": ""}
    if first.timestamp_start is not None:
        step["timestamp"] = first.timestamp_start
    rest = list(group)
    if first.event_type not in _TOOLS:
        rest = rest[1:]
        step |= _lead(first, is_alone=not rest)
        step["extra"] = {KEY: _named(first)}
        text = first.payload.get(_text_of(first) or "")
        step["message"] = text if isinstance(text, str) else ""
    calls = [_call(event) for event in rest if event.event_type == "tool_call"]
    results = [
        _result_of(event, {call["tool_call_id"] for call in calls})
        for event in rest
        if event.event_type == "tool_result"
    ]
    return {
        **step,
        **({"tool_calls": calls} if calls else {}),
        **({"observation": {"results": results}} if results else {}),
    }


def _lead(event: Event, *, is_alone: bool) -> dict[str, Any]:
    """Source, model and metrics of a step."""
    payload = event.payload
    cached = payload.get("tokens_cached")
    metrics = {
        "prompt_tokens": event.token_in,
        "completion_tokens": event.token_out,
        "cached_tokens": cached if type(cached) is int and cached >= 0 else None,
        "cost_usd": event.cost_usd,
    }
    stated = {name: value for name, value in metrics.items() if value is not None}
    model = payload.get("model_responded") or payload.get("model_requested")
    if is_alone and not stated and not names_model(event) and not is_agent(event.actor):
        return {"source": "system"}
    return {
        **({"model_name": model} if isinstance(model, str) else {}),
        **({"metrics": stated} if stated else {}),
        **({"llm_call_count": 1} if names_model(event) else {}),
    }


def _call(event: Event) -> dict[str, Any]:
    tool, given = event.payload.get("tool"), event.payload.get("input")
    return {
        "tool_call_id": event.id,
        "function_name": tool if isinstance(tool, str) and tool else "unnamed",
        "arguments": given if isinstance(given, dict) else {},
        "extra": {KEY: _named(event)},
    }


def _result_of(event: Event, calls: set[str]) -> dict[str, Any]:
    text = event.payload.get(_text_of(event) or "")
    return {
        **({"source_call_id": event.parent} if event.parent in calls else {}),
        "content": text if isinstance(text, str) else "",
        "extra": {KEY: _named(event)},
    }


def _named(event: Event) -> dict[str, Any]:
    """What an import must know to read the text of an event: its type, and the member of the payload."""
    default = _TEXTS.get(event.event_type, ("text", "output"))[0]
    named = _text_of(event)
    return {
        **({"event": {"event_type": event.event_type}} if event.event_type == "finalize" else {}),
        **({"text": named} if named not in (None, default) else {}),
    }


def _text_of(event: Event) -> str | None:
    """The name of the member that holds the text of an event; None if there is none."""
    if event.event_type == "tool_call":
        return None
    names = _TEXTS.get(event.event_type, ("text", "output"))
    return next((name for name in names if isinstance(event.payload.get(name), str)), None)


def _places(step: dict[str, Any], group: Sequence[Event]) -> list[dict[str, Any]]:
    """Where the `extra` of each event of a group is."""
    first = [step] if group[0].event_type not in _TOOLS else []
    return [*first, *step.get("tool_calls", ()), *step.get("observation", {}).get("results", ())]
