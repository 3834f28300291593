"""Chat messages as trace events: the forms of two providers and of benchsite tell the same."""

from __future__ import annotations

from typing import Any

import pytest

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.messages import read_messages

ACTION = {"tool": "search", "arguments": {"q": "x"}}
BEFORE = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Find x."}]
AFTER = {"role": "assistant", "content": "Found."}
OPENAI = [
    *BEFORE,
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "x"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "1 hit"},
    AFTER,
]
PARTS = [
    *BEFORE,
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "x"}}],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "1 hit"}]}
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Found."}]},
]
OWN = [
    *BEFORE,
    {"role": "assistant", "content": "", "calls": [ACTION]},
    {"role": "tool", "content": "1 hit"},
    AFTER,
]


@pytest.mark.parametrize("messages", [OPENAI, PARTS, OWN], ids=["openai", "parts", "benchsite"])
def test_calls_results_and_the_answer(messages: list[dict[str, Any]]) -> None:
    told = read_messages(messages, "r line 1")
    given = [{"role": "system", "text": "Be brief."}, {"role": "user", "text": "Find x."}]
    assert told.events == [
        ("tool_call", {"tool": "search", "input": {"q": "x"}, "action": ACTION, "given": given}, None),
        ("tool_result", {"observation": "1 hit", "error": False}, 0),
        ("finalize", {"output": "Found."}, None),
    ]
    assert (told.actions, told.answer) == ([ACTION], "Found.")


def test_text_before_the_end_is_no_answer_and_a_long_one_is_cut() -> None:
    told = read_messages(
        [{"role": "assistant", "content": "é" * 10_001}, {"role": "user", "content": "Go on."}], "r"
    )
    ((kind, payload, _),) = told.events
    assert (kind, len(payload["text"]), told.answer) == ("act", 10_000, None)
    assert len(payload["text_sha256"]) == 64


def test_arguments_that_are_no_object_are_kept_as_text() -> None:
    told = read_messages(
        [{"role": "assistant", "content": None, "calls": [{"tool": "t", "arguments": "{oops"}]}], "r"
    )
    assert told.actions == [{"tool": "t", "arguments": {"text": "{oops"}}]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("hello", "must be an object with role and content"),
        ({"content": "x"}, "must be an object with role and content"),
        ({"role": "wizard", "content": "x"}, "role 'wizard' is unknown"),
        ({"role": "user", "content": 7}, "content: must be text or a list of parts"),
        ({"role": "assistant", "tool_calls": {}}, "tool_calls: must be a list"),
        ({"role": "assistant", "tool_calls": ["x"]}, "tool_calls: must be a list of objects"),
        ({"role": "assistant", "tool_calls": [{}]}, "a tool call has no name"),
        (
            {"role": "assistant", "calls": [{"tool": "t", "arguments": [1]}]},
            "arguments of tool 't': must be an object or text",
        ),
    ],
)
def test_other_forms_are_refused_with_their_place(message: Any, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_messages([{"role": "user", "content": "x"}, message], "r line 4")
    assert refused.value.message.startswith("r line 4: messages: message 2")
    assert said in refused.value.message
    assert refused.value.hint
