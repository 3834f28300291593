"""Transcripts in the form of chat messages, and the trace events that they tell.

A message has `role` (system, developer, user, assistant, tool or function) and `content`: text, null, or a list of parts. Tool calls
are `tool_calls` of the OpenAI API, `calls` of benchsite (`tool`, `arguments`), or parts of type `tool_use`; results are messages of the
role tool, or parts of type `tool_result`. Every call is a `tool_call` and every result a `tool_result`; text of the assistant is an
`act`, the last text a `finalize`. What the system was given is `given` of the next event. Refuses other forms, with the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.tracks.agents.importers.foreign_text import fitted
from benchsite.tracks.agents.importers.run_lines import MAX_ANSWER

__all__ = ["MAX_TEXT", "Told", "bounded", "cut", "part_text", "read_call", "read_messages", "told_text"]

MAX_TEXT: Final = 10_000
_GIVEN: Final = frozenset({"system", "developer", "user"})
_RESULTS: Final = frozenset({"tool", "function"})
_HINT: Final = "content/docs/import-runs.md shows the form of messages"

_Part = tuple[str, Mapping[str, Any]]
"""Kind (`given`, `text`, `call`, `result`) and members of what a message says."""


@dataclass(slots=True)
class Told:
    """What a transcript tells.

    Attributes:
        events: kind, actor and payload of each event, with the place of the call that it answers.
        actions: the tool calls, in order.
        answer: the last text of the assistant, if nothing follows; else None.
        prepared: the events of a format that has a trace, in place of `events`.
    """

    events: list[tuple[str, dict[str, Any], int | None]] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)
    answer: str | None = None
    prepared: list[Mapping[str, Any]] = field(default_factory=list)


def bounded(name: str, text: str, most: int = MAX_TEXT) -> dict[str, Any]:
    """Return a member of a payload; a longer text is cut, with the SHA-256 of the whole."""
    if len(text) <= most:
        return {name: text}
    return {name: text[:most], f"{name}_sha256": canonical.sha256_hex(text.encode("utf-8"))}


def told_text(name: str, text: str, rest: Mapping[str, Any] | None) -> tuple[dict[str, str], list[str]]:
    """Return a member of a payload with a text, and the names of what `cut` is to cut: none if a remainder names the `text`."""
    named = rest.get("text") if rest is not None else None
    return ({named: text}, []) if isinstance(named, str) else ({name: text}, [name])


def cut(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return a prepared event without its member `long`, which names the members of its payload to be bounded.

    Keys must be replaced before: of a key on the cut, a part would stay.
    """
    payload = dict(event["payload"])
    for name in event.get("long", ()):
        value = payload.get(name)
        if isinstance(value, str):
            payload |= bounded(name, value, MAX_ANSWER if name == "output" else MAX_TEXT)
        elif name == "given":
            payload[name] = [{**one, **bounded("text", one["text"])} for one in value or ()]
    return {**{name: value for name, value in event.items() if name != "long"}, "payload": payload}


def read_messages(
    messages: Sequence[Any], where: str, clean: Callable[[Any], Any] = lambda value: value
) -> Told:
    """Read a transcript.

    Args:
        messages: the messages.
        where: what errors call it.
        clean: replaces keys and paths. Of calls, it's given arguments parsed: the escapes of JSON text would hide some.

    Raises:
        InputError: a message has no known form.
    """
    told, given = Told(), list[dict[str, Any]]()
    calls: dict[str, int] = {}
    found = [
        part
        for place, message in enumerate(messages, 1)
        for part in _parts(message, f"{where}: messages: message {place}")
    ]
    cleaned = clean([what for _, what in found])  # at once: what a transcript lacks is looked for once
    for place, ((kind, _), what) in enumerate(zip(found, cleaned, strict=True)):
        if kind == "given":
            given.append({"role": what["role"], **bounded("text", what["text"])})
            continue
        before = {"given": given} if given else {}
        given = []
        if kind == "call":
            action = {"tool": what["tool"], "arguments": what["arguments"]}
            calls[what["id"]] = len(told.events)
            told.actions.append(action)
            told.events.append(
                (
                    "tool_call",
                    {"tool": what["tool"], "input": what["arguments"], "action": action, **before},
                    None,
                )
            )
        elif kind == "result":
            payload = {**bounded("observation", what["text"]), "error": what["error"], **before}
            told.events.append(("tool_result", payload, calls.get(what["id"])))
        elif place == len(found) - 1:
            told.answer = what["text"]
            told.events.append(("finalize", {"output": what["text"], **before}, None))
        else:
            told.events.append(("act", {**bounded("text", what["text"]), **before}, None))
    return told


