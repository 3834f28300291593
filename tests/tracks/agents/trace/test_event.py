from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

import pytest
from agent_traces import ALONE, IMPORTED, TEAM, event, timed
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.trace import event as trace_event
from benchsite.tracks.agents.trace.event import (
    EVENT_TYPES,
    MAX_PROBLEMS,
    Event,
    Trace,
    line,
    microseconds,
    parse,
    timestamp,
)

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=200)
WHOLE = st.integers(0, 2**53 - 1)
REAL = st.floats(1e-9, 1e12) | WHOLE.map(float)
TIMES = st.integers(0, 4 * 10**15).map(timestamp)
KEYS = st.text(st.characters(codec="utf-8"), max_size=9).filter(lambda key: key != "__proto__")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(codec="utf-8"))
    | st.floats(1e-9, 1e12).filter(lambda value: value % 1 != 0),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)
EVENTS = st.builds(
    Event,
    id=NAMES,
    actor=NAMES | st.just(""),
    event_type=st.sampled_from(EVENT_TYPES),
    payload=st.dictionaries(KEYS, JSON, max_size=3),
    timestamp_start=st.none() | TIMES,
    timestamp_end=st.none() | TIMES,
    token_in=st.none() | WHOLE,
    token_out=st.none() | WHOLE,
    latency_ms=st.none() | REAL | REAL.map(lambda value: -value or 0.0),
    cost_usd=st.none() | REAL,
    state_id=st.none() | NAMES,
    parent=st.none() | NAMES,
)


@given(EVENTS)
def test_an_event_is_read_as_it_was_written(written: Event):
    data = line(written)
    assert data.endswith(b"\n")
    assert b"\n" not in data[:-1]
    assert parse(data) == written
    assert line(parse(data)) == data


@given(EVENTS)
def test_any_strict_json_of_an_event_has_one_canonical_line(written: Event):
    stated = {name: value for name, value in dict(written).items() if value is not None}
    loose = json.dumps(stated, indent=1).encode()
    assert line(parse(loose)) == line(written)


@settings(max_examples=examples(30, full=500))
@given(st.lists(EVENTS, max_size=3, unique_by=lambda one: one.id), st.data())
def test_a_trace_is_the_same_however_its_bytes_are_cut(events: list[Event], data: st.DataObject):
    whole = b"".join(map(line, events))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    chunks = [whole[start:end] for start, end in itertools.pairwise([0, *cuts, len(whole)])]
    assert list(Trace(chunks)) == events


@given(st.binary(max_size=60))
def test_any_bytes_are_an_event_or_refused(data: bytes):
    try:
        found = parse(data)
    except InputError:
        return
    assert parse(line(found)) == found


@given(st.integers(0, 4 * 10**15))
def test_a_time_is_read_as_it_was_written(time: int):
    assert microseconds(timestamp(time)) == time


def test_a_line_states_every_member_in_canonical_order():
    # RFC 8785: keys in the order of their code units, no spaces, 250 for 250.0.
    assert line(ALONE[1]) == (
        b'{"actor":"agent","cost_usd":null,"event_type":"tool_call","id":"e2","latency_ms":0,"parent":null,'
        b'"payload":{"input":"x","tool":"search"},"state_id":null,"timestamp_end":"2026-11-18T11:06:40.250000Z",'
        b'"timestamp_start":"2026-11-18T11:06:40.250000Z","token_in":null,"token_out":null}\n'
    )


def changed(**members: object) -> bytes:
    return canonical.dumps({"id": "e1", "actor": "a", "event_type": "act", "payload": {}} | members) + b"\n"  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "JSON"),
        (b"[]", "no event: line: must be a JSON object"),
        (b'{"id":"e1","id":"e1"}', "JSON: "),
        (changed(latency_ms=1)[:-2] + b',"cost_usd":NaN}', "JSON: "),
        (changed(actor="é").decode().encode("latin-1"), "JSON: "),
        (b"\xef\xbb\xbf" + changed(), "JSON: "),
        (changed(event_type="think"), "event_type: must be one of plan, act, "),
        (changed(event_type=None), "event_type"),
        (changed(id=""), "id"),
        (changed(id=7), "id"),
        (changed(id="x" * 201), "id"),
        (changed(id="a\u0007"), "id"),
        (changed(actor=None), "actor"),
        (changed(payload=[]), "payload"),
        (changed(token_in=-1), "token_in: must be a whole number from 0 to "),
        (changed(token_in=1.5), "token_in"),
        (changed(token_out=True), "token_out"),
        (changed(latency_ms="1"), "latency_ms"),
        (changed(cost_usd=-0.5), "cost_usd"),
        (changed(timestamp_start="2026-11-18T11:06:40Z"), "timestamp_start"),
        (changed(timestamp_start=1), "timestamp_start"),
        (changed(timestamp_end="2026-11-18T25:06:40.000000Z"), "timestamp_end"),
        (changed(extra=1), "extra: unknown member"),
        (b'{"actor":"a","event_type":"act"}', "id: missing"),
        (changed(payload={"a": "\U0001f469\u202e"})[:-4], "JSON: "),
    ],
)
def test_a_line_that_is_no_event_is_refused_with_its_number(data: bytes, said: str):
    if data:
        with pytest.raises(InputError, match=said):
            parse(data)
    with pytest.raises(InputError, match=rf"{said}.*: run_1\.trace\.jsonl line 2$"):
        list(Trace([line(IMPORTED[0]), data.rstrip(b"\n") + b"\n"], name="run_1.trace.jsonl"))


