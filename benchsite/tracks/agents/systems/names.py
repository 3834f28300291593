"""Names of the systems, and the other names that the command line and configurations accept for them.

A receipt names a system by a slug, with hyphens. The specification and the seed write underscores, and know five aliases
(specs/agents.md, "Systems"). Every name is resolved here, before a system is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["ALIASES", "AUTO", "CONTROLS", "ROLES", "TEAMS", "at_budget", "budgeted", "resolve"]

TEAMS: Final = (
    "only-voting",
    "orchestrator-no-discussion",
    "orchestrator-with-discussion",
    "orchestrator-tree-structure",
    "fully-linked-debate",
    "group-chat-debate",
)
"""The multi-agent systems."""

CONTROLS: Final = ("sas-majority", "sas-retry")
"""The single agent with a budget of tokens, for comparison with teams."""

ALIASES: Final = {
    "single-agent": "sas",
    "voting": "only-voting",
    "majority-voting": "only-voting",
    "fully-connected-debate": "fully-linked-debate",
}

ROLES: Final = frozenset({"default", "planner", "orchestrator", "worker", "critic", "aggregator", "judge"})
"""The roles of our systems, and the one that stands for all (content/docs/agent-systems.md)."""

AUTO: Final = "auto"
"""`sas` for one agent, `orchestrator-no-discussion` for more."""


_KNOWN: Final = frozenset(
    {"sas", "no-tools", "sas-retry", "sas-majority", "random-choice", "spam-tools", AUTO, *TEAMS, *ALIASES}
)


def at_budget(name: str, options: Mapping[str, Any]) -> str:
    """Return the name of a system within an experiment: `sas-majority@2000`, since it may have one at several budgets."""
    return f"{name}@{options['budget']}" if name in CONTROLS and "budget" in options else name


def budgeted(stated: str) -> tuple[str, int | None]:
    """Return name and budget in tokens of `sas-majority@2000`; any other name as it is, without a budget."""
    name, at, budget = stated.rpartition("@")
    if not at or not re.fullmatch("[0-9]{1,15}", budget):
        return stated, None
    return name, int(budget)


def resolve(name: str, *, agents: int | None = None) -> str:
    """Return the name that a receipt has for a system; a name that is not in this table is returned as it is.

    Args:
        name: as it is written on a command line or in a configuration.
        agents: how many agents are configured, for `auto`; None counts as one.
    """
    slug = name.replace("_", "-")
    if slug not in _KNOWN:
        return name
    if slug == AUTO:
        return "sas" if (agents or 1) == 1 else "orchestrator-no-discussion"
    return ALIASES.get(slug, slug)
