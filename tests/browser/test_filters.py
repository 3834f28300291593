"""Filters of tables, by pointer and keyboard: what stays, what is announced, and the address that others can open."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples import some

pytestmark = pytest.mark.browser

BOARD = "retrieval/sample-notes-v1/"
ROWS = "table.board tbody tr:visible"
Visit = Callable[..., Any]


def named(page: Any) -> list[str]:
    found: list[str] = page.locator(f"{ROWS} .what b").all_inner_texts()
    return found


def box(page: Any, column: str) -> Any:
    """The check box of a column."""
    return page.locator(".columns label", has_text=column).locator("input")


@pytest.mark.smoke
def test_baselines_can_be_hidden_and_the_address_says_so(visit: Visit):
    page = visit(BOARD)
    everything = named(page)
    systems = [name for name in everything if not name.endswith("baseline")]
    assert 0 < len(systems) < len(everything)
    page.get_by_label("Baselines").select_option("none")
    assert named(page) == systems
    assert page.locator("[data-said]").inner_text() == f"{len(systems)} of {len(everything)} rows shown"
    assert "baselines=none" in page.url
    page.reload(wait_until="networkidle")
    assert (page.get_by_label("Baselines").input_value(), named(page)) == ("none", systems)
    page.get_by_label("Baselines").select_option("reference")
    assert named(page) == [*systems, "BM25 baseline"]
    page.get_by_label("Baselines").select_option("")
    assert "baselines=" not in page.url
    assert named(page) == everything


@pytest.mark.full
def test_a_metric_without_values_by_query_is_not_tested(visit: Visit) -> None:
    page = visit(f"{BOARD}?metric=latency_p95_ms")
    page.wait_for_selector("th.test:has-text('not tested: Latency p95')")
    heads = page.locator("thead th").evaluate_all("all => all.map(it => it.dataset.key)")
    row = page.locator("table.board tr[data-id]:not(.baseline-row)").first
    delta = row.locator(f"td:nth-child({heads.index('delta') + 1})")
    assert [delta.inner_text(), row.locator(".test").inner_text()] == ["–", ""]
    page.get_by_label("Metric").select_option("ndcg_at_10")
    assert re.fullmatch(r"[+−]0\.\d{3} p [=<] 0\.\d{3}", " ".join(delta.inner_text().split()))
    assert row.locator(".test").inner_text() != ""


def test_a_filter_works_by_keyboard_alone(visit: Visit):
    page = visit(BOARD)
    page.get_by_label("Baselines").focus()
    page.keyboard.press("n")
    assert page.get_by_label("Baselines").input_value() == "none"
    assert not any(name.endswith("baseline") for name in named(page))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert box(page, "Runs").is_visible()
    page.keyboard.press("Escape")
    assert box(page, "Runs").is_hidden()
    assert page.evaluate("document.activeElement.localName") == "summary"


@pytest.mark.parametrize(
    "state",
    some(
        [
            "baselines=%3Cscript%3E&hide=99,x,-1&toString=a&show=%22%3E&sort=__proto__&order=desc",
            "metric=constructor&tasks=../../etc&x=javascript:alert(1)&pick=%3Cimg%20src=x%3E,,,&q=",
            "pick=00000000-0000-4000-8000-000000000000&origin=imported&tools=domain&sort=success",
        ],
        gate=1,
    ),
)
def test_an_address_with_unknown_values_shows_the_leaderboard_as_it_is(visit: Visit, state: str):
    plain = visit(BOARD)
    everything = named(plain)
    page = visit(f"{BOARD}?{state}")
    assert named(page) == everything
    assert page.get_by_label("Baselines").input_value() == ""
    assert (
        page.locator("thead th:visible").all_inner_texts()
        == plain.locator("thead th:visible").all_inner_texts()
    )
    assert page.locator("[data-tray]").inner_text() == "Select two to five rows to compare them."


def test_a_column_can_be_hidden_and_stays_so_for_who_opens_the_address(visit: Visit):
    page = visit(BOARD)
    summary = page.locator("summary", has_text="Columns")
    assert summary.inner_text() == "Columns 9 of 12"
    summary.click()
    # The name of a column and its gloss are two words: "Δ BM25", not "Δ BM25adjusted p".
    assert [text.strip() for text in page.locator(".columns label").all_inner_texts()] == [
        "Plot",
        "Hit rate@10",
        "Latency p95",
        "Runs",
        "Δ leader",
        "Δ BM25",
        "Test",
    ]
    box(page, "Hit rate@10").uncheck()
    box(page, "Runs").check()
    page.locator("h1").click()
    assert box(page, "Hit rate@10").is_hidden()
    assert page.locator("thead th", has_text="Hit rate").is_hidden()
    assert "hide=hit-rate-10&show=runs" in page.url
    opened = visit(f"{BOARD}?{page.url.partition('?')[2]}")
    assert opened.locator("thead th", has_text="Hit rate").is_hidden()
    assert opened.locator("thead th", has_text="Runs").is_visible()
    assert opened.locator("table.board thead th", has_text="Receipt").is_visible()
    headings = opened.locator("table.board thead th:visible").count()
    for row in opened.locator("table.board tbody tr").all():
        assert row.locator("td:visible").count() == headings


@pytest.mark.full
def test_receipts_and_entries_keep_their_filter_in_the_address(visit: Visit):
    page = visit("receipts/?verdict=retracted")
    page.wait_for_selector("text=1 to 1 of 1 receipts")
    assert "retracted" in page.locator("table.board tbody").inner_text()
    log = visit("log/")
    log.get_by_label("Kind").select_option("key")
    kinds = set(log.locator("[data-module=log] tbody tr:visible td:nth-child(2)").all_inner_texts())
    assert (len(kinds), "kind=key" in log.url) == (1, True)


@pytest.mark.full
def test_receipts_are_filtered_by_the_month_of_their_run(visit: Visit):
    page = visit("receipts/")
    month = page.get_by_label("Run month")
    assert month.locator("option").all_inner_texts() == ["all", "2026-10", "2026-11"]
    month.select_option("2026-10")
    assert page.locator("table.board tbody .what b").all_inner_texts() == ["gone"]
    opened = visit(f"receipts/?{page.url.partition('?')[2]}")
    assert opened.get_by_label("Run month").input_value() == "2026-10"
    assert opened.locator("table.board tbody tr").count() == 1


def test_without_script_the_log_shows_its_entries_before_the_keys(visit: Visit):
    page = visit("log/", java_script_enabled=False)
    order = page.locator("main h2").all_inner_texts()
    assert order.index("Entries") < order.index("Checkpoint") < order.index("Keys")
    assert page.locator("select").count() == 0


def test_the_verify_page_has_the_header_of_the_site(visit: Visit):
    site = visit("receipts/").locator(".top nav a:visible").all_inner_texts()
    page = visit("verify.html")
    assert page.locator(".top nav > *").all_inner_texts() == site
    assert page.locator(".top nav [aria-current]").inner_text() == "Verify"
    page.get_by_role("link", name="Log", exact=True).click()
    assert page.url.endswith("/sub/log/")


def test_the_footer_of_the_verify_page_links_only_where_the_site_is(visit: Visit, site: Path):
    told = (
        "sample · Receipts · Methodology · Log · Repository · License · Atom feed · made with benchsite 1.2.3"
    )
    page = visit("verify.html")
    foot = page.locator("footer")
    assert foot.inner_text() == told
    at = [link.get_attribute("href") for link in foot.locator("a").all()]
    assert at == [
        "./receipts/",
        "./methodology/",
        "./log/",
        "https://code.invalid/lab/bench",
        "https://code.invalid/lab/bench/blob/HEAD/LICENSE",
        "./log/feed.xml",
    ]
    page.goto((site / "sub" / "verify.html").as_uri())
    page.wait_for_selector("body.ready")
    assert foot.inner_text() == "sample · made with benchsite 1.2.3"
    assert page.locator("footer a, header a").count() == 0
