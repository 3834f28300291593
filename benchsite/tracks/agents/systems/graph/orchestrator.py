"""`orchestrator-no-discussion` and `orchestrator-with-discussion`: a plan, specialists, a merge, and a check.

The orchestrator plans and sends each specialist its part; specialists answer the task and report; the orchestrator merges
the reports. The check is the termination controller: consensus is measured on the specialists, change on the merge. If
another cycle follows, the critic reads the merge, and its critique goes back to the specialists. With discussion, the
specialists read one another's answers before they report. One agent of the size is the orchestrator.
"""

from __future__ import annotations

from typing import Any, ClassVar

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.agent.stage import Agent, Knowledge, write
from benchsite.tracks.agents.systems.graph.system import Edges, linked
from benchsite.tracks.agents.systems.graph.team import (
    Team,
    TeamSession,
    TeamState,
    exchange,
    heard,
    numbered,
    respond,
)
from benchsite.tracks.agents.systems.team.assignments import plan
from benchsite.tracks.agents.systems.team.critique import feedback
from benchsite.tracks.agents.systems.team.groups import vote_artifacts
from benchsite.tracks.agents.systems.team.packets import Kind
from benchsite.tracks.agents.systems.team.termination import Loop, decide

__all__ = ["LedState", "LedTeam", "OrchestratorNoDiscussion", "OrchestratorWithDiscussion"]


class LedState(TeamState, total=False):
    """The state of a team with a lead.

    Attributes:
        parts: what the plan gives each agent that reports to the lead.
        reports: the artifacts that those agents reported.
        told: the reports as the lead read them.
        merged: what the lead made of them.
        merged_before: what it made of those of the cycle before.
        feedback: what the team hears of the merge.
    """

    parts: dict[str, str]
    reports: dict[str, Artifact]
    told: tuple[str, ...]
    merged: Artifact | None
    merged_before: Artifact | None
    feedback: str


