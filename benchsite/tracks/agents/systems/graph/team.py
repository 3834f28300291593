"""What the multi-agent systems share: agents with personas, their mail, rounds in which all answer, and the end.

A run begins with `init`, which assigns personas, and ends with `monitor`, which records what was sent, and `finalize`. In
between, each system has nodes for its stages; a stage asks its agents one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position, Session, ToolUse
from benchsite.tracks.agents.systems.agent.stage import Agent, Knowledge, solve
from benchsite.tracks.agents.systems.graph.system import GraphSystem
from benchsite.tracks.agents.systems.team.assignments import personas
from benchsite.tracks.agents.systems.team.groups import vote_artifacts
from benchsite.tracks.agents.systems.team.packets import Kind, Mail, Packet
from benchsite.tracks.agents.systems.team.termination import Decision

__all__ = ["Team", "TeamSession", "TeamState", "exchange", "heard", "numbered", "respond"]

HEADINGS: Final[Mapping[Kind, str]] = {
    "task_package": "Your part",
    "root_task_package": "Your part",
    "manager_task_package": "Your part",
    "orchestrator_feedback": "Your lead says",
}
"""Headings of packets by kind; every other kind is an answer."""


class TeamState(TypedDict, total=False):
    """The state of a team.

    Attributes:
        round: the number of the outer cycle, from 0.
        discussion: the number of the discussion's round, from 0.
        answers: the latest artifact of each agent.
        previous: those of the round before.
        decision: the latest decision of a controller.
        final: the artifact whose answer is the answer.
    """

    round: int
    discussion: int
    answers: dict[str, Artifact]
    previous: dict[str, Artifact]
    decision: Decision
    final: Artifact | None


@dataclass
class TeamSession(Session):
    """The run of a team.

    Attributes:
        personas: of the agents, by name.
        uses: calls of the agents so far, by name.
    """

    personas: dict[str, str] = field(default_factory=dict)
    uses: dict[str, tuple[ToolUse, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Open the mail with the budget of the options."""
        self.mail = Mail(self, getattr(self.options, "messages_per_agent", 0))

    @property
    def peer_characters(self) -> int:
        """Characters of another agent's artifact in a packet; 0 for all."""
        return getattr(self.options, "peer_characters", 0)


class Team(GraphSystem):
    """A system of several agents."""

    session = TeamSession
    state = TeamState

    def workers(self) -> list[str]:
        """Return the agents that answer the task and have personas."""
        return numbered("worker", self.options.agents)

    def frame(self, graph: StateGraph[Any, Any, Any, Any], first: str) -> None:
        """Add the beginning, which leads to the first stage, and the end, which begins with `monitor`."""
        self.add(graph, init=self.init, monitor=_monitor, finalize=_finalize)
        graph.add_edge(START, "init")
        graph.add_edge("init", first)
        graph.add_edge("monitor", "finalize")
        graph.add_edge("finalize", END)

    def init(self, state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
        """Assign personas."""
        del state
        session = runtime.context
        session.personas = personas(session, self.workers(), dynamic=self.options.dynamic_roles)
        return {"round": 0, "discussion": 0, "answers": {}, "previous": {}}


def numbered(noun: str, count: int) -> list[str]:
    """Return names of agents."""
    return [f"{noun}-{number}" for number in range(1, count + 1)]


def respond(
    session: TeamSession, agents: Sequence[str], answers: Mapping[str, Artifact], at: Position
) -> dict[str, Artifact]:
    """Let agents answer, one after the other, each with what it was sent; return all answers, the new ones included.

    An agent that answered before revises: its event is `revise`, and it reads its own answer and results.
    """
    made = dict(answers)
    for place, name in enumerate(agents):
        own, uses = answers.get(name), session.uses.get(name, ())
        packets = session.mail.read(name)
        is_compared = any(one.kind not in HEADINGS for one in packets)
        known = Knowledge((*heard(packets), *([prompts.COMPARE] * is_compared)), own, uses)
        agent = Agent(name, "worker", session.personas.get(name, ""))
        event = "act" if own is None else "revise"
        made[name], used = solve(session, agent, known, at=at, event=event, sample=place)
        session.uses[name] = (*uses, *used)
    return made


def exchange(
    session: TeamSession, answers: Sequence[Artifact], recipients: Sequence[str], kind: Kind, at: Position
) -> None:
    """Send each answer that there is to the other agents."""
    for one in answers:
        if one.is_usable:
            text = session.cut(one.rendered, session.peer_characters, f"{one.id} in a packet", one.agent)
            session.mail.send(one.agent, recipients, kind, text, at=at, artifact=one.id)


def heard(packets: Sequence[Packet]) -> tuple[str, ...]:
    """Return packets as their recipient reads them."""
    return tuple(f"{HEADINGS.get(one.kind, f'Answer of {one.sender}')}: {one.content}" for one in packets)


def _monitor(state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
    """Record what the team sent, and see to it that an answer that there is is not lost."""
    session, final = runtime.context, state.get("final")
    if final is None or not final.is_usable:
        final = vote_artifacts(list(state["answers"].values()))
    session.note(
        "monitor",
        {
            "packets": session.mail.sent,
            "dropped": session.mail.dropped,
            "artifacts": session.artifacts,
            "tokens": session.tokens,
            "answered_by": final.agent if final else None,
        },
    )
    return {"final": final}


def _finalize(state: TeamState) -> TeamState:
    return {"final": state["final"]}
