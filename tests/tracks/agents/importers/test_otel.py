"""Spans of OpenTelemetry in both spellings, made by hand: which run each trace becomes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from readable import Held

from benchsite.errors import InputError
from benchsite.progress import silent
from benchsite.tracks.agents.benchmarks import load
from benchsite.tracks.agents.importers import otel, otel_traces
from benchsite.tracks.agents.importers.harness import Results, task_list
from benchsite.tracks.agents.importers.otel_spans import Span, read_spans
from benchsite.tracks.agents.importers.runs import Expected, finished
from benchsite.tracks.agents.record.payload_from_runs import Finished
from benchsite.tracks.agents.spool import Spool

START = 1_764_244_800  # 2025-11-27T12:00:00Z
SCHEMA = "https://opentelemetry.io/schemas/1.37.0"


def value(given: Any) -> dict[str, Any]:
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(one) for one in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": value(one)} for key, one in given.items()]}}
    return {"doubleValue": given} if isinstance(given, float) else {"stringValue": given}


def span(trace: str, name: str, parent: str, start: float, end: float, **attributes: Any) -> dict[str, Any]:
    named = {key.replace("__", "."): one for key, one in attributes.items()}
    return {
        "traceId": trace,
        "spanId": name,
        "parentSpanId": parent,
        "startTimeUnixNano": str(START * 10**9 + int(start * 1e9)),
        "endTimeUnixNano": str(START * 10**9 + int(end * 1e9)),
        "attributes": [{"key": key, "value": value(one)} for key, one in named.items()],
        "status": {"code": 2} if "error__type" in attributes else {},
    }


def lines(*spans: dict[str, Any]) -> bytes:
    return b"".join(
        json.dumps({"resourceSpans": [{"scopeSpans": [{"schemaUrl": SCHEMA, "spans": [one]}]}]}).encode()
        + b"\n"
        for one in spans
    )


OUTPUT = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "3, in /home/ann/x"}]}])
CHAT = {"gen_ai__operation__name": "chat", "gen_ai__request__model": "m", "gen_ai__response__model": "m-1"}
TOOL = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "add"}
FIRST = (
    span("t1", "r", "", 0, 9, test__case__name="sum", test__case__result__status="pass"),
    span("t1", "a", "r", 0.5, 8, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="solver"),
    span("t1", "c1", "a", 1, 2, **CHAT, gen_ai__usage__input_tokens=10, gen_ai__usage__output_tokens=4),
    span(
        "t1",
        "x",
        "a",
        3,
        3.5,
        **TOOL,
        gen_ai__tool__call__arguments='{"a": 1}',
        gen_ai__tool__call__result="3",
    ),
    span(
        "t1",
        "c2",
        "a",
        4,
        3.75,
        **CHAT,
        gen_ai__output__messages=OUTPUT,
        gen_ai__response__finish_reasons=["stop"],
        gen_ai__usage__input_tokens=20,
        gen_ai__usage__output_tokens=1,
    ),
)
LOST = span("t2", "r", "", 20, 21, test__case__name="sum", error__type="ConnectionError")


def made(
    data: bytes, *more: str | None, secrets: tuple[str, ...] = ()
) -> tuple[Results, list[Finished], Any]:
    found = otel.read(Held("spans.jsonl", data), Spool(), *more)
    benchmark = load(task_list(found, "mine", found.evaluator), "mine")
    expected = Expected(found.repeats, "")
    return found, *finished(found.runs(), found.name, benchmark, silent, secrets, expected=expected)


@pytest.mark.parametrize("order", [1, -1])
def test_a_trace_becomes_a_run_in_any_order_of_its_spans(order: int) -> None:
    found, runs, _ = made(lines(*(*FIRST, LOST)[::order]))
    assert (found.model, found.references) == ("m", ["OpenTelemetry semantic conventions, version 1.37.0"])
    first, second = runs
    steps = [(one.id, one.parent, one.actor, one.event_type, one.latency_ms) for one in first.steps]
    assert steps == [
        ("e1", None, "solver", "act", 1000),
        ("e2", None, "solver", "tool_call", None),
        ("e3", "e2", "solver", "tool_result", 500),
        ("e4", None, "solver", "finalize", -250),
    ]
    assert first.steps[0].timestamp_start == "2025-11-27T12:00:01.000000Z"
    assert first.steps[3].payload == {
        "model_requested": "m",
        "model_responded": "m-1",
        "finish_reason": "stop",
        "output": "3, in [path]/x",
    }
    told = {name: first.traced[name] for name in ("tokens", "toolCalls", "turns", "completion", "latencyMs")}
    # The clock ran backwards in the last span, so that the sum of latencies is blank.
    assert told == {"tokens": 35, "toolCalls": 1, "turns": 2, "completion": True, "latencyMs": None}
    assert first.graded is not None
    assert first.graded.success
    assert second.error == "stated: error: ConnectionError"


def test_a_span_that_is_exported_twice_counts_once() -> None:
    found, runs, _ = made(lines(*FIRST, *FIRST[2:]))
    assert found.notes == ["3 spans exported twice, counted once"]
    assert runs[0].traced["tokens"] == 35


def test_tokens_of_embeddings_are_not_counted_and_a_note_says_so() -> None:
    used = {"gen_ai__operation__name": "embeddings", "gen_ai__usage__input_tokens": 500}
    plain = {"gen_ai__operation__name": "retrieval"}
    found, runs, _ = made(
        lines(*FIRST, span("t1", "e", "a", 1, 2, **used), span("t1", "f", "a", 1, 2, **plain))
    )
    assert found.notes == ["1 span of embeddings or retrieval with tokens, which aren't counted"]
    assert runs[0].traced["tokens"] == 35


def test_spans_of_several_traces_may_alternate() -> None:
    others = [{**one, "traceId": "t3", "spanId": f"o{n}"} for n, one in enumerate(FIRST)]
    others = [{**one, "parentSpanId": "o0" if one["parentSpanId"] else ""} for one in others]
    apart = made(lines(*FIRST, *others))[1]
    alternating = [one for pair in zip(FIRST, others, strict=True) for one in pair]
    by_line = made(lines(*alternating))[1]
    batch = {"resourceSpans": [{"scopeSpans": [{"schemaUrl": SCHEMA, "spans": alternating}]}]}
    in_one_line = made(json.dumps(batch).encode())[1]
    assert [run.traced["tokens"] for run in apart] == [35, 35]
    for runs in (by_line, in_one_line):
        assert [(run.run, run.trace) for run in runs] == [(run.run, run.trace) for run in apart]


def test_the_first_of_two_spans_with_one_id_counts_however_far_apart() -> None:
    other = span("t1", "c1", "a", 1, 2, **CHAT, gen_ai__usage__input_tokens=999)
    found, runs, _ = made(lines(*FIRST, LOST, other))
    assert found.notes == ["1 span exported twice, counted once"]
    assert runs[0].traced["tokens"] == 35


@pytest.mark.parametrize(("limit", "said"), [("MAX_SPANS", "1 spans"), ("MAX_RUNS", "1 traces")])
def test_more_than_can_be_held_is_refused_at_its_line(
    monkeypatch: pytest.MonkeyPatch, limit: str, said: str
) -> None:
    monkeypatch.setattr(otel_traces, limit, 1)
    with pytest.raises(InputError, match=f"^spans.jsonl line 2: more than {said}$"):
        made(lines(LOST, FIRST[0], FIRST[1]))


def test_what_is_nested_too_deeply_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_: Any, **__: Any) -> Any:
        raise RecursionError

    traces = otel_traces.Traces("spans.jsonl", Spool())
    for number, spans, _ in read_spans([lines(ROOT)], "spans.jsonl"):
        traces.add(number, spans)
    monkeypatch.setattr(otel_traces.json, "loads", too_deep)
    with pytest.raises(InputError, match="an attribute is nested too deeply"):
        traces.spans("t")


def test_the_spans_of_the_python_sdk_are_read() -> None:
    told = {
        "name": "chat m",
        "context": {"trace_id": "0x1", "span_id": "0x2", "trace_state": "[]"},
        "parent_id": None,
        "start_time": "2025-11-27T12:00:01.500000Z",
        "end_time": "2025-11-27T12:00:02.000000Z",
        "status": {"status_code": "UNSET"},
        "attributes": {"gen_ai.operation.name": "chat", "my.task": "a", "my.score": 0.5},
        "resource": {"attributes": {}, "schema_url": ""},
    }
    found, runs, _ = made(json.dumps(told).encode(), "my.task", "my.score")
    assert found.references == ["OpenTelemetry semantic conventions, version not stated"]
    assert [(run.task, run.graded and run.graded.score, run.traced["latencyMs"]) for run in runs] == [
        ("a", 0.5, 500)
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\n", "spans.jsonl: no span"),
        (lines(FIRST[0])[:-9], "spans.jsonl line 1: no JSON"),
        (lines(*FIRST, LOST)[:-9], "spans.jsonl line 6: no JSON"),
        (json.dumps({"resourceSpans": []}, indent=1).encode(), "spans.jsonl line 1: no JSON"),
        (lines({**FIRST[0], "traceId": "a" * 201}), "spans.jsonl line 1: an id above 200 characters"),
        (b'{"a": 1}', "spans.jsonl line 1: no span: neither resourceSpans nor context"),
        (lines({**FIRST[0], "startTimeUnixNano": None}), "spans.jsonl line 1: a span without start or end"),
        (lines({**FIRST[0], "startTimeUnixNano": "9" * 30}), "spans.jsonl line 1: a time that is no time"),
        (lines({**FIRST[0], "spanId": ""}), "spans.jsonl line 1: a span without trace id or span id"),
        (lines(FIRST[2]), "spans.jsonl line 1: trace t1: no attribute test.case.name"),
        (
            lines(span("t", "r", "", 0, 1, test__case__name="a")),
            "spans.jsonl line 1: trace t: no attribute test.case.re",
        ),
        (
            lines(span("t", "r", "", 0, 1, test__case__name="a", test__case__result__status="so-so")),
            "spans.jsonl line 1: trace t: test.case.result.status: 'so-so' is no outcome",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as refused:
        made(data)
    assert refused.value.message.startswith(said)
    assert refused.value.hint


@pytest.mark.parametrize("key", ["q7Zp" * 30, "sk-proj-abcdefghijklmnopqrstuvwxyz"])
def test_a_key_on_the_cut_of_a_text_is_replaced_whole(key: str) -> None:
    """The text is cut at 10,000 characters, a few characters into the key."""
    text = "x" * 9_989 + " " + key + "y" * 500 + " end"
    tool = span("t", "x", "r", 0.5, 0.6, **TOOL, gen_ai__tool__call__result=text)
    answer = json.dumps([{"parts": [{"type": "text", "content": text}]}])
    chat = span("t", "c", "r", 0.4, 0.5, **CHAT, gen_ai__output__messages=answer)
    _, runs, _ = made(lines(ROOT, tool, chat), secrets=("q7Zp" * 30,))
    trace = runs[0].trace.decode()
    assert key[:6] not in trace
    assert trace.count("x [redacted]") == 2


def test_a_long_text_can_be_checked_by_its_hash() -> None:
    """As a user hashes the file's own text; arguments are whole, as in other formats."""
    result, given = "r" * 20_000, "plain " + "g" * 20_000
    tool = span(
        "t",
        "x",
        "r",
        0.5,
        0.6,
        **TOOL,
        gen_ai__tool__call__result=result,
        gen_ai__tool__call__arguments=given,
    )
    _, runs, _ = made(lines(ROOT, tool))
    told = {one.event_type: one.payload for one in runs[0].steps}
    assert len(told["tool_result"]["observation"]) == 10_000
    assert told["tool_result"]["observation_sha256"] == hashlib.sha256(result.encode()).hexdigest()
    assert told["tool_call"]["input"] == {"text": given}


