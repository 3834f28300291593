"""The page of a run in a browser: the cause of its outcome, the checked transcript, hostile text, 10,000 events, two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agents_record import AgentsRecord
from browser import axe
from browser.conftest import write_site
from browser.host import hosting
from examples import some

from benchsite.tracks.agents import TRACK

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)><script>document.title='taken'</script>"
LONG = 10_000
PHONE = {"viewport": {"width": 390, "height": 844}}
Visit = Callable[..., Any]
ROW = {"table": "calendar_events", "row": "00000010", "before": "present", "after": "absent"}
DELETE = {"tool": "calendar.delete_event", "arguments": {"event_id": "00000010"}}


def event(number: int, actor: str, event_type: str, **payload: Any) -> dict[str, Any]:
    start = f"2026-01-01T00:{number // 600 % 60:02d}:{number // 10 % 60:02d}.{number % 10}00000Z"
    return {
        "id": f"e{number}",
        "actor": actor,
        "event_type": event_type,
        "payload": payload,
        "timestamp_start": start,
        "timestamp_end": start,
        "token_in": 3,
        "token_out": 1,
    }


def trace(answer: str) -> list[dict[str, Any]]:
    """A plan, a call with its result, an answer."""
    call = {"tool": DELETE["tool"], "input": DELETE["arguments"], "action": DELETE}
    return [
        event(1, "planner", "plan", model_requested="m", text=HOSTILE),
        event(2, "worker", "tool_call", **call),
        {**event(3, "worker", "tool_result", error=False, result=HOSTILE), "parent": "e2"},
        event(4, "worker", "finalize", output=answer),
    ]


@pytest.fixture(scope="module")
def record() -> AgentsRecord:
    """Two runs of each of four tasks; the first run of the third task has 10,000 events."""
    made = AgentsRecord(count=4, passive=0)
    names = [task["id"] for task in made.fixture["tasks"]]
    results = ["hs", "fs", "ff", "ss"]
    actions, traces = [], []
    for name, letters in zip(names, results, strict=True):
        for run, letter in enumerate(letters, 1):
            wrong = [ROW] if letter != "s" else []
            actions.append(
                {
                    "task": name,
                    "run": run,
                    "actions": [DELETE],
                    "answer": "Done.",
                    "error": None,
                    "skipped": [],
                }
                | {"difference": wrong}
            )
            many = [event(i, "worker", "act", text=f"step {i}") for i in range(5, LONG + 1)]
            traces += [
                {"run": run, "task": name},
                *trace("Done."),
                *(many if (name, run) == (names[2], 1) else []),
            ]
    made.run("alpha", results, actions=actions, traces=traces, simulated=True)
    return made


@pytest.fixture(scope="module")
def site(record: AgentsRecord, tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_site(record, folder, root, track=TRACK)
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with hosting(site) as host:
        yield host.address


@pytest.fixture(scope="module")
def page_path(record: AgentsRecord) -> str:
    return f"agents/desk/runs/{record.blobs[0].path.rpartition('/')[2].removesuffix('.json')}/"


def test_the_cause_comes_first_and_leads_to_its_event(visit: Visit, page_path: str):
    page = visit(f"{page_path}?task=calendar-000&run=1")
    page.wait_for_selector(".turns")
    assert page.locator("h1").inner_text() == "calendar-000, run 1"
    assert page.locator(".strip dd").first.inner_text().startswith("✗ failure, harmful")
    assert "✓ hash matches" in page.locator(".strip").inner_text()
    why = page.locator(".why").inner_text()
    assert "Unexpected change: calendar_events, 00000010 is absent, expected present." in why
    assert 'Made by event 2: calendar.delete_event(event_id="00000010").' in why
    page.get_by_role("button", name="Show event 2").click()
    assert page.locator(".detail h3").inner_text() == "Event 2 · worker, tool call"
    assert page.url.endswith("event=2")
    page.keyboard.press("j")
    assert page.locator(".detail h3").inner_text() == "Event 3 · worker, tool result"
    assert "Simulated: no real model answered." in page.locator("main").inner_text()


def test_foreign_text_is_shown_as_text(visit: Visit, page_path: str):
    page = visit(f"{page_path}?task=calendar-000&run=1&event=3")
    page.wait_for_selector(".turns")
    assert page.locator("main img, main script").count() == 0
    assert HOSTILE in page.locator(".turns").inner_text()
    assert page.title().startswith("calendar-000, run 1")
    page.goto(page.url.partition("?")[0] + "?task=%3Cimg%20src%3Dx%3E")
    page.wait_for_selector("text=no such run of task <img src=x>")
    assert page.locator("main img").count() == 0


@pytest.mark.full
def test_two_runs_are_side_by_side_and_every_run_is_listed(visit: Visit, page_path: str):
    page = visit(page_path)
    page.wait_for_selector("text=1 to 8 of 8 runs")
    page.get_by_role("link", name="calendar-001, run 1").click()
    page.wait_for_selector(".turns")
    page.get_by_role("link", name="Compare with run 2").click()
    page.wait_for_selector(".pairing")
    assert page.locator(".pairing tbody tr").count() == 2
    assert "2 rows of 2 the same" in page.locator("main").inner_text()


@pytest.mark.full
def test_ten_thousand_events_are_a_short_page(visit: Visit, page_path: str):
    page = visit(f"{page_path}?task=email-002&run=1&event=9000")
    page.wait_for_selector(".turns")
    assert "10,000 events" in page.locator(".strip").inner_text()
    assert page.locator(".detail h3").inner_text() == "Event 9000 · worker, act"
    assert page.locator("*").count() < 1500
    page.get_by_label("Search in this run").fill("step 9876")
    assert page.locator(".turns > li:not(.round)").count() == 1


def test_bytes_of_another_hash_are_never_shown(
    visit: Visit, page_path: str, record: AgentsRecord, site: Path
):
    digest = next(name for name, data in record.documents.items() if data.startswith(b'{"run"'))
    file = site / "sub" / "results" / "evidence" / digest[:2] / f"{digest}.txt"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"planner", b"plunder"))
    try:
        page = visit(f"{page_path}?task=calendar-000&run=1")
        page.wait_for_selector(".turns")
        text = page.locator("main").inner_text()
        assert "✗ hash differs" in text
        assert "plunder" not in text
        # The actions are another file, which has its hash: the cause is there.
        assert "Made by event 1" in text
        page.locator("input[type=file]").or_(
            page.get_by_role("button", name="Choose traces.jsonl")
        ).first.wait_for()
    finally:
        file.write_bytes(whole)


@axe.installed
@pytest.mark.parametrize(
    "query", some(["", "?task=calendar-000&run=1", "?task=calendar-001&run=1&with=2"], gate=1)
)
def test_axe_finds_nothing_and_a_phone_does_not_scroll_sideways(visit: Visit, page_path: str, query: str):
    page = visit(page_path + query, bypass_csp=True, **PHONE)
    page.wait_for_selector(".turns" if query else "text=1 to 8 of 8 runs")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert axe.violations(page) == []
