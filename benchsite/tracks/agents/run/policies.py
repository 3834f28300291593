"""Approval policies of tools: which calls of a system are carried out, and how a receipt records this.

A receipt's `config.options` has an entry `tool NAME` for each tool whose policy is not `auto`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

import click

from benchsite import canonical
from benchsite.errors import UsageError
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.tools import Call, Policy
from benchsite.unseen import escaped

__all__ = ["NAME", "ToolPolicy", "asking", "of_options", "options", "others", "require_known"]

NAME: Final = r"[A-Za-z0-9_.-]{1,190}"
MOST_SHOWN: Final = 2_000
"""Characters of a call's arguments that a person is shown."""
_PREFIX: Final = "tool "
_POLICIES: Final[Mapping[Any, Policy]] = {policy: policy for policy in get_args(Policy)}


class ToolPolicy(click.ParamType[tuple[str, Policy]]):
    """`TOOL=POLICY` of the command line."""

    name = "tool=policy"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Policy]:
        """Return the tool's name and its policy."""
        if isinstance(value, tuple):
            return value
        tool, _, policy = str(value).rpartition("=")
        if not re.fullmatch(NAME, tool) or policy not in _POLICIES:
            self.fail(f"{value!r} is not TOOL=auto, TOOL=deny or TOOL=ask", param, ctx)
        return tool, _POLICIES[policy]


def asking() -> Callable[[Call], bool] | None:
    """Return what asks the person at the terminal about a call; None without a terminal, as in a worker of several."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    def approve(call: Call) -> bool:
        shown = canonical.dumps(dict(call.arguments)).decode("utf-8")[:MOST_SHOWN]
        return click.confirm(f"\ncarry out {escaped(f'{call.tool} {shown}')}?", default=False, err=True)

    return approve


def options(policies: Mapping[str, Policy]) -> dict[str, str]:
    """Return the entries of a receipt's `config.options`."""
    return {f"{_PREFIX}{tool}": policy for tool, policy in policies.items() if policy != "auto"}


def of_options(stated: Mapping[str, Any]) -> dict[str, Policy]:
    """Return the policies that a receipt's `config.options` states."""
    return {
        name.removeprefix(_PREFIX): _POLICIES[policy]
        for name, policy in stated.items()
        if name.startswith(_PREFIX) and policy in _POLICIES
    }


def others(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a receipt's `config.options` states besides policies: the options of the system."""
    return {name: value for name, value in stated.items() if not name.startswith(_PREFIX)}


def require_known(policies: Mapping[str, Policy], benchmark: Benchmark) -> None:
    """Raise `UsageError` if a policy is for a tool that the benchmark does not have."""
    known = [tool.name for tool in benchmark.tools]
    for tool in policies:
        if tool not in known:
            raise UsageError(
                f"tool policy: benchmark {benchmark.id} has no tool {tool}",
                hint=f"available: {', '.join(known)}",
            )
