"""Traces as spans of OpenTelemetry: OTLP by its own protobuf, attributes of its own conventions, the same events when imported."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from exported_runs import DOCUMENT, TRACES, assert_exported, imported
from readable import Held

from benchsite.tracks.agents.exporters import otel as exporter
from benchsite.tracks.agents.importers import otel as importer
from benchsite.tracks.agents.spool import Spool

DATA = b"".join(data for _, data in exporter.files(DOCUMENT, TRACES))
LINES = [json.loads(line) for line in DATA.splitlines()]
OWN = {"benchsite.ending", "benchsite.events", "benchsite.receipt", "benchsite.sequence"}


def spans(line: dict[str, Any]) -> list[dict[str, Any]]:
    (resource,) = line["resourceSpans"]
    return [span for scope in resource["scopeSpans"] for span in scope["spans"]]


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_an_import_gives_the_same_events_and_the_stated_endings() -> None:
    found = importer.read(Held("spans.jsonl", DATA), Spool())
    assert found.references == ["OpenTelemetry semantic conventions, version 1.41.1"]
    runs = imported(found)
    assert_exported(runs)


def test_spans_follow_the_conventions() -> None:
    whole, agent, chat, first, second, *_ = spans(LINES[3])
    assert (whole["name"], agent["name"], agent["parentSpanId"]) == (
        "invoke_workflow team",
        "invoke_agent agent",
        whole["spanId"],
    )
    told = attributes(whole)
    assert (told["test.case.name"], told["test.case.result.status"], told["error.type"]) == (
        "t-1",
        "fail",
        "limit tokens",
    )
    assert (chat["name"], chat["kind"], chat["parentSpanId"]) == ("chat m", 3, agent["spanId"])
    told = attributes(chat)
    assert {name: told[name] for name in told if name.startswith("gen_ai.usage")} == {
        "gen_ai.usage.input_tokens": "10",
        "gen_ai.usage.output_tokens": "5",
    }
    assert json.loads(told["gen_ai.output.messages"])[0]["parts"] == [{"type": "text", "content": "I look."}]
    assert int(chat["endTimeUnixNano"]) - int(chat["startTimeUnixNano"]) == 10**9
    assert [attributes(one)["gen_ai.tool.call.arguments"] for one in (first, second)] == [
        '{"n": 1}',
        '{"n": 2}',
    ]


def test_protobuf_reads_every_line() -> None:
    theirs = pytest.importorskip(
        "opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason="pip install opentelemetry-proto"
    )
    from google.protobuf import json_format

    for line in LINES:
        for span in spans(line):
            for name in span.keys() & {
                "traceId",
                "spanId",
                "parentSpanId",
            }:  # hexadecimal in OTLP, base64 in protobuf
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
        read = json_format.ParseDict(line, theirs.ExportTraceServiceRequest())
        for span in read.resource_spans[0].scope_spans[0].spans:
            assert (len(span.trace_id), len(span.span_id)) == (16, 8)
            assert span.end_time_unix_nano >= span.start_time_unix_nano > 0


def test_every_attribute_is_one_of_the_conventions() -> None:
    gen_ai = pytest.importorskip(
        "opentelemetry.semconv._incubating.attributes.gen_ai_attributes",
        reason="pip install opentelemetry-semantic-conventions",
    )
    from opentelemetry.semconv._incubating.attributes import service_attributes, test_attributes
    from opentelemetry.semconv.attributes import error_attributes
    from opentelemetry.semconv.schemas import Schemas

    modules = (gen_ai, test_attributes, error_attributes, service_attributes)
    known = {value for module in modules for value in vars(module).values() if isinstance(value, str)}
    used = {one["key"] for line in LINES for span in spans(line) for one in span["attributes"]}
    assert used - known <= OWN
    assert {one.value for one in Schemas} >= {exporter.SCHEMA}
