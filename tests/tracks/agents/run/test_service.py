"""What the harness serves a system: calls are counted and recorded where the system cannot change them; limits bind."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_workbench
from agents_receipts import context

from benchsite.isolation.requests import RefusedError, answer
from benchsite.tracks.agents.models import Completion, Model, ProviderError, Usage
from benchsite.tracks.agents.models.recording import Recording, RecordingFile
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.record.config import Budget
from benchsite.tracks.agents.run.paid import Paid
from benchsite.tracks.agents.run.recorder import Clock, Recorder
from benchsite.tracks.agents.run.service import LIMIT_REACHED, Approve, Service
from benchsite.tracks.agents.tools import Call, Observation, Policy, Tool, Workspace

TOOL = "calendar.delete_event"
DELETE = {"name": TOOL, "arguments": {"event_id": "00000001"}}
ASK = {"role": "default", "messages": [{"role": "user", "content": "?"}]}


class Counting:
    """Answers with ten tokens; a failing one with an error."""

    requested, simulated = "counting", True

    def __init__(self, *, fails: bool = False) -> None:
        self.asked = 0
        self.fails = fails

    def complete(
        self, messages: Sequence[Any], tools: Sequence[Any], settings: Mapping[str, Any]
    ) -> Completion:
        self.asked += 1
        if self.fails:
            raise ProviderError("503")
        return Completion("Yes.", responded="counting-1", usage=Usage(7, 3))


def serving(
    model: Model | None = None,
    *,
    policies: Mapping[str, Policy] | None = None,
    approve: Approve | None = None,
    run: int = 1,
    paid: Paid | None = None,
    workspace: Workspace | None = None,
    **limits: int,
) -> Service:
    budget = Budget.model_validate(
        {"toolCalls": None, "messages": None, "tokens": None, "seconds": None, **limits}
    )
    recorder = Recorder(Clock(context()), "mine", lambda _event: None)
    workspace = workspace or tiny_workbench.benchmark().open("calendar-001")
    models = {} if model is None else {"default": model}
    return Service(
        workspace, models, budget, recorder, policies=policies, approve=approve, paid=paid, run=run
    )


def events(service: Service) -> list[tuple[str, dict[str, Any]]]:
    return [(event.event_type, event.payload) for event in service._recorder.events]


def test_a_call_is_carried_out_and_recorded_as_tool_and_arguments() -> None:
    service = serving()
    assert service("tool.call", DELETE) == {"result": "Event deleted successfully.", "failed": False}
    assert service("tool.call", DELETE)["result"] == "Event not found.", "one state for the whole run"
    assert service.actions == [Call("calendar.delete_event", {"event_id": "00000001"})] * 2
    (kind, call), (after, result), *_ = events(service)
    assert (kind, call["tool"], call["input"]) == ("tool_call", DELETE["name"], DELETE["arguments"])
    assert (after, result["error"]) == ("tool_result", False)


def test_a_call_that_no_tool_takes_fails_and_is_recorded() -> None:
    service = serving()
    assert service("tool.call", {"name": "calendar.burn", "arguments": {}})["failed"] is True
    assert service("tool.call", {"name": DELETE["name"], "arguments": {"id": "1"}})["failed"] is True
    assert traced_columns(service._recorder.events)["toolFailures"] == 2


class Faulty:
    """A workspace whose tool gives a result or raises an error."""

    tools = (Tool("read", "Read.", {"type": "object"}),)

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return Observation(self.outcome)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (RuntimeError("/home/someone/secret"), "tool read failed: RuntimeError"),
        (RecursionError(), "tool read failed: RecursionError"),
        (SystemExit(0), "tool read failed: SystemExit"),
        ("x" * 1_000_001, "tool read failed: result: more than 1,000,000 characters"),
        (float("nan"), "tool read failed: result: "),
    ],
)
def test_a_tool_that_raises_or_gives_what_no_trace_holds_has_failed(outcome: Any, said: str) -> None:
    service = serving(workspace=Faulty(outcome))
    found = service("tool.call", {"name": "read", "arguments": {}})
    assert (found["failed"], found["result"].startswith(said)) == (True, True)
    assert "secret" not in str(events(service))
    assert service.actions == [Call("read", {})]
    assert events(service)[-1] == ("tool_result", {"result": found["result"], "error": True})


def test_tool_calls_are_limited_and_every_later_request_is_refused() -> None:
    service = serving(Counting(), toolCalls=1)
    service("tool.call", DELETE)
    for method, params in (("tool.call", DELETE), ("model.complete", ASK)):
        with pytest.raises(RefusedError, match="limit reached: tool-calls") as refused:
            service(method, params)
        assert refused.value.code == LIMIT_REACHED
    assert (service.limit, len(service.actions)) == ("tool-calls", 1)


def test_tokens_are_counted_from_what_the_model_states_and_limited() -> None:
    model = Counting()
    service = serving(model, tokens=15)
    assert service("model.complete", ASK)["text"] == "Yes."
    service("model.complete", ASK)
    with pytest.raises(RefusedError, match="tokens"):
        service("model.complete", ASK)
    assert model.asked == 2, "the request above the limit is not sent"
    assert service.responded == {"default": {"counting-1"}}
    columns = traced_columns(service._recorder.events)
    assert (columns["tokens"], columns["costUsd"]) == (20, None), "no price is known: blank"


def test_a_model_that_states_no_tokens_ends_a_run_that_has_a_limit_of_them() -> None:
    class Silent(Counting):
        def complete(self, messages: Any, tools: Any, settings: Any) -> Completion:
            return replace(super().complete(messages, tools, settings), usage=Usage(7, None))

    assert serving(Silent())("model.complete", ASK)["text"] == "Yes."
    service = serving(Silent(), tokens=15)
    with pytest.raises(RefusedError, match="provider failed"):
        service("model.complete", ASK)
    assert service.is_permanent
    assert (
        service.provider_failed
        == "model counting states no tokens, so that the limit of tokens can't be kept"
    )
    assert len(events(service)) == 1, "what was answered is recorded"


def test_messages_are_limited() -> None:
    service = serving(messages=1)
    send = {"eventType": "act", "payload": {"kind": "send", "recipients": ["b"]}, "actor": "a"}
    service("trace.event", send)
    with pytest.raises(RefusedError, match="messages"):
        service("trace.event", send)


@pytest.mark.parametrize("kind", ["tool_call", "tool_result", "finalize", "error", "x", None, ["act"]])
def test_a_system_cannot_record_what_only_the_harness_does(kind: Any) -> None:
    with pytest.raises(RefusedError, match="eventType"):
        serving()("trace.event", {"eventType": kind, "payload": {}})


@pytest.mark.parametrize("name", ["action", "tool", "model_responded", "model_requested", "partial"])
def test_a_step_of_its_own_does_not_look_like_a_call(name: str) -> None:
    with pytest.raises(RefusedError, match=f"payload.{name}: only the harness"):
        serving()("trace.event", {"eventType": "act", "payload": {name: "x"}})


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tool.call", {"name": 5, "arguments": {}}),
        ("tool.call", {"name": "x" * 201, "arguments": {}}),
        ("tool.call", {"name": "x", "arguments": []}),
        ("tool.call", {"name": "x", "arguments": {"a": float("nan")}}),
        ("tool.call", {"name": "x", "arguments": {"a": "\ud800"}}),
        ("tool.call", {"name": "x", "arguments": {"a": "y" * 100_001}}),
        ("model.complete", {**ASK, "role": "judge\n"}),
        ("model.complete", {**ASK, "messages": "hello"}),
        ("model.complete", {**ASK, "tools": ["calendar.burn"]}),
        ("model.complete", {**ASK, "tools": [["x"]]}),
        ("model.complete", {**ASK, "event": ["act"]}),
        ("trace.event", {"eventType": "act", "payload": {}, "actor": "a\nb"}),
        ("answers", {}),
        ("benchmark.grade", {}),
    ],
)
def test_what_is_no_request_is_refused_and_leaves_no_event(method: str, params: dict[str, Any]) -> None:
    service = serving(Counting())
    with pytest.raises(RefusedError):
        service(method, params)
    assert events(service) == []


def test_a_provider_that_fails_is_infrastructure() -> None:
    service = serving(Counting(fails=True))
    with pytest.raises(RefusedError, match="provider failed"):
        service("model.complete", ASK)
    assert service.provider_failed == "503"


def test_calls_are_bounded_as_evidence_is() -> None:
    service = serving()
    service._text_left = 100
    service("tool.call", DELETE)
    with pytest.raises(RefusedError, match="more characters than evidence can hold"):
        service("tool.call", DELETE)
    assert len(service.actions) == 1


def test_a_frame_that_is_no_request_is_left_to_the_caller() -> None:
    for frame in (b"x", b"[]", b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","method":"x"}'):
        assert answer(frame, lambda *_: pytest.fail("served")) is None
    asked = answer(b'{"jsonrpc":"2.0","id":"a","method":"m","params":[]}', lambda *_: pytest.fail("served"))
    assert asked is not None
    assert b'"error"' in asked
    assert answer(b'{"jsonrpc":"2.0","id":"a","method":"m"}', lambda method, _: method) == (
        b'{"jsonrpc":"2.0","id":"a","result":"m"}\n'
    )


def test_times_are_the_harness_clocks() -> None:
    service = serving()
    before = time.perf_counter()
    service("tool.call", DELETE)
    spent = (time.perf_counter() - before) * 1000
    assert 0 <= traced_columns(service._recorder.events)["latencyMs"] <= spent


def test_a_denied_call_fails_changes_nothing_and_is_recorded_as_a_text() -> None:
    service = serving(policies={TOOL: "deny"}, toolCalls=1)
    assert service("tool.call", DELETE) == {"result": "denied by policy", "failed": True}
    (action,) = service.actions
    assert action == 'denied by policy: calendar.delete_event {"event_id":"00000001"}'
    graded = tiny_workbench.benchmark().grade("calendar-001", service.actions, None, "")
    assert (graded.success, graded.harmful) == (False, False), "the event is still there"
    (_, call), (_, result) = events(service)
    assert (call["tool"], call["input"], call["action"]) == (None, action, action)
    assert result == {"result": "denied by policy", "error": True}
    with pytest.raises(RefusedError, match="limit reached: tool-calls"):
        service("tool.call", DELETE)


def test_a_person_is_asked_before_each_call_and_without_a_terminal_it_is_denied() -> None:
    asked: list[Call] = []

    def first_only(call: Call) -> bool:
        asked.append(call)
        return len(asked) == 1

    found = {"event_id": "00000002", "field": "event_name"}
    read = {"name": "calendar.get_event_information_by_id", "arguments": found}
    service = serving(policies={TOOL: "ask"}, approve=first_only)
    answers = [service("tool.call", call)["result"] for call in (DELETE, read, DELETE)]
    assert answers == ["Event deleted successfully.", {"event_name": "review"}, "denied by policy"]
    assert [call.tool for call in asked] == [TOOL] * 2, "only of this tool"
    assert serving(policies={TOOL: "ask"})("tool.call", DELETE)["failed"] is True


def test_who_acts_and_in_which_state_is_recorded_with_calls_results_and_completions() -> None:
    service = serving(Counting())
    service("tool.call", {**DELETE, "actor": "worker-2"})
    service("model.complete", {**ASK, "actor": "worker-1", "stateId": "0/answer/1"})
    service("trace.event", {"eventType": "act", "payload": {}, "actor": "worker-1", "stateId": "1/answer/1"})
    found = [(event.event_type, event.actor, event.state_id) for event in service._recorder.events]
    assert found == [
        ("tool_call", "worker-2", None),
        ("tool_result", "worker-2", None),
        ("act", "worker-1", "0/answer/1"),
        ("act", "worker-1", "1/answer/1"),
    ]
    for wrong in ({"actor": 1}, {"stateId": "a" * 201}, {"stateId": "a\n"}):
        with pytest.raises(RefusedError, match="text of at most 200 characters"):
            service("model.complete", {**ASK, **wrong})


def test_a_system_hears_what_a_completion_cost_and_how_long_it_took() -> None:
    found = serving(Counting())("model.complete", ASK)
    assert found["costUsd"] is None
    assert found["latencyMs"] >= 0


def test_runs_of_a_task_draw_different_samples() -> None:
    seeds = []

    class Seeded(Counting):
        def complete(
            self, messages: Sequence[Any], tools: Sequence[Any], settings: Mapping[str, Any]
        ) -> Completion:
            seeds.append(settings.get("seed"))
            return super().complete(messages, tools, settings)

    for run in (1, 2, 3, 2):
        serving(Seeded(), run=run)("model.complete", {**ASK, "settings": {"seed": 7}})
    assert seeds == [7, 1_000_010, 2_000_013, 1_000_010]
    serving(Seeded(), run=2)("model.complete", {**ASK, "settings": {"seed": None}})
    assert seeds[-1] is None


CALL = {"tool": TOOL, "arguments": {}}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "a list of at least one object"),
        ("hello", "a list of at least one object"),
        (["hello"], "message 1: an object with role and content"),
        ([{"content": "?"}], "message 1: role: one of system, user, assistant, tool"),
        ([{"role": "user"}], "message 1: content: text"),
        ([{"role": "user", "content": ["?"]}], "message 1: content: text"),
        ([{"role": "user", "content": "?", "name": "me"}], "message 1: unknown member name"),
        ([{"role": "user", "content": "?", "calls": [CALL]}], "message 1: only an assistant makes calls"),
        (
            [{"role": "assistant", "content": "", "calls": [{"tool": TOOL}]}],
            "message 1: calls: a list of objects",
        ),
        ([{"role": "assistant", "content": "", "calls": "x"}], "message 1: calls: a list of objects"),
        ([{"role": "tool", "content": "1"}], "message 1: one tool message must follow each call"),
        ([{"role": "assistant", "content": None, "calls": [CALL]}], "one tool message must follow each call"),
        (
            [
                {"role": "assistant", "content": "", "calls": [CALL, CALL]},
                {"role": "tool", "content": "1"},
                *ASK["messages"],
            ],
            "message 3: one tool message must follow each call",
        ),
    ],
)
def test_what_is_no_conversation_is_refused_before_a_model_gets_it(messages: Any, said: str) -> None:
    model = Counting()
    service = serving(model)
    with pytest.raises(RefusedError, match=f"^messages: {said}"):
        service("model.complete", {"role": "default", "messages": messages})
    assert (model.asked, service.provider_failed) == (0, "")


def test_a_conversation_with_calls_and_their_results_is_served() -> None:
    turns = [
        {"role": "assistant", "content": None, "calls": [CALL, CALL]},
        *[{"role": "tool", "content": "1"}] * 2,
    ]
    messages = [{"role": "system", "content": ""}, *ASK["messages"], *turns, *ASK["messages"]]
    assert serving(Counting())("model.complete", {**ASK, "messages": messages})["text"] == "Yes."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -1),
        ("temperature", True),
        ("seed", 1.5),
        ("max_tokens", 0),
        ("tool_choice", ["auto"]),
        ("schema", "object"),
    ],
)
def test_a_setting_of_a_wrong_value_is_refused(name: str, value: Any) -> None:
    with pytest.raises(RefusedError, match=f"^settings: {name}: "):
        serving(Counting())("model.complete", {**ASK, "settings": {name: value}})


def test_a_recording_answers_a_repeated_request_in_its_order_and_its_latency_is_blank(tmp_path: Path) -> None:
    """An attempt that was cut off asked twice; the next one asks three times, and nothing comes twice."""

    class Numbering(Counting):
        simulated, sha256 = False, None

        def complete(self, *request: Any) -> Completion:
            super().complete(*request)
            return Completion(f"answer {self.asked}", responded="n", usage=Usage(1, 1))

    model, file = Numbering(), tmp_path / "answers.jsonl"
    first = serving(Recording(model, RecordingFile(file)).for_run("t"))
    assert [first("model.complete", ASK)["text"] for _ in range(2)] == ["answer 1", "answer 2"]
    second = serving(Recording(model, RecordingFile(file)).for_run("t"), paid=Paid([first._recorder.events]))
    assert [second("model.complete", ASK)["text"] for _ in range(3)] == ["answer 1", "answer 2", "answer 3"]
    assert model.asked == 3
    assert [event.latency_ms is None for event in second._recorder.events] == [True, True, False]
