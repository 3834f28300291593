"""Runs from spans of OpenTelemetry, after the semantic conventions for generative AI; their version is recorded if spans state it.

A trace is a run. Its task and its outcome are attributes of any of its spans, by default `test.case.name` and `test.case.result.status`.
Spans of model operations are events with tokens, models and times, those of `execute_tool` are tool calls with their results; the actor is
the `gen_ai.agent.name` of the nearest span above. Events are in the order of their starts. A negative duration is kept, and metrics take it
for blank. Refused: traces without a task, or without an outcome unless a span without a parent failed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError
from benchsite.track.parts import Readable
from benchsite.tracks.agents.importers.foreign_text import Scrubber, fitted, truncated
from benchsite.tracks.agents.importers.harness import Results, listed
from benchsite.tracks.agents.importers.json_object import objects, part
from benchsite.tracks.agents.importers.messages import told_text
from benchsite.tracks.agents.importers.otel_spans import Span, read_spans
from benchsite.tracks.agents.importers.otel_traces import Store, Traces
from benchsite.tracks.agents.importers.run_lines import FOREIGN, StatedRun, stated
from benchsite.tracks.agents.trace.event import timestamp
from benchsite.tracks.agents.trace.remainder import KEY, restored
from benchsite.words import amount

__all__ = ["ENDING", "EVENTS", "OUTCOME", "SEQUENCE", "TASK", "read", "span_events"]

EVENTS: Final = f"{KEY}.events"
"""What benchsite states of the events of a span: a JSON list of remainders."""
ENDING: Final = f"{KEY}.ending"
SEQUENCE: Final = f"{KEY}.sequence"
TASK: Final = "test.case.name"
OUTCOME: Final = "test.case.result.status"
_MODEL: Final = frozenset({"chat", "text_completion", "generate_content"})
_UNREAD: Final = frozenset({"embeddings", "retrieval"})
"""Operations of models that are no steps of an agent."""
_INPUT: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
_SUCCESS: Final = frozenset({"pass", "passed", "success", "true"})
_FAILURE: Final = frozenset({"fail", "failed", "failure", "false"})


class _Trace(NamedTuple):
    """What is held of a trace: its first span's start and place, its task, its outcome, and the number of its run if it is stated."""

    id: str
    start: int
    where: str
    task: str
    outcome: Mapping[str, Any]
    number: int | None


def read(
    file: Readable, store: Store, task_attribute: str | None = None, outcome_attribute: str | None = None
) -> Results:
    """Keep the spans in `store`, and read each trace for its task and its outcome.

    Raises:
        InputError: a line is refused, or a trace has no task or no outcome.
    """
    asked = task_attribute or TASK, outcome_attribute or OUTCOME
    kept, versions = Traces(file.name, store), set[str]()
    for number, spans, stated_versions in read_spans(file.chunks(), file.name, asked):
        kept.add(number, spans)
        versions |= stated_versions
    if not kept:
        raise InputError(f"{file.name}: no span", hint=FOREIGN)
    traces, models, notes = _traces(kept, *asked)
    return Results(
        file.name,
        f"otel-{file.name.partition('.')[0]}",
        f"the attribute {asked[1]} of the spans, as the file states it",
        f"OpenTelemetry spans, {file.name}",
        dict.fromkeys((trace.task for trace in traces), "all"),
        max(number for _, number in _numbered(traces)),
        lambda: _runs(kept, traces),
        lambda: listed(file),
        model=", ".join(sorted(models)) or None,
        references=[
            f"OpenTelemetry semantic conventions, version {', '.join(sorted(versions)) or 'not stated'}"
        ],
        notes=notes,
    )


def _traces(kept: Traces, task: str, outcome: str) -> tuple[list[_Trace], set[str], list[str]]:
    """The traces in the order of their starts, the models that they request, and notes on spans that aren't counted."""
    traces, models, twice, unread = list[_Trace](), set[str](), 0, 0
    for trace in kept:
        every = kept.spans(trace)
        spans = _once(every)
        twice += len(every) - len(spans)
        unread += sum(
            _operation(span) in _UNREAD and _count(span.attributes, *_INPUT) is not None for span in spans
        )
        models |= {
            one for span in spans if isinstance(one := span.attributes.get("gen_ai.request.model"), str)
        }
        traces.append(_trace(spans, task, outcome))
    notes = [f"{amount(twice, 'span')} exported twice, counted once"] if twice else []
    if unread:
        notes.append(f"{amount(unread, 'span')} of embeddings or retrieval with tokens, which aren't counted")
    return sorted(traces, key=lambda one: (one.start, one.id)), models, notes


