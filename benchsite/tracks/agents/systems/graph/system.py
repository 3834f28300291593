"""What all our systems share: options, one graph compiled per process, one session a run, and the description.

A system gives its nodes and edges by `draw`, and how its state begins and ends by `start` and `answer`. What it describes as
its control flow is read from the compiled graph, so that the drawing is what runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import Any, ClassVar, Final

from langgraph.graph import StateGraph

from benchsite.tracks.agents.benchmarks import Task
from benchsite.tracks.agents.systems import ModelHandle, Toolbox, Trace
from benchsite.tracks.agents.systems.agent.session import Session
from benchsite.tracks.agents.systems.options import OPTIONS, AgentOptions, checked

__all__ = ["GraphSystem"]

MOST_STEPS: Final = 100_000
"""Super-steps of one run: loops end by their rounds, never by this."""


class GraphSystem(ABC):
    """A system whose control flow is a graph of nodes over one state."""

    name: ClassVar[str]
    kind: ClassVar[str] = "multi-agent"
    version: ClassVar[str] = "1.0.0"
    author: ClassVar[str] = "benchsite"

    def __init_subclass__(cls) -> None:
        """State the options as parameters: the harness reads from them what a system takes."""
        if "name" in cls.__dict__:
            names = (*OPTIONS[cls.name].model_fields, "seed")
            cls.__signature__ = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in names])  # type: ignore[attr-defined]

    def __init__(self, *, seed: int = 0, **options: Any) -> None:
        self.options: AgentOptions = checked(self.name, options)
        self._seed = seed
        graph: StateGraph[Any, Session, Any, Any] = StateGraph(self.state(), context_schema=Session)
        self.draw(graph)
        self._compiled = graph.compile(name=self.name)

    @abstractmethod
    def state(self) -> type:
        """Return the type of the state."""

    @abstractmethod
    def draw(self, graph: StateGraph[Any, Session, Any, Any]) -> None:
        """Add the nodes and edges."""

    @abstractmethod
    def start(self, session: Session) -> Mapping[str, Any]:
        """Return the state that a run begins with."""

    @abstractmethod
    def answer(self, state: Mapping[str, Any]) -> str | Mapping[str, Any] | None:
        """Return the answer that a run ends with."""

    @abstractmethod
    def describe(self) -> Mapping[str, Any]:
        """Return kind, roles, graphs, sizes and prompts."""

    def solve(
        self, task: Task, tools: Toolbox, models: Mapping[str, ModelHandle], trace: Trace
    ) -> str | Mapping[str, Any] | None:
        """Run the graph on one task."""
        session = Session(task, tools, models, trace, self.options, self._seed)
        state = self._compiled.invoke(
            self.start(session), config={"recursion_limit": MOST_STEPS}, context=session
        )
        return self.answer(state)

    def control_flow(self) -> dict[str, Any]:
        """Return the compiled graph: its nodes and its edges."""
        drawn = self._compiled.get_graph()
        return {
            "nodes": [name.strip("_") for name in drawn.nodes],
            "edges": [[edge.source.strip("_"), edge.target.strip("_")] for edge in drawn.edges],
        }