def test_structured_attributes_tell_the_same_as_their_json_text() -> None:
    """The conventions ask for structured messages, arguments and results; the JSON text is the fallback."""
    arguments, answer = {"city": "Paris", "days": [1, 2]}, {"Grad": 21, "Stadt": "Köln"}
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": "21 in /home/ann/x"}]}]

    def told(write: Callable[[Any], Any]) -> list[dict[str, Any]]:
        tool = {
            "gen_ai__tool__call__arguments": write(arguments),
            "gen_ai__tool__call__result": write(answer),
        }
        spans = (
            span("t", "r", "", 0, 9, test__case__name="a", test__case__result__status="pass"),
            span("t", "x", "r", 1, 2, **TOOL, **tool),
            span("t", "c", "r", 3, 4, **CHAT, gen_ai__output__messages=write(messages)),
        )
        return [dict(one.payload) for one in made(lines(*spans))[1][0].steps]

    call, result, final = told(lambda given: given)
    assert call["input"] == call["action"]["arguments"] == arguments
    assert result["observation"] == '{"Grad": 21, "Stadt": "Köln"}'
    assert final["output"] == "21 in [path]/x"
    assert [call, result, final] == told(lambda given: json.dumps(given, ensure_ascii=False))


def test_an_attribute_that_is_nested_too_deeply_is_refused_if_it_is_read() -> None:
    deep: Any = "x"
    for _ in range(60):
        deep = {"a": [deep]}
    assert made(lines(ROOT, span("t", "o", "r", 0, 1, my__own=deep)))[1]
    with pytest.raises(
        InputError, match=r"^spans.jsonl line 2: attribute gen_ai.tool.call.result: more than 50"
    ):
        made(lines(ROOT, span("t", "x", "r", 0, 1, **TOOL, gen_ai__tool__call__result=deep)))


