"""`fully-linked-debate`: workers answer, read the answers of all others, and answer again, until a controller stops them.

Round 0 is answered without packets. In each round after it every agent sends its artifact to all others, as far as its
message budget goes, and revises its own. The judge chooses among the last answers.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.graph.system import Edges, linked
from benchsite.tracks.agents.systems.graph.team import Team, TeamSession, TeamState, exchange, respond
from benchsite.tracks.agents.systems.team.termination import Loop, decide
from benchsite.tracks.agents.systems.team.vote import vote

__all__ = ["FullyLinkedDebate"]


class FullyLinkedDebate(Team):
    """A debate of all with all."""

    name = "fully-linked-debate"
    roles = ("planner", "worker", "judge")
    texts = (
        *("worker", "alone", "artifact", "correction", "closing", "compare"),
        *("personas", "stop", "vote"),
    )

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the loop of the debate, then the judge."""
        self.add(graph, controller=self.control, dispatch=self.dispatch, round=self.answer, judge=self.judge)
        graph.add_conditional_edges("controller", _next, ["dispatch", "judge"])
        graph.add_edge("dispatch", "round")
        graph.add_edge("round", "controller")
        graph.add_edge("judge", "monitor")
        self.frame(graph, "controller")

    def control(self, state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
        """Decide whether another round follows; before round 0 there is nothing to decide."""
        if not state["answers"]:
            return {}
        answers = list(state["answers"].values())
        options = self.options
        loop = Loop(
            candidates=answers,
            previous=state["previous"],
            consensus=answers,
            expected=options.agents,
            done=state["round"] + 1,
            most=options.rounds,
            minimum=options.minimum_discussion_rounds,
        )
        at = Position("debate", state["round"])
        decision = decide(runtime.context, loop, options.termination_consensus_mode, at)
        return {"decision": decision, "round": state["round"] + (not decision.stops)}

    def dispatch(self, state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
        """Send the answers of the round before; before round 0 there are none."""
        at = Position("debate", state["round"])
        exchange(runtime.context, list(state["answers"].values()), self.workers(), "debate_round", at)
        return {"previous": state["answers"]}

    def answer(self, state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
        """Let every worker answer."""
        at = Position("debate", state["round"])
        return {"answers": respond(runtime.context, self.workers(), state["answers"], at)}

    def judge(self, state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
        """Choose the final answer."""
        answers, mode = list(state["answers"].values()), self.options.final_vote_mode
        return {"final": vote(runtime.context, answers, mode, Position("judge"))}

    def talk(self) -> tuple[list[str], Edges]:
        """Return workers that all send to all."""
        return self.workers(), linked(self.workers())


def _next(state: TeamState) -> str:
    return "judge" if "decision" in state and state["decision"].stops else "dispatch"
