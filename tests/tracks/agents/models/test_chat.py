"""Messages to OpenAI's chat format and back, names of tools included."""

from __future__ import annotations

import json
import re
from typing import Any

from conversations import arguments, conversations, names
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.models.chat import (
    ToolNames,
    arguments_of,
    chat_messages,
    completion,
    request,
    well_formed,
)
from benchsite.tracks.agents.tools import Call, Tool


def ours(chat: list[dict[str, Any]], known: ToolNames) -> list[dict[str, Any]]:
    """The inverse, written from the protocol: roles and contents are the same, calls are decoded."""
    found = []
    for message in chat:
        one = {"role": message["role"], "content": message["content"]}
        if "tool_calls" in message:
            functions = [call["function"] for call in message["tool_calls"]]
            one["calls"] = [
                {"tool": known.decode(function["name"]), "arguments": json.loads(function["arguments"])}
                for function in functions
            ]
        found.append(one)
    return found


@given(conversations())
def test_a_conversation_comes_back(messages: list[dict[str, Any]]) -> None:
    known = ToolNames()
    assert ours(chat_messages("m", messages, known), known) == messages


@given(conversations())
def test_every_result_names_its_call_and_ids_are_unique(messages: list[dict[str, Any]]) -> None:
    chat = chat_messages("m", messages, ToolNames())
    asked = [call["id"] for message in chat for call in message.get("tool_calls", ())]
    assert len(set(asked)) == len(asked)
    assert [message["tool_call_id"] for message in chat if message["role"] == "tool"] == asked


@given(conversations())
def test_what_an_assistant_says_is_read_as_it_is_sent(messages: list[dict[str, Any]]) -> None:
    known = ToolNames()
    sent = chat_messages("m", messages, known)
    for message, one in zip(messages, sent, strict=True):
        if message["role"] == "assistant":
            body = json.dumps({"choices": [{"message": one, "finish_reason": "stop"}], "model": "m"})
            found = completion(body.encode(), "m", known)
            assert found.text == message["content"]
            expected = [Call(call["tool"], call["arguments"]) for call in message.get("calls", ())]
            # A name is printable when it is read: what no model writes is not compared.
            assert [call.arguments for call in found.calls] == [call.arguments for call in expected]
            assert [call.tool for call in found.calls] == [call.tool for call in expected]


@given(st.lists(names, unique=True, max_size=6))
def test_names_are_those_that_the_protocol_allows_and_come_back(tools: list[str]) -> None:
    known = ToolNames(tools)
    wire = [known.encode(name) for name in tools]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in wire)
    assert [known.decode(name) for name in wire] == tools
    assert wire == [ToolNames(tools).encode(name) for name in tools]


def test_names_that_look_alike_stay_apart() -> None:
    known = ToolNames(["a.b", "a_b", "a b"])
    assert [known.encode(name) for name in ("a.b", "a_b", "a b")] == ["a_b", "a_b_2", "a_b_3"]


def test_a_tool_without_parameters_takes_an_empty_object() -> None:
    body = request("m", [], [Tool("now", "Says the date.")], {}, ToolNames())
    assert body["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}


@given(arguments)
def test_arguments_come_back(given_arguments: dict[str, Any]) -> None:
    assert arguments_of(json.dumps(given_arguments)) == given_arguments
    assert arguments_of(given_arguments) == given_arguments


@given(st.text(st.characters(codec=None), max_size=10))
def test_text_is_well_formed_and_otherwise_the_same(text: str) -> None:
    found = well_formed(text)
    found.encode("utf-8")
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    lone = re.compile("[\ud800-\udfff]")
    assert found == lone.sub("\ufffd", joined)
