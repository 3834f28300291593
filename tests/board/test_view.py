"""What a leaderboard shows besides its rows: groups, scatters, categories and answers of the tray, each by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from boards import text_of
from puzzles import PUZZLES, TRACK, header, pages

from benchsite.board import Column, Measure, Part
from benchsite.board.rows import Estimate, Row
from benchsite.board.view import MOST_POINTS, Point, View, staircase
from benchsite.site.charts.pareto import pareto
from benchsite.site.render import Renderer
from benchsite.track import Metric, Page

ELSEWHERE = ("origin import: measured elsewhere, scored here",)
COST = Measure("cost", is_cost=True)
ITEMS = {
    40.0: {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0},
    30.0: {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0},
    20.0: {"a": 0.0, "b": 0.0, "c": 1.0, "d": 0.0},
}
"""Of each value of the headline the values of four puzzles."""


def parts(row: Row) -> list[Part]:
    """Two categories: the first is a fifth of the value less, the second equal in all rows."""
    value = row.value or 0.0
    return [
        Part("hard_ones", "Hard ones", "12", value - 10 if value > 20 else None),
        Part("easy_ones", "Easy ones", "38", 25.0),
    ]


ABOUT = replace(
    PUZZLES,
    tasks="puzzles",
    measures=(COST,),
    parts=parts,
    compared=lambda document: ITEMS[document["scores"]["solved"]],
    baselines=("guess",),
)


def board(**changes: Any) -> dict[str, Page]:
    about = replace(ABOUT, **changes)
    return pages(header("first", 40, 5), header("second", 30, 5), header("guess", 20, 2), about=about)


def view(found: dict[str, Page]) -> View:
    shown: View = found["puzzles/easy/"].context["view"]
    return shown


def shown(found: dict[str, Page]) -> str:
    return text_of(Renderer({"puzzles": TRACK}).body(found["puzzles/easy/"]))


def point(name: str, x: float, y: float, **changes: Any) -> Point:
    made = Point(name, name, Estimate(x), Estimate(y), is_baseline=False, is_elsewhere=False)
    return made._replace(**changes)


def test_the_front_has_what_no_other_point_beats():
    points = [
        point("cheap", 1, 10),
        point("same price, worse", 1, 5),
        point("dear, worse", 4, 9),
        point("dear, better", 5, 30),
    ]
    assert staircase(points, is_cost=True) == [(1, 10), (5, 30)]
    # If more of x is better too, only the last is beaten by none.
    assert staircase(points, is_cost=False) == [(5, 30)]


def test_a_point_of_another_machine_is_hollow_and_not_on_the_front():
    points = [point("here", 2, 10), point("there", 1, 20, is_elsewhere=True)]
    assert staircase(points, is_cost=True) == [(2, 10)]


def test_a_time_is_compared_on_one_machine_only():
    found = board(measures=(replace(COST, is_timed=True),))
    (plot,) = view(found).plots
    assert [one.is_elsewhere for one in plot.points] == [False, False, False]
    assert "Hollow" not in shown(found)


def test_the_scatter_draws_both_intervals_and_a_staircase():
    one = point("a", 0, 0)._replace(x=Estimate(2, 1, 3), y=Estimate(30, 20, 40))
    other = point("b", 0, 0)._replace(x=Estimate(4, 3, 5), y=Estimate(40, 30, 50))
    (plot,) = view(board()).plots
    svg = pareto(plot._replace(points=[one, other]))
    # x from 0 to 5 over 52 to 546: 2 is at 249.6, 4 at 447.2. y from 0 to 50 over 284 to 24: 30 is at 128, 40 at 76.
    assert '<path class="ci" d="M249.6 180V76"/>' in svg
    assert '<path class="ci" d="M150.8 128H348.4"/>' in svg
    assert '<path class="front" d="M249.6 284H249.6V128H447.2V76H546"/>' in svg
    assert "Cost, less is better" in svg


@pytest.mark.parametrize("value", [0.0, 1e-9, 0.999999, 1e12])
def test_any_number_has_a_place_on_the_scatter(value: float):
    (plot,) = view(board()).plots
    points = [point("a", value, value), point("b", value, value)]
    assert "nan" not in pareto(plot._replace(points=points))


def test_names_of_points_cover_no_other_name():
    (plot,) = view(board()).plots
    svg = pareto(plot._replace(points=[point(f"system-{i}", 3, 30) for i in range(9)]))
    # There are six places around a point.
    assert 1 <= svg.count(">system-") <= 6


def test_at_most_forty_points_are_drawn_and_the_others_counted():
    about = replace(PUZZLES, measures=(COST,))
    found = pages(*(header(f"s{i:02}", 50 - i / 2, 1) for i in range(MOST_POINTS + 3)), about=about)
    (plot,) = view(found).plots
    assert (len(plot.points), plot.more) == (MOST_POINTS, 3)
    assert "Not drawn: 3 more." in shown(found)


def test_a_category_below_the_baseline_says_so_in_words_too():
    # first 30, second 20, guess blank in the hard ones: no baseline, so no cell is below it.
    table = view(board()).parts
    assert table is not None
    assert table.heads == [("Easy ones", "38"), ("Hard ones", "12")]
    assert [(row.name, [cell.text for cell in cells]) for row, cells in table.lines] == [
        ("first", ["25.0", "30.0"]),
        ("second", ["25.0", "20.0"]),
        ("guess", ["25.0", "–"]),
    ]
    below = board(parts=lambda row: [Part("all", "All", "50", row.value if row.baseline else 10.0)])
    assert "first ↓ below guess: 10.0" in shown(below)


def test_a_shade_is_a_sixth_of_the_scale():
    values = {"first": 50.0, "second": 24.9, "guess": 0.0}
    found = board(parts=lambda row: [Part("all", "All", "", values[row.name])])
    table = view(found).parts
    assert table is not None
    # 50 of 50 is the darkest of 0 to 5; 24.9 / 50 × 6 = 2.988.
    assert [cells[0].heat for _, cells in table.lines] == [5, 2, 0]


def test_imported_results_have_rows_of_their_own_if_systems_were_run_here_too():
    about = replace(ABOUT, imports=True)
    both = pages(header("ours", 40, 5), header("theirs", 30, 1, unranked=ELSEWHERE), about=about)
    assert [(group.title, [row.name for row in group.rows]) for group in view(both).groups] == [
        ("Run here", ["ours"]),
        ("Imported", ["theirs"]),
    ]
    alone = pages(header("theirs", 30, 1, unranked=ELSEWHERE), header("guess", 20, 1), about=about)
    assert [(group.title, [row.name for row in group.rows]) for group in view(alone).groups] == [
        ("", ["theirs", "guess"])
    ]


def test_baselines_are_listed_by_value_if_the_track_says_so():
    rows = (header("first", 40, 5), header("guess", 30, 2), header("second", 20, 5))
    plain = pages(*rows, about=ABOUT)
    assert [row.name for row in view(plain).rows] == ["first", "second", "guess"]
    assert [row.name for row in view(pages(*rows, about=replace(ABOUT, interleaved=True))).rows] == [
        "first",
        "guess",
        "second",
    ]


def test_a_column_without_a_value_is_absent_if_it_is_optional():
    blank = Column("Blank", lambda _row: "–", optional=True)
    kept = Column("Kept", lambda _row: "–")
    found = board(columns=(blank, kept))
    assert [column.heading for _, column in view(found).columns] == ["Kept"]
    assert "Kept" in shown(found)
    assert "Blank" not in shown(found)


def test_the_data_of_the_script_has_every_metric_and_category_as_the_page_writes_them():
    value = json.loads(board()["api/v1/puzzles/easy/view.json"].data or b"")
    assert [one["key"] for one in value["metrics"]] == ["solved", "cost"]
    assert value["rows"]["first-1"] == {
        "solved": [40, 35, 45, "40.0", "[35.0, 45.0]"],
        "cost": [4, None, None, "4.00", ""],
        "part:easy_ones": [25, None, None, "25.0", ""],
        "part:hard_ones": [30, None, None, "30.0", ""],
    }


def test_the_tray_has_an_answer_for_each_pair():
    value = json.loads(board()["api/v1/puzzles/easy/pairs.json"].data or b"")
    assert value["receipts"] == ["first-1", "second-1", "guess-1"]
    first = value["pairs"][0]
    # Differences of a to d: 0, 1, 0, 1. Mean 0.5, s² = 1/3, s/√4 = 0.288675, t(3) = 3.182446: 0.5 ± 0.918693.
    assert (first["first"], first["second"], first["delta"]) == ("first-1", "second-1", 10)
    assert (round(first["low"], 6), round(first["high"], 6)) == (-0.418693, 1.418693)
    assert (first["wins"], first["losses"], first["ties"]) == (2, 0, 2)
    assert first["category"] == {"label": "Hard ones", "first": "30.0", "second": "20.0"}
    assert first["cost"] == {"label": "Cost", "first": "4.00", "second": "3.00"}
    # With the guess only the easy ones are common, and these do not differ.
    assert value["pairs"][1]["category"] is None


def test_the_widest_category_is_measured_on_its_own_scale():
    five = Metric("of five", 1, most=5)

    def scored(row: Row) -> list[Part]:
        high = row.name == "first"
        # 20 of 50 is 0.4 of the scale, 3 of 5 is 0.6.
        return [
            Part("a", "A", "", 40.0 if high else 20.0),
            Part("b", "B", "", 5.0 if high else 2.0, metric=five),
        ]

    value = json.loads(board(parts=scored)["api/v1/puzzles/easy/pairs.json"].data or b"")
    assert value["pairs"][0]["category"] == {"label": "B", "first": "5.0", "second": "2.0"}
    # A number of another scale than the headline's is no choice of the page.
    assert [key for key, _, _ in view(board(parts=scored)).parts_shown] == ["a"]


def test_an_older_version_has_no_boxes_and_an_archived_tag():
    found = pages(header("one", 40, 5), header("two", 30, 5), header("one", 30, 5, "2.0.0"), about=PUZZLES)
    old = Renderer({"puzzles": TRACK}).body(found["puzzles/easy/1.0.0/"])
    assert "Archived</span></h1>" in old
    assert 'class="pick"' not in old
    assert "data-tray" not in old


def test_one_system_has_a_table_and_neither_boxes_nor_a_scatter():
    html = Renderer({"puzzles": TRACK}).body(pages(header("one", 40, 5), about=ABOUT)["puzzles/easy/"])
    assert 'class="pick"' not in html
    assert "<figure" not in html


def test_an_empty_leaderboard_has_no_table():
    about = replace(ABOUT, expected=lambda _library: ("2.0.0", ["hard"]))
    html = Renderer({"puzzles": TRACK}).body(pages(header("one", 40, 5), about=about)["puzzles/hard/"])
    assert "<table" not in html
    assert "No results yet." in html


def test_rows_of_one_name_are_told_apart_by_their_version():
    first = header("same", 40, 5)
    assert first.summary is not None
    other = replace(
        header("other", 30, 5),
        summary=replace(first.summary, subject=replace(first.summary.subject, version="2"), row="two"),
    )
    found = pages(first, other, about=replace(PUZZLES, parts=parts))
    html = shown(found)
    assert "Select same 1" not in html  # the name of a box is an attribute
    assert "same 1 30.0 25.0" in html.replace("25.0 30.0", "30.0 25.0")
    table = (found["api/v1/puzzles/easy.md"].data or b"").decode()
    assert "| same (1) |" in table
    assert "| same (2) |" in table


@pytest.mark.parametrize(
    "name", ["\u202egnp.exe", "<script>alert(1)</script>", '"><img src=x>', "n" * 10_000]
)
def test_a_name_is_text_in_every_place_of_the_page(name: str):
    first = header("first", 40, 5)
    assert first.summary is not None
    named = replace(first, summary=replace(first.summary, subject=replace(first.summary.subject, name=name)))
    found = pages(named, header("guess", 20, 2), about=replace(ABOUT, compared=None))
    html = Renderer({"puzzles": TRACK}).body(found["puzzles/easy/"])
    for part in ("\u202e", "<script>", "<img"):
        assert part not in html
    # Row, box, plot, verification, scatter, categories: a long name is whole in the table alone.
    assert html.count("n" * 10_000) <= 10


def test_receipts_without_a_rank_alone_are_listed_with_their_reasons_and_make_no_table():
    found = pages(header("gone", 40, 5, unranked=("simulated",)), about=ABOUT)
    html = Renderer({"puzzles": TRACK}).body(found["puzzles/easy/"])
    assert "No receipt is ranked. Reasons are listed below." in html
    assert 'data-module="board"' not in html
    assert json.loads(found["api/v1/puzzles/easy/view.json"].data or b"")["rows"] == {}
