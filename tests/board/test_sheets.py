"""A long leaderboard on several pages: nothing is lost, and no page outgrows a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from boards import text_of
from puzzles import PUZZLES, TRACK, header, pages

from benchsite.board import Part
from benchsite.site.render import Renderer
from benchsite.track import Page


def names(page: Page) -> list[str]:
    return [row.name for row in page.context["view"].rows]


def long(count: int, **changes: Any) -> dict[str, Page]:
    about = replace(PUZZLES, baselines=("guess",), **changes)
    systems = [header(f"s{place:03}", 50 - place / 100, 1) for place in range(count)]
    return pages(*systems, header("guess", 20, 2), about=about)


def test_a_leaderboard_of_forty_systems_is_one_page():
    found = long(40)
    assert len(names(found["puzzles/easy/"])) == 41
    assert not any("rows/" in path for path in found)


def test_a_thousand_systems_are_on_pages_of_forty_each_with_the_baseline():
    found = long(1_000)
    every = [found["puzzles/easy/"], *(found[f"puzzles/easy/rows/{number}/"] for number in range(2, 26))]
    assert "puzzles/easy/rows/26/" not in found
    assert [len(names(page)) for page in every] == [41] * 25
    listed = [name for page in every for name in names(page) if name != "guess"]
    assert listed == [f"s{place:03}" for place in range(1_000)]
    assert len({page.title for page in every}) == 25
    html = Renderer({"puzzles": TRACK}).body(every[1])
    assert "Page 2 of 25, best rows first; every page has the baselines. 1 2 3" in text_of(html)
    assert len(re.findall(r"<[a-z]", html)) < 2_800


def test_categories_are_those_of_the_rows_of_a_page():
    wide = long(31, parts=lambda _row: [Part(f"p{place}", f"P{place}", "9", 25.0) for place in range(10)])
    pages_of = [wide["puzzles/easy/"], wide["puzzles/easy/rows/2/"]]
    # 1,900 ÷ (32 + 3 × 10): 30 systems and the baseline.
    assert [len(page.context["view"].parts.lines) for page in pages_of] == [31, 2]
