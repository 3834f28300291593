"""`sas`, the single agent: it calls tools until it answers. `no-tools` answers in one completion, without any."""

from __future__ import annotations

from typing import Any, ClassVar, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent.alone import ask, attempt
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Session
from benchsite.tracks.agents.systems.graph.system import Edges, GraphSystem

__all__ = ["NoTools", "Sas"]


class _State(TypedDict, total=False):
    artifact: Artifact
    final: Artifact


class Sas(GraphSystem):
    """The single agent."""

    name = "sas"
    kind = "single-agent"
    texts: ClassVar[tuple[str, ...]] = ("worker", "alone", "artifact", "correction", "closing")
    state = _State

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the agent, then the end."""
        self.add(graph, agent=self.agent, finalize=_finalize)
        graph.add_edge(START, "agent")
        graph.add_edge("agent", "finalize")
        graph.add_edge("finalize", END)

    def agent(self, state: _State, runtime: Runtime[Session]) -> _State:
        """Work on the task."""
        del state
        return {"artifact": attempt(runtime.context, self.name)[0]}

    def talk(self) -> tuple[list[str], Edges]:
        """Return one agent."""
        return [self.name], []


class NoTools(Sas):
    """The single agent without tools: a baseline that shows what a model knows by itself."""

    name = "no-tools"
    texts = ("alone",)

    def agent(self, state: _State, runtime: Runtime[Session]) -> _State:
        """Ask for an answer."""
        del state
        return {"artifact": ask(runtime.context, self.name)}


def _finalize(state: _State) -> _State:
    return {"final": state["artifact"]}
