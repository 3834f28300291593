"""The simulated model: repeatable, of the form that is asked for, and counted by its rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conversations import conversations
from hypothesis import given
from hypothesis import strategies as st

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.models import Completion, Message, Usage, for_run
from benchsite.tracks.agents.models.connection import connect, requested_name
from benchsite.tracks.agents.models.recorded import Answer
from benchsite.tracks.agents.models.simulated import Simulated, simulated
from benchsite.tracks.agents.tools import Tool

CALC = Tool(
    "calculator",
    "Computes.",
    {
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
        "additionalProperties": False,
    },
)
LOOK = Tool(
    "look",
    "Looks.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 5, "maxLength": 12},
            "limit": {"type": "integer", "minimum": 2, "maximum": 4},
            "order": {"enum": ["new", "old"]},
        },
        "required": ["query", "limit", "order"],
    },
)
EXAMPLE: list[Message] = [
    {"role": "user", "content": "Task: 12 pens a box, 7 boxes."},
    {
        "role": "assistant",
        "content": None,
        "calls": [{"tool": "calculator", "arguments": {"expression": "12 * 7"}}],
    },
    {"role": "tool", "content": "84"},
    {"role": "assistant", "content": "84"},
]
TASK: list[Message] = [*EXAMPLE, {"role": "user", "content": "Task: 31 apples a crate, 14 crates."}]
seeds = st.integers(0, 10_000)


@given(conversations(), seeds)
def test_the_same_request_gets_the_same_answer(messages: list[Message], seed: int) -> None:
    first = Simulated(seed).complete(messages, [CALC, LOOK], {})
    assert Simulated(seed).complete(json.loads(json.dumps(messages)), [CALC, LOOK], {}) == first
    assert Answer.of(("", "0" * 64, 0), "simulated", first).line(), "it can be recorded"


def test_seed_content_and_at_a_temperature_the_run_change_it() -> None:
    def texts(**settings: Any) -> set[Completion]:
        return {str(Simulated(seed).complete(TASK, (), settings)) for seed in range(20)}  # type: ignore[misc]

    assert len(texts()) > 3
    runs = [for_run(Simulated(1), str(number)) for number in range(20)]
    assert len({str(one.complete(TASK, (), {"temperature": 0})) for one in runs}) == 1
    assert len({str(one.complete(TASK, (), {})) for one in runs}) == 1
    assert len({str(one.complete(TASK, (), {"temperature": 0.7})) for one in runs}) > 3


@given(seeds)
def test_a_call_has_the_form_of_the_schema(seed: int) -> None:
    (call,) = Simulated(seed).complete(TASK[-1:], [LOOK], {"tool_choice": "required"}).calls
    assert call.tool == "look"
    query, limit, order = (call.arguments[name] for name in ("query", "limit", "order"))
    assert isinstance(query, str)
    assert 5 <= len(query) <= 12
    assert limit in (2, 3, 4)
    assert order in ("new", "old")


def test_calls_follow_the_worked_examples_with_the_numbers_of_the_task() -> None:
    found = [Simulated(seed).complete(TASK, [CALC, LOOK], {"tool_choice": "required"}) for seed in range(50)]
    like = [call.arguments["expression"] for one in found for call in one.calls if call.tool == "calculator"]
    products = {f"{first} * {second}" for first in ("31", "14") for second in ("31", "14")}
    assert len(products & set(like)) > 1
    assert sum(one in products for one in like) > 25


def test_most_tasks_are_called_for_once_and_end_with_the_result() -> None:
    called = [Simulated(seed).complete(TASK, [CALC], {}) for seed in range(100)]
    assert 75 < sum(bool(one.calls) for one in called) < 100
    turn: Message = {
        "role": "assistant",
        "content": None,
        "calls": [{"tool": "calculator", "arguments": {"expression": "31 * 14"}}],
    }
    ended = [
        Simulated(seed).complete([*TASK, turn, {"role": "tool", "content": "434"}], [CALC], {})
        for seed in range(100)
    ]
    assert sum(one.text == "434" for one in ended) > 35
    assert sum(one.text not in ("434", None) for one in ended) > 0, "it is wrong at times"


@pytest.mark.parametrize(("choice", "calls"), [("none", {0}), ("required", {1}), ("auto", {0, 1})])
def test_the_choice_of_tools(choice: str, calls: set[int]) -> None:
    found = [Simulated(seed).complete(TASK, [CALC], {"tool_choice": choice}) for seed in range(100)]
    assert {len(one.calls) for one in found} == calls


@given(seeds)
def test_an_answer_has_the_form_that_is_asked_for(seed: int) -> None:
    schema = {
        "type": "object",
        "properties": {
            "answer": {"type": "string"},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}, "minItems": 1, "maxItems": 2},
            "kind": {"anyOf": [{"const": "a"}, {"type": "null"}]},
            "done": {"type": ["boolean", "null"]},
        },
        "required": ["answer", "confidence", "steps", "kind", "done"],
        "$defs": {"step": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
    }
    found = json.loads(Simulated(seed).complete(TASK, (), {"schema": schema}).text or "")
    assert sorted(found) == ["answer", "confidence", "done", "kind", "steps"]
    assert isinstance(found["answer"], str)
    assert 0 <= found["confidence"] <= 1
    assert 1 <= len(found["steps"]) <= 2
    assert all(type(step["n"]) is int for step in found["steps"])
    assert found["kind"] in ("a", None)
    assert type(found["done"]) is bool


def test_a_schema_that_contains_itself_ends() -> None:
    schema = {"$ref": "#"}
    assert Simulated().complete(TASK, (), {"schema": schema}).text


def test_tokens_are_counted_by_the_rule() -> None:
    messages: list[Message] = [{"role": "user", "content": "abc"}]
    # [{"content":"abc","role":"user"}] has 33 characters: 9 tokens
    found = Simulated().complete(messages, (), {})
    assert found.text in ("abc", "1", "2")
    assert found.usage == Usage(9, 1)


def test_a_script_counts_the_requests_of_each_conversation(tmp_path: Path) -> None:
    """Worked examples have messages of the assistant; only requests that were made count."""
    script = tmp_path / "script.json"
    script.write_bytes(canonical.dumps([{"text": text} for text in "abc"]))
    model = for_run(simulated(str(script)), "1")
    first = [*TASK, {"role": "assistant", "content": "a"}, {"role": "user", "content": "Sure?"}]
    second = [*first, {"role": "assistant", "content": "b"}, {"role": "user", "content": "Really?"}]
    third = [*second, {"role": "assistant", "content": "c"}, {"role": "user", "content": "?"}]
    other = [*TASK[:-1], {"role": "user", "content": "Task: another"}]

    def said(*asked: list[Message]) -> str:
        return "".join(str(model.complete(messages, (), {}).text) for messages in asked)

    assert said(TASK, first, second, third) == "abcc"
    assert said(other, TASK, first) == "aab", "another conversation, and the first one again"
    assert for_run(model, "2").complete(first, (), {}).text == "a", "another run"


def test_the_text_after_the_colon_is_a_seed_or_a_script(tmp_path: Path) -> None:
    names = ["simulated", "simulated", "simulated:7"]
    assert [simulated(text).requested for text in ("", "0", "7")] == names
    assert [requested_name(text) for text in ("simulated", "simulated:0", "simulated:7")] == names
    assert [requested_name(text) for text in ("simulated:a.json", "openai:a/b:c")] == ["simulated", "a/b:c"]
    script = tmp_path / "script.json"
    script.write_bytes(canonical.dumps([{"text": "a"}, {"calls": [{"tool": "t", "arguments": {}}]}]))
    model = connect(f"simulated:{script}")
    assert (model.simulated, model.sha256) == (True, canonical.sha256_hex(script.read_bytes()))
    assert model.complete(TASK[-1:], (), {}).text == "a"
    for text in ("[]", "{}", '[{"request": "x"}]'):
        script.write_text(text)
        with pytest.raises(InputError, match="model simulated"):
            simulated(str(script))
    with pytest.raises(InputError, match="No such file"):
        simulated(str(tmp_path / "absent.json"))
