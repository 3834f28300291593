"""Tool calls for servers without them: the model answers with `{"tool": NAME, "input": INPUT}`, forced by a JSON Schema.

Tools are described at the end of the system message. `final` is the tool that ends a conversation; its input is the answer.
Earlier calls are shown as the model would have written them, and results as `Result: …` of the user. A reply that has no such
object, as one that is cut, is the text of the completion as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from benchsite.canonical import Json
from benchsite.tracks.agents.models import Completion, Message, Model, for_run
from benchsite.tracks.agents.models.chat import MALFORMED, arguments_of, well_formed
from benchsite.tracks.agents.models.tool_words import described
from benchsite.tracks.agents.tools import Call, Tool

__all__ = ["FINAL", "SchemaTools", "parsed", "reply_schema"]

FINAL: Final = "final"
"""The name that ends a conversation."""
_MOST_TRIES: Final = 20
_WITHOUT: Final = ("schema", "tool_choice")


class SchemaTools:
    """A model that is given no tools by the protocol, around one that can be held to a JSON Schema."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.requested, self.simulated, self.sha256 = model.requested, model.simulated, model.sha256

    def for_run(self, run: str) -> SchemaTools:
        """Return the model for one run."""
        return SchemaTools(for_run(self._model, run))

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Ask for one call or the final answer; a conversation without tools is passed on as it is."""
        if not tools and not any(message.get("calls") for message in messages):
            return self._model.complete(messages, (), settings)
        choice, answer = settings.get("tool_choice", "auto"), settings.get("schema")
        offered = () if choice == "none" else tuple(tools)
        others = {name: value for name, value in settings.items() if name not in _WITHOUT}
        schema = reply_schema(offered, answer, must_call=choice == "required" and bool(offered))
        shown = list(rendered(messages, offered, answer))
        found = self._model.complete(shown, (), {**others, "schema": schema})
        return parsed(found, tools)


def reply_schema(tools: Sequence[Tool], answer: Json = None, *, must_call: bool = False) -> dict[str, Json]:
    """Return the JSON Schema of a reply: one object a tool, whose `input` is shaped by the tool's parameters.

    Args:
        answer: the JSON Schema of the final answer; None for text.
        must_call: whether the final answer is left out.
    """
    options = [_option(tool.name, dict(tool.parameters) or {"type": "object"}) for tool in tools]
    if not must_call:
        options.append(_option(FINAL, answer or {"type": "string"}))
    return options[0] if len(options) == 1 else {"anyOf": options}


def _option(name: str, shape: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": {"tool": {"const": name}, "input": shape},
        "required": ["tool", "input"],
        "additionalProperties": False,
    }


def rendered(messages: Sequence[Message], tools: Sequence[Tool], answer: Json = None) -> Iterator[Message]:
    """Yield the messages without calls: JSON of the assistant, results of the user, tools in the system message."""
    rest = list(messages)
    words = described(tools, FINAL, structured=answer is not None)
    if rest and rest[0].get("role") == "system":
        words = f"{rest.pop(0).get('content') or ''}\n\n{words}"
    yield {"role": "system", "content": words}
    turns: list[str] = []
    calls: list[Message] = []
    for message in rest:
        if message.get("role") == "tool" and calls:
            if turns:
                yield _user(turns)
            yield calls.pop(0)
            turns = [f"Result: {message.get('content')}"]
        elif message.get("role") == "assistant":
            if turns:
                yield _user(turns)
            turns = []
            calls = list(_called(message))
            if not calls:
                yield _assistant(FINAL, _as_answer(message.get("content"), answer))
        else:
            turns.append(str(message.get("content")))
    if turns:
        yield _user(turns)


def _user(turns: Sequence[str]) -> Message:
    """One message: chat templates may refuse two of the user in a row."""
    return {"role": "user", "content": "\n\n".join(turns)}


def _called(message: Message) -> Iterator[Message]:
    calls = message.get("calls") or ()
    for call in calls if isinstance(calls, Sequence) else ():
        if isinstance(call, Mapping):
            yield _assistant(str(call.get("tool")), call.get("arguments"))


def _assistant(tool: str, value: Json) -> Message:
    return {"role": "assistant", "content": json.dumps({"tool": tool, "input": value}, ensure_ascii=False)}


def _as_answer(content: Json, answer: Json) -> Json:
    """An earlier answer as the schema of answers has it; text if it is none."""
    if answer is None or not isinstance(content, str):
        return content
    try:
        found: Json = json.loads(content)
    except (ValueError, RecursionError):
        return content
    return found


def parsed(found: Completion, tools: Sequence[Tool]) -> Completion:
    """Return a completion whose text is a reply as the call or the answer that it means; any other as it is."""
    reply = _reply(found.text or "")
    if reply is None:
        return found
    name = reply["tool"]
    value = (
        reply["input"] if "input" in reply else {key: reply[key] for key in reply if key != "tool"} or None
    )
    if name == FINAL:
        text = value if isinstance(value, str) or value is None else json.dumps(value, ensure_ascii=False)
        return replace(found, text=None if text is None else well_formed(text), calls=())
    return replace(found, text=None, calls=(Call(name, _arguments(name, value, tools)),))


def _reply(text: str) -> dict[str, Any] | None:
    """Return the first JSON object with a tool's name in a text, whatever is around it."""
    decoder, place = json.JSONDecoder(), text.find("{")
    for _ in range(_MOST_TRIES):
        if place < 0:
            return None
        try:
            value, _end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("tool"), str) and 0 < len(value["tool"]) <= 200:
            return value if value["tool"].isprintable() else None
        place = text.find("{", place + 1)
    return None


def _arguments(name: str, value: Any, tools: Sequence[Tool]) -> dict[str, Json]:
    """Return the arguments that an input means: text is that of the only parameter, if the tool has one."""
    if isinstance(value, str):
        of_tool = next((tool.parameters.get("properties") for tool in tools if tool.name == name), None)
        names = list(of_tool) if isinstance(of_tool, Mapping) else []
        inner = arguments_of(value)
        if MALFORMED in inner and len(names) == 1:
            return {names[0]: well_formed(value)}
        return inner
    return arguments_of(value)
