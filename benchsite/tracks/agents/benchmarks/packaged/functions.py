"""Tools of packaged benchmarks: what systems see of each, and the function that carries a call out.

A function takes arguments by name, all of them texts, and returns a text. A refusal is a `ToolError`; the workspace makes
it an observation that failed. Results are cut, so that no call prints more than a model can read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite.canonical import Json
from benchsite.tracks.agents.tools import Action, Observation, Tool

__all__ = ["Function", "FunctionWorkspace", "ToolError", "described", "texts"]

MOST_RESULT: Final = 4000
"""Characters of a result."""
MOST_ARGUMENT: Final = 2000
"""Characters of an argument."""


class ToolError(Exception):
    """A tool's refusal of a call; its text is what the system reads."""


def described(
    name: str, description: str, *parameters: str, most: int = MOST_ARGUMENT, pattern: str | None = None
) -> Tool:
    """Return a tool whose parameters are texts, all required.

    Models that are held to the schema end a text by its bounds; a call beyond them is still carried out.

    Args:
        most: characters of a text.
        pattern: of each text, as JSON Schema has it.
    """
    shape: dict[str, Json] = {"type": "string", "maxLength": most}
    if pattern is not None:
        shape = {"type": "string", "pattern": pattern}
    return Tool(
        name,
        description,
        {
            "type": "object",
            "properties": dict.fromkeys(parameters, shape),
            "required": list(parameters),
            "additionalProperties": False,
        },
    )


@dataclass(frozen=True, slots=True)
class Function:
    """A tool and what carries it out.

    Attributes:
        call: returns the result; raises `ToolError`.
        changes: whether a call that succeeds changes the state that is graded.
    """

    tool: Tool
    call: Callable[[Mapping[str, str]], str]
    changes: bool = False


class FunctionWorkspace:
    """The tools of one run; the functions keep no state, so every run starts from the same one."""

    tools: Sequence[Tool]

    def __init__(self, functions: Sequence[Function], most: int = MOST_RESULT) -> None:
        self._most = most
        self.tools = tuple(function.tool for function in functions)
        self._functions = {function.tool.name: function for function in functions}

    def call(self, name: str, arguments: Mapping[str, Json]) -> Observation:
        """Carry out one call."""
        try:
            function = self._function(name)
            result = function.call(texts(function.tool, arguments))
        except ToolError as error:
            return Observation(f"error: {error}"[:MOST_RESULT], failed=True)
        cut = f"\n... cut after {self._most:,} characters"
        return Observation(result if len(result) <= self._most else result[: self._most] + cut)

    def changes(self, action: Action) -> bool:
        """Return whether an action changes the state; tools that only read are not called, as they take time.

        Raises:
            ToolError: it cannot be carried out.
        """
        if isinstance(action, str):
            raise ToolError("not a call of a tool")
        function = self._function(action.tool)
        arguments = texts(function.tool, action.arguments)
        if function.changes:
            function.call(arguments)
        return function.changes

    def _function(self, name: str) -> Function:
        if name not in self._functions:
            raise ToolError(f"no tool {name[:80]!r}; available: {', '.join(self._functions)}")
        return self._functions[name]


def texts(tool: Tool, arguments: Mapping[str, Json]) -> dict[str, str]:
    """Return the arguments of a call as texts; whole numbers and decimals are written out.

    Raises:
        ToolError: a parameter is missing, unknown, too long, or neither a text nor a number.
    """
    properties = tool.parameters["properties"]
    assert isinstance(properties, Mapping)  # noqa: S101 - tools of ours
    if missing := [name for name in properties if name not in arguments]:
        raise ToolError(f"{tool.name} needs {', '.join(missing)}")
    if unknown := [name for name in arguments if name not in properties]:
        raise ToolError(f"{tool.name} has no parameter {unknown[0][:80]!r}; it takes {', '.join(properties)}")
    found = {}
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ToolError(f"{name} must be a text")
        if len(text := str(value)) > MOST_ARGUMENT:
            raise ToolError(f"{name} has more than {MOST_ARGUMENT:,} characters")
        found[name] = text
    return found
