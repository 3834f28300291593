"""The picture of items by systems: order, counts and cells by hand; limits; hostile and odd records."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from boards import text_of
from puzzles import PUZZLES, TRACK, header, pages

from benchsite.board.items import LISTED, Listed, items_page
from benchsite.board.picture import DRAWN, ROWS, Picture
from benchsite.site import charts
from benchsite.site.render import Renderer

SVG = "{http://www.w3.org/2000/svg}"
ITEMS = {
    "first": {"a": 50.0, "b": 50.0, "c": 0.0, "d": 20.0},
    "second": {"a": 25.0, "b": 0.0, "c": 0.0, "d": 0.0},
    "guess": {"a": 0.0, "b": 0.0, "c": 50.0, "d": 0.0},
}
VALUES = {37.5: "first", 18.75: "second", 10.0: "guess"}
CATEGORIES = {"a": "near", "b": "far", "c": "far", "d": "far"}


def tried(items: Any = ITEMS, **changes: Any) -> dict[str, Any]:
    about = replace(
        PUZZLES,
        tasks="puzzles",
        baselines=("guess",),
        solved="Puzzles solved",
        items=lambda document: items[VALUES[document["scores"]["solved"]]],
        **changes,
    )
    return pages(*(header(name, value, 5) for value, name in VALUES.items()), about=about)


def picture(found: dict[str, Any]) -> Picture:
    made: Picture = found["puzzles/easy/"].context["board"].picture
    return made


def test_items_that_more_systems_solve_come_first_in_their_category() -> None:
    found = picture(tried(categories=lambda _document: CATEGORIES))
    # far: b and d by the first alone, c by the baseline alone, which does not count; near: a by both.
    assert found.items == ("b", "d", "c", "a")
    assert [(group.name, group.start, group.size) for group in found.groups] == [
        ("far", 0, 3),
        ("near", 3, 1),
    ]
    # Of at most 50: 50 is all, 25 at least half, 20 less, 0 nothing.
    assert found.cells == ("acda", "dddb", "ddad")
    assert found.solvers == (1, 1, 0, 2)
    assert found.solved == (2, 4, 1, 2, 1)


def test_without_categories_there_is_one_group_and_an_item_of_none_is_other() -> None:
    assert [group.name for group in picture(tried()).groups] == [""]
    some = picture(tried(categories=lambda _document: {"a": "near"}))
    assert [(group.name, group.size) for group in some.groups] == [("near", 1), ("other", 3)]


def test_an_item_that_a_system_did_not_run_is_not_counted() -> None:
    items = ITEMS | {"second": {"a": 25.0, "e": 50.0}}
    found = picture(tried(items))
    by_item = dict(zip(found.items, found.solvers, strict=True))
    assert by_item == {"a": 2, "b": None, "c": None, "d": None, "e": None}
    assert found.solved == (2, 1, 0, 0, 1)
    assert found.cells[1][found.items.index("b")] == "-"


def test_one_system_alone_has_a_picture_and_no_counts() -> None:
    about = replace(PUZZLES, solved="Puzzles solved", items=lambda _document: {"a": 50.0})
    found = picture(pages(header("one", 40, 5), about=about))
    assert (found.solved, found.solvers, found.cells) == (None, (1,), ("a",))


def test_a_track_without_items_has_no_picture() -> None:
    assert picture(pages(header("one", 40, 5))) is None


def test_the_strips_are_one_path_for_each_row_and_kind() -> None:
    made = picture(tried(categories=lambda _document: CATEGORIES))
    svg = charts.CHARTS["drawn_items"](made, "puzzles").replace(
        "<svg", '<svg xmlns="http://www.w3.org/2000/svg"'
    )
    drawn = ET.fromstring(svg)  # noqa: S314 - our own drawing
    # Three items, a gap of one, one item; rows of 20, strokes in the middle.
    assert drawn.attrib["viewBox"] == "0 0 5 60"
    first, second, guess = drawn.findall(f"{SVG}g")
    assert [(path.attrib["class"], path.attrib["d"]) for path in first] == [
        ("k-good", "M0 10h1m3 0h1"),
        ("k-some", "M1 10h1"),
        ("k-plain", "M2 10h1"),
    ]
    assert [path.attrib["d"] for path in second] == ["M4 30h1", "M0 30h3"]
    assert [path.attrib["d"] for path in guess] == ["M2 50h1", "M0 50h2m2 0h1"]


def test_a_thousand_systems_and_ten_thousand_items_are_drawn_in_part_and_said_so() -> None:
    many = {f"i{n:05d}": float(n % 2) for n in range(10_000)}
    about = replace(PUZZLES, solved="Puzzles solved", tasks="puzzles", items=lambda _document: many)
    found = pages(*(header(f"s{n}", n % 50, 5) for n in range(ROWS + 60)), about=about)
    made = picture(found)
    assert (len(made.rows), made.more, made.step) == (ROWS, 60, 5)
    board = found["puzzles/easy/"].context["board"]
    html = Renderer({"puzzles": TRACK}).body(items_page(board, Listed("puzzles/easy/puzzles/")))
    text = text_of(html)
    assert "The picture shows one of every 5 puzzles; counts are of all 10,000." in text
    assert "The 40 best solvers; 60 further solvers not shown." in text
    assert "The list of 10,000 puzzles needs JavaScript." in text
    assert html.count("<") / 2 < 3_000
    assert DRAWN == 10_000 // 5 == LISTED


def test_names_and_ids_of_others_are_text() -> None:
    evil = "<img src=x onerror=alert(1)>\u202e" + "x" * 10_000
    items = {"first": {evil: 50.0}, "second": {evil: 0.0}, "guess": {evil: 0.0}}
    found = tried(items, categories=lambda _document: {evil: evil})
    html = Renderer({"puzzles": TRACK}).body(
        items_page(found["puzzles/easy/"].context["board"], Listed("puzzles/easy/puzzles/"))
    )
    assert "<img" not in html
    assert "\u202e" not in html
    assert "&lt;img" in html


def test_every_item_is_listed_without_script_by_how_many_solve_it() -> None:
    found = tried(categories=lambda _document: CATEGORIES)
    listed = Listed("puzzles/easy/puzzles/", root="puzzles/easy/puzzles/", others=("z",))
    html = Renderer({"puzzles": TRACK}).body(items_page(found["puzzles/easy/"].context["board"], listed))
    text = text_of(html)
    assert "Of 4 puzzles, 1 is solved by none of 2 solvers, 2 by exactly one and 1 by all." in text
    assert "far 3 Solved by 1 of 2 2 b , d Solved by none 1 c near 1 Solved by 2 of 2 1 a" in text
    assert 'href="../../../puzzles/easy/puzzles/b/">b</a>' in html
    assert "Puzzles that no ranked solver ran z" in text
    # Kinds by system: all, at least half, less, nothing, not run.
    assert "first 1 2 0 1 1 0 second 1 0 1 0 3 0" in text


def test_the_data_of_the_picture_has_its_order_and_cells() -> None:
    found = tried(categories=lambda _document: CATEGORIES)
    value = json.loads(found["api/v1/puzzles/easy/per-query.json"].data or b"")
    assert value["items"] == {
        "id": ["b", "d", "c", "a"],
        "categories": [{"name": "far", "items": 3}, {"name": "near", "items": 1}],
        "shared": [None] * 4,
    }
    assert [(one["name"], one["baseline"], one["cells"]) for one in value["systems"]] == [
        ("first", False, "acda"),
        ("second", False, "dddb"),
        ("guess baseline", True, "ddad"),
    ]
    assert [kind["solved"] for kind in value["kinds"]] == [True, True, True, False]


@pytest.mark.parametrize("size", [DRAWN, DRAWN + 1])
def test_up_to_two_thousand_items_are_all_drawn(size: int) -> None:
    about = replace(
        PUZZLES, solved="Puzzles solved", items=lambda _document: {f"i{n:05d}": 1.0 for n in range(size)}
    )
    made = picture(pages(header("one", 40, 5), about=about))
    assert made.step == (1 if size == DRAWN else 2)
