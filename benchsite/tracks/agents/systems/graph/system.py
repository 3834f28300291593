"""What all our systems share: options, one graph compiled per process, one session a run, and the description.

A system gives its nodes and edges by `draw`; the state ends with the member `final`, the artifact whose answer is the
answer. What it describes as its control flow is read from the compiled graph, so that the drawing is what runs.

Requests of a run go over one channel, one at a time: a node asks one agent after the other, also where the agents are
independent of one another. So the order of a trace's events does not depend on load, and a replay meets every request.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from inspect import Parameter, Signature
from itertools import permutations
from typing import Any, ClassVar, Final

from langgraph.graph import StateGraph

from benchsite.tracks.agents.benchmarks import Task
from benchsite.tracks.agents.systems import ModelHandle, Toolbox, Trace
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Session
from benchsite.tracks.agents.systems.options import OPTIONS, AgentOptions, checked

__all__ = ["Edges", "GraphSystem", "linked"]

MOST_STEPS: Final = 100_000
"""Super-steps of one run: loops end by their rounds, never by this."""

Edges = list[tuple[str, str]]


class GraphSystem(ABC):
    """A system whose control flow is a graph of nodes over one state.

    Attributes:
        roles: whose models it asks.
        texts: names of the prompts that it uses.
    """

    name: ClassVar[str]
    kind: ClassVar[str] = "multi-agent"
    version: ClassVar[str] = "1.0.0"
    author: ClassVar[str] = "benchsite"
    roles: ClassVar[tuple[str, ...]] = ("worker",)
    texts: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        """State the options as parameters: the harness reads from them what a system takes."""
        if "name" in cls.__dict__:
            names = (*OPTIONS[cls.name].model_fields, "seed")
            cls.__signature__ = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in names])  # type: ignore[attr-defined]

    def __init__(self, *, seed: int = 0, **options: Any) -> None:
        self.options: Any = checked(self.name, options)
        self._seed = seed
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(self.state, context_schema=self.session)
        self.draw(graph)
        self._compiled = graph.compile(name=self.name)

    state: ClassVar[type]
    session: ClassVar[type[Session]] = Session

    @abstractmethod
    def draw(self, graph: StateGraph[Any, Any, Any, Any]) -> None:
        """Add the nodes and edges."""

    def add(self, graph: StateGraph[Any, Any, Any, Any], **nodes: Any) -> None:
        """Add nodes that read the whole state, whatever their annotations say."""
        for name, node in nodes.items():
            graph.add_node(name, node, input_schema=self.state)

    @abstractmethod
    def talk(self) -> tuple[list[str], Edges]:
        """Return the agents, and who may send packets to whom."""

    def solve(
        self, task: Task, tools: Toolbox, models: Mapping[str, ModelHandle], trace: Trace
    ) -> Mapping[str, Any]:
        """Run the graph on one task; an answer that is not there is None."""
        session = self.session(task, tools, models, trace, self.options, self._seed)
        state = self._compiled.invoke({}, config={"recursion_limit": MOST_STEPS}, context=session)
        final: Artifact | None = state.get("final")
        if final is None or not final.is_usable:
            return {"answer": None}
        stated = {"confidence": final.confidence} if final.states_confidence else {}
        actor = {"actor": final.agent} if self.kind == "multi-agent" else {}
        return {"answer": final.answer_artifact, **stated, **actor}

    def describe(self) -> Mapping[str, Any]:
        """Return kind, roles, graphs, sizes and prompts."""
        agents, edges = self.talk()
        drawn = self._compiled.get_graph()
        return {
            "kind": self.kind,
            "roles": list(self.roles),
            "agents": {"nodes": agents, "edges": [list(edge) for edge in edges]},
            "controlFlow": {
                "nodes": [name.strip("_") for name in drawn.nodes],
                "edges": [[edge.source.strip("_"), edge.target.strip("_")] for edge in drawn.edges],
            },
            "sizes": sizes(self.options),
            "prompts": prompts.named(*self.texts),
        }


def sizes(options: AgentOptions) -> dict[str, int]:
    """Return the sizes of the specification's table, for every system."""
    alone = {"agents": 1, "rounds": 1, "discussion_rounds": 1, "messages_per_agent": 0}
    return {name: getattr(options, name, least) for name, least in alone.items()}


def linked(agents: Iterable[str]) -> Edges:
    """Return an edge from each agent to each other."""
    return list(permutations(agents, 2))