def _trace(spans: Sequence[Span], task: str, outcome: str) -> _Trace:
    first = spans[0]
    where = f"{first.where}: trace {first.trace[:40]}"
    named = _attribute(spans, task)
    if not isinstance(named, str) or not named:
        raise InputError(f"{where}: no attribute {task}", hint="name the attribute: --task-attribute NAME")
    own = objects([_parsed(_attribute(spans, ENDING))])
    number = own[0].get("run") if own else None
    return _Trace(
        first.trace,
        first.start,
        where,
        named,
        {name: own[0].get(name) for name in ("outcome", "score", "limit", "error")}
        if own
        else _ending(spans, outcome, where),
        number if type(number) is int and number >= 1 else None,
    )


def _numbered(traces: Iterable[_Trace]) -> Iterator[tuple[_Trace, int]]:
    """Each trace with the number of its run: as benchsite stated it, else its place among those of its task."""
    places = Counter[str]()
    for trace in traces:
        places[trace.task] += 1
        yield trace, trace.number or places[trace.task]


def _once(spans: Iterable[Span]) -> list[Span]:
    """The spans of a trace in their order, each id once, as it came first."""
    found: dict[str, Span] = {}
    for span in spans:
        found.setdefault(span.id, span)
    return sorted(found.values(), key=_order)


def _order(span: Span) -> tuple[int, int]:
    """The place of a span: as benchsite numbered it, else by its start."""
    own = span.attributes.get(SEQUENCE)
    return (own, 0) if type(own) is int else (0, span.start)


def _attribute(spans: Sequence[Span], name: str) -> Any:
    """The first value of an attribute in a trace."""
    return next((span.attributes[name] for span in spans if span.attributes.get(name) is not None), None)


def _ending(spans: Sequence[Span], name: str, where: str) -> dict[str, Any]:
    value = _attribute(spans, name)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return {"outcome": "success" if value == 1 else "failure", "score": float(value)}
    word = str(value).lower()
    if word in _SUCCESS | _FAILURE:
        return {"outcome": "success" if word in _SUCCESS else "failure"}
    if value is not None:
        raise InputError(
            f"{where}: {name}: {word[:40]!r} is no outcome", hint="known: pass, fail, true, false, 0 to 1"
        )
    failed = next((span for span in spans if span.failed and not span.parent), None)
    if failed is None:
        raise InputError(f"{where}: no attribute {name}", hint="name the attribute: --outcome-attribute NAME")
    return {"outcome": "error", "error": truncated(str(failed.attributes.get("error.type") or "error"), 200)}


def _runs(kept: Traces, traces: Sequence[_Trace]) -> Iterator[StatedRun]:
    """The runs, one trace in memory at a time."""
    scrubber = Scrubber()
    for trace, number in _numbered(traces):
        line = {"task": scrubber.name(trace.task), "run": number, **trace.outcome}
        events = tuple(_events(_once(kept.spans(trace.id))))
        yield stated(line, trace.where).with_events(
            events or ({"event_type": "act", "payload": {"text": ""}},)
        )


def _events(spans: Sequence[Span]) -> Iterator[dict[str, Any]]:
    """The events of a trace; the last model event is the final one, unless benchsite states otherwise."""
    by_id, actors = {span.id: span for span in spans}, dict[str, str]()
    last = next((span.id for span in reversed(spans) if _operation(span) in _MODEL), None)
    for span in spans:
        yield from span_events(span, _actor(span, by_id, actors), is_last=span.id == last)


def span_events(span: Span, actor: str, *, is_last: bool = False) -> list[dict[str, Any]]:
    """Return the events that a span tells: one of a model, a tool call with its result, or what benchsite states."""
    rests = objects(_parsed(span.attributes.get(EVENTS)))
    common = {"actor": actor, "timestamp_start": _moment(span.start)}
    timed = {**common, "timestamp_end": _moment(span.end), "latency_ms": (span.end - span.start) / 1e6}
    if _operation(span) in _MODEL:
        rest = rests[0] if rests else None
        found = [{**timed, **_completion(span, rest, is_last=is_last)}]
    elif _operation(span) == "execute_tool":
        found = list(_tool_events(span, common, timed, rests))
    else:
        found = [{**timed, "event_type": "act", "payload": {}}] if rests else []
    return [restored(one, fitted(rest)) for one, rest in zip(found, rests, strict=False)] if rests else found


