"""Options of the systems: the defaults of the specification's table, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from benchsite.errors import InputError
from benchsite.tracks.agents.systems.options import OPTIONS, checked

# specs/agents.md, "Systems": agents, rounds, discussion rounds, messages an agent.
TABLE = {
    "orchestrator-no-discussion": (4, 2, 1, 2),
    "orchestrator-with-discussion": (4, 2, 2, 2),
    "orchestrator-tree-structure": (5, 2, 1, 2),
    "fully-linked-debate": (4, 2, 1, 2),
    "group-chat-debate": (4, 2, 2, 2),
}


@pytest.mark.parametrize(("name", "sizes"), TABLE.items())
def test_sizes_are_those_of_the_table(name: str, sizes: tuple[int, ...]) -> None:
    made: Any = checked(name, {})
    assert (made.agents, made.rounds, made.discussion_rounds, made.messages_per_agent) == sizes


@pytest.mark.parametrize(
    ("name", "options", "fault"),
    [
        ("sas", {"agents": 4}, "no option 'agents'"),
        ("sas", {"tool_iterations": 0}, "option tool_iterations"),
        ("sas", {"tool_iterations": "8"}, "option tool_iterations"),
        ("sas-majority", {"budget": 0}, "option budget"),
        ("orchestrator-tree-structure", {"agents": 2}, "option agents"),
        ("only-voting", {"final_vote_mode": "coin"}, "option final_vote_mode"),
        ("fully-linked-debate", {"temperature": float("nan")}, "option temperature"),
    ],
)
def test_an_option_that_a_system_cannot_use_is_named(name: str, options: dict[str, Any], fault: str) -> None:
    with pytest.raises(InputError, match=fault) as caught:
        checked(name, options)
    assert "tool_iterations" in caught.value.hint


def test_every_size_has_a_bound() -> None:
    for name in OPTIONS:
        for field in ("agents", "rounds", "discussion_rounds", "messages_per_agent"):
            if field in OPTIONS[name].model_fields:
                with pytest.raises(InputError, match=field):
                    checked(name, {field: 10**9})


def test_an_option_that_is_needed_is_named() -> None:
    with pytest.raises(InputError, match="system sas-majority: needs option budget") as caught:
        checked("sas-majority", {})
    assert caught.value.hint == "add --option budget=VALUE"
