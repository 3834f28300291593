"""A leaderboard as an instrument: another metric, filters with counts, the tray, scatters, phones, and its address."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agents_record import AgentsRecord
from browser.conftest import write_site
from browser.host import hosting
from examples import some

from benchsite.tracks.agents import TRACK

pytestmark = [pytest.mark.browser, pytest.mark.stories]

BOARD = "agents/desk/"
PHONE = {"viewport": {"width": 390, "height": 844}}
Visit = Callable[..., Any]
#           calendar (the first 20 tasks) | email; doing nothing succeeds on the first four
NULL = "ssss" + "f" * 36
ALPHA = "s" * 30 + "f" * 10
BETA = "s" * 10 + "h" * 20 + "f" * 10
GAMMA = "f" * 18 + "s" * 2 + "f" * 20


@pytest.fixture(scope="module")
def record() -> AgentsRecord:
    made = AgentsRecord(count=40, passive=4)
    made.run("null", NULL)
    made.run("alpha", ALPHA, origin="import")
    made.run("beta", BETA, origin="import")
    made.run("ours", GAMMA)
    return made


@pytest.fixture(scope="module")
def site(record: AgentsRecord, tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    folder = tmp_path_factory.mktemp("leaderboard")
    write_site(record, folder, root, track=TRACK)
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with hosting(site) as host:
        yield host.address


def names(page: Any) -> list[str]:
    found: list[str] = page.locator(".leaderboard tbody tr:visible .what b").all_inner_texts()
    return found


def shown(place: Any) -> str:
    """The first number of `place`, without its interval."""
    found: str = place.locator("td.value").first.evaluate("it => it.firstChild.textContent")
    return found


def chip(page: Any, facet: str, value: str) -> Any:
    return page.locator(f'[data-facet="{facet}"] [data-value="{value}"]')


def picked(page: Any, name: str) -> Any:
    return page.locator("tr", has=page.locator(f'.what a:text-is("{name}")')).locator(".pick input")


def test_filters_have_counts_and_stay_in_the_address(visit: Visit) -> None:
    page = visit(BOARD)
    assert names(page) == ["does nothing", "ours", "alpha", "beta"]
    assert chip(page, "origin", "imported").inner_text() == "imported 2"
    assert chip(page, "origin", "run here").inner_text() == "run here 1"
    chip(page, "origin", "imported").click()
    # Baselines have their own control.
    assert names(page) == ["does nothing", "alpha", "beta"]
    page.get_by_label("Baselines").select_option("none")
    assert names(page) == ["alpha", "beta"]
    assert page.locator("[data-said]").inner_text() == "2 of 4 rows shown"
    opened = visit(f"{BOARD}?{page.url.partition('?')[2]}")
    assert names(opened) == ["alpha", "beta"]
    assert chip(opened, "origin", "imported").get_attribute("aria-pressed") == "true"
    chip(opened, "origin", "run here").click()
    chip(opened, "origin", "imported").click()
    assert names(opened) == ["ours"]
    chip(opened, "origin", "run here").click()
    assert "origin" not in opened.url


def test_the_tray_answers_before_a_click_with_the_numbers_of_the_comparison(
    visit: Visit, site: Path, record: AgentsRecord
) -> None:
    page = visit(BOARD)
    tray = page.locator("[data-tray]")
    assert tray.inner_text() == "Select two to five rows to compare them."
    picked(page, "alpha").check()
    assert "alpha selected" in tray.inner_text()
    picked(page, "beta").check()
    # alpha alone is right on 20 of 40 tasks: Δ = 50 pt, s² = 10/39, s/√40 = 0.080064, t(39) = 2.022691: ± 16.2 pt.
    page.wait_for_selector("text=+50.0 pt, 95% CI [+33.8, +66.2], unadjusted p < 0.001")
    # beta is harmful on 20 of 40. Of the 20 calendar tasks alpha solves all and beta 10, of the e-mails 10 and none: 50 pt each.
    assert "20 wins, 0 losses, 20 ties · harmful 0.0% and 50.0%" in tray.inner_text()
    ids = [blob.path.rpartition("/")[2].removesuffix(".json") for blob in record.blobs]
    link = tray.get_by_role("link", name="Compare").get_attribute("href")
    assert link.endswith(f"compare/?a={ids[1]}&b={ids[2]}")
    found = json.loads((site / "sub/api/v1/agents/desk/comparison.json").read_text())["pairs"]
    (pair,) = [one for one in found if (one["first"], one["second"]) == (ids[1], ids[2])]
    assert all(words in tray.inner_text() for words in pair["shown"].values())
    opened = visit(f"{BOARD}?{page.url.partition('?')[2]}")
    opened.wait_for_selector("text=+50.0 pt, 95% CI [+33.8, +66.2], unadjusted p < 0.001")
    picked(opened, "ours").check()
    opened.wait_for_selector("text=3 selected")
    # The first row of the page comes first: ours is run here, so it is above alpha.
    assert "ours − alpha" in opened.locator("[data-tray]").inner_text()
    opened.get_by_role("button", name="Clear").click()
    assert opened.locator("[data-tray]").inner_text() == "Select two to five rows to compare them."
    assert "pick" not in opened.url
    opened.keyboard.press("Space")
    assert opened.locator(".pick input:checked").count() == 1


def against(page: Any, name: str) -> list[str]:
    """What a row says of the reference baseline: difference, p and words."""
    row = page.locator("tr", has_text=name)
    place = page.locator("thead th").evaluate_all("all => all.findIndex(it => it.dataset.key === 'delta')")
    cell = row.locator("td").nth(place)
    return [
        *cell.evaluate("it => [...it.childNodes].map(one => one.textContent)"),
        row.locator(".test").inner_text(),
    ]


def test_another_metric_or_category_orders_the_rows_and_is_tested(visit: Visit) -> None:
    page = visit(BOARD)
    # alpha solves 30 of 40, four of them as doing nothing does: McNemar, 26 wins and no loss.
    assert against(page, "alpha") == ["+65.0 pt", "p < 0.001", "better than doing nothing"]
    page.get_by_label("Metric").select_option("harmful")
    page.wait_for_selector("th.value:has-text('Harmful')")
    page.wait_for_selector("text=worse than doing nothing")
    assert against(page, "beta") == ["+50.0 pt", "p < 0.001", "worse than doing nothing"]
    assert against(page, "alpha") == ["+0.0 pt", "p = 1.000", "not better than doing nothing"]
    heads = [
        " ".join(page.locator(f"thead th{one}").inner_text().split())
        for one in (".test", "[data-key=delta]", ".rank")
    ]
    assert heads == ["Test Harmful", "Δ doing nothing Harmful, unadjusted p", "Rank by Success"]
    # Less is better; alpha, ours and doing nothing are never harmful.
    assert names(page)[-1] == "beta"
    assert shown(page.locator("tr", has_text="beta")) == "50.0%"
    # A phone has the scale above the rows; 20 of 40 has a Wilson interval up to 64.8%.
    assert page.locator(".axis-words").text_content() == "95% CI, 0–70%; dashed: doing nothing"
    page.get_by_label("Tasks").select_option("email")
    page.wait_for_selector("th.value:has-text('Email 20')")
    # The last 20 tasks: alpha solves ten.
    assert [names(page)[0], shown(page)] == ["alpha", "50.0%"]
    assert page.get_by_label("Metric").input_value() == "success"
    # Doing nothing solves none of these: 2 ÷ 2^10.
    page.wait_for_selector("text=p = 0.002")
    assert against(page, "alpha") == ["+50.0 pt", "p = 0.002", "better than doing nothing"]
    assert page.locator("th.test").inner_text().split() == ["Test", "Email", "20"]
    opened = visit(f"{BOARD}?tasks=email")
    opened.wait_for_selector("th.value:has-text('Email 20')")
    opened.get_by_label("Tasks").select_option("")
    assert names(opened) == ["does nothing", "ours", "alpha", "beta"]
    assert shown(opened.locator("tr", has_text="alpha")) == "75.0%"
    assert "tasks" not in opened.url
    assert against(opened, "alpha") == ["+65.0 pt", "p < 0.001", "better than doing nothing"]
    assert opened.locator("thead .rank").inner_text() == "Rank"


@pytest.mark.full
def test_a_phone_does_not_show_ranks_by_another_metric(visit: Visit) -> None:
    page = visit(f"{BOARD}?metric=harmful", **PHONE)
    page.wait_for_selector("text=worse than doing nothing")
    # The head that says what ranks are by isn't shown there.
    assert page.locator("td.rank span:visible").count() == 0


@pytest.mark.full
def test_the_sort_control_of_a_phone_names_what_orders_the_rows(visit: Visit) -> None:
    page = visit(f"{BOARD}?metric=harmful", **PHONE)
    page.wait_for_selector("th.value:has-text('Harmful')", state="attached")
    said = "it => it.selectedOptions[0].textContent"
    order = page.locator("[data-control=sort]")
    assert order.evaluate(said) == "Harmful"
    assert names(page)[-1] == "beta"
    order.select_option("rank")
    assert order.evaluate(said) == "Rank"
    assert names(page)[-1] == "does nothing"
    page.get_by_label("Metric").select_option("success")
    page.get_by_label("Tasks").select_option("email")
    page.wait_for_selector("th.value:has-text('Email 20')", state="attached")
    order.select_option("")
    assert order.evaluate(said) == "Email 20"
    page.get_by_label("Tasks").select_option("")
    assert order.evaluate(said) == "Rank"
    choices = order.evaluate("it => [...it.options].filter(one => !one.hidden).map(one => one.textContent)")
    assert choices[:3] == ["Rank", "System", "Success"]


@pytest.mark.full
def test_a_scatter_has_another_axis_by_a_click_and_by_the_address(visit: Visit) -> None:
    page = visit(BOARD)
    figures = page.locator("figure[data-plot]")
    assert figures.evaluate_all("all => all.filter(it => !it.hidden).map(it => it.dataset.plot)") == [
        "harmful"
    ]
    page.locator('[data-x="success"]').click()
    assert page.locator('figure[data-plot="success"] .ci').count() >= 8
    assert page.locator(".plots h2").inner_text() == "Action needed and success"
    opened = visit(f"{BOARD}?{page.url.partition('?')[2]}")
    assert opened.locator('figure[data-plot="success"]').is_visible()
    assert opened.locator('figure[data-plot="harmful"]').is_hidden()


def test_a_row_of_a_phone_is_three_lines_and_nothing_scrolls_sideways(visit: Visit) -> None:
    for script in (True, False):
        page = visit(BOARD, java_script_enabled=script, **PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert (
            page.evaluate(
                "[...document.querySelectorAll('.scroll')].filter(it => it.scrollWidth > it.clientWidth).length"
            )
            == 0
        )
        row = page.locator("tr", has_text="beta").first
        box = row.bounding_box()
        parts = {
            name: row.locator(f".{name}").first.bounding_box() for name in ("what", "value", "dots", "test")
        }
        assert parts["what"]["y"] < parts["dots"]["y"] < parts["test"]["y"]
        assert parts["value"]["x"] + parts["value"]["width"] <= 390
        assert parts["dots"]["width"] > 300
        assert box["height"] < 150
        assert "harmful" in row.locator(".third").first.evaluate(
            "it => getComputedStyle(it, '::before').content"
        )


def test_the_list_under_the_picture_fits_a_phone(visit: Visit, record: AgentsRecord) -> None:
    alpha, beta = (blob.path.rpartition("/")[2].removesuffix(".json") for blob in record.blobs[1:3])
    page = visit(f"{BOARD}tasks/?solved=differ&a={alpha}&b={beta}", **PHONE)
    row = page.locator(".selected tbody tr").first
    row.wait_for()
    wide = "[...document.querySelectorAll('.scroll')].filter(it => it.scrollWidth > it.clientWidth).length"
    assert [page.evaluate("document.documentElement.scrollWidth"), page.evaluate(wide)] == [390, 0]
    assert row.locator("[data-phone]").evaluate_all("all => all.map(it => it.dataset.phone)") == [
        "alpha (model invented-1):",
        "beta (model invented-1):",
    ]


def test_the_controls_of_a_phone_are_behind_one_button(visit: Visit) -> None:
    page = visit(f"{BOARD}?origin=imported", **PHONE)
    button = page.locator("[data-control=filters]")
    assert button.inner_text() == "Filters 1"
    assert chip(page, "origin", "imported").is_hidden()
    button.click()
    chip(page, "origin", "imported").click()
    assert button.inner_text() == "Filters"
    page.locator("[data-control=sort]").select_option("harmful")
    assert names(page)[0] == "beta"
    assert "sort=harmful&order=desc" in page.url


@pytest.mark.parametrize("width", some([1280, 390], gate=1))
@pytest.mark.parametrize("state", ["", "?pick={0},{1}&metric=harmful&origin=imported"])
def test_nothing_moves_while_the_page_loads(
    visit: Visit, record: AgentsRecord, width: int, state: str
) -> None:
    ids = [blob.path.rpartition("/")[2].removesuffix(".json") for blob in record.blobs[1:3]]
    page = visit(BOARD + state.format(*ids), viewport={"width": width, "height": 844})
    if state:
        page.wait_for_selector("text=2 selected")
    moved = page.evaluate(
        """new Promise(done => new PerformanceObserver(list => done(list.getEntries()
           .reduce((sum, one) => sum + one.value, 0))).observe({type: 'layout-shift', buffered: true})
           || setTimeout(() => done(0), 300))"""
    )
    assert moved <= 0.1


def test_the_page_is_light(visit: Visit, site: Path) -> None:
    page = visit(BOARD)
    assert page.evaluate("document.querySelectorAll('*').length") < 3_000
    html = (site / "sub" / BOARD / "index.html").read_text()
    # A row has two links: its receipt, and its verification.
    rows = re.findall(r"<tr data-id=.*?</tr>", html, re.DOTALL)
    assert len(rows) == 4
    assert all(row.count("<a ") == 2 for row in rows)
