r"""Actions: texts such as `calendar.delete_event.func(event_id="00000256")`, read with `ast` and dispatched by name.

The original evaluates them as Python code and skips those that raise. Here an action is one call of a known tool
with literal arguments; anything else is unusable, with its reason, and nothing is ever evaluated.
A line feed in an action stands for `\n`, as in the original.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite.tracks.agents import tools
from benchsite.tracks.agents.benchmarks.workbench.literals import UnreadableError, as_json, parsed, value_of
from benchsite.tracks.agents.benchmarks.workbench.sandbox import Tool
from benchsite.tracks.agents.benchmarks.workbench.tools import CATALOG

__all__ = [
    "Call",
    "Unusable",
    "action_text",
    "calls_of",
    "canonical_action",
    "read_action",
    "read_actions",
    "usable",
]

MAX_SHOWN: Final = 200
MAX_ACTIONS: Final = 1_000
MAX_TEXT: Final = 200_000
"""Characters of one action: a parser's work can grow faster than its text."""
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a known tool, its arguments by the names of the parameters."""

    tool: Tool
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unusable:
    """An action that is no such call: why."""

    reason: str


def read_actions(text: str) -> tuple[str, ...]:
    """The actions of a cell: a Python list of texts.

    Raises:
        UnreadableError: it is none.
    """
    found = value_of(parsed(text))
    if not isinstance(found, list) or not all(isinstance(action, str) for action in found):
        raise UnreadableError("expected a list of texts")
    if len(found) > MAX_ACTIONS:
        raise UnreadableError(f"{len(found):,} actions, at most {MAX_ACTIONS:,}")
    if any(map(_SURROGATE.search, found)):
        raise UnreadableError("half of a character: a lone surrogate")
    return tuple(found)


def action_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """The action of a call, written as the original writes it: without escapes, so that it may be unusable."""
    return f"{tool}.func(" + ", ".join([f'{name}="{value}"' for name, value in arguments.items()]) + ")"


def usable(action: tools.Action) -> Call | Unusable:
    """Return the call that an action is, or why it is none."""
    if isinstance(action, str):
        return read_action(action)
    tool = CATALOG.get(action.tool)
    if tool is None:
        return Unusable(f"unknown tool: {action.tool[:MAX_SHOWN]}")
    for name in action.arguments:
        if name not in tool.parameters:
            return Unusable(f"unknown parameter: {name[:MAX_SHOWN]}")
    return Call(tool, action.arguments)


def canonical_action(text: str) -> tools.Action:
    """Return the form in which evidence records an action: a call if the text is one, else the text itself."""
    call = read_action(text)
    if isinstance(call, Unusable):
        return text
    return tools.Call(call.tool.name, {name: as_json(value) for name, value in call.arguments.items()})


def calls_of(texts: Sequence[str]) -> tuple[tools.Call, ...]:
    """Return the calls among some actions."""
    return tuple(action for action in map(canonical_action, texts) if isinstance(action, tools.Call))


def read_action(text: str) -> Call | Unusable:
    """The call that an action is, or why it is none. Never raises."""
    if len(text) > MAX_TEXT:
        return Unusable(f"more than {MAX_TEXT:,} characters")
    try:
        node = parsed(text.replace("\n", "\\n"))
        if not isinstance(node, ast.Call):
            return Unusable("not a call")
        tool = _tool(node.func)
        call = Call(tool, _arguments(node, tool))
    except UnreadableError as error:
        return Unusable(str(error))
    halved = "\\" in text and _SURROGATE.search(_texts_of(call.arguments)) is not None
    return Unusable("half of a character: a lone surrogate") if halved else call


def _texts_of(arguments: Mapping[str, Any]) -> str:
    """The texts of a call's arguments, one after the other, however they are nested."""
    found, waiting = [], [*arguments.values()]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
    return "".join(found)


def _tool(node: ast.expr) -> Tool:
    """The tool of `group.name.func`."""
    match node:
        case ast.Attribute(ast.Attribute(ast.Name(group), name), "func"):
            known = CATALOG.get(f"{group}.{name}")
            if known is not None:
                return known
            raise UnreadableError(f"unknown tool: {f'{group}.{name}'[:MAX_SHOWN]}")
    raise UnreadableError("not a call of group.tool.func")


def _arguments(node: ast.Call, tool: Tool) -> dict[str, Any]:
    names: Sequence[str] = tool.parameters
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        raise UnreadableError("a starred argument")
    if len(node.args) > len(names):
        raise UnreadableError(f"{len(node.args)} arguments; the tool has {len(names)} parameters")
    found = {name: value_of(argument) for name, argument in zip(names, node.args, strict=False)}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise UnreadableError("a starred argument")
        if keyword.arg not in names:
            raise UnreadableError(f"unknown parameter: {keyword.arg[:MAX_SHOWN]}")
        if keyword.arg in found:
            raise UnreadableError(f"two values for {keyword.arg}")
        found[keyword.arg] = value_of(keyword.value)
    return found
