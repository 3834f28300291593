"""Systems side by side: differences, intervals, tests and values by item, each checked by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from boards import text_of
from puzzles import PUZZLES, TRACK, header, pages

from benchsite.board.compare import MOST, SideBySide
from benchsite.board.matrix import Solved
from benchsite.site.render import Renderer
from benchsite.track import Page

ITEMS = {
    "first": {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0},
    "second": {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.5},
    "third": {"a": 0.0, "b": 0.0, "c": 0.0, "e": 1.0},
    "guess": {"a": 0.0, "b": 0.0, "c": 1.0, "d": 0.0},
}
"""Of each system its value for each item; the third ran another item than the others."""


def by_name(values: dict[float, str]) -> Any:
    """Find a body's system by its headline number: bodies of the invented track have no name."""
    return lambda document: ITEMS[values[document["scores"]["solved"]]]


def tried(*names: str, **changes: Any) -> dict[str, Page]:
    values = dict(zip(names, (37.5, 18.75, 12.5, 10.0), strict=False))
    about = replace(
        PUZZLES, tasks="puzzles", **{"compared": by_name({v: k for k, v in values.items()}), **changes}
    )
    return pages(*(header(name, value, 5) for name, value in values.items()), about=about)


def beside(found: dict[str, Page]) -> SideBySide:
    made: SideBySide = found["puzzles/easy/compare/"].context["board"].side_by_side
    return made


def test_a_pair_has_its_difference_interval_test_and_counts() -> None:
    (pair,) = beside(tried("first", "second")).pairs
    # Differences 0, 1, 0, 0.5: mean 0.375, s² = (0.140625 + 0.390625 + 0.140625 + 0.015625) / 3 = 0.229167,
    # s/√4 = 0.239357, t(3) = 3.182446: 0.375 ± 0.761740. The headline counts 50 puzzles: 37.5 − 18.75.
    assert pair.delta == 18.75
    assert pair.low == pytest.approx(-0.386740, abs=1e-6)
    assert pair.high == pytest.approx(1.136740, abs=1e-6)
    assert (pair.wins, pair.losses, pair.ties) == (2, 0, 2)
    # Of 16 sign assignments 8 have an absolute sum of at least 1.5: those in which b and d have the same sign.
    assert pair.p is not None
    assert 0.45 < pair.p < 0.55
    assert pair.tied is True


def test_the_other_order_has_the_opposite_signs_and_the_same_test() -> None:
    (pair,) = beside(tried("first", "second")).pairs
    other = pair.reversed
    assert other.ids == ("second-1", "first-1")
    assert (other.delta, other.low, other.high) == (-18.75, -(pair.high or 0), -(pair.low or 0))
    assert (other.wins, other.losses, other.ties, other.p) == (0, 2, 2, pair.p)
    assert other.reversed == pair


def test_systems_that_ran_other_items_are_no_pair() -> None:
    found = beside(tried("first", "second", "third"))
    assert [pair.ids for pair in found.pairs] == [("first-1", "second-1")]
    assert found.matrix.items == ("a", "b", "c", "d", "e")
    assert found.matrix.values == (
        (1.0, 1.0, 0.0, 1.0, None),
        (1.0, 0.0, 0.0, 0.5, None),
        (0.0, 0.0, 0.0, None, 1.0),
    )


def test_items_are_counted_by_how_many_systems_solve_them_without_baselines() -> None:
    found = beside(tried("first", "second", "guess", baselines=("guess",)))
    # a: both; b: the first alone; c: the baseline alone, so none of the two; d: both.
    assert found.matrix.solved == Solved(systems=2, items=4, none=1, one=1, all=2)
    alone = beside(tried("first", "guess", baselines=("guess",)))
    assert alone.matrix.solved is None


def test_an_item_that_a_system_did_not_run_is_not_counted() -> None:
    found = beside(tried("first", "second", "third"))
    # Of a, b and c, which all three ran: a by two, b by one, c by none.
    assert found.matrix.solved == Solved(systems=3, items=3, none=1, one=1, all=0)


def test_without_a_paired_test_two_intervals_are_compared() -> None:
    by = by_name({37.5: "first", 18.75: "second", 12.5: "guess"})
    about = replace(PUZZLES, items=by, item_noun="parts")
    made = pages(header("first", 37.5, 5), header("second", 18.75, 5), header("guess", 12.5, 3), about=about)
    found = beside(made)
    # 32.5–42.5, 13.75–23.75 and 9.5–15.5: the last two overlap.
    assert [(pair.ids[0], pair.ids[1], pair.tied) for pair in found.pairs] == [
        ("first-1", "second-1", False),
        ("first-1", "guess-1", False),
        ("second-1", "guess-1", True),
    ]
    assert {(pair.low, pair.high, pair.p) for pair in found.pairs} == {(None, None, None)}
    text = text_of(Renderer({"puzzles": TRACK}).body(made["puzzles/easy/compare/"]))
    assert "first and second: Solved +18.8; the 95% CIs do not overlap." in text
    assert "Methodology 1.0.0 has no paired test." in text
    assert "Parts Scroll → Solver a b c d first 1 1.0 1.0 0.0 1.0" in text


