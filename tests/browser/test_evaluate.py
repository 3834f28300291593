"""The evaluator form as people use it: by keyboard, without script, on a phone, in both browsers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import axe
from browser.evaluating import (
    ANSWERS,
    CURRENT,
    FIGURES,
    FINED,
    FOREIGN,
    NOTE,
    OLDEST,
    WITHOUT,
    by_keyboard,
    figures,
    holds,
    measured_in,
    named,
    reloaded,
    saved,
    take,
)
from browsers import drive_firefox
from examples import some

from benchsite.pipeline import init

pytestmark = pytest.mark.browser

SCRIPTS = Path(__file__).parents[1] / "js"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], dict[str, Any]]:
    """The draft of the receipt that a sheet makes in a new instance."""
    instance = tmp_path_factory.mktemp("handed") / "instance"
    init.init(instance, name="tests", origin="tests.invalid/log")
    return functools.partial(measured_in, instance)


def test_filled_by_keyboard_handed_in_reloaded_deleted_and_imported(
    visit_form: Callable[..., Any], measured: Callable[[bytes], dict[str, Any]], tmp_path: Path
):
    page = visit_form(FINED)
    by_keyboard(page)
    assert figures(page) == FIGURES
    assert page.locator("#missing").inner_text() == "37 of 37 required fields filled"
    page.wait_for_selector(
        "[data-say=live]:has-text('Universal 80.00, domain 73.33, composite 66.00')", state="attached"
    )
    name, data = saved(page, lambda: page.keyboard.press("Enter"))
    assert name == "zoë-s-agent-customer-service-1.3.0-bo-s1-p1.yaml"
    holds(measured(data))

    page.reload()
    page.wait_for_selector("text=Next sheet of the same session")
    assert set(figures(page).values()) <= {"–", "10.00"}
    assert named(page, "universal.U1.note").input_value() == ""
    assert named(page, "evaluator.name").input_value() == ""
    assert named(page, "agent.version").input_value() == "1.0"
    page.get_by_role("button", name="Open downloaded sheet").click()
    assert figures(page) == FIGURES
    assert named(page, "universal.U1.note").input_value() == NOTE
    page.get_by_role("button", name="Delete draft").click()
    assert set(figures(page).values()) == {"–"}
    page.get_by_role("button", name="Undo").click()
    assert figures(page) == FIGURES
    page.get_by_role("button", name="Delete draft").click()
    page.reload()
    page.wait_for_selector(".sofar:not([hidden])")
    assert named(page, "agent.name").input_value() == ""

    file = tmp_path / name
    file.write_bytes(data)
    page.get_by_label("Import a sheet").set_input_files(file)
    page.wait_for_selector("text=Imported.")
    assert figures(page) == FIGURES
    assert saved(page, page.get_by_role("button", name="Download sheet").click) == (name, data)


def test_an_unfinished_sheet_is_refused_with_its_faults_at_their_fields(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    assert page.get_by_text("0 of 69 required fields filled").count() == 3
    assert not page.locator("[data-faults]").is_visible(), "nothing is called wrong before it was left"
    assert page.locator(".wrong").count() == 0
    page.get_by_role("button", name="Download sheet").click()
    assert page.locator("[data-faults]").is_visible()
    assert page.locator("[data-faults] li").count() == 69
    assert page.evaluate("document.activeElement.name") == "agent.name"
    field = named(page, "agent.name")
    assert field.get_attribute("aria-invalid") == "true"
    hint, told = field.get_attribute("aria-describedby").split()
    assert page.locator(f'[id="{hint}"]').inner_text() == "as users know it"
    assert page.locator(f'[id="{told}"]').inner_text() == "Agent: the name is missing"
    assert "not finished" in page.locator("[data-say=handed]").inner_text()
    page.keyboard.type("X")
    assert field.get_attribute("aria-invalid") is None
    assert field.get_attribute("aria-describedby") == hint
    group = page.get_by_role("radiogroup", name="Score of U4")
    assert "U4: the score is missing" in group.inner_text()
    page.get_by_role("link", name="U4: the score is missing").click()
    assert page.evaluate("document.activeElement.name") == "universal.U4.score"
    page.keyboard.press("Space")
    assert "missing" not in group.inner_text()
    name, data = saved(page, page.get_by_role("button", name="Download unfinished draft").click)
    assert name == "x-customer-service-2.0.0-evaluator-s1-p1.draft.yaml"
    assert b'  name: "X"\n' in data


def test_questions_are_averaged_and_evidence_can_be_added_and_removed(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    page.get_by_role("button", name="Add a question to D1").click()
    assert page.evaluate("document.activeElement.name") == "domain.D1.questions.1.question"
    # By hand: 15 / 15 and 6 / 15 make 70 on average; without the first, 40.
    for question, mark in ((0, 5), (1, 2)):
        for name in ("accuracy", "completeness", "usefulness"):
            page.locator(
                f'[name="domain.D1.questions.{question}.criteria.{name}.score"][value="{mark}"]'
            ).check()
    assert figures(page)["D1"] == "70.00"
    page.get_by_role("button", name="Remove question 1 of D1").click()
    assert figures(page)["D1"] == "40.00"
    assert named(page, "domain.D1.questions.0.question").is_hidden()
    named(page, "universal.U2.evidence.0.excerpt").fill("first")
    page.get_by_role("button", name="Add evidence for U2").click()
    page.keyboard.type("second")
    named(page, "universal.U2.evidence.1.file").fill("t.txt")
    page.get_by_role("button", name="Remove evidence 1 for U2").click()
    assert named(page, "universal.U2.evidence.0.excerpt").input_value() == "second"
    assert named(page, "universal.U2.evidence.0.file").input_value() == "t.txt"
    reloaded(page)  # at once: what was typed in the last half second is kept, too
    assert named(page, "universal.U2.evidence.0.file").input_value() == "t.txt"
    assert figures(page)["D1"] == "40.00"


@pytest.mark.smoke
def test_a_day_that_has_begun_nowhere_is_refused(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    named(page, "session.date").fill("9999-12-31")
    assert page.locator(".wrong").count() == 0, "nothing is called wrong before the field was left"
    named(page, "session.n").focus()
    wrong = page.locator('[id="session.date-wrong"]')
    wrong.wait_for()
    assert wrong.inner_text() == "Session: the date is in the future"
    named(page, "session.date").fill("2026-11-11")
    wrong.wait_for(state="detached")


def test_a_file_that_is_no_sheet_of_this_form_changes_nothing(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    named(page, "agent.name").fill("kept")
    for says, data in FOREIGN.items():
        take(page, data)
        told = page.locator("[data-say=kept]", has_text=says)
        told.wait_for()
        assert told.inner_text().startswith("Not imported.")
        assert named(page, "agent.name").input_value() == "kept"


@pytest.mark.full
def test_without_storage_the_form_works_and_says_that_it_keeps_nothing(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT, before=WITHOUT)
    assert "cannot store a draft" in page.locator("[data-say=kept]").inner_text()
    page.locator('[name="universal.U1.score"][value="5"]').check()
    page.wait_for_timeout(600)
    assert "cannot store a draft" in page.locator("[data-say=kept]").inner_text()
    assert page.get_by_text("1 of 69 required fields filled").count() == 3


def test_without_script_the_page_reads_whole_and_offers_nothing_that_cannot_work(
    visit_form: Callable[..., Any],
):
    page = visit_form(OLDEST, java_script_enabled=False)
    assert page.get_by_text("benchsite methodology new-sheet 1.0.0 customer-service").is_visible()
    assert page.get_by_text("Superseded.").is_visible()
    assert page.locator("main button:visible").count() == 0
    assert page.locator("input:enabled:visible, textarea:enabled:visible").count() == 0
    assert page.get_by_role("heading", name="U6").is_visible()
    assert page.locator(".sheet").bounding_box()["width"] > 600, "not the narrow column of the sections"


@pytest.mark.parametrize("width", some([390, 1280], gate=1))
def test_nothing_moves_when_the_script_starts(visit_form: Callable[..., Any], width: int):
    page = visit_form(CURRENT, viewport={"width": width, "height": 800})
    heading = page.locator("#agent")
    started = heading.bounding_box()
    # The page as it is before: what the script shows is hidden.
    page.evaluate("for (const one of document.querySelectorAll('[data-with]')) one.hidden = true")
    page.locator("nav.sections [data-say=rest]").evaluate("one => { one.textContent = '\u00a0'; }")
    assert page.locator(".draft-bar").is_hidden()
    assert heading.bounding_box() == started


@pytest.mark.full
def test_the_form_starts_on_a_page_that_arrives_slowly(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT + "?halves")
    assert page.get_by_text("0 of 69 required fields filled").count() == 3


def test_a_phone_shows_the_form_without_scrolling_sideways_and_paper_shows_it_blank(
    visit_form: Callable[..., Any],
):
    page = visit_form(CURRENT, viewport={"width": 320, "height": 700})
    page.get_by_role("button", name="Download sheet").click()
    page.get_by_role("button", name="Add a question to D5").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.emulate_media(media="print")
    assert not page.locator(".sofar").is_visible()
    assert not page.get_by_role("button", name="Add evidence for U1").is_visible()
    assert page.get_by_role("radiogroup", name="Score of U1").is_visible()


@axe.installed
def test_axe_finds_nothing_in_light_and_dark(visit_form: Callable[..., Any]):
    page = visit_form(FINED, bypass_csp=True)
    page.get_by_role("button", name="Add a question to D1").click()
    page.get_by_role("button", name="Download sheet").click()
    assert axe.violations(page) == []


@pytest.mark.full
def test_firefox_fills_hands_over_keeps_and_imports(
    forms: str, firefox: str, measured: Callable[[bytes], dict[str, Any]], tmp_path: Path
):
    given = {"address": forms + FINED, "folder": str(tmp_path), "answers": ANSWERS}
    seen = drive_firefox(firefox, "firefox-evaluate.js", given=given)
    assert seen["version"].lower().startswith("firefox")
    assert seen["trouble"] == []
    assert [url for url in seen["requests"] if not url.startswith((forms, "data:", "blob:"))] == []
    assert seen["typed"] == seen["reloaded"] == seen["imported"] == FIGURES
    assert set(seen["deleted"].values()) == {"–"}
    data = (tmp_path / "zoë-s-agent-customer-service-1.3.0-bo-s1-p1.yaml").read_bytes()
    holds(measured(data))
