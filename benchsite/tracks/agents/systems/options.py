"""Options of the systems, with their defaults: sizes, limits of the tool loop, sampling, termination and final vote.

A configuration is checked against these models before a system is started; the system checks its options again. Sizes are
those of specs/agents.md, "Systems": a size that a system does not have is not an option of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, ValidationError

from benchsite.errors import InputError
from benchsite.schema import Bounded, first_fault

__all__ = [
    "OPTIONS",
    "AgentOptions",
    "BudgetOptions",
    "LoopOptions",
    "TeamOptions",
    "checked",
    "wrong_option",
]

MAX_AGENTS: Final = 32
MAX_ROUNDS: Final = 50

_Temperature = Annotated[float, Field(ge=0, le=2, strict=False)]
_Rounds = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]


class AgentOptions(Bounded):
    """Options of a system with one agent.

    Attributes:
        tool_iterations: requests of a tool loop that may call tools.
        temperature: of answers; plans, merges and judgments have 0.
        max_tokens: of one completion.
        json_answers: whether agents with tools are asked for the artifact as JSON, with confidence and evidence;
            otherwise they answer in the form of the task.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    tool_iterations: Annotated[int, Field(ge=1, le=200)] = 8
    temperature: _Temperature = 0.0
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 512
    json_answers: bool = False


class BudgetOptions(AgentOptions):
    """Options of a system that spends a budget of tokens.

    Attributes:
        budget: input and output tokens of one run, such as those that a run of a multi-agent system took.
    """

    budget: Annotated[int, Field(ge=1, le=2**53 - 1)]
    temperature: _Temperature = 0.7


class TeamOptions(AgentOptions):
    """Options of a multi-agent system.

    Attributes:
        agents: all of them, an orchestrator and managers included.
        dynamic_roles: whether a model assigns personas for each task.
        final_vote_mode: who chooses the final answer if agents gave several.
    """

    temperature: _Temperature = 0.7
    agents: Annotated[int, Field(ge=2, le=MAX_AGENTS)] = 4
    dynamic_roles: bool = True
    final_vote_mode: Literal["llm_judge", "deterministic"] = "llm_judge"


class LoopOptions(TeamOptions):
    """Options of a multi-agent system whose agents answer several times.

    Attributes:
        rounds: outer cycles, the first one included.
        discussion_rounds: rounds of an inner discussion, the first answers included.
        messages_per_agent: debate packets that one agent may send in a run.
        minimum_discussion_rounds: rounds that a discussion has before it may stop.
        peer_characters: of another agent's artifact in a packet; 0 for all of them.
        termination_consensus_mode: who groups answers while a loop runs.
    """

    rounds: _Rounds = 2
    discussion_rounds: _Rounds = 1
    messages_per_agent: Annotated[int, Field(ge=0, le=1000)] = 2
    minimum_discussion_rounds: Annotated[int, Field(ge=0, le=MAX_ROUNDS)] = 1
    peer_characters: Annotated[int, Field(ge=0, le=1_000_000)] = 320
    termination_consensus_mode: Literal["llm_judge", "lexical"] = "llm_judge"


class DiscussionOptions(LoopOptions):
    """Options of a system with an inner discussion of two rounds by default."""

    discussion_rounds: _Rounds = 2


class TreeOptions(LoopOptions):
    """Options of a tree, which has at least a root, a manager and a leaf."""

    agents: Annotated[int, Field(ge=3, le=MAX_AGENTS)] = 5


OPTIONS: Final[Mapping[str, type[AgentOptions]]] = {
    "sas": AgentOptions,
    "no-tools": AgentOptions,
    "sas-retry": BudgetOptions,
    "sas-majority": BudgetOptions,
    "only-voting": TeamOptions,
    "orchestrator-no-discussion": LoopOptions,
    "orchestrator-with-discussion": DiscussionOptions,
    "orchestrator-tree-structure": TreeOptions,
    "fully-linked-debate": LoopOptions,
    "group-chat-debate": DiscussionOptions,
}
"""The options of each system of ours that has any, by its name."""


def checked(system: str, options: Mapping[str, Any]) -> AgentOptions:
    """Return the options of a system.

    Raises:
        InputError: one is unknown, missing or out of range; the message names it.
        KeyError: the system is none of ours.
    """
    model = OPTIONS[system]
    hint = f"available: {', '.join(sorted(model.model_fields))}"
    if unknown := options.keys() - model.model_fields.keys():
        raise InputError(f"system {system}: no option {min(unknown)!r}", hint=hint)
    missing = [
        name for name, field in model.model_fields.items() if field.is_required() and name not in options
    ]
    if missing:
        raise InputError(
            f"system {system}: needs option {missing[0]}", hint=f"add --option {missing[0]}=VALUE"
        )
    if fault := wrong_option(system, options):
        raise InputError(f"system {system}: option {fault[0]}: {fault[1]}", hint=hint)
    return model.model_validate(dict(options))


def wrong_option(system: str, options: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first option that a system of ours takes but cannot use, and why; None if there is none."""
    model = OPTIONS[system]
    try:
        model.model_validate({name: value for name, value in options.items() if name in model.model_fields})
    except ValidationError as error:
        return first_fault(error)
    return None
