"""`group-chat-debate`: two halves debate among themselves, then a representative of each debates with the other.

The first half has floor(n/2) agents. A group's representative is the agent whose answer its members would elect
(`vote_artifacts`). In round 0 of their debate representatives bring that answer; in each round after it they read the
other's and revise. The judge chooses among the answers of the representatives.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.graph.system import Edges, linked
from benchsite.tracks.agents.systems.graph.team import Team, TeamSession, TeamState, exchange, respond
from benchsite.tracks.agents.systems.team.groups import vote_artifacts
from benchsite.tracks.agents.systems.team.termination import Loop, decide
from benchsite.tracks.agents.systems.team.vote import vote

__all__ = ["GroupChatDebate"]


class _State(TeamState, total=False):
    """The state, with the groups that still discuss and the representatives, by group."""

    active: list[int]
    representatives: list[str]


class GroupChatDebate(Team):
    """Two groups and their representatives."""

    name = "group-chat-debate"
    roles = ("planner", "worker", "judge")
    texts = (
        *("worker", "alone", "artifact", "correction", "closing", "compare"),
        *("personas", "stop", "vote"),
    )
    state = _State

    def groups(self) -> tuple[list[str], list[str]]:
        """Return the agents of both groups."""
        agents = self.workers()
        half = len(agents) // 2
        return agents[:half], agents[half:]

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the loop of the groups, the loop of the representatives, then the judge."""
        self.add(
            graph,
            group_controller=self.control_groups,
            group_dispatch=self.dispatch_groups,
            group_round=self.answer_groups,
            representatives=self.elect,
            controller=self.control,
            dispatch=self.dispatch,
            round=self.answer,
            judge=self.judge,
        )
        graph.add_conditional_edges(
            "group_controller", _next_of_groups, ["group_dispatch", "representatives"]
        )
        graph.add_edge("group_dispatch", "group_round")
        graph.add_edge("group_round", "group_controller")
        graph.add_edge("representatives", "controller")
        graph.add_conditional_edges("controller", _next, ["dispatch", "judge"])
        graph.add_edge("dispatch", "round")
        graph.add_edge("round", "controller")
        graph.add_edge("judge", "monitor")
        self.frame(graph, "group_controller")

    def control_groups(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Decide for each group that discusses whether it goes on; before round 0 both do."""
        if not state["answers"]:
            return {"active": [0, 1]}
        number, active = state["discussion"], []
        for place in state["active"]:
            members = [state["answers"][name] for name in self.groups()[place]]
            loop = self._loop(state, members, number, self.options.discussion_rounds)
            at = Position(f"group-{place + 1}", 0, number)
            if not decide(runtime.context, loop, self.options.termination_consensus_mode, at).stops:
                active.append(place)
        return {"active": active, "discussion": number + bool(active)}

    def _loop(self, state: _State, members: list[Artifact], number: int, most: int) -> Loop:
        return Loop(
            candidates=members,
            previous=state["previous"],
            consensus=members,
            expected=len(members),
            done=number + 1,
            most=most,
            minimum=self.options.minimum_discussion_rounds,
        )

    def dispatch_groups(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Send the answers of the round before within each group."""
        for place in state["active"]:
            members = self.groups()[place]
            answers = [state["answers"][name] for name in members if name in state["answers"]]
            at = Position(f"group-{place + 1}", 0, state["discussion"])
            exchange(runtime.context, answers, members, "group_debate_round", at)
        return {"previous": state["answers"]}

    def answer_groups(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Let the members of the groups that discuss answer."""
        answers = state["answers"]
        for place in state["active"]:
            at = Position(f"group-{place + 1}", 0, state["discussion"])
            answers = respond(runtime.context, self.groups()[place], answers, at)
        return {"answers": answers}

    def elect(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Elect a representative of each group that has an answer."""
        chosen = [vote_artifacts([state["answers"][name] for name in members]) for members in self.groups()]
        names = [one.agent for one in chosen if one is not None]
        runtime.context.note("representatives", {"representatives": list(names)})
        return {"representatives": names, "previous": {}}

    def control(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Decide whether the representatives go on."""
        members, number = [state["answers"][name] for name in state["representatives"]], state["round"]
        most = self.options.rounds if len(members) > 1 else 1
        loop = replace(self._loop(state, members, number, most), expected=len(self.groups()))
        at = Position("representatives", number, state["discussion"])
        decision = decide(runtime.context, loop, self.options.termination_consensus_mode, at)
        return {"decision": decision, "round": number + (not decision.stops)}

    def dispatch(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Send the answers of the representatives to one another."""
        names = state["representatives"]
        at = Position("representatives", state["round"], state["discussion"])
        answers = [state["answers"][name] for name in names]
        exchange(runtime.context, answers, names, "representative_debate_round", at)
        return {"previous": {one.agent: one for one in answers}}

    def answer(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Let the representatives revise their answers."""
        at = Position("representatives", state["round"], state["discussion"])
        return {"answers": respond(runtime.context, state["representatives"], state["answers"], at)}

    def judge(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Choose among the representatives' answers; among all if none of those is direct."""
        answers = [state["answers"][name] for name in state["representatives"]]
        if not any(one.is_direct for one in answers):
            answers = list(state["answers"].values())
        return {"final": vote(runtime.context, answers, self.options.final_vote_mode, Position("judge"))}

    def talk(self) -> tuple[list[str], Edges]:
        """Return groups whose members send to one another, and to the representative of the other group."""
        return self.workers(), linked(self.workers())


def _next_of_groups(state: _State) -> str:
    return "group_dispatch" if state["active"] else "representatives"


def _next(state: _State) -> str:
    return "judge" if state["decision"].stops else "dispatch"
