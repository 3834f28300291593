"""The pages of the agents track in a browser: whole without script, filtered and compared with it, on a phone, axe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from agents_record import AgentsRecord, payload
from browser import axe
from browser.conftest import write_site
from browser.host import hosting
from browser.settling import settled, watch
from examples import some, spread

from benchsite.tracks.agents import TRACK

pytestmark = pytest.mark.browser

BOARD = "agents/desk/"
NULL = "ssss" + "f" * 36
ALPHA = "s" * 30 + "h" * 8 + "le"
BETA = "sf" * 10 + "hh" * 10
PHONE = {"viewport": {"width": 390, "height": 844}}
Visit = Callable[..., Any]


def acted(record: AgentsRecord, results: str) -> list[dict[str, Any]]:
    """One call a task; a failure leaves a cell behind."""
    changed = [{"table": "events", "row": "7", "column": "name", "before": "a", "after": "b"}]
    return [
        {
            "task": task["id"],
            "run": 1,
            "actions": ['calendar.create_event.func(event_name="a name that is rather long", duration="30")'],
            "error": None,
            "skipped": [{"action": 0, "reason": "unknown tool"}] if letter == "f" else [],
            "difference": [] if letter == "s" else changed,
        }
        for task, letter in zip(record.fixture["tasks"], results, strict=True)
    ]


@pytest.fixture(scope="module")
def record() -> AgentsRecord:
    made = AgentsRecord(count=40, passive=4)
    made.run("null", NULL, actions=acted(made, NULL))
    made.run("alpha", ALPHA, origin="import", actions=acted(made, ALPHA))
    made.run("beta", BETA, origin="import")
    return made


@pytest.fixture(scope="module")
def site(record: AgentsRecord, tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    folder = tmp_path_factory.mktemp("agents")
    write_site(record, folder, root, track=TRACK)
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with hosting(site) as host:
        yield host.address


def paths(record: AgentsRecord) -> list[str]:
    """One page of each kind."""
    name = record.blobs[1].path.rpartition("/")[2].removesuffix(".json")
    own = [f"receipts/{name[:2]}/{name}/", f"{BOARD}runs/{name}/", f"{BOARD}runs/{name}/?task=calendar-004"]
    tasks = [f"{BOARD}tasks/", f"{BOARD}tasks/calendar-007/", f"{BOARD}tasks/email-038/"]
    return ["agents/", BOARD, *tasks, f"{BOARD}compare/", *own]


def test_the_leaderboard_reads_whole_without_script(visit: Visit):
    page = visit(BOARD, java_script_enabled=False)
    names = page.locator("table.board").first.locator(".what b").all_inner_texts()
    assert names == ["alpha", "beta", "does nothing"]
    # beta alone is right on 8 tasks, doing nothing alone on 2: p = 2 (1 + 10 + 45) / 2^10 = 0.109.
    assert "not better than doing nothing" in page.locator("table.board").first.inner_text()
    assert page.locator("main :is(input, select, button):visible").count() == 0


def test_sorting_by_harm_and_by_the_difference_uses_their_numbers(visit: Visit):
    page = visit(BOARD)
    for heading, expected in (
        ("Harmful", ["beta", "alpha", "does nothing"]),
        ("Δ doing", ["alpha", "beta", "does nothing"]),
    ):
        page.locator("[data-module=board] thead th", has_text=heading).locator("button").click()
        assert page.locator("table.board").first.locator(".what b").all_inner_texts() == expected


@pytest.mark.full
def test_tasks_are_filtered_by_who_solves_them(visit: Visit):
    page = visit(f"{BOARD}tasks/")
    summary = page.locator(".matrix .summary")
    # alpha is right on the first 30 tasks, beta on the even ones up to 18.
    assert summary.inner_text() == "40 tasks selected: 10 solved by none, 20 by exactly one."
    page.get_by_role("button", name="solved by none").click()
    page.wait_for_selector("text=10 tasks selected")
    rows = page.locator(".matrix .selected tbody tr")
    assert rows.first.inner_text().split("\t")[0] == "email-030"
    page.get_by_role("button", name="by all 2").click()
    page.wait_for_selector("text=10 tasks selected: 0 solved by none, 0 by exactly one.")
    assert page.url.endswith("?solved=all")
    page.get_by_role("button", name="selected two differ").click()
    page.wait_for_selector("text=20 tasks selected")
    page.get_by_label("Second").select_option(label="does nothing (1.0.0)")
    page.wait_for_selector("text=26 tasks selected")
    page.reload(wait_until="networkidle")
    page.wait_for_selector("text=26 tasks selected")
    assert page.get_by_role("button", name="selected two differ").get_attribute("aria-pressed") == "true"


@pytest.mark.full
def test_a_part_of_the_picture_is_selected_by_dragging_or_by_keyboard(visit: Visit):
    page = visit(f"{BOARD}tasks/")
    box = page.locator(".matrix .brush").bounding_box()
    # 20 calendar tasks, a gap of one, 20 email tasks: 41 columns.
    column = box["width"] / 41
    page.mouse.move(box["x"] + 0.5 * column, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 4.5 * column, box["y"] + 10, steps=4)
    page.mouse.up()
    page.wait_for_selector("text=5 tasks selected")
    assert page.url.endswith("?from=0&to=4")
    page.get_by_label("From which").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=4 tasks selected")
    page.mouse.click(box["x"] + 9.5 * column, box["y"] + 10)
    page.wait_for_selector("text=40 tasks selected")
    assert page.url.endswith("tasks/")


@pytest.mark.parametrize(
    "state",
    some(
        ["?solved=evil&from=-1&to=1e9&a=%3Cb%3E&b=x&q=", "?solved=differ", "?from=39&to=0", "?a=__proto__"],
        gate=1,
    ),
)
def test_a_hostile_or_stale_address_shows_the_whole_picture(visit: Visit, state: str):
    page = visit(f"{BOARD}tasks/{state}")
    page.wait_for_selector(".matrix .summary")
    assert page.locator(".matrix .summary").inner_text().endswith("by exactly one.")


def test_the_tasks_are_whole_without_script(visit: Visit):
    page = visit(f"{BOARD}tasks/", java_script_enabled=False)
    assert page.locator(".matrix .cells .row").count() == 3
    assert page.locator(".by-solvers a").count() == 40


def test_a_task_leads_to_its_neighbors_and_to_what_a_system_did(visit: Visit):
    page = visit(f"{BOARD}tasks/")
    page.locator(".matrix").get_by_role("link", name="calendar-003").click()
    page.wait_for_url(re.compile(r"tasks/calendar-003/$"))
    page.get_by_role("link", name="Next calendar-004").click()
    page.wait_for_url(re.compile(r"tasks/calendar-004/$"))
    page.get_by_role("link", name="alpha").click()
    page.wait_for_url(re.compile(r"runs/[0-9a-f-]{36}/\?task=calendar-004&run=1$"))
    page.locator(".crumb").get_by_role("link", name="calendar-004").click()
    page.wait_for_url(re.compile(r"tasks/calendar-004/$"))
    assert page.get_by_role("link", name="alpha").count() == 1


def test_on_a_phone_the_actions_of_a_run_have_the_width_of_the_page(visit: Visit):
    page = visit(f"{BOARD}tasks/calendar-007/", **PHONE)
    assert page.locator(".calls code").first.bounding_box()["width"] > 260


@pytest.mark.smoke
def test_chosen_systems_are_in_the_address_and_their_tasks_are_listed(visit: Visit):
    page = visit(f"{BOARD}compare/")
    # alpha is right on the first 30 tasks, beta on the even ones up to 18: 20 tasks alone, and 26 beside doing nothing.
    # Of 40 differences 20 are 1: mean 0.5, s² = 10/39, s/√40 = 0.080064, t(39) = 2.022691: ± 0.161945.
    page.wait_for_selector(
        "text=alpha is better than beta in a test of this pair alone: Success +50.0 pt, 95% CI [+33.8, +66.2], unadjusted p < 0.001."
    )
    assert "20 / 0 / 20" in page.locator("table.versus").first.inner_text()
    page.get_by_label("Second").select_option(label="does nothing (1.0.0)")
    page.wait_for_selector("text=+65.0 pt")
    assert "26 / 0 / 14" in page.locator("table.versus").first.inner_text()
    assert re.search(r"\?a=[0-9a-f-]{36}&b=[0-9a-f-]{36}$", page.url)
    page.reload(wait_until="networkidle")
    page.wait_for_selector("text=26 of 40 tasks differ")
    page.get_by_label("does nothing higher").check()
    page.wait_for_selector("text=0 to 0 of 0 tasks")
    page.get_by_label("Third").select_option(label="beta (model invented-1)")
    page.wait_for_selector("text=alpha is better than beta in a test of this pair alone")
    assert page.locator(".compared .lede").count() == 2
    assert re.search(r"&c=[0-9a-f-]{36}$", page.url)


def test_a_system_is_never_compared_with_itself_and_strangers_are_named(visit: Visit, record: AgentsRecord):
    name = record.blobs[1].path.rpartition("/")[2].removesuffix(".json")
    page = visit(f"{BOARD}compare/?a={name}&b={name}&c=__proto__&d=%3Cimg%20src%3Dx%3E")
    first, second = page.get_by_label("First"), page.get_by_label("Second")
    assert first.evaluate("it => it.selectedOptions[0].text").startswith("alpha")
    assert second.evaluate("it => it.selectedOptions[0].text").startswith("beta")
    assert (
        first.evaluate("it => it.selectedOptions[0].text")
        in second.locator("option:disabled").all_inner_texts()
    )
    told = page.locator(".compared .caution").first.inner_text()
    assert told == "Not on this page: __proto__, <img src=x>. Run benchsite compare with the receipt ids."


def test_the_best_two_are_compared_without_script(visit: Visit):
    page = visit(f"{BOARD}compare/", java_script_enabled=False)
    assert page.locator("table.versus").count() == 2
    assert "alpha is better than beta in a test of this pair alone" in page.locator(".lede").inner_text()
    assert "20 / 0 / 20" in page.locator("table.versus").first.inner_text()


def test_all_runs_of_a_receipt_come_from_its_own_bytes(visit: Visit, record: AgentsRecord):
    page = visit(next(path for path in paths(record) if path.startswith("receipts/")))
    assert page.locator("table.q tbody tr").count() == 15
    href = "table.q a[href$='/?task=calendar-003&run=1']"
    assert page.locator(href).count() == 1
    page.get_by_role("button", name="Show all 40 runs").click()
    page.wait_for_selector("text=1 to 40 of 40 runs")
    assert page.locator(href).count() == 1
    page.get_by_label("harmful only").check()
    assert page.locator("table.q tbody tr").count() == 8


def test_the_first_screen_of_a_phone_shows_the_table_and_nothing_scrolls_sideways(
    visit: Visit, record: AgentsRecord
):
    page = visit(BOARD, **PHONE)
    box = page.locator("table.board tbody tr").first.bounding_box()
    assert box["y"] + box["height"] <= 844
    wide = []
    for path in paths(record):
        page.goto(page.url.split("/sub/")[0] + "/sub/" + path)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(path)
    assert wide == []


@axe.installed
def test_axe_finds_nothing(visit: Visit, record: AgentsRecord):
    page = visit("", bypass_csp=True)
    ids = [blob.path.rpartition("/")[2].removesuffix(".json") for blob in record.blobs]
    pages = [f"{BOARD}compare/?a={ids[1]}&b={ids[2]}", *paths(record)]
    found = by_axe(page, spread(pages, gate=3))
    assert found == [], "\n".join(map(str, found))


@pytest.mark.full
@axe.installed
def test_axe_finds_nothing_on_an_experiment(chromium: Any, tmp_path: Path, root: Path):
    made = AgentsRecord(passive=0)
    made.run("null", "f" * 10)
    plain = payload(made.fixture, "sas", "s" * 10, 0, {})["system"]
    for name, kind, results in (
        ("sas", "single-agent", ["ss", "sf", *["ff"] * 8]),
        ("only-voting", "multi-agent", ["ss"] * 7 + ["sf"] * 3),
    ):
        system = {**plain, "name": name, "kind": kind}
        made.run(name, results, system=system, columns={"tokens": [1000] * 20})
    write_site(made, tmp_path, root, track=TRACK)
    (own,) = [path for path in made.pages() if re.fullmatch("agents/experiments/[0-9a-f]{12}/", path)]
    with hosting(tmp_path) as host:
        page = chromium.new_page(bypass_csp=True)
        watch(page)
        page.goto(host.address)
        found = by_axe(page, ["agents/experiments/", own])
        assert "only-voting" in page.locator("table.systems").inner_text()
        page.close()
    assert found == [], "\n".join(map(str, found))


def by_axe(page: Any, paths: Sequence[str]) -> list[tuple[str, int, str, str, str]]:
    """What axe finds on the pages, wide and narrow."""
    found = []
    for path in paths:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            page.goto(page.url.split("/sub/")[0] + "/sub/" + path)
            settled(page)
            found += [(path, width, *broken) for broken in axe.violations(page)]
    return found