def _parts(message: Any, where: str) -> Iterator[_Part]:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise InputError(f"{where}: must be an object with role and content", hint=_HINT)
    role, content = message["role"], message.get("content")
    if role in _RESULTS:
        yield "result", _result(message.get("tool_call_id"), content, message, where)
        return
    if role != "assistant" and role not in _GIVEN:
        known = ", ".join(sorted({*_GIVEN, *_RESULTS, "assistant"}))
        raise InputError(f"{where}: role {role[:80]!r} is unknown", hint=f"known: {known}")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("type") == "tool_use":
            yield "call", read_call(part.get("name"), part.get("input"), part.get("id"), where)
        elif isinstance(part, dict) and part.get("type") == "tool_result":
            yield "result", _result(part.get("tool_use_id"), part.get("content"), part, where)
        elif text := part_text(part, where):
            yield ("text", {"text": text}) if role == "assistant" else ("given", {"role": role, "text": text})
    for key in ("tool_calls", "calls"):
        yield from (("call", call) for call in _calls(message.get(key), f"{where}: {key}"))


def _calls(listed: Any, where: str) -> Iterator[Mapping[str, Any]]:
    if listed is None:
        return
    if not isinstance(listed, list):
        raise InputError(f"{where}: must be a list", hint=_HINT)
    for call in listed:
        if not isinstance(call, dict):
            raise InputError(f"{where}: must be a list of objects", hint=_HINT)
        function = call.get("function")
        told = function if isinstance(function, dict) else call
        name = told.get("name", told.get("tool"))
        yield read_call(name, told.get("arguments"), call.get("id"), where)


def read_call(tool: Any, arguments: Any, name: Any, where: str) -> Mapping[str, Any]:
    """Return `tool`, `arguments` and `id` of a call; raises `InputError` if it has no name, or arguments of another form."""
    if not isinstance(tool, str) or not tool:
        raise InputError(f"{where}: a tool call has no name", hint=_HINT)
    if isinstance(arguments, str):
        try:
            parsed = canonical.loads(arguments.encode("utf-8", "replace"))
        except JsonError:
            parsed = None
        arguments = parsed if isinstance(parsed, dict) else {"text": arguments}
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise InputError(f"{where}: arguments of tool {tool[:80]!r}: must be an object or text", hint=_HINT)
    return {"tool": tool, "arguments": fitted(arguments), "id": name if isinstance(name, str) else ""}


def _result(call: Any, content: Any, message: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    parts = content if isinstance(content, list) else [content]
    text = "\n".join(filter(None, (part_text(part, where) for part in parts)))
    return {
        "id": call if isinstance(call, str) else "",
        "text": text,
        "error": message.get("is_error") is True,
    }


def part_text(part: Any, where: str) -> str:
    """Return the text of a part; of an image or a file the name of its type in brackets."""
    if part is None or isinstance(part, str):
        return part or ""
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(part["text"])
    if isinstance(part, dict) and isinstance(part.get("type"), str):
        return f"[{part['type'][:80]}]"
    raise InputError(f"{where}: content: must be text or a list of parts", hint=_HINT)