@pytest.mark.parametrize("is_sdk", [False, True])
@pytest.mark.parametrize("failed", [False, True])
def test_an_error_of_an_event_is_the_spans_only_if_the_span_failed(*, is_sdk: bool, failed: bool) -> None:
    """A client that retries adds an event with the error of the first call, and the span may succeed."""
    retry = {"error.type": "timeout", "gen_ai.tool.name": "other", "gen_ai.tool.call.arguments": '{"a": 1}'}
    own = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add"}
    if is_sdk:
        one = {
            "context": {"trace_id": "0xt", "span_id": "0xx"},
            "parent_id": "0xr",
            "start_time": "2025-11-27T12:00:00.500000Z",
            "end_time": "2025-11-27T12:00:00.600000Z",
            "status": {"status_code": "ERROR" if failed else "OK"},
            "attributes": own,
            "events": [{"attributes": retry}],
        }
        data = lines(ROOT) + json.dumps(one).encode()
    else:
        told = span("t", "x", "r", 0.5, 0.6, **{name.replace(".", "__"): one for name, one in own.items()})
        events = [{"attributes": [{"key": name, "value": value(one)} for name, one in retry.items()]}]
        data = lines(ROOT, {**told, "events": events, "status": {"code": 2} if failed else {}})
    _, runs, _ = made(data)
    assert runs[0].traced["toolFailures"] == int(failed)
    (call,) = [one.payload for one in runs[0].steps if one.event_type == "tool_call"]
    assert (call["tool"], call["input"]) == ("add", {"a": 1})


