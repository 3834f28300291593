"""Spans of OpenTelemetry in JSON lines, and of each what the conventions for generative AI say.

Two spellings of a line: OTLP JSON (`resourceSpans`, as the Collector's file exporter writes it) and one span as the Python SDK's
`to_json(indent=None)` writes it. Spans may come in any order; one that was exported twice counts once. Texts above 10,000 characters are
cut. Refused, with the line: what is neither, a span without ids or times, and a line above 64 MiB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from benchsite.dates import posix_seconds
from benchsite.errors import InputError
from benchsite.tracks.agents.importers.json_object import objects, part
from benchsite.tracks.agents.importers.messages import MAX_TEXT
from benchsite.tracks.agents.importers.run_lines import FOREIGN
from benchsite.tracks.agents.trace.remainder import KEY

__all__ = ["Read", "Span", "one_span", "read_spans"]

MAX_LINE: Final = 64 * 1024 * 1024
MAX_SPANS: Final = 2_000_000
_VERSION: Final = re.compile(r"/schemas/([0-9]+\.[0-9]+\.[0-9]+)$")
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|[+-]00:00)")
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}")
_KEPT: Final = ("gen_ai.", "error.type", "test.", f"{KEY}.")
_VALUES: Final = ("stringValue", "boolValue", "doubleValue")


@dataclass(frozen=True, slots=True)
class Span:
    """One span.

    Attributes:
        start, end: nanoseconds since 1970; the end may be before the start.
        attributes: those of the conventions, and those that were asked for; of its events too.
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


@dataclass(slots=True)
class Read:
    """What a file holds: spans by trace, versions of the conventions, and how many spans came twice."""

    traces: dict[str, dict[str, Span]] = field(default_factory=dict)
    versions: set[str] = field(default_factory=set)
    twice: int = 0


def read_spans(chunks: Iterable[bytes], name: str, asked: Iterable[str] = ()) -> Read:
    """Read a file.

    Args:
        chunks: its bytes.
        name: what errors call it.
        asked: names of further attributes to keep.

    Raises:
        InputError: a line is refused; the line is named.
    """
    found, count, kept = Read(), 0, (*_KEPT, *asked)
    for number, line in _lines(chunks, name):
        where = f"{name} line {number}"
        try:
            value = json.loads(line, parse_constant=lambda _: None)
            spans_of_line = list(_spans(value, where, kept))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: no JSON: {error}"[:300], hint="the file may be truncated") from None
        for span, version in spans_of_line:
            if version is not None:
                found.versions.add(version)
            spans = found.traces.setdefault(span.trace, {})
            found.twice += span.id in spans
            spans.setdefault(span.id, span)
            count += 1
            if count > MAX_SPANS:
                raise InputError(f"{where}: more than {MAX_SPANS:,} spans", hint="import parts of the file")
    return found


def _lines(chunks: Iterable[bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    held, number = b"", 0
    for chunk in (*chunks, b"\n"):
        *whole, held = (held + chunk).split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield number, line.removeprefix(b"\xef\xbb\xbf")
        if len(held) > MAX_LINE:
            raise InputError(f"{name} line {number + 1}: above {MAX_LINE:,} bytes", hint=FOREIGN)


def _spans(value: Any, where: str, kept: tuple[str, ...]) -> Iterator[tuple[Span, str | None]]:
    """The spans of a line, each with the version of its conventions."""
    if isinstance(value, dict) and isinstance(value.get("resourceSpans"), list):
        for resource in objects(value["resourceSpans"]):
            shared = _listed(part(resource, "resource").get("attributes"))
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
    """Return a span of OTLP JSON, read as `read_spans` reads it."""
    return _otlp(told, {}, "span", _KEPT)


def _otlp(told: Mapping[str, Any], shared: Mapping[str, Any], where: str, kept: tuple[str, ...]) -> Span:
    """A span of OTLP JSON: times as text of nanoseconds, attributes as lists of key and value."""
    attributes = {**shared, **_listed(told.get("attributes"))}
    for event in objects(told.get("events")):
        attributes |= _listed(event.get("attributes"))
    try:
        start, end = int(told["startTimeUnixNano"]), int(told["endTimeUnixNano"])
    except (KeyError, OverflowError, TypeError, ValueError):
        raise InputError(f"{where}: a span without start or end", hint=FOREIGN) from None
    failed = part(told, "status").get("code") in (2, "STATUS_CODE_ERROR")
    ids = (told.get("traceId"), told.get("spanId"), told.get("parentSpanId"))
    return _span(ids, (start, end), _fit(attributes, kept), where, failed=failed)


def _sdk(told: Mapping[str, Any], where: str, kept: tuple[str, ...]) -> Span:
    """A span as the Python SDK writes it: times in RFC 3339, attributes as an object."""
    attributes = {**part(part(told, "resource"), "attributes"), **part(told, "attributes")}
    for event in objects(told.get("events")):
        attributes |= part(event, "attributes")
    times = []
    for name in ("start_time", "end_time"):
        found = _TIME.fullmatch(str(told.get(name)))
        if found is None:
            raise InputError(f"{where}: a span without start or end", hint=FOREIGN)
        times.append(posix_seconds(f"{found[1]}Z") * 10**9 + int((found[2] or "").ljust(9, "0")))
    context = part(told, "context")
    ids = (context.get("trace_id"), context.get("span_id"), told.get("parent_id"))
    failed = part(told, "status").get("status_code") == "ERROR"
    return _span(ids, (times[0], times[1]), _fit(attributes, kept), where, failed=failed)


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
    if not all(0 <= time < 2**63 for time in times):
        raise InputError(f"{where}: a time that is no time", hint=FOREIGN)
    return Span(trace, own, parent, *times, attributes, failed, where)


def _fit(attributes: Mapping[str, Any], kept: tuple[str, ...]) -> dict[str, Any]:
    """The attributes that are read; of a long text the start, but JSON, which is read whole."""
    return {
        name: value if not isinstance(value, str) or value[:1] in "[{" else value[: MAX_TEXT + 1]
        for name, value in attributes.items()
        if name.startswith(kept)
    }


def _listed(attributes: Any) -> dict[str, Any]:
    """Attributes of OTLP JSON as an object."""
    found = {}
    for one in objects(attributes):
        if isinstance(one.get("key"), str):
            found[one["key"]] = _value(one.get("value"))
    return found


def _value(value: Any) -> Any:
    if not isinstance(value, dict):
        return None
    if "intValue" in value:
        told = value["intValue"]
        is_number = isinstance(told, int | str) and _INTEGER.fullmatch(str(told)) is not None
        return int(told) if is_number else None
    if "arrayValue" in value:
        return [_value(one) for one in objects(part(value, "arrayValue").get("values"))]
    return next((value[name] for name in _VALUES if name in value), None)
