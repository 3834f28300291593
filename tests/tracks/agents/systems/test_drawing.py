"""Drawings of graphs: every node and edge once, foreign names escaped, files that stand alone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.systems.drawing import Graph, draw_agents, draw_control_flow

TREE = Graph(["root", "a", "b"], [("root", "a"), ("a", "root"), ("root", "b"), ("b", "root")])
LOOP = Graph(
    ["start", "work", "check", "end"],
    [("start", "work"), ("work", "check"), ("check", "work"), ("check", "check"), ("check", "end")],
)
SVG = "{http://www.w3.org/2000/svg}"


def read(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - of our own making


def texts(svg: str) -> list[str]:
    return [str(element.text) for element in read(svg).iter(f"{SVG}text")]


def places(svg: str) -> dict[str, tuple[float, float]]:
    found = read(svg).iter(f"{SVG}text")
    return {str(one.text): (float(one.attrib["x"]), float(one.attrib["y"])) for one in found}


def test_mermaid_of_agents_draws_both_directions_once() -> None:
    assert draw_agents(TREE, "mine").mermaid == (
        "flowchart LR\n"
        '  n0["root"]\n  n1["a"]\n  n2["b"]\n'
        "  n0 <--> n1\n  n0 <--> n2\n"
    )  # fmt: skip


def test_mermaid_of_control_flow_draws_every_edge() -> None:
    lines = draw_control_flow(LOOP, "mine").mermaid.splitlines()
    assert lines[0] == "flowchart TD"
    assert lines[5:] == ["  n0 --> n1", "  n1 --> n2", "  n2 --> n1", "  n2 --> n2", "  n2 --> n3"]


def test_a_tree_has_levels_and_everything_else_is_on_a_circle() -> None:
    at = places(draw_agents(TREE, "mine").svg)
    assert at["a"][1] == at["b"][1] > at["root"][1]
    ring = [f"w{number}" for number in range(4)]
    linked = Graph(ring, [(a, b) for a in ring for b in ring if a != b])
    at = places(draw_agents(linked, "mine").svg)
    middle = tuple(sum(at[name][axis] for name in ring) / 4 for axis in (0, 1))
    distances = [((x - middle[0]) ** 2 + (y - middle[1]) ** 2) ** 0.5 for x, y in at.values()]
    assert max(distances) - min(distances) < 0.5


def test_the_control_flow_goes_down_and_curves_lead_back() -> None:
    svg = draw_control_flow(LOOP, "mine").svg
    at = places(svg)
    assert [at[name][1] for name in LOOP.nodes] == sorted(at[name][1] for name in LOOP.nodes)
    assert len(re.findall(r'd="M[^"]*C', svg)) == 2, "check to work, and check to itself"
    assert read(svg).findtext(f"{SVG}title") == "Control flow of mine"
    assert read(svg).findtext(f"{SVG}desc") == "4 nodes, 5 edges"


def test_an_agent_alone_is_drawn() -> None:
    drawn = draw_agents(Graph(["sas"], []), "sas")
    assert drawn.mermaid == 'flowchart LR\n  n0["sas"]\n'
    assert texts(drawn.svg) == ["sas"]
    assert texts(draw_agents(Graph([], []), "none").svg) == []


def test_foreign_names_are_text() -> None:
    names = ['<script>alert("1")</script>', 'a"] --> b', "x\u202ey", "é" * 60]
    drawn = draw_agents(Graph(names, [(names[0], names[1])]), "<b>")
    assert "<script" not in drawn.svg
    assert "<b>" not in drawn.svg
    assert texts(drawn.svg) == [names[0], names[1], "x\\u202ey", "é" * 39 + "…"]
    assert '  n1["a#34;#93; --#62; b"]' in drawn.mermaid
    assert "style=" not in drawn.svg


NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50), unique=True, max_size=6
)


@given(NAMES, st.data())
def test_any_graph_is_a_document_with_each_node_once(nodes: list[str], data: st.DataObject) -> None:
    names = st.sampled_from(nodes)
    graph = Graph(nodes, data.draw(st.lists(st.tuples(names, names), max_size=10) if nodes else st.just([])))
    for drawn in (draw_agents(graph, "mine"), draw_control_flow(graph, "mine")):
        assert len(texts(drawn.svg)) == len(nodes)
        assert len([line for line in drawn.mermaid.splitlines() if "[" in line]) == len(nodes)
        assert not re.search(r"[ML C-]nan|inf", drawn.svg.split("<g>")[0])