def test_a_line_above_the_limit_is_refused_without_being_held():
    held = 0

    def chunks() -> Iterator[bytes]:
        nonlocal held
        yield line(ALONE[0])
        for _ in range(100_000):  # of a line of 100 MB
            held += 1_000
            yield b"x" * 1_000

    with pytest.raises(InputError, match="8,388,608 .*line 2"):
        list(Trace(chunks()))
    assert held < 8_388_608 + 2_000


def test_a_half_last_line_is_dropped_and_said_where_that_is_asked():
    whole = b"".join(map(line, ALONE))
    last = whole.rindex(b"\n", 0, -1) + 1
    for cut in (last + 1, len(whole) - 20, len(whole) - 1):
        trace = Trace([whole[:cut]], drop_half_line=True)
        assert list(trace) == ALONE[:3]
        assert (trace.half_line, trace.end) == (4, last)
        assert [(one.line, one.code) for one in trace.problems] == [(4, "half-line")]
        with pytest.raises(InputError, match="line feed.*line 4"):
            list(Trace([whole[:cut]]))
    trace = Trace([whole], drop_half_line=True)
    assert list(trace) == ALONE
    assert (trace.half_line, trace.end, trace.problems) == (None, len(whole), [])


def test_a_bad_line_before_the_last_is_refused_even_where_a_half_line_is_dropped():
    with pytest.raises(InputError, match="line 1"):
        list(Trace([b'{"id"\n', b"{"], drop_half_line=True))


def found(*events: Event) -> list[tuple[int, str]]:
    trace = Trace(map(line, events))
    assert list(trace) == list(events)
    assert trace.problem_count == len(trace.problems)
    return [(one.line, one.code) for one in trace.problems]


@pytest.mark.parametrize("events", [ALONE, TEAM, IMPORTED])
def test_a_sound_trace_has_no_problems(events):
    assert found(*events) == []


def test_clocks_that_run_backwards_are_recorded_with_their_place():
    backwards = timed(5, 5) | {"timestamp_end": timed(4, 4)["timestamp_end"]}
    assert found(event(1, "a", "act"), event(2, "a", "act", **backwards)) == [(2, "clock-backwards")]
    assert found(event(1, "a", "act", latency_ms=-1)) == [(1, "negative-latency")]


def test_events_out_of_order_are_recorded_with_their_place():
    assert found(event(1, "a", "act", **timed(2, 3)), event(2, "a", "act", **timed(1, 2))) == [
        (2, "out-of-order")
    ]
    # Recorded when they end: one that started earlier and took longer is in order.
    assert found(event(1, "a", "act", **timed(2, 3)), event(2, "a", "act", **timed(1, 4))) == []


def test_a_parent_that_is_recorded_later_or_never_is_named():
    child, parent = event(1, "a", "act", parent="e2"), event(2, "a", "plan")
    assert found(parent, child) == []
    assert found(child, parent) == [(1, "parent-after-child")]
    assert found(child) == [(1, "unknown-parent")]
    assert found(event(1, "a", "act", parent="e1")) == [(1, "unknown-parent")]


def test_an_id_that_occurs_twice_is_refused():
    with pytest.raises(InputError, match="twice: .*line 3"):
        list(Trace(map(line, [*ALONE[:2], ALONE[0]])))


def test_many_problems_are_counted_and_the_first_ones_kept():
    trace = Trace(line(event(number, "a", "act", latency_ms=-1)) for number in range(MAX_PROBLEMS + 50))
    list(trace)
    assert (trace.problem_count, len(trace.problems)) == (MAX_PROBLEMS + 50, MAX_PROBLEMS)


def test_an_event_never_changes():
    with pytest.raises(ValueError, match="frozen"):
        ALONE[0].actor = "another"


def test_a_trace_of_too_many_events_is_refused_with_its_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trace_event, "MAX_EVENTS", 3)
    with pytest.raises(InputError, match="3 events.*line 4"):
        list(Trace([b"".join(map(line, TEAM))]))
    assert len(list(Trace([b"".join(map(line, TEAM[:3]))]))) == 3
