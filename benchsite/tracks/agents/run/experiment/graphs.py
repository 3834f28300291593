"""The drawings of a system that its folder has: who talks to whom, and the control flow, each as SVG and mermaid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchsite.tracks.agents.run.measured import Described
from benchsite.tracks.agents.systems.drawing import Drawn, Graph, draw_agents, draw_control_flow

__all__ = ["drawings", "graph_files"]

_NAMES: Final = {"agents": "mas_graph", "controlFlow": "workflow_graph"}


def drawings(told: Described, name: str) -> Mapping[str, Drawn]:
    """Return the drawings of a system by `agents` and `controlFlow`; a graph that it does not state is absent."""
    agents = Graph(told.agents.nodes, told.agents.edges)
    flow = Graph(told.control_flow.nodes, told.control_flow.edges)
    found = {}
    if agents.nodes:
        found["agents"] = draw_agents(agents, name)
    if flow.nodes:
        found["controlFlow"] = draw_control_flow(flow, name)
    return found


def graph_files(told: Described, name: str) -> dict[str, bytes]:
    """Return the files of the drawings, by name."""
    return {
        f"{_NAMES[kind]}.{ending}": text.encode()
        for kind, drawn in drawings(told, name).items()
        for ending, text in (("svg", drawn.svg), ("mmd", drawn.mermaid))
    }
