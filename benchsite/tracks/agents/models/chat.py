"""The chat format of OpenAI's protocol: our messages and settings to a request, the body of an answer to a completion.

Names of tools are encoded, because the protocol allows only letters, digits, `_` and `-`. What a model writes wrongly is
part of its completion; what a server answers against the protocol is a `ProviderError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import Json, JsonError
from benchsite.tracks.agents.models import Completion, Message, ProviderError
from benchsite.tracks.agents.models.usage import usage
from benchsite.tracks.agents.tools import Call, Tool

__all__ = ["MALFORMED", "MOST_CALLS", "MOST_TEXT", "ToolNames", "chat_messages", "completion", "request"]

MOST_TEXT: Final = 200_000
"""Characters of a completion; a longer text is cut there, and its finish reason is `length`."""
MOST_CALLS: Final = 100
"""Calls of one completion; further ones are left out."""
MOST_MALFORMED: Final = 10_000
"""Characters of such a text."""
MALFORMED: Final = "malformed"
"""The argument that has the text of arguments that are no JSON object; every tool refuses it, and its result says so."""
_MOST_NAME: Final = 64
_IS_FILE: Final = re.compile(r"\A[A-Za-z]:\\|\.gguf\Z").search
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]")


class ToolNames:
    """Names of tools as the protocol allows them, and back; the same for the same tools in the same order."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._wire: dict[str, str] = {}
        self._name: dict[str, str] = {}
        for name in names:
            self.encode(name)

    def encode(self, name: str) -> str:
        """Return the name to send."""
        if name not in self._wire:
            base = _FOREIGN.sub("_", name)[:_MOST_NAME] or "_"
            wire, number = base, 2
            while wire in self._name:
                wire, number = f"{base[: _MOST_NAME - 8]}_{number}", number + 1
            self._wire[name], self._name[wire] = wire, name
        return self._wire[name]

    def decode(self, wire: str) -> str:
        """Return the tool that a received name means; an unknown name means itself."""
        return self._name.get(wire, wire)


