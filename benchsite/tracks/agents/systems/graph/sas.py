"""`sas`, the single agent: one agent calls tools until it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.conversation import asked, opening
from benchsite.tracks.agents.systems.agent.session import Position, Session
from benchsite.tracks.agents.systems.agent.tool_loop import work
from benchsite.tracks.agents.systems.graph.system import GraphSystem

__all__ = ["Sas"]


class _State(TypedDict, total=False):
    answer: str


def _agent(state: _State, runtime: Runtime[Session]) -> _State:
    del state
    session = runtime.context
    messages = opening(prompts.WORKER, session.task, asked(session.task), with_calls=True)
    return {"answer": work(session, messages, actor=Sas.name, at=Position("answer")).text}


def _finalize(state: _State, runtime: Runtime[Session]) -> _State:
    del runtime
    return {"answer": state["answer"].strip()}


class Sas(GraphSystem):
    """The single agent."""

    name = "sas"
    kind = "single-agent"

    def state(self) -> type:
        """Return the type of the state: the answer."""
        return _State

    def draw(self, graph: StateGraph[Any, Session, Any, Any]) -> None:
        """Add the agent, then the end."""
        graph.add_node("agent", _agent)
        graph.add_node("finalize", _finalize)
        graph.add_edge(START, "agent")
        graph.add_edge("agent", "finalize")
        graph.add_edge("finalize", END)

    def start(self, session: Session) -> Mapping[str, Any]:
        """Begin without an answer."""
        del session
        return {"answer": ""}

    def answer(self, state: Mapping[str, Any]) -> str | None:
        """Return the answer; None if the model gave none."""
        return state["answer"] or None

    def describe(self) -> Mapping[str, Any]:
        """Return one agent with its loop."""
        return {
            "kind": self.kind,
            "roles": ["worker"],
            "agents": {"nodes": [self.name], "edges": []},
            "controlFlow": self.control_flow(),
            "sizes": {"agents": 1, "rounds": 1, "discussion_rounds": 1, "messages_per_agent": 0},
            "prompts": {
                "worker": prompts.WORKER,
                "correction": prompts.CORRECTION,
                "closing": prompts.CLOSING,
            },
        }
