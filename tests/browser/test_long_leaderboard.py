"""A leaderboard of several pages: what is said of a page's rows, and all rows on one page, sorted and filtered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agents_record import AgentsRecord
from browser.conftest import write_site
from browser.host import hosting

from benchsite.tracks.agents import TRACK

pytestmark = [pytest.mark.browser, pytest.mark.stories]

BOARD = "agents/desk/"
SYSTEMS = 42
Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    record = AgentsRecord(count=84, passive=4)
    record.run("null", "ssss" + "f" * 80)
    for place in range(SYSTEMS):
        solved = 80 - place
        # The last two systems are the only harmful ones.
        record.run(f"s{place:02}", "s" * solved + ("h" if place > 39 else "f") * (84 - solved))
    folder = tmp_path_factory.mktemp("long")
    write_site(record, folder, root, track=TRACK)
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with hosting(site) as host:
        yield host.address


def names(page: Any) -> list[str]:
    found: list[str] = page.locator(".leaderboard tbody tr:visible .what b").all_inner_texts()
    return found


def test_a_page_says_which_rows_its_controls_are_of_and_shows_all_on_request(visit: Visit) -> None:
    page = visit(f"{BOARD}?sort=harmful&order=desc")
    assert page.locator(".sheet").inner_text() == (
        "This page has 40 of 42 systems. Filters, sorting and metrics are of these rows. Show all rows"
    )
    assert "s41" not in names(page)
    page.get_by_text("Show all rows").click()
    page.wait_for_selector("text=All rows are on this page.")
    assert page.url.endswith("?rows=all&sort=harmful&order=desc")
    assert names(page)[:2] == ["s41", "s40"]
    page.locator("[data-control=q]").fill("s4")
    assert names(page) == ["s41", "s40"]
    # Links of rows that came from the other page lead to their receipts.
    page.locator(".what a", has_text="s41").click()
    assert page.locator("h1").inner_text().startswith("s41")


@pytest.mark.full
def test_all_rows_keep_the_order_of_the_ranks_and_can_be_picked(visit: Visit) -> None:
    page = visit(f"{BOARD}?rows=all")
    page.wait_for_selector("text=All rows are on this page.")
    assert names(page) == [*(f"s{place:02}" for place in range(SYSTEMS)), "does nothing"]
    for name in ("s00", "s41"):
        page.locator("tr", has_text=name).locator(".pick input").check()
    page.wait_for_selector("[data-tray] >> text=Compare")
    # Answers without a click are of the 12 best rows.
    assert "s00 − s41" in page.locator("[data-tray]").inner_text()


@pytest.mark.full
def test_a_further_page_leads_to_all_rows_and_an_unknown_request_is_ignored(visit: Visit) -> None:
    page = visit(f"{BOARD}rows/2/?rows=<script>")
    assert names(page) == ["s40", "s41", "does nothing"]
    page.get_by_text("Show all rows").click()
    page.wait_for_selector("text=All rows are on this page.")
    assert len(names(page)) == SYSTEMS + 1


def test_without_script_no_page_promises_controls(visit: Visit) -> None:
    page = visit(BOARD, java_script_enabled=False)
    assert page.locator(".sheet").is_hidden()
    assert page.get_by_text("Page 1 of 2, best rows first").is_visible()
