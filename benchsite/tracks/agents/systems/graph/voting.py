"""`only-voting`: workers answer without hearing of one another, then their answers vote."""

from __future__ import annotations

from typing import Any

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.graph.system import Edges
from benchsite.tracks.agents.systems.graph.team import Team, TeamSession, TeamState, respond
from benchsite.tracks.agents.systems.team.vote import vote

__all__ = ["OnlyVoting"]


class OnlyVoting(Team):
    """Workers and a vote."""

    name = "only-voting"
    roles = ("planner", "worker", "judge")
    texts = ("worker", "alone", "artifact", "correction", "closing", "personas", "vote")

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the workers, then the vote."""
        self.add(graph, workers=self.answer, vote=self.vote)
        graph.add_edge("workers", "vote")
        graph.add_edge("vote", "monitor")
        self.frame(graph, "workers")

    def answer(self, state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
        """Let every worker answer."""
        return {"answers": respond(runtime.context, self.workers(), state["answers"], Position("answer"))}

    def vote(self, state: TeamState, runtime: Runtime[TeamSession]) -> TeamState:
        """Choose the final answer."""
        mode = self.options.final_vote_mode
        return {"final": vote(runtime.context, list(state["answers"].values()), mode, Position("vote"))}

    def talk(self) -> tuple[list[str], Edges]:
        """Return workers that send nothing."""
        return self.workers(), []