def test_a_value_without_an_interval_is_not_compared_by_intervals() -> None:
    about = replace(PUZZLES, items=by_name({40.0: "first", 30.0: "second"}))
    (pair,) = beside(pages(header("one", 40, None), header("two", 30, 5), about=about)).pairs
    assert (pair.tied, pair.cells[2]) == (None, "–")


def test_the_data_has_every_value_and_every_pair_in_both_orders() -> None:
    found = tried("first", "second", solved="Puzzles solved")
    value = json.loads(found["api/v1/puzzles/easy/comparison.json"].data or b"")
    assert value["items"] == ["a", "b", "c", "d"]
    assert [(one["subject"], one["values"]) for one in value["systems"]] == [
        ("first", [1, 1, 0, 1]),
        ("second", [1, 0, 0, 0.5]),
    ]
    assert value["solved"] == {"systems": 2, "items": 4, "none": 1, "one": 1, "all": 2}
    assert [(one["first"], one["delta"]) for one in value["pairs"]] == [
        ("first-1", 18.75),
        ("second-1", -18.75),
    ]
    table = (found["api/v1/puzzles/easy/values.csv"].data or b"").decode()
    assert table.splitlines() == ["item,first-1,second-1", "a,1,1", "b,1,0", "c,0,0", "d,1,0.5"]


def test_the_page_compares_the_best_two_by_the_test_of_the_leaderboard() -> None:
    found = tried("first", "second", "guess", baselines=("guess",), solved="Puzzles solved")
    text = text_of(Renderer({"puzzles": TRACK}).body(found["puzzles/easy/compare/"]))
    (pair, *_) = beside(found).pairs
    # Of four items the mean difference is 0.375, as above; the page has the p-value of the leaderboard.
    said = f"No significant difference between first and second: Solved +0.4, 95% CI [−0.4, +1.1], unadjusted p = {pair.p:.3f}."
    assert said in text
    assert "✓ Comparable Same methodology 1.0.0; 4 of 4 puzzles are common." in text
    assert "Test: McNemar's exact test of 0 and 1, else a paired randomization test" in text.replace(
        "&#39;", "'"
    )
    board = Renderer({"puzzles": TRACK}).body(found["puzzles/easy/"])
    assert 'href="../../puzzles/easy/compare/">Compare</a>' in board


def test_systems_of_other_items_are_compared_on_those_they_share() -> None:
    about = replace(PUZZLES, tasks="puzzles", compared=by_name({37.5: "first", 18.75: "third"}))
    found = pages(header("first", 37.5, 5), header("third", 18.75, 5), about=about)
    text = text_of(Renderer({"puzzles": TRACK}).body(found["puzzles/easy/compare/"]))
    assert "△ Comparable, with differences Same methodology 1.0.0; 3 of 5 puzzles are common." in text
    # a, b and c: differences 1, 1, 0; wins 2.
    assert "2 / 0 / 1" in text


def test_at_most_twelve_systems_are_side_by_side() -> None:
    about = replace(PUZZLES, items=lambda _document: {"a": 1.0})
    found = beside(pages(*(header(f"s{i}", i, 5) for i in range(MOST + 1)), about=about))
    assert found.more
    assert [row.value for row in found.rows] == [*range(MOST, 0, -1)]
    assert len(found.pairs) == MOST * (MOST - 1) // 2


def test_an_older_version_and_a_track_without_items_have_no_comparison() -> None:
    about = replace(PUZZLES, items=lambda _document: {"a": 1.0})
    found = pages(header("one", 40, 5), header("one", 30, 5, "2.0.0"), about=about)
    assert [path for path in found if "compar" in path] == [
        "puzzles/easy/compare/",
        "api/v1/puzzles/easy/comparison.json",
    ]
    assert "api/v1/puzzles/easy/per-query.json" in found
    assert found["puzzles/easy/compare/"].context["board"].methodology == "2.0.0"
    assert not any("compar" in path for path in pages(header("one", 40, 5)))


def test_one_system_alone_has_a_page_that_says_what_is_missing() -> None:
    found = tried("first")
    text = text_of(Renderer({"puzzles": TRACK}).body(found["puzzles/easy/compare/"]))
    assert "A comparison needs two solvers with a value for the same puzzles." in text
    assert "Compare" not in text_of(Renderer({"puzzles": TRACK}).body(found["puzzles/easy/"]))
