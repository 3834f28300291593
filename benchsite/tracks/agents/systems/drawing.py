"""Drawings of a system's graphs, as mermaid text and as SVG: who talks to whom, and the control flow (SVG 2; mermaid flowcharts).

`agents` draws edges that go both ways once. A tree is drawn by its levels, every other graph of agents on a circle; the
control flow from top to bottom, with the edges that lead back at its sides. An SVG is self-contained: it has colors as
attributes, a class for style sheets, a title and a description, and neither style nor script. Names are foreign text: they are
cut, escaped, and shown with their invisible characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, pi, sin
from typing import Final

from benchsite.unseen import escaped

__all__ = ["Drawn", "Graph", "draw_agents", "draw_control_flow"]

LONGEST: Final = 40
"""Characters of a name in a drawing."""
CHARACTER: Final = 7.5
HEIGHT: Final = 30
GAP: Final = 48
MARGIN: Final = 24
BEND: Final = 16
STEP: Final = 14
"""How far the curves that lead back are from the boxes, and from one another."""
INK: Final = "#37474f"
PAPER: Final = "#ffffff"


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and directed edges, as a system describes them."""

    nodes: Sequence[str]
    edges: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One drawing in both forms."""

    mermaid: str
    svg: str


@dataclass(frozen=True, slots=True)
class _Box:
    """A node in its place: the middle and the width."""

    x: float
    y: float
    width: float


def draw_agents(graph: Graph, system: str) -> Drawn:
    """Draw who talks to whom."""
    pairs = {frozenset(edge) for edge in graph.edges if edge[0] != edge[1]}
    is_tree = len(pairs) == len(graph.nodes) - 1 and len(_levels(graph)) > 1
    boxes = _stacked(_levels(graph)) if is_tree else _circle(graph.nodes)
    lines, drawn, edges = [], set[frozenset[str]](), set(graph.edges)
    for start, end in graph.edges:
        pair = frozenset((start, end))
        if pair in drawn or start == end:
            continue
        drawn.add(pair)
        lines.append(_line(boxes[start], boxes[end], both=(end, start) in edges))
    title, says = f"Agents of {system}", _counted(len(graph.nodes), "agent", len(pairs), "link")
    return Drawn(_mermaid(graph, "LR", joined=True), _svg("system-agents", title, says, boxes, lines))


def draw_control_flow(graph: Graph, system: str) -> Drawn:
    """Draw the nodes from the first to the last."""
    boxes = _stacked(_levels(graph))
    left, right = _sides(boxes)
    lines, back = [], {-1: 0, 1: 0}
    for start, end in graph.edges:
        one, other = boxes[start], boxes[end]
        if other.y > one.y and not _passes(boxes, one, other):
            lines.append(_line(one, other, both=False))
            continue
        side = -1 if one.x < (left + right) / 2 - 1 else 1
        back[side] += 1
        lines.append(_curve(one, other, side, (left, right)[side > 0] + side * (BEND + STEP * back[side])))
    title = f"Control flow of {system}"
    says = _counted(len(graph.nodes), "node", len(graph.edges), "edge")
    return Drawn(_mermaid(graph, "TD", joined=False), _svg("system-flow", title, says, boxes, lines, back))


def _counted(nodes: int, node: str, edges: int, edge: str) -> str:
    return f"{nodes} {node}{'s' * (nodes != 1)}, {edges} {edge}{'s' * (edges != 1)}"


def _mermaid(graph: Graph, direction: str, *, joined: bool) -> str:
    """Return a flowchart; node ids are numbers, so that no name is read as syntax."""
    number = {name: place for place, name in enumerate(graph.nodes)}
    lines = [f"flowchart {direction}"]
    lines += [f'  n{place}["{_entities(name)}"]' for name, place in number.items()]
    edges, drawn = set(graph.edges), set[tuple[str, str]]()
    for start, end in graph.edges:
        if (start, end) in drawn:
            continue
        both = joined and start != end and (end, start) in edges
        drawn |= {(start, end), (end, start)} if both else {(start, end)}
        lines.append(f"  n{number[start]} {'<-->' if both else '-->'} n{number[end]}")
    return "\n".join((*lines, ""))


def _entities(name: str) -> str:
    """Return a name with what mermaid reads as syntax or markup as entity codes."""
    return "".join(char if char.isalnum() or char in " -_." else f"#{ord(char)};" for char in _shown(name))


def _shown(name: str) -> str:
    seen = escaped(name).replace("\n", " ").replace("\t", " ")
    return seen if len(seen) <= LONGEST else f"{seen[: LONGEST - 1]}…"


def _levels(graph: Graph) -> list[list[str]]:
    """Return the nodes by their distance from the first one, in order; unreached ones are a level of their own."""
    after: dict[str, list[str]] = {name: [] for name in graph.nodes}
    for start, end in graph.edges:
        after[start].append(end)
    levels, seen = [list(graph.nodes[:1])], set(graph.nodes[:1])
    while levels[-1]:
        level = list(dict.fromkeys(end for name in levels[-1] for end in after[name] if end not in seen))
        seen.update(level)
        levels.append(level)
    rest = [name for name in graph.nodes if name not in seen]
    return [level for level in (*levels, rest) if level]


def _stacked(levels: Sequence[Sequence[str]]) -> dict[str, _Box]:
    """Place levels from top to bottom, each in the middle."""
    widths = [sum(_width(name) + GAP / 2 for name in level) - GAP / 2 for level in levels]
    middle = MARGIN + max(widths, default=0) / 2
    boxes = {}
    for place, (level, width) in enumerate(zip(levels, widths, strict=True)):
        x, y = middle - width / 2, MARGIN + HEIGHT / 2 + place * (HEIGHT + GAP)
        for name in level:
            boxes[name] = _Box(x + _width(name) / 2, y, _width(name))
            x += _width(name) + GAP / 2
    return boxes


def _circle(nodes: Sequence[str]) -> dict[str, _Box]:
    """Place nodes on a circle, the first at the top; one or two in a row."""
    if len(nodes) <= 2:
        return _stacked([list(nodes)])
    widest = max(map(_width, nodes))
    radius = max(80.0, len(nodes) * (widest + GAP) / (2 * pi))
    middle = (MARGIN + radius + widest / 2, MARGIN + radius + HEIGHT / 2)
    turns = [2 * pi * place / len(nodes) - pi / 2 for place in range(len(nodes))]
    return {
        name: _Box(middle[0] + radius * cos(turn), middle[1] + radius * sin(turn), _width(name))
        for name, turn in zip(nodes, turns, strict=True)
    }


def _width(name: str) -> float:
    return len(_shown(name)) * CHARACTER + 20


def _passes(boxes: Mapping[str, _Box], one: _Box, other: _Box) -> bool:
    """Return whether a straight edge would cross the boxes between two levels."""
    return any(
        one.y < box.y < other.y and abs(box.x - one.x) < (box.width + one.width) / 2 for box in boxes.values()
    )


def _line(one: _Box, other: _Box, *, both: bool) -> str:
    """Return a straight edge between the borders of two boxes."""
    start, end = _border(one, other), _border(other, one)
    return _path(f"M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}", both=both)


def _border(box: _Box, to: _Box) -> tuple[float, float]:
    """Return where the line from the middle of a box towards another one leaves it."""
    dx, dy = to.x - box.x, to.y - box.y
    if not dx and not dy:
        return box.x, box.y
    share = min(
        (box.width / 2) / abs(dx) if dx else float("inf"), (HEIGHT / 2) / abs(dy) if dy else float("inf")
    )
    return box.x + dx * share, box.y + dy * share


def _curve(one: _Box, other: _Box, side: int, bend: float) -> str:
    """Return an edge that leaves and comes back at one side: -1 for left, 1 for right."""
    start, end = one.x + side * one.width / 2, other.x + side * other.width / 2
    low, high = (one.y - 6, one.y + 6) if one is other else (one.y, other.y)
    return _path(f"M{start:.1f} {low:.1f}C{bend:.1f} {low:.1f} {bend:.1f} {high:.1f} {end:.1f} {high:.1f}")


def _path(shape: str, *, both: bool = False) -> str:
    begins = ' marker-start="url(#arrow)"' if both else ""
    return f'<path d="{shape}" fill="none" stroke="{INK}"{begins} marker-end="url(#arrow)"/>'


def _sides(boxes: Mapping[str, _Box]) -> tuple[float, float]:
    """Return the left and the right end of all boxes."""
    left = min((box.x - box.width / 2 for box in boxes.values()), default=0)
    return left, max((box.x + box.width / 2 for box in boxes.values()), default=0)


def _svg(
    css: str,
    title: str,
    says: str,
    boxes: Mapping[str, _Box],
    lines: Sequence[str],
    back: Mapping[int, int] | None = None,
) -> str:
    """Return the drawing; `back` says how many curves there are at the left and at the right."""
    left, right = _sides(boxes)
    left, right = (
        (left, right)[side > 0] + side * (MARGIN + (BEND + STEP * count if count else 0))
        for side, count in (back or {-1: 0, 1: 0}).items()
    )
    width, height = right - left, max((box.y for box in boxes.values()), default=0) + HEIGHT / 2 + MARGIN
    arrow = (
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>'
    )
    parts = [arrow, *lines, *(_node(name, box) for name, box in boxes.items())]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{css}" viewBox="{left:.0f} 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" font-family="sans-serif" font-size="13">'
    )
    said = f"<title>{escape(escaped(title))}</title><desc>{escape(says)}</desc>"
    return "".join((head, said, *parts, "</svg>\n"))


def _node(name: str, box: _Box) -> str:
    return (
        f'<g><title>{escape(escaped(name))}</title><rect x="{box.x - box.width / 2:.1f}" y="{box.y - HEIGHT / 2:.1f}" '
        f'width="{box.width:.1f}" height="{HEIGHT}" rx="6" fill="{PAPER}" stroke="{INK}"/>'
        f'<text x="{box.x:.1f}" y="{box.y + 4.5:.1f}" text-anchor="middle" fill="{INK}">{escape(_shown(name))}</text></g>'
    )
