"""The filters of a leaderboard: offered where rows differ, and on the page for its script."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

from board.test_leaderboard import PUZZLES, header, pages

from benchsite.board import Facet
from benchsite.board.columns import STANDARD, offered
from benchsite.history import Verdict
from benchsite.site.render import Renderer


def facets_of(html: str) -> list[Any]:
    return [json.loads(unescape(found)) for found in re.findall(r'data-facets="([^"]*)"', html)]


def test_a_filter_is_offered_only_where_rows_differ():
    made = pages(header("first", 40, 5), header("second", 38, 5))["puzzles/easy/"].context["board"]
    assert offered(STANDARD, made.rows).labels == {}


def test_the_standard_filters_tell_rows_apart():
    made = pages(
        header("first", 40, 5),
        replace(header("second", 38, 5), ran_by="submitted a vendor"),
        header("third", 20, 5, registered=True, verdict=Verdict.SIGNED_ONLY),
        header("guess", 10, 5),
        about=replace(PUZZLES, baselines=("guess",)),
    )["puzzles/easy/"].context["board"]
    found = offered(STANDARD, made.rows)
    assert found.labels == {
        "type": "Type",
        "by": "Run by",
        "registered": "Pre-registered",
        "verdict": "Verdict",
    }
    said = {row.name: [*found.rows[row.header.receipt_id].values()] for row in made.rows}
    assert said == {
        "first": [["ranked"], ["this site"], ["no"], ["logged"]],
        "second": [["ranked"], ["submitter"], ["no"], ["logged"]],
        "third": [["ranked"], ["this site"], ["yes"], ["signed only"]],
        "guess": [["baseline"], ["this site"], ["no"], ["logged"]],
    }


def test_a_track_has_filters_of_its_own_and_their_text_is_no_markup():
    hostile = "'\"><script>\u202e" + "x" * 50
    about = replace(PUZZLES, facets=(Facet("sort-of", "Sort", lambda row: (row.name, hostile)),))
    page = pages(header("first", 40, 5), header("second", 38, 5), about=about)["puzzles/easy/"]
    html = Renderer({"puzzles": PUZZLES.track}).body(page)
    labels, first, second = facets_of(html)
    assert labels == {"sort-of": "Sort"}
    assert (first["sort-of"], second["sort-of"]) == (["first", hostile], ["second", hostile])
    assert "<script>" not in html


def test_a_baseline_that_was_not_run_is_one_of_the_baselines():
    about = replace(PUZZLES, baselines=("guess", "luck"))
    page = pages(header("first", 40, 5), header("guess", 10, 5), about=about)["puzzles/easy/"]
    assert facets_of(Renderer({"puzzles": PUZZLES.track}).body(page)) == [
        {"type": "Type"},
        {"type": ["ranked"]},
        {"type": ["baseline"]},
        {"type": ["baseline"]},
    ]
