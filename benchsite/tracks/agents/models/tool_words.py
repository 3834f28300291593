"""Tools in words, for the system message of models that are given no tools by the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.canonical import Json
from benchsite.tracks.agents.tools import Tool

__all__ = ["described"]

_TYPES: Final[Mapping[Any, str]] = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
}


def described(tools: Sequence[Tool], final: str, *, structured: bool) -> str:
    """Return how to call tools, one line each, and how to give the answer."""
    lines = ['Reply with one JSON object {"tool": NAME, "input": INPUT} and nothing else.']
    lines += [f"- {tool.name}: {tool.description} INPUT: {_form(tool.parameters)}" for tool in tools]
    answer = "the answer as an object" if structured else "the answer as text"
    lines.append(f"- {final}: ends the task. INPUT: {answer}")
    return "\n".join(lines)


def _form(parameters: Mapping[str, Json]) -> str:
    properties = parameters.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return "{}"
    required = parameters.get("required")
    needed = set(required) if isinstance(required, Sequence) else set()
    members = (f'"{name}": {" ".join(_words(shape, name in needed))}' for name, shape in properties.items())
    return "{" + ", ".join(members) + "}"


def _words(shape: Json, needed: bool) -> Iterator[str]:  # noqa: FBT001 - one call above
    known = shape if isinstance(shape, Mapping) else {}
    values = known.get("enum")
    if isinstance(values, Sequence) and not isinstance(values, str):
        yield "one of " + ", ".join(map(str, values))
    else:
        kind = known.get("type")
        yield _TYPES.get(kind, "value") if isinstance(kind, str) else "value"
    if not needed:
        yield "(optional)"
    if known.get("description"):
        yield f"({known['description']})"
