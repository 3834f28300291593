"""Tool calls by JSON Schema: the schema of a reply, earlier turns, and replies of every shape."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conversations import conversations
from hypothesis import given
from hypothesis import strategies as st

from benchsite.canonical import Json
from benchsite.tracks.agents.models import Completion, Message
from benchsite.tracks.agents.models.schema_tools import SchemaTools, parsed, rendered, reply_schema
from benchsite.tracks.agents.tools import Call, Tool

from .conftest import Served

SEARCH = Tool(
    "kb.search",
    "Searches the notes.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "words to look for"},
            "limit": {"type": "integer"},
            "order": {"enum": ["new", "old"]},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
SUM = Tool("sum", "Adds.", {"type": "object", "properties": {"terms": {"type": "string"}}})
NOW = Tool("now", "Says the date.")
TOOLS = [SEARCH, SUM, NOW]


class Scripted:
    """A model that says one text and remembers what it was asked."""

    requested, simulated, sha256 = "scripted", True, None

    def __init__(self, text: str | None, finish_reason: str = "stop") -> None:
        self.found = Completion(text, (), finish_reason, "scripted")
        self.asked: list[tuple[list[Message], Sequence[Tool], Mapping[str, Json]]] = []

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        self.asked.append((list(messages), tools, settings))
        return self.found


def said(text: str | None, **settings: Any) -> Completion:
    return SchemaTools(Scripted(text)).complete([{"role": "user", "content": "x"}], TOOLS, settings)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ('{"tool": "kb.search", "input": {"query": "tea"}}', "kb.search", {"query": "tea"}),
        ('```json\n{"tool": "sum", "input": {"terms": "1, 2"}}\n```', "sum", {"terms": "1, 2"}),
        ('I look.\n{"tool": "sum", "input": "1, 2"} Done.', "sum", {"terms": "1, 2"}),
        ('{"tool": "sum", "input": "{\\"terms\\": \\"1\\"}"}', "sum", {"terms": "1"}),
        ('{"tool": "sum", "terms": "1, 2"}', "sum", {"terms": "1, 2"}),
        ('{"tool": "now"}', "now", {}),
        ('{"tool": "now", "input": ""}', "now", {}),
        ('{"thought": {"a": 1}} {"tool": "now", "input": {}}', "now", {}),
        ('{"tool": "kb.search", "input": "tea"}', "kb.search", {"malformed": "tea"}),
        ('{"tool": "kb.search", "input": [1]}', "kb.search", {"malformed": "[1]"}),
        ('{"tool": "sum", "input": {"x": NaN}}', "sum", {"malformed": '{"x": NaN}'}),
        ('{"tool": "fly", "input": {"to": "x"}}', "fly", {"to": "x"}),
    ],
)
def test_a_reply_that_names_a_tool_is_a_call(text: str, tool: str, arguments: dict[str, Any]) -> None:
    assert said(text) == Completion(None, (Call(tool, arguments),), "stop", "scripted")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"tool": "final", "input": "42"}', "42"),
        ('{"tool": "final", "input": 42}', "42"),
        ('{"tool": "final", "input": {"a": 1}}', '{"a": 1}'),
        ('{"tool": "final", "input": null}', None),
        ('{"tool": "final", "input": "x\\ud83d"}', "x\ufffd"),
        ("42", "42"),
        ("", ""),
        (None, None),
        ('{"tool": "kb.search", "input": {"query": "te', '{"tool": "kb.search", "input": {"query": "te'),
        ('{"tool": 3, "input": "x"}', '{"tool": 3, "input": "x"}'),
        ('{"tool": "", "input": "x"}', '{"tool": "", "input": "x"}'),
        ('{"tool": "a\\u0007b"}', '{"tool": "a\\u0007b"}'),
        ("{" * 100_000, "{" * 100_000),
        ('{"tool":' * 50_000, '{"tool":' * 50_000),
    ],
)
def test_any_other_reply_is_the_answer(text: str | None, answer: str | None) -> None:
    assert said(text) == Completion(answer, (), "stop", "scripted")


def test_the_schema_has_one_shape_a_tool() -> None:
    def shape(name: str, input_shape: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {"tool": {"const": name}, "input": input_shape},
            "required": ["tool", "input"],
            "additionalProperties": False,
        }

    final = shape("final", {"type": "string"})
    assert reply_schema([SUM, NOW]) == {
        "anyOf": [shape("sum", SUM.parameters), shape("now", {"type": "object"}), final]
    }
    assert reply_schema([]) == final
    assert reply_schema([SUM], must_call=True) == shape("sum", SUM.parameters)
    assert reply_schema([], {"type": "integer"}) == shape("final", {"type": "integer"})


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({}, ["kb.search", "sum", "now", "final"]),
        ({"tool_choice": "required"}, ["kb.search", "sum", "now"]),
        ({"tool_choice": "none"}, ["final"]),
    ],
)
def test_the_choice_of_tools_is_the_schemas(settings: dict[str, Any], names: list[str]) -> None:
    model = Scripted("{}")
    asked = {**settings, "temperature": 0}
    SchemaTools(model).complete([{"role": "user", "content": "x"}], TOOLS, asked)
    ((_messages, tools, sent),) = model.asked
    schema: Any = sent["schema"]
    assert [one["properties"]["tool"]["const"] for one in schema.get("anyOf", [schema])] == names
    assert tools == ()
    assert {name: value for name, value in sent.items() if name != "schema"} == {"temperature": 0}


def test_earlier_turns_are_what_the_model_would_have_written() -> None:
    messages: list[Message] = [
        {"role": "system", "content": "You answer."},
        {"role": "user", "content": "Task: a"},
        {
            "role": "assistant",
            "content": None,
            "calls": [
                {"tool": "kb.search", "arguments": {"query": "tea"}},
                {"tool": "now", "arguments": {}},
            ],
        },
        {"role": "tool", "content": "green"},
        {"role": "tool", "content": "Monday"},
        {"role": "assistant", "content": "green"},
        {"role": "user", "content": "Task: b"},
        {"role": "user", "content": "Hurry."},
    ]
    assert list(rendered(messages, [SEARCH, NOW])) == [
        {
            "role": "system",
            "content": "You answer.\n\n"
            'Reply with one JSON object {"tool": NAME, "input": INPUT} and nothing else.\n'
            '- kb.search: Searches the notes. INPUT: {"query": text (words to look for), '
            '"limit": whole number (optional), "order": one of new, old (optional)}\n'
            "- now: Says the date. INPUT: {}\n"
            "- final: ends the task. INPUT: the answer as text",
        },
        {"role": "user", "content": "Task: a"},
        {"role": "assistant", "content": '{"tool": "kb.search", "input": {"query": "tea"}}'},
        {"role": "user", "content": "Result: green"},
        {"role": "assistant", "content": '{"tool": "now", "input": {}}'},
        {"role": "user", "content": "Result: Monday"},
        {"role": "assistant", "content": '{"tool": "final", "input": "green"}'},
        {"role": "user", "content": "Task: b\n\nHurry."},
    ]


def test_an_earlier_answer_has_the_shape_that_answers_have() -> None:
    messages: list[Message] = [{"role": "assistant", "content": '{"a": 1}'}]
    (_, shown) = rendered(messages, [], {"type": "object"})
    assert shown["content"] == '{"tool": "final", "input": {"a": 1}}'


@given(conversations())
def test_users_and_the_assistant_take_turns_and_no_result_is_lost(messages: list[dict[str, Any]]) -> None:
    shown = list(rendered(messages, TOOLS))
    roles = [one["role"] for one in shown]
    assert roles[0] == "system"
    assert all(first != second or first == "assistant" for first, second in itertools.pairwise(roles))
    words = "\n\n".join(str(one["content"]) for one in shown if one["role"] == "user")
    told = [
        f"Result: {one['content']}" if one["role"] == "tool" else str(one["content"])
        for one in messages
        if one["role"] in ("user", "tool")
    ]
    assert words == "\n\n".join(told)


@given(conversations())
def test_what_the_assistant_wrote_is_read_back(messages: list[dict[str, Any]]) -> None:
    written = [one["content"] for one in rendered(messages, ()) if one["role"] == "assistant"]
    expected: list[Completion] = []
    for one in messages:
        if one["role"] == "assistant" and one.get("calls"):
            expected += [Completion(None, (Call(call["tool"], call["arguments"]),)) for call in one["calls"]]
        elif one["role"] == "assistant":
            expected.append(Completion(one["content"]))
    assert [parsed(Completion(str(text)), ()) for text in written] == expected


@given(st.text(max_size=50))
def test_no_reply_is_a_traceback(text: str) -> None:
    parsed(Completion(text), TOOLS)
    parsed(Completion(json.dumps({"tool": "sum", "input": text})), TOOLS)


def test_a_conversation_without_tools_is_passed_on() -> None:
    model = Scripted("x")
    messages: list[Message] = [{"role": "user", "content": "x"}]
    SchemaTools(model).complete(messages, (), {"schema": {"type": "object"}})
    assert model.asked == [(messages, (), {"schema": {"type": "object"}})]


def test_over_a_server_no_tools_are_sent(served: Served) -> None:
    model = served("echo", tools="schema")
    asked = json.loads(model.complete([{"role": "user", "content": "x"}], TOOLS, {}).text or "")
    assert "tools" not in asked
    assert asked["response_format"]["json_schema"]["schema"] == reply_schema(TOOLS)
    assert [one["role"] for one in asked["messages"]] == ["system", "user"]
