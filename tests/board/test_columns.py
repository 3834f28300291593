"""The filters of a leaderboard: offered where rows differ, and on the page for its script."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

from board.test_leaderboard import PUZZLES, header, pages

from benchsite.board import Facet
from benchsite.board.columns import MOST_CHOICES, STANDARD, key_of, offered
from benchsite.history import Verdict
from benchsite.site.render import Renderer


def shown_of(page: Any) -> dict[str, list[tuple[str, int]]]:
    """The choices of each offered filter."""
    return {one.name: list(one.choices) for one in page.context["view"].facets.offered}


def facets_of(html: str) -> list[Any]:
    return [json.loads(unescape(found)) for found in re.findall(r'data-facets="([^"]*)"', html)]


def test_a_filter_is_offered_only_where_rows_differ():
    made = pages(header("first", 40, 5), header("second", 38, 5))["puzzles/easy/"].context["board"]
    assert offered(STANDARD, made.rows).offered == []


def test_the_standard_filters_count_systems_and_no_baseline():
    made = pages(
        header("first", 40, 5),
        replace(header("second", 38, 5), ran_by="submitted a vendor"),
        header("third", 20, 5, registered=True, verdict=Verdict.SIGNED_ONLY),
        header("guess", 10, 5),
        about=replace(PUZZLES, baselines=("guess",)),
    )["puzzles/easy/"].context["board"]
    found = offered(STANDARD, made.rows)
    assert [(one.label, list(one.choices)) for one in found.offered] == [
        ("Run by", [("a vendor", 1), ("this site", 2)]),
        ("Pre-registered", [("no", 2), ("yes", 1)]),
        ("Verdict", [("logged", 2), ("signed only", 1)]),
    ]
    assert found.rows == {
        "first-1": {"by": ["this site"], "registered": ["no"], "verdict": ["logged"]},
        "second-1": {"by": ["a vendor"], "registered": ["no"], "verdict": ["logged"]},
        "third-1": {"by": ["this site"], "registered": ["yes"], "verdict": ["signed only"]},
    }


def test_where_imported_results_are_ranked_both_origins_are_offered_even_if_one_has_no_row():
    elsewhere = ("origin import: measured elsewhere, scored here",)
    about = replace(PUZZLES, imports=True)
    page = pages(header("theirs", 45, 1, unranked=elsewhere), about=about)["puzzles/easy/"]
    assert shown_of(page) == {"origin": [("imported", 1), ("run here", 0)]}


def test_of_many_values_the_commonest_are_offered_and_none_shadows_a_part_of_the_address():
    several = Facet("sort-of", "Sort", lambda row: (row.name, "common"))
    hidden = Facet("pick", "Pick", lambda row: (row.name,))
    about = replace(PUZZLES, facets=(several, hidden))
    page = pages(*(header(f"s{i:02}", 40 - i, 5) for i in range(20)), about=about)["puzzles/easy/"]
    (found,) = shown_of(page).items()
    assert found[0] == "sort-of"
    assert len(found[1]) == MOST_CHOICES
    assert ("common", 20) in found[1]


def test_a_track_has_filters_of_its_own_and_their_text_is_no_markup():
    hostile = "'\"><script>\u202e" + "x" * 50
    about = replace(PUZZLES, facets=(Facet("sort-of", "Sort", lambda row: (row.name, hostile)),))
    page = pages(header("first", 40, 5), header("second", 38, 5), about=about)["puzzles/easy/"]
    html = Renderer({"puzzles": PUZZLES.track}).body(page)
    first, second = facets_of(html)
    assert (first["sort-of"], second["sort-of"]) == (["first", hostile], ["second", hostile])
    assert "<script>" not in html
    assert "\u202e" not in html


def test_a_column_has_a_word_for_the_address():
    assert [key_of(text) for text in ("Hit rate@10", "pass^3", "Δ", "Cost per run (USD)")] == [
        "hit-rate-10",
        "pass-3",
        "column",
        "cost-per-run-usd",
    ]
