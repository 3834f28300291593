"""The contract of a tool: what a system may call in a run, and what a call gives back (specs/agents.md, "Interfaces").

A `Tool` describes itself; a `Workspace` carries out calls on the state of one run. A call that cannot be carried out is
an `Observation` that failed, never an exception: the system reads why and goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from benchsite.canonical import Json

__all__ = ["Action", "Call", "Observation", "Policy", "Tool", "Workspace"]

Policy: TypeAlias = Literal["auto", "deny", "ask"]
"""Whether calls of a tool are carried out: always, never, or if a person agrees to the call."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as systems and models see it; `parameters` is the JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, its arguments by name."""

    tool: str
    arguments: Mapping[str, Json]


Action: TypeAlias = Call | str
"""What a run did: a call of a tool, or text of a published run that is no call of a known tool."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a call, or why the tool refused it."""

    result: Json
    failed: bool = False


class Workspace(Protocol):
    """The state of one run, fresh when it is opened.

    Attributes:
        tools: in the order of the benchmark.
    """

    tools: Sequence[Tool]

    def call(self, name: str, arguments: Mapping[str, Json]) -> Observation:
        """Carry out one call."""
