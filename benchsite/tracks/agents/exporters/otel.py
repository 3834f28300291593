"""Runs as spans of OpenTelemetry in OTLP JSON, after the conventions for generative AI: the inverse of `importers.otel`.

A run is a trace: a span of its own with task and outcome, a span for each agent, below it one for each completion of a model, and one for
each tool call with its result. Every other event is a span named after its type. What the conventions have no attribute for is in
`benchsite.events`, so that an import gives the same events. If an event states no time, its span has that of the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.receipt import Document
from benchsite.tracks.agents.exporters.runs import Exported, exported, system_of
from benchsite.tracks.agents.importers.otel import ENDING, EVENTS, OUTCOME, SEQUENCE, TASK, span_events
from benchsite.tracks.agents.importers.otel_spans import one_span
from benchsite.tracks.agents.trace.conduct import names_model
from benchsite.tracks.agents.trace.event import Event, microseconds
from benchsite.tracks.agents.trace.metrics import failed_tool, is_agent
from benchsite.tracks.agents.trace.remainder import KEY, remainder

__all__ = ["CONVENTIONS", "files"]

CONVENTIONS: Final = "1.41.1"
"""Version of the semantic conventions."""
SCHEMA: Final = f"https://opentelemetry.io/schemas/{CONVENTIONS}"
_PER_LINE: Final = 500
"""Spans of a line, so that a long run is no line above what an import reads."""
_INTERNAL: Final = 1
_CLIENT: Final = 3
_ERROR: Final = 2


def files(document: Document, traces: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file, run by run; the path of each is empty.

    Raises:
        InputError: the traces are malformed.
    """
    name, version = system_of(document)
    resource = {"service.name": name, "service.version": version, f"{KEY}.receipt": document["receiptId"]}
    for run in exported(document, traces):
        spans = _Spans(document, run).made()
        for start in range(0, len(spans), _PER_LINE):
            scope = {
                "scope": {"name": KEY, "version": document["benchVersion"]},
                "schemaUrl": SCHEMA,
                "spans": spans[start : start + _PER_LINE],
            }
            told = {
                "resourceSpans": [{"resource": {"attributes": _attributes(resource)}, "scopeSpans": [scope]}]
            }
            yield "", json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


class _Spans:
    """The spans of one run."""

    def __init__(self, document: Document, run: Exported) -> None:
        self._document, self._run = document, run
        self._name = f"{document['receiptId']}/{run.task}/{run.run}"
        self._trace = canonical.sha256_hex(self._name.encode())[:32]
        starts = [one.timestamp_start for one in run.events if one.timestamp_start is not None]
        ends = [one.timestamp_end or one.timestamp_start for one in run.events]
        told = [one for one in ends if one is not None]
        unknown = f"{document['ranAt'][:-1]}.000000Z"
        self._start, self._end = min(starts, default=unknown), max(told, default=unknown)

    def made(self) -> list[dict[str, Any]]:
        """Return the span of the run, those of its agents, and those of its events, in that order."""
        system, _ = system_of(self._document)
        spans = [self._whole(system)]
        agents = [name for name in dict.fromkeys(one.actor for one in self._run.events) if is_agent(name)]
        for name in agents:
            told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
            own = [one for one in self._run.events if one.actor == name]
            times = [
                one
                for event in own
                for one in (event.timestamp_start, event.timestamp_end)
                if one is not None
            ]
            span = (min(times, default=self._start), max(times, default=self._end))
            spans.append(self._span(f"invoke_agent {name}", f"agent {name}", "run", span, told))
        for number, group in enumerate(_groups(self._run.events), 1):
            above = f"agent {group[0].actor}" if group[0].actor in agents else "run"
            spans.append(self._of(group, above, number))
        return spans

    def _whole(self, system: str) -> dict[str, Any]:
        run = self._run
        told = {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.workflow.name": system,
            TASK: run.task,
            OUTCOME: "pass" if run.outcome == "success" else "fail",
            ENDING: json.dumps(run.stated),
        }
        if run.outcome in ("limit", "error"):
            told["error.type"] = f"{run.outcome} {run.limit}" if run.limit else run.outcome
        return self._span(f"invoke_workflow {system}", "run", "", (self._start, self._end), told)

    def _of(self, group: Sequence[Event], above: str, number: int) -> dict[str, Any]:
        """The span of an event, or of a tool call and its result, with what an import would not read in it."""
        first, last = group[0], group[-1]
        start = first.timestamp_start or self._start
        span = (start, last.timestamp_end or last.timestamp_start or start)
        named, told = _conventions(group)
        told[SEQUENCE] = number
        stated = [_named(event) for event in group]
        told[EVENTS] = json.dumps(stated)
        made = self._span(named, first.id, above, span, told)
        read = span_events(one_span(made), first.actor if is_agent(first.actor) else "agent")
        for place, (event, one) in enumerate(zip(group, read, strict=True)):
            before = {"parent": group[0].id} if one.pop("answers", False) else {}
            rest = remainder(dict(event), {**before, **one})
            members = {**stated[place].get("event", {}), **rest.get("event", {})}
            stated[place] |= {**rest, **({"event": members} if members else {})}
        told[EVENTS] = json.dumps(stated, ensure_ascii=False)
        return self._span(named, first.id, above, span, told)

    def _span(
        self, name: str, own: str, above: str, times: tuple[str, str], told: Mapping[str, Any]
    ) -> dict[str, Any]:
        start, end = (microseconds(text) * 1000 for text in times)
        failed = "error.type" in told
        return {
            "traceId": self._trace,
            "spanId": self._id(own),
            **({"parentSpanId": self._id(above)} if above else {}),
            "name": name,
            "kind": _CLIENT if told.get("gen_ai.operation.name") == "chat" else _INTERNAL,
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(end),
            "attributes": _attributes(told),
            "status": {"code": _ERROR} if failed else {},
        }

    def _id(self, own: str) -> str:
        return canonical.sha256_hex(f"{self._name}/{own}".encode())[:16]