def test_spans_that_are_their_own_parents_end() -> None:
    loop = span("t", "r", "r", 0, 1, **CHAT, test__case__name="a", test__case__result__status="fail")
    _, runs, _ = made(lines(loop))
    assert runs[0].steps[0].actor == "agent"


ROOT = span("t", "r", "", 0, 1, **CHAT, test__case__name="a", test__case__result__status="pass")
HUGE = {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9" * 5000}}


@pytest.mark.parametrize(
    "other",
    [
        lines({**ROOT, "events": 5}),
        lines({**ROOT, "attributes": [*ROOT["attributes"], HUGE]}),
        lines({**ROOT, "attributes": [*ROOT["attributes"], {"key": "x", "value": {"intValue": "--5"}}]}),
        lines(
            {
                **ROOT,
                "attributes": [*ROOT["attributes"], {"key": "x", "value": {"arrayValue": {"values": 5}}}],
            }
        ),
        lines(ROOT, span("t", "p", "r", 0, 1, **CHAT, gen_ai__output__messages='[{"parts": 5}]')),
        lines(ROOT, span("t", "o", "r", 0, 1, gen_ai__operation__name=["chat"])),
        lines(ROOT) + b'{"resourceSpans": [{"scopeSpans": [1]}, {"scopeSpans": 5}, 7]}',
        lines(ROOT) + b'{"resourceSpans": [{"scopeSpans": [{"spans": 7}, {"spans": [3]}]}]}',
    ],
)
def test_members_of_another_form_are_blank(other: bytes) -> None:
    _, runs, _ = made(other)
    assert [run.graded and run.graded.success for run in runs] == [True]
    assert runs[0].traced["tokens"] is None


def test_a_time_that_is_infinite_is_refused() -> None:
    with pytest.raises(InputError, match="a span without start or end"):
        made(lines(ROOT).replace(ROOT["endTimeUnixNano"].encode(), b"x").replace(b'"x"', b"1e999"))


def test_the_agent_of_each_span_is_looked_up_once() -> None:
    names = []

    class Counted(dict[str, Any]):
        def get(self, name: str, default: Any = None) -> Any:
            names.append(name)
            return super().get(name, default)

    chain = [
        Span(
            "t", str(n), str(n - 1), n, n, Counted({"gen_ai.agent.name": "top"} if n == 0 else {}), False, ""
        )
        for n in range(50)
    ]
    chain.append(Span("t", "last", "49", 50, 50, Counted({"gen_ai.operation.name": "chat"}), False, ""))
    (event,) = otel._events(chain)
    assert event["actor"] == "top"
    assert names.count("gen_ai.agent.name") == 51
