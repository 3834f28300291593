"""Spans of OpenTelemetry in JSON lines, and of each what the conventions for generative AI say.

Two spellings of a line: OTLP JSON (`resourceSpans`, as the Collector's file exporter writes it) and one span as the Python SDK's
`to_json(indent=None)` writes it. Attributes that no event is made of are dropped. Texts and JSON are kept whole, other attributes up to
10,000 characters. Refused, with the line: what is neither, a span without ids or times, ids above 200 characters, attributes
nested more than 50 deep, and a line above 64 MiB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchsite.dates import posix_seconds
from benchsite.errors import InputError
from benchsite.tracks.agents.importers.json_object import objects, part
from benchsite.tracks.agents.importers.line_stream import lines
from benchsite.tracks.agents.importers.messages import MAX_TEXT
from benchsite.tracks.agents.importers.run_lines import FOREIGN
from benchsite.tracks.agents.trace.remainder import KEY

__all__ = ["Span", "one_span", "read_spans"]

MAX_LINE: Final = 64 * 1024 * 1024
MAX_ID: Final = 200
MAX_DEPTH: Final = 50
"""Lists and objects within one another, of an attribute."""
_TRUNCATED: Final = "write one JSON object per line; the file may be truncated"
_VERSION: Final = re.compile(r"/schemas/([0-9]+\.[0-9]+\.[0-9]+)$")
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|[+-]00:00)")
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}")
_READ: Final = frozenset(
    {
        "error.type",
        "gen_ai.agent.name",
        "gen_ai.operation.name",
        "gen_ai.output.messages",
        "gen_ai.request.model",
        "gen_ai.response.finish_reasons",
        "gen_ai.response.model",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.tool.name",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.completion_tokens",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.prompt_tokens",
    }
)
"""The attributes that events are made of, besides those of benchsite."""
_TEXTS: Final = frozenset({"gen_ai.output.messages", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"})
"""Cut when keys are replaced, not before: of a key on the cut, a part would stay."""
_OURS: Final = f"{KEY}."
_VALUES: Final = ("stringValue", "boolValue", "doubleValue")


@dataclass(frozen=True, slots=True)
class Span:
    """One span.

    Attributes:
        start, end: nanoseconds since 1970; the end may be before the start.
        attributes: those of the conventions, and those that were asked for; also of its events, if the span lacks them.
        failed: whether its status is an error.
    """

    trace: str
    id: str
    parent: str
    start: int
    end: int
    attributes: Mapping[str, Any]
    failed: bool
    where: str


def read_spans(
    chunks: Iterable[bytes], name: str, asked: Iterable[str] = ()
) -> Iterator[tuple[int, list[Span], set[str]]]:
    """Yield each line's number, its spans and the versions of the conventions that it states.

    Args:
        chunks: the file's bytes.
        name: what errors call it.
        asked: names of further attributes to keep.

    Raises:
        InputError: a line is refused; the line is named.
    """
    kept = _READ.union(asked)
    for number, line in lines(chunks, name, MAX_LINE, FOREIGN):
        where = f"{name} line {number}"
        try:
            value = json.loads(line, parse_constant=lambda _: None)
            found = list(_spans(value, where, kept))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: no JSON: {error}"[:300], hint=_TRUNCATED) from None
        yield number, [span for span, _ in found], {one for _, one in found if one is not None}


def _spans(value: Any, where: str, kept: frozenset[str]) -> Iterator[tuple[Span, str | None]]:
    """The spans of a line, each with the version of its conventions."""
    if isinstance(value, dict) and isinstance(value.get("resourceSpans"), list):
        for resource in objects(value["resourceSpans"]):
            shared = _listed(part(resource, "resource").get("attributes"), where, kept)
            for scope in objects(resource.get("scopeSpans")):
                version = _version(scope.get("schemaUrl") or resource.get("schemaUrl"))
                for span in objects(scope.get("spans")):
                    yield _otlp(span, shared, where, kept), version
    elif isinstance(value, dict) and isinstance(value.get("context"), dict):
        yield _sdk(value, where, kept), _version(part(value, "resource").get("schema_url"))
    else:
        raise InputError(f"{where}: no span: neither resourceSpans nor context", hint=FOREIGN)


def _version(url: Any) -> str | None:
    found = _VERSION.search(url) if isinstance(url, str) else None
    return found[1] if found is not None else None


def one_span(told: Mapping[str, Any]) -> Span:
    """Return a span of OTLP JSON, read as `read_spans` reads one."""
    return _otlp(told, {}, "span", _READ)


def _otlp(told: Mapping[str, Any], shared: Mapping[str, Any], where: str, kept: frozenset[str]) -> Span:
    """A span of OTLP JSON: times as text of nanoseconds, attributes as lists of key and value."""
    own = _listed(told.get("attributes"), where, kept)
    events = [_listed(event.get("attributes"), where, kept) for event in objects(told.get("events"))]
    try:
        start, end = int(told["startTimeUnixNano"]), int(told["endTimeUnixNano"])
    except (KeyError, OverflowError, TypeError, ValueError):
        raise InputError(f"{where}: a span without start or end", hint=FOREIGN) from None
    failed = part(told, "status").get("code") in (2, "STATUS_CODE_ERROR")
    ids = (told.get("traceId"), told.get("spanId"), told.get("parentSpanId"))
    attributes = _fit(_merged(shared, events, own, failed=failed), kept)
    return _span(ids, (start, end), attributes, where, failed=failed)


def _sdk(told: Mapping[str, Any], where: str, kept: frozenset[str]) -> Span:
    """A span as the Python SDK writes it: times in RFC 3339, attributes as an object."""
    shared, own = part(part(told, "resource"), "attributes"), part(told, "attributes")
    events = [part(event, "attributes") for event in objects(told.get("events"))]
    times = []
    for name in ("start_time", "end_time"):
        found = _TIME.fullmatch(str(told.get(name)))
        if found is None:
            raise InputError(f"{where}: a span without start or end", hint=FOREIGN)
        times.append(posix_seconds(f"{found[1]}Z") * 10**9 + int((found[2] or "").ljust(9, "0")))
    context = part(told, "context")
    ids = (context.get("trace_id"), context.get("span_id"), told.get("parent_id"))
    failed = part(told, "status").get("status_code") == "ERROR"
    attributes = _fit(_merged(shared, events, own, failed=failed), kept)
    return _span(ids, (times[0], times[1]), attributes, where, failed=failed)


def _merged(
    shared: Mapping[str, Any],
    events: Iterable[Mapping[str, Any]],
    own: Mapping[str, Any],
    *,
    failed: bool,
) -> dict[str, Any]:
    """The attributes of a span: its own before those of its events, and those before the resource's.

    An error of an event is the span's only if the span failed: a call that was retried may succeed.
    """
    found = dict(shared)
    for event in events:
        found |= {name: value for name, value in event.items() if failed or name != "error.type"}
    return {**found, **own}


def _span(
    ids: tuple[Any, Any, Any],
    times: tuple[int, int],
    attributes: Mapping[str, Any],
    where: str,
    *,
    failed: bool,
) -> Span:
    trace, own, parent = (one.removeprefix("0x") if isinstance(one, str) else "" for one in ids)
    if not trace or not own:
        raise InputError(f"{where}: a span without trace id or span id", hint=FOREIGN)
    if max(map(len, (trace, own, parent))) > MAX_ID:
        raise InputError(f"{where}: an id above {MAX_ID} characters", hint=FOREIGN)
    if not all(0 <= time < 2**63 for time in times):
        raise InputError(f"{where}: a time that is no time", hint=FOREIGN)
    return Span(trace, own, parent, *times, attributes, failed, where)


def _fit(attributes: Mapping[str, Any], kept: frozenset[str]) -> dict[str, Any]:
    """The attributes that are read; of a long name or status the start, but JSON and texts whole."""
    return {
        name: value
        if not isinstance(value, str) or name in _TEXTS or value[:1] in "[{"
        else value[: MAX_TEXT + 1]
        for name, value in attributes.items()
        if _is_kept(name, kept)
    }


def _is_kept(name: str, kept: frozenset[str]) -> bool:
    return name in kept or name.startswith(_OURS)


def _listed(attributes: Any, where: str, kept: frozenset[str]) -> dict[str, Any]:
    """Attributes of OTLP JSON as an object; those that nothing is made of are not read."""
    return {
        one["key"]: _value(one.get("value"), f"{where}: attribute {one['key']}")
        for one in objects(attributes)
        if isinstance(one.get("key"), str) and _is_kept(one["key"], kept)
    }


def _value(value: Any, where: str, depth: int = 1) -> Any:
    """An `AnyValue`, with its lists and its objects; raises `InputError` if it is nested too deeply."""
    if not isinstance(value, dict):
        return None
    if depth > MAX_DEPTH:
        raise InputError(
            f"{where[:200]}: more than {MAX_DEPTH} lists or objects within one another", hint=FOREIGN
        )
    if "intValue" in value:
        told = value["intValue"]
        is_number = isinstance(told, int | str) and _INTEGER.fullmatch(str(told)) is not None
        return int(told) if is_number else None
    if "arrayValue" in value:
        return [_value(one, where, depth + 1) for one in objects(part(value, "arrayValue").get("values"))]
    if "kvlistValue" in value:
        return {
            one["key"]: _value(one.get("value"), where, depth + 1)
            for one in objects(part(value, "kvlistValue").get("values"))
            if isinstance(one.get("key"), str)
        }
    return next((value[name] for name in _VALUES if name in value), None)