class LedTeam(Team):
    """A team whose lead plans, merges and checks.

    Attributes:
        lead: its name.
        report: the kind of packet that reports to it.
    """

    lead: ClassVar[str] = "orchestrator"
    report: ClassVar[Kind] = "specialist_report"
    state = LedState
    roles: ClassVar[tuple[str, ...]] = ("planner", "orchestrator", "worker", "critic", "judge")
    texts = (
        *("worker", "alone", "artifact", "correction", "closing", "compare"),
        *("personas", "plan", "merge", "critic", "stop"),
    )

    def reporters(self) -> dict[str, str]:
        """Return the agents that report to the lead, and what the planner hears of each."""
        raise NotImplementedError

    def cycle(self, graph: StateGraph[Any, Any, Any, Any], first: str, last: str) -> None:
        """Add the outer cycle around the stages from the packages to the merge."""
        self.add(
            graph,
            plan=self.plan,
            dispatch=self.dispatch,
            merge=self.merge,
            check=self.check,
            critique=self.critique,
        )
        graph.add_edge("plan", "dispatch")
        graph.add_edge("dispatch", first)
        if last:
            graph.add_edge(last, "merge")
        graph.add_edge("merge", "check")
        graph.add_conditional_edges("check", _next, ["critique", "monitor"])
        graph.add_edge("critique", "dispatch")
        self.frame(graph, "plan")

    def plan(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Tell each agent that reports what to do."""
        session = runtime.context
        told = {name: session.personas.get(name, described) for name, described in self.reporters().items()}
        return {"parts": plan(session, told, actor=self.lead, at=Position("plan", state["round"]))}

    def dispatch(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Send the parts of the plan; in later cycles, the feedback."""
        for name in self.reporters():
            self.package(state, runtime.context, name)
        return {"previous": {}, "discussion": 0}

    def package(self, state: LedState, session: TeamSession, name: str) -> None:
        """Send one agent its part, or the feedback."""
        at = Position("dispatch", state["round"])
        if state["round"]:
            merged = state["merged"]
            made = merged.id if merged else ""
            kind: Kind = "orchestrator_feedback"
            session.mail.send(self.lead, [name], kind, state["feedback"], at=at, artifact=made)
        else:
            session.mail.send(self.lead, [name], self.task_kind, state["parts"][name], at=at)

    task_kind: ClassVar[Kind] = "task_package"

    def merge(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Combine the reports into one artifact; without a report there is nothing to combine."""
        session, before = runtime.context, state.get("merged")
        reports = self.reported(state)
        at = Position("merge", state["round"])
        exchange(session, list(reports.values()), [self.lead], self.report, at)
        told = heard(session.mail.read(self.lead))
        merged = None
        if told:
            lead = Agent(self.lead, "orchestrator")
            merged = write(session, lead, prompts.MERGE, Knowledge(told, before), at=at)
        return {"reports": reports, "told": told, "merged": merged, "merged_before": before}

    def reported(self, state: LedState) -> dict[str, Artifact]:
        """Return the artifacts that go to the lead."""
        return {name: state["answers"][name] for name in self.reporters()}

    def check(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Decide whether another cycle follows; if not, take the merge, or elect an answer if that is none."""
        merged, before, reports = state["merged"], state["merged_before"], list(state["reports"].values())
        loop = Loop(
            candidates=[merged] if merged else [],
            previous={self.lead: before} if before else {},
            consensus=reports,
            expected=len(self.reporters()),
            done=state["round"] + 1,
            most=self.options.rounds,
        )
        at = Position("check", state["round"])
        decision = decide(runtime.context, loop, self.options.termination_consensus_mode, at)
        if not decision.stops:
            return {"decision": decision}
        everything = [*([merged] if merged else []), *reports, *state["answers"].values()]
        final = merged if merged and merged.is_direct else vote_artifacts(everything)
        return {"decision": decision, "final": final}

    def critique(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Let the critic read the merge, and begin the next cycle."""
        at, merged = Position("critique", state["round"]), state["merged"]
        text = ""
        if merged is not None:
            text = feedback(runtime.context, merged, state["told"], actor=self.lead, at=at)
        return {"feedback": text, "round": state["round"] + 1}


class OrchestratorNoDiscussion(LedTeam):
    """An orchestrator and specialists that hear only of it."""

    name = "orchestrator-no-discussion"

    def workers(self) -> list[str]:
        """Return the specialists."""
        return numbered("specialist", self.options.agents - 1)

    def reporters(self) -> dict[str, str]:
        """Return the specialists."""
        return dict.fromkeys(self.workers(), "")

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the specialists, and the cycle around them."""
        self.add(graph, specialists=self.answer)
        self.cycle(graph, "specialists", "specialists")

    def answer(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Let every specialist answer."""
        at = Position("specialists", state["round"])
        return {"answers": respond(runtime.context, self.workers(), state["answers"], at)}

    def talk(self) -> tuple[list[str], Edges]:
        """Return edges between the orchestrator and each specialist."""
        edges = [pair for name in self.workers() for pair in linked((self.lead, name))]
        return [self.lead, *self.workers()], edges


class OrchestratorWithDiscussion(OrchestratorNoDiscussion):
    """An orchestrator and specialists that discuss before they report."""

    name = "orchestrator-with-discussion"

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the specialists, their discussion, and the cycle around both."""
        self.add(
            graph,
            specialists=self.answer,
            controller=self.control,
            exchange=self.exchange,
            discussion=self.discuss,
        )
        graph.add_edge("specialists", "controller")
        graph.add_conditional_edges("controller", _next_of_discussion, ["exchange", "merge"])
        graph.add_edge("exchange", "discussion")
        graph.add_edge("discussion", "controller")
        self.cycle(graph, "specialists", "")

    def control(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Decide whether the discussion goes on."""
        options, number = self.options, state["discussion"]
        answers = list(state["answers"].values())
        loop = Loop(
            candidates=answers,
            previous=state["previous"],
            consensus=answers,
            expected=len(self.workers()),
            done=number + 1,
            most=options.discussion_rounds,
            minimum=options.minimum_discussion_rounds,
        )
        at = Position("discussion", state["round"], number)
        decision = decide(runtime.context, loop, options.termination_consensus_mode, at)
        return {"decision": decision, "discussion": number + (not decision.stops)}

    def exchange(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Send the answers of the specialists to one another."""
        at = Position("discussion", state["round"], state["discussion"])
        exchange(runtime.context, list(state["answers"].values()), self.workers(), "peer_summary", at)
        return {"previous": state["answers"]}

    def discuss(self, state: LedState, runtime: Runtime[TeamSession]) -> LedState:
        """Let every specialist revise its answer."""
        at = Position("discussion", state["round"], state["discussion"])
        return {"answers": respond(runtime.context, self.workers(), state["answers"], at)}

    def talk(self) -> tuple[list[str], Edges]:
        """Return edges between all: specialists send to one another and to the orchestrator."""
        agents, edges = super().talk()
        return agents, [*edges, *linked(self.workers())]


def _next(state: LedState) -> str:
    return "monitor" if state["decision"].stops else "critique"


def _next_of_discussion(state: LedState) -> str:
    return "merge" if state["decision"].stops else "exchange"
