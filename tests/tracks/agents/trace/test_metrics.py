from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from agent_traces import ALONE, IMPORTED, MODEL, TEAM, event, timed

from benchsite import canonical
from benchsite.tracks.agents.trace.event import Trace
from benchsite.tracks.agents.trace.metrics import completion, failed_tool, measure, stated

VECTORS = json.loads(
    (Path(__file__).resolve().parents[3] / "vectors" / "agents" / "traces.json").read_bytes()
)
TRACES = {"alone": ALONE, "team": TEAM, "imported": IMPORTED}


# By hand. The team made three tool_call events, two of them sends; its two failures are a status and an error event; act
# and revise both have redo and count once; two steps ran in parallel; worker and critic are reached, neither twice nor by
# themselves; the actors change from planner to worker, critic and worker.
@pytest.mark.parametrize("case", VECTORS["traces"], ids=lambda case: case["name"])
def test_every_metric_of_three_traces_is_the_one_computed_by_hand(case):
    events = list(Trace([canonical.dumps(one) + b"\n" for one in case["events"]]))
    assert events == TRACES[case["name"]]
    assert asdict(measure(events)) == case["metrics"]


def test_rates_and_sums_follow():
    team, imported = measure(TEAM), measure(IMPORTED)
    assert (team.tokens_total, team.communication) == (800, 3)
    assert (team.backtrack_rate, team.loop_score, team.verification_density) == (0.2, 0.0, 0.1)
    assert (imported.tokens_total, imported.loop_score) == (None, 0.25)


def test_a_trace_without_events_has_no_totals_and_no_rates_to_divide():
    empty = measure([])
    assert (empty.latency_total, empty.tokens_total, empty.cost_total, empty.latency_wall) == (None,) * 4
    assert (empty.steps, empty.backtrack_rate, empty.loop_score, empty.verification_density) == (0, 0, 0, 0)


def test_one_event_has_no_loop():
    assert (measure(ALONE[:1]).loop_num, measure(ALONE[:1]).loop_den) == (0, 0)


def test_a_model_event_without_tokens_or_price_makes_the_total_blank():
    trace = [*ALONE, event(5, "judge", "verify", MODEL, **timed(1, 2))]
    found = measure(trace)
    assert (found.tokens_in, found.tokens_out, found.tokens_total, found.cost_total) == (None,) * 4
    assert (found.model_events_without_tokens, found.model_events_without_cost) == (1, 1)
    assert found.latency_total == 2000


def test_other_events_may_leave_tokens_and_latency_blank():
    found = measure([*ALONE, event(5, "agent", "act")])
    assert (found.tokens_total, found.latency_total, found.events_without_latency) == (300, 1000, 1)


def test_a_negative_latency_is_not_stated():
    found = measure([*ALONE, event(5, "agent", "tool_result", latency_ms=-5)])
    assert (found.latency_total, found.events_without_latency) == (1000, 1)
    assert measure([*ALONE, event(5, "agent", "act", MODEL, latency_ms=-5)]).latency_total is None


def test_a_wall_clock_that_runs_backwards_is_blank():
    backwards = timed(5, 5) | {"timestamp_end": timed(1, 1)["timestamp_end"]}
    assert measure([event(1, "agent", "act", **backwards)]).latency_wall is None


@pytest.mark.parametrize("case", VECTORS["senders"], ids=str)
def test_who_sends_decides_how_an_edge_counts(case):
    sent = event(1, "boss", "act", {"kind": "send", "recipients": ["w"], "sender": case["sender"]})
    found = measure([sent])
    assert found.communication_agent_to_agent == case["agents"]
    assert found.communication_system_mediated == case["mediated"]


@pytest.mark.parametrize("recipients", [None, "worker", [], [3, None], {"worker": 1}, ["boss"]])
def test_a_send_to_nobody_has_no_edges(recipients):
    assert measure([event(1, "boss", "act", {"kind": "send", "recipients": recipients})]).communication == 0


@pytest.mark.parametrize("case", VECTORS["failures"], ids=str)
def test_what_a_tool_failure_is(case):
    one = event(1, "a", case["event_type"], case["payload"])
    assert failed_tool(one) is case["failed"]
    assert measure([one]).tool_failures == case["failed"]


def test_what_says_something():
    said = [True, 1, "x", [], {}, [0]]
    assert all(map(stated, said))
    assert not any(map(stated, [None, False, 0, 0.0, ""]))


@pytest.mark.parametrize("case", VECTORS["completions"], ids=str)
def test_completion_is_decided_by_the_first_that_says_something(case):
    events = [event(1, "agent", "finalize")] if case["finalized"] else []
    assert completion(case["metadata"], case["answer"], events) is case["completed"]
