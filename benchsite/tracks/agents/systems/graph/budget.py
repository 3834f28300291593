"""`sas-retry` and `sas-majority`: the single agent with the tokens of a team, for comparison at equal budget.

The budget is an option, the measured tokens of a multi-agent system's run. Another attempt starts if the tokens spent and
the mean of the attempts so far together do not exceed it; the first attempt always runs. Attempts know nothing of each other.

`sas-retry` stops at an attempt that is accepted: its answer is direct, and either its last call did not fail, or an earlier
attempt gave the same direct answer. Its first attempt is at temperature 0, as that of `sas` is. If none is accepted, all
attempts vote. `sas-majority` spends the budget on samples, which vote by `vote_artifacts`.
"""

from __future__ import annotations

from typing import Any, Final, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from benchsite.errors import InputError
from benchsite.tracks.agents.systems.agent.alone import attempt
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position, Session
from benchsite.tracks.agents.systems.agent.stage import recorded
from benchsite.tracks.agents.systems.graph.system import Edges, GraphSystem
from benchsite.tracks.agents.systems.team.vote import vote

__all__ = ["SasMajority", "SasRetry"]

MOST_ATTEMPTS: Final = 200


class _State(TypedDict, total=False):
    attempts: list[Artifact]
    accepted: bool
    final: Artifact | None


class SasMajority(GraphSystem):
    """Independent samples of the single agent, and their vote."""

    name = "sas-majority"
    kind = "single-agent"
    texts = ("worker", "alone", "artifact", "correction", "closing")
    state = _State

    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the loop of attempts, then the vote."""
        self.add(graph, attempt=self.attempt, vote=self.vote, finalize=_finalize)
        graph.add_edge(START, "attempt")
        graph.add_conditional_edges("attempt", self.goes_on, ["attempt", "vote"])
        graph.add_edge("vote", "finalize")
        graph.add_edge("finalize", END)

    def attempt(self, state: _State, runtime: Runtime[Session]) -> _State:
        """Work on the task once more."""
        session, before = runtime.context, state.get("attempts", [])
        made, uses = attempt(session, self.name, number=len(before), sample=self.sample(len(before)))
        session.note("artifact", recorded(made), actor=self.name)
        if session.unmeasured:
            raise InputError(
                f"system {self.name}: a model states no tokens, so a budget of tokens cannot be spent",
                hint="use a model that states them",
            )
        failed = bool(uses) and uses[-1].failed
        return {"attempts": [*before, made], "accepted": self.accepts(made, before, failed=failed)}

    def sample(self, number: int) -> int | None:
        """Return the number of an attempt's sample."""
        return number

    def accepts(self, made: Artifact, before: list[Artifact], *, failed: bool) -> bool:
        """Return whether no other attempt is needed: never."""
        del made, before, failed
        return False

    def goes_on(self, state: _State, runtime: Runtime[Session]) -> str:
        """Return the next node."""
        spent, attempts = runtime.context.tokens, len(state["attempts"])
        fits = spent + spent / attempts <= self.options.budget and attempts < MOST_ATTEMPTS
        return "attempt" if fits and not state["accepted"] else "vote"

    def vote(self, state: _State, runtime: Runtime[Session]) -> _State:
        """Take the attempt that was accepted; let all of them vote otherwise."""
        attempts = state["attempts"]
        if state["accepted"]:
            return {"final": attempts[-1]}
        return {"final": vote(runtime.context, attempts, "deterministic", Position("vote"))}

    def talk(self) -> tuple[list[str], Edges]:
        """Return one agent."""
        return [self.name], []


class SasRetry(SasMajority):
    """The single agent again and again, until an attempt is accepted."""

    name = "sas-retry"

    def sample(self, number: int) -> int | None:
        """Return no sample for the first attempt, which is that of `sas`."""
        return number or None

    def accepts(self, made: Artifact, before: list[Artifact], *, failed: bool) -> bool:
        """Return whether the answer is direct, and its evidence or an earlier attempt supports it."""
        again = any(one.is_direct and one.signature == made.signature for one in before)
        return made.is_direct and (again or not failed)


def _finalize(state: _State) -> _State:
    return {"final": state["final"]}
