"""One run's tables, and the tools that work on them.

A sandbox is fresh for each run: it starts with the tables of the dataset and replaces what a tool changes.
Tools are found by name and called with values. Nothing is evaluated as code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchsite.tracks.agents.benchmarks.workbench.tables import Table

__all__ = ["Sandbox", "State", "Tool", "ToolError"]

State = Mapping[str, Table]
"""The tables that tools change, by name; what a run is graded on."""


class ToolError(Exception):
    """A tool's refusal of a call: the run goes on, and its text is what the agent is told."""


@dataclass(slots=True)
class Sandbox:
    """The tables of one run.

    Attributes:
        state: the tables that tools change.
        visits: the website's visits, which no tool changes.
        directory: e-mail addresses of the company.
    """

    state: dict[str, Table]
    visits: Table
    directory: tuple[str, ...]


@dataclass(frozen=True)
class Tool:
    """A tool: its name, what it does with a sandbox, and whether it can change a graded table.

    The parameters are those of the function after the sandbox. All have defaults.
    """

    name: str
    function: Callable[..., Any]
    changes_state: bool

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(inspect.signature(self.function).parameters)[1:]

    def call(self, sandbox: Sandbox, arguments: Mapping[str, Any]) -> Any:
        """The tool's result: text, or what its search found.

        Raises:
            ToolError: the values cannot be used; the tables are as they were.
        """
        try:
            return self.function(sandbox, **arguments)
        except (TypeError, ValueError, AttributeError, KeyError, OverflowError, re.error) as error:
            raise ToolError(str(error)[:1000] or type(error).__name__) from None