def _groups(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The events of each span: a tool call with the result that follows it and answers it, every other event alone."""
    place = 0
    while place < len(events):
        event, after = events[place], events[place + 1 : place + 2]
        is_pair = (
            event.event_type == "tool_call"
            and bool(after)
            and after[0].event_type == "tool_result"
            and after[0].parent == event.id
            and after[0].actor == event.actor
        )
        yield [event, *after] if is_pair else [event]
        place += 2 if is_pair else 1


def _conventions(group: Sequence[Event]) -> tuple[str, dict[str, Any]]:
    """The name of a span, and its attributes by the conventions."""
    first, payload = group[0], group[0].payload
    if names_model(first) and first.event_type not in ("tool_call", "tool_result"):
        text, reason, cached = _text(first), payload.get("finish_reason"), payload.get("tokens_cached")
        told = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": payload.get("model_requested"),
            "gen_ai.response.model": payload.get("model_responded"),
            "gen_ai.response.finish_reasons": [reason] if isinstance(reason, str) else None,
            "gen_ai.usage.input_tokens": first.token_in,
            "gen_ai.usage.output_tokens": first.token_out,
            "gen_ai.usage.cache_read.input_tokens": cached if type(cached) is int else None,
            "gen_ai.output.messages": None if text is None else _message(text, reason),
        }
        model = payload.get("model_requested") or payload.get("model_responded")
        return f"chat {model}", {name: value for name, value in told.items() if _is_plain(value)}
    if first.event_type == "tool_call":
        tool, given = payload.get("tool"), payload.get("input")
        result = _text(group[1]) if len(group) > 1 else None
        told = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool if isinstance(tool, str) and tool else "unnamed",
            "gen_ai.tool.call.arguments": json.dumps(given, ensure_ascii=False)
            if isinstance(given, dict)
            else None,
            "gen_ai.tool.call.result": result,
            "error.type": "tool_error" if len(group) > 1 and failed_tool(group[1]) else None,
        }
        return f"execute_tool {told['gen_ai.tool.name']}", {
            name: value for name, value in told.items() if value is not None
        }
    return first.event_type, {}


def _is_plain(value: Any) -> bool:
    """Whether an attribute of a completion has a value that it may have."""
    return isinstance(value, str | int | list) and not isinstance(value, bool)


def _message(text: str, reason: Any) -> str:
    parts = [{"type": "text", "content": text}]
    return json.dumps(
        [
            {
                "role": "assistant",
                "parts": parts,
                "finish_reason": reason if isinstance(reason, str) else "unknown",
            }
        ],
        ensure_ascii=False,
    )


def _text(event: Event) -> str | None:
    found = event.payload.get(_member(event) or "")
    return found if isinstance(found, str) else None


def _member(event: Event) -> str | None:
    """The name of the member that holds the text of an event; None if there is none."""
    names = ("observation", "result") if event.event_type == "tool_result" else ("output", "text")
    return next((name for name in names if isinstance(event.payload.get(name), str)), None)


def _named(event: Event) -> dict[str, Any]:
    """What an import must know to read the text of an event: its type, and the member of the payload."""
    return {
        **({"event": {"event_type": event.event_type}} if event.event_type == "finalize" else {}),
        **({"text": member} if (member := _member(event)) is not None else {}),
    }


def _attributes(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in told.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}