def _tool_events(
    span: Span, common: Mapping[str, Any], timed: Mapping[str, Any], rests: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    tool = str(span.attributes.get("gen_ai.tool.name") or "unnamed")
    arguments = _arguments(span.attributes.get("gen_ai.tool.call.arguments"))
    payload = {"tool": tool, "input": arguments, "action": {"tool": tool, "arguments": arguments}}
    end = {"timestamp_end": common["timestamp_start"]}
    yield {**common, **end, "event_type": "tool_call", "payload": payload}
    result = span.attributes.get("gen_ai.tool.call.result")
    if result is None:
        result = ""
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    failed = span.failed or "error.type" in span.attributes
    named, long = told_text("observation", text, rests[1] if len(rests) > 1 else None)
    yield {
        **timed,
        "event_type": "tool_result",
        "payload": {**named, "error": failed},
        "long": long,
        "answers": True,
    }


def _operation(span: Span) -> str | None:
    found = span.attributes.get("gen_ai.operation.name")
    return found if isinstance(found, str) else None


def _moment(nanoseconds: int) -> str:
    return timestamp(nanoseconds // 1000)


def _actor(span: Span, by_id: Mapping[str, Span], known: dict[str, str]) -> str:
    """The agent of the nearest span above, itself first; `known` has those of the spans that were visited."""
    actor, path = "agent", list[str]()
    at: Span | None = span
    while at is not None:
        if at.id in known:
            actor = known[at.id]
            break
        path.append(at.id)
        known[at.id] = actor  # where parents are a loop, its first span is met here
        name = at.attributes.get("gen_ai.agent.name")
        if isinstance(name, str) and name:
            actor = Scrubber().name(name)
            break
        at = by_id.get(at.parent)
    known.update(dict.fromkeys(path, actor))
    return actor


def _completion(span: Span, rest: Mapping[str, Any] | None, *, is_last: bool) -> dict[str, Any]:
    told = span.attributes
    if rest is not None:
        is_last = part(rest, "event").get("event_type") == "finalize"
    text = _output(told.get("gen_ai.output.messages"))
    member = "output" if is_last else "text"
    reasons, cached = (
        told.get("gen_ai.response.finish_reasons"),
        told.get("gen_ai.usage.cache_read.input_tokens"),
    )
    payload = {
        "model_requested": told.get("gen_ai.request.model"),
        "model_responded": told.get("gen_ai.response.model"),
        "finish_reason": reasons[0] if isinstance(reasons, list) and reasons else None,
    }
    said, long = ({}, []) if text is None else told_text(member, text, rest)
    return {
        "event_type": "finalize" if is_last else "act",
        "payload": {name: value for name, value in payload.items() if isinstance(value, str)}
        | ({"tokens_cached": cached} if type(cached) is int and cached >= 0 else {})
        | said,
        "long": long,
        "token_in": _count(told, *_INPUT),
        "token_out": _count(told, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    }


def _count(attributes: Mapping[str, Any], *names: str) -> int | None:
    """The first of some counts that is stated, the name of earlier conventions last."""
    return next((one for name in names if type(one := attributes.get(name)) is int and one >= 0), None)


def _parsed(value: Any) -> Any:
    """What JSON text says; other values as they are."""
    try:
        return json.loads(value, parse_constant=lambda _: None) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None


def _output(value: Any) -> str | None:
    """The text of the output messages; None if none is recorded."""
    found = _parsed(value)
    texts = [
        part["content"]
        for message in objects(found)
        for part in objects(message.get("parts"))
        if part.get("type") == "text" and isinstance(part.get("content"), str)
    ]
    return "\n".join(texts) if texts else None


def _arguments(value: Any) -> dict[str, Any]:
    try:
        found = fitted(_parsed(value))
    except RecursionError:
        found = None
    return found if isinstance(found, dict) else {} if value is None else {"text": str(value)}
