"""`orchestrator-tree-structure`: a root, managers, and leaves that are given to the managers in turn.

The root plans a part for each manager, who passes it on to its leaves; leaves answer the task and report to their manager, who
combines their reports and reports to the root, which merges. Consensus is measured on the managers, change on the merge.
Of n agents one is the root; 1 is a manager if n ≤ 4, otherwise 2 are.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.agent.stage import Agent, Knowledge, write
from benchsite.tracks.agents.systems.graph.orchestrator import LedState, LedTeam
from benchsite.tracks.agents.systems.graph.system import Edges, linked
from benchsite.tracks.agents.systems.graph.team import TeamSession, exchange, heard, numbered, respond

__all__ = ["OrchestratorTreeStructure"]


class _State(LedState, total=False):
    """The state, with the artifacts of the managers."""

    managed: dict[str, Artifact]


class OrchestratorTreeStructure(LedTeam):
    """A root, managers and leaves."""

    name = "orchestrator-tree-structure"
    lead = "root"
    report = "manager_report"
    task_kind = "root_task_package"
    roles = ("planner", "orchestrator", "aggregator", "worker", "critic", "judge")
    state = _State

    def managers(self) -> list[str]:
        """Return the managers."""
        return numbered("manager", 1 if self.options.agents <= 4 else 2)

    def workers(self) -> list[str]:
        """Return the leaves."""
        return numbered("leaf", self.options.agents - 1 - len(self.managers()))

    def leaves(self, manager: str) -> list[str]:
        """Return the leaves of a manager: they are given out in turn."""
        managers = self.managers()
        return self.workers()[managers.index(manager) :: len(managers)]

    def reporters(self) -> dict[str, str]:
        """Return the managers, with the leaves of each."""
        return {name: f"leads {', '.join(self.leaves(name))}" for name in self.managers()}

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add leaves and managers, and the cycle around both."""
        self.add(graph, leaves=self.answer, managers=self.manage)
        graph.add_edge("leaves", "managers")
        self.cycle(graph, "leaves", "managers")

    def package(self, state: LedState, session: TeamSession, name: str) -> None:
        """Send a manager its part, or the feedback; the manager passes it on to its leaves."""
        super().package(state, session, name)
        text = state["feedback"] if state["round"] else state["parts"][name]
        at = Position("dispatch", state["round"])
        session.mail.send(name, self.leaves(name), "manager_task_package", text, at=at)

    def answer(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Let every leaf answer."""
        at = Position("leaves", state["round"])
        return {"answers": respond(runtime.context, self.workers(), state["answers"], at)}

    def manage(self, state: _State, runtime: Runtime[TeamSession]) -> _State:
        """Let each manager combine the reports of its leaves; without any, it has nothing to report."""
        session, at = runtime.context, Position("managers", state["round"])
        before, managed = state.get("managed", {}), dict[str, Artifact]()
        for name in self.managers():
            answers = [state["answers"][leaf] for leaf in self.leaves(name)]
            exchange(session, answers, [name], "child_report", at)
            told = heard(session.mail.read(name))
            if any(one.is_usable for one in answers):
                agent, known = Agent(name, "aggregator"), Knowledge(told, before.get(name))
                managed[name] = write(session, agent, prompts.MERGE, known, at=at)
        return {"managed": managed}

    def reported(self, state: LedState) -> dict[str, Artifact]:
        """Return the artifacts of the managers."""
        return state.get("managed", {})  # type: ignore[return-value]

    def talk(self) -> tuple[list[str], Edges]:
        """Return edges between the root and its managers, and between each manager and its leaves."""
        managers = self.managers()
        pairs = [(self.lead, name) for name in managers]
        pairs += [(name, leaf) for name in managers for leaf in self.leaves(name)]
        return [self.lead, *managers, *self.workers()], [edge for pair in pairs for edge in linked(pair)]