def request(
    model: str,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    settings: Mapping[str, Json],
    names: ToolNames,
) -> dict[str, Any]:
    """Return the members of a request.

    Raises:
        ProviderError: a message is not as `models` describes it.
    """
    body: dict[str, Any] = {"model": model, "messages": chat_messages(model, messages, names)}
    body |= {name: settings[name] for name in ("temperature", "seed", "max_tokens") if name in settings}
    if tools:
        body["tools"] = [_chat_tool(tool, names) for tool in tools]
        if "tool_choice" in settings:
            body["tool_choice"] = settings["tool_choice"]
    if "schema" in settings:
        schema = settings["schema"]
        answer = {"name": "answer", "schema": schema, "strict": _is_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": answer}
    return body


def _chat_tool(tool: Tool, names: ToolNames) -> dict[str, Any]:
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    function = {"name": names.encode(tool.name), "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _is_strict(schema: Any) -> bool:
    """Whether every object of a schema is closed and requires all members, as OpenAI's strict mode demands."""
    if isinstance(schema, list):
        return all(map(_is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if "properties" in schema and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema["properties"])
    ):
        return False
    return all(map(_is_strict, schema.values()))


def chat_messages(model: str, messages: Sequence[Message], names: ToolNames) -> list[dict[str, Any]]:
    """Return a conversation in the protocol's form, its calls numbered through.

    Raises:
        ProviderError: a message is not as `models` describes it.
    """
    found: list[dict[str, Any]] = []
    opened: list[str] = []
    calls = 0
    for place, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        where = f"model {model}: message {place + 1}"
        if role == "tool" and opened:
            found.append({"role": "tool", "tool_call_id": opened.pop(0), "content": _text(content, where)})
            continue
        if opened or role == "tool":
            raise ProviderError(f"{where}: one tool message must follow each call")
        if role == "assistant" and message.get("calls"):
            made = [
                _chat_call(call, calls + number, names, where) for number, call in _numbered(message, where)
            ]
            calls += len(made)
            opened = [call["id"] for call in made]
            text = None if content is None else _text(content, where)
            found.append({"role": "assistant", "content": text, "tool_calls": made})
        elif role in ("system", "user", "assistant"):
            found.append({"role": role, "content": _text(content, where)})
        else:
            raise ProviderError(f"{where}: its role is not system, user, assistant or tool")
    if opened:
        raise ProviderError(f"model {model}: one tool message must follow each call")
    return found


def _text(content: object, where: str) -> str:
    if not isinstance(content, str):
        raise ProviderError(f"{where}: its content is not text")
    return content


def _numbered(message: Message, where: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    calls = message["calls"]
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        raise ProviderError(f"{where}: its calls are not a list")
    for number, call in enumerate(calls):
        if (
            not isinstance(call, Mapping)
            or not isinstance(call.get("tool"), str)
            or not isinstance(call.get("arguments"), Mapping)
        ):
            raise ProviderError(f"{where}: a call has not the members tool and arguments")
        yield number, call


def _chat_call(call: Mapping[str, Any], number: int, names: ToolNames, where: str) -> dict[str, Any]:
    try:
        arguments = json.dumps(dict(call["arguments"]), ensure_ascii=False)
    except (TypeError, ValueError):
        raise ProviderError(f"{where}: arguments of a call are not JSON") from None
    function = {"name": names.encode(call["tool"]), "arguments": arguments}
    return {"id": f"call{number:05d}", "type": "function", "function": function}


def completion(body: bytes, model: str, names: ToolNames) -> Completion:
    """Return the completion that the body of an answer has.

    Args:
        model: the name that was requested.
        names: those of the request.

    Raises:
        ProviderError: the body is not an answer of the protocol.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ProviderError(f"model {model}: the answer is not JSON ({len(body):,} bytes)") from None
    if not isinstance(value, dict):
        raise ProviderError(f"model {model}: the answer is not an object")
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ProviderError(f"model {model}: the answer has no choice{_stated(value)}")
    choice = choices[0] if isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ProviderError(f"model {model}: the answer has no message")
    text = _content(message, model)
    reason = _printable(choice.get("finish_reason")) or "unknown"
    if text is not None and len(text) > MOST_TEXT:
        text, reason = text[:MOST_TEXT], "length"
    calls = tuple(_calls(message, model, names))
    return Completion(text, calls, reason, _responded(value.get("model")) or model, usage(value.get("usage")))


def _responded(stated: object) -> str:
    """Return the name of the model that responded; of a server that names a file, without its folders."""
    name = _printable(stated)
    return (
        name.replace("\\", "/").rsplit("/", 1)[-1] if name.startswith(("/", ".")) or _IS_FILE(name) else name
    )


def _stated(value: Mapping[str, Any]) -> str:
    """What an answer says of an error, as some servers do with status 200."""
    error = value.get("error")
    words = _printable(error.get("message") if isinstance(error, dict) else error)
    return f": {words}" if words else ""


def _content(message: Mapping[str, Any], model: str) -> str | None:
    content = message.get("content")
    if content is None:
        content = message.get("refusal")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if content is None:
        return None
    if not isinstance(content, str):
        raise ProviderError(f"model {model}: the content of the answer is not text")
    return well_formed(content)


def _calls(message: Mapping[str, Any], model: str, names: ToolNames) -> Iterator[Call]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise ProviderError(f"model {model}: the tool calls of the answer are not a list")
    for call in calls[:MOST_CALLS]:
        function = call.get("function") if isinstance(call, dict) else None
        wire = _printable(function.get("name")) if isinstance(function, dict) else ""
        if function is None or not wire:
            raise ProviderError(f"model {model}: a tool call of the answer has no name")
        yield Call(names.decode(wire), arguments_of(function.get("arguments")))


def arguments_of(given: object) -> dict[str, Json]:
    """Return the arguments of a call, written as JSON text or given as an object; `MALFORMED` if they are neither."""
    if given is None or given == "":
        return {}
    try:
        found = json.loads(given) if isinstance(given, str) else given
        if isinstance(found, dict):
            canonical.dumps(found)  # no NaN, no lone surrogate, no depth that evidence cannot hold
            return found
    except (ValueError, RecursionError, JsonError):
        pass
    text = given if isinstance(given, str) else json.dumps(given, default=str)
    return {MALFORMED: well_formed(text[:MOST_MALFORMED])}


def well_formed(text: str) -> str:
    """Return a text without lone surrogates, of which a cut answer may have one."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _printable(value: object) -> str:
    """Return the beginning of foreign text, printable; empty if it is no text."""
    if not isinstance(value, str):
        return ""
    return "".join(char if char.isprintable() else " " for char in value[:200]).strip()
