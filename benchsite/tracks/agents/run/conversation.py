"""The form of a system's request for a completion, as `models` describes messages and settings.

A request of another form is refused before a provider gets it: the fault is the system's and no failure of the provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite.isolation.requests import RefusedError

__all__ = ["require_conversation", "require_settings"]

_ROLES: Final = ("system", "user", "assistant", "tool")
_CHOICES: Final = ("auto", "required", "none")


def require_conversation(messages: Any) -> list[dict[str, Any]]:
    """Return messages that are a conversation; raises `RefusedError`, which names the place of the first fault."""
    if not isinstance(messages, list) or not messages:
        raise RefusedError("messages: a list of at least one object")
    opened = 0
    for place, message in enumerate(messages, 1):
        for fault in _faults(message, opened):
            raise RefusedError(f"messages: message {place}: {fault}")
        opened = opened - 1 if opened else len(message.get("calls") or ())
    if opened:
        raise RefusedError("messages: one tool message must follow each call")
    return messages


def _faults(message: Any, opened: int) -> Iterator[str]:
    """Yield what is wrong with a message, before which so many calls have no result yet."""
    if not isinstance(message, dict):
        yield "an object with role and content"
        return
    role, content, calls = message.get("role"), message.get("content"), message.get("calls")
    if role not in _ROLES:
        yield f"role: one of {', '.join(_ROLES)}"
    if (role == "tool") != bool(opened):
        yield "one tool message must follow each call"
    if unknown := sorted(message.keys() - {"role", "content", "calls"}):
        yield f"unknown member {unknown[0][:80]}"
    if calls and role != "assistant":
        yield "only an assistant makes calls"
    if not isinstance(content, str) and not (content is None and calls):
        yield "content: text"
    if calls is not None and not (isinstance(calls, list) and all(map(_is_call, calls))):
        yield "calls: a list of objects with tool and arguments"


def _is_call(call: Any) -> bool:
    return (
        isinstance(call, dict)
        and call.keys() == {"tool", "arguments"}
        and isinstance(call["tool"], str)
        and isinstance(call["arguments"], dict)
    )


def require_settings(settings: Mapping[str, Any]) -> None:
    """Raise `RefusedError` if a setting that is known has a wrong value."""
    for name, is_right, words in (
        ("temperature", lambda value: type(value) in (int, float) and value >= 0, "a number from 0 on"),
        ("seed", lambda value: type(value) is int, "a whole number"),
        ("max_tokens", lambda value: type(value) is int and value >= 1, "a whole number from 1 on"),
        ("tool_choice", lambda value: value in _CHOICES, f"one of {', '.join(_CHOICES)}"),
        ("schema", lambda value: isinstance(value, dict), "a JSON Schema, an object"),
    ):
        value = settings.get(name)
        if value is not None and not is_right(value):
            raise RefusedError(f"settings: {name}: {words}")
