"""The evaluator form as people use it: by keyboard, with drafts, without script, on a phone, in both browsers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.evaluating import (
    ANSWERS,
    FIGURES,
    FOREIGN,
    FULL,
    NOTE,
    WITHOUT,
    by_keyboard,
    cautioned,
    figures,
    holds,
    hosted,
    measured_in,
    named,
    reloaded,
    saved,
    take,
    visiting,
    write_forms,
)
from browsers import drive_firefox

from benchsite.pipeline import init

pytestmark = pytest.mark.browser

SCRIPTS = Path(__file__).parents[1] / "js"
AXE = SCRIPTS / "node_modules" / "axe-core" / "axe.min.js"
FORM = "rubric/customer-service/evaluate/{}/"
CURRENT, FINED, OLDEST = FORM.format("2.0.0"), FORM.format("1.3.0"), FORM.format("1.0.0")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Forms of three versions, with the theme and the engine, under a sub-path."""
    folder = tmp_path_factory.mktemp("forms")
    write_forms(folder, root, (CURRENT, FINED, OLDEST))
    with hosted(folder / "served") as address:
        yield f"{address}/sub/"


@pytest.fixture
def visit(chromium: Any, served: str) -> Iterator[Callable[..., Any]]:
    """`visit(path, before, **context)` opens a form; at the end nothing may have failed or left this host."""
    with visiting(chromium, served) as opened:
        yield opened


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], dict[str, Any]]:
    """The draft of the receipt that a sheet makes in a new instance."""
    instance = tmp_path_factory.mktemp("handed") / "instance"
    init.init(instance, name="tests", origin="tests.invalid/log")
    return functools.partial(measured_in, instance)


def test_filled_by_keyboard_handed_in_reloaded_deleted_and_imported(
    visit: Callable[..., Any], measured: Callable[[bytes], dict[str, Any]], tmp_path: Path
):
    page = visit(FINED)
    by_keyboard(page)
    assert figures(page) == FIGURES
    assert page.locator("#missing").inner_text() == "Nothing is missing"
    page.wait_for_selector(
        "[data-say=live]:has-text('Universal 80.00, domain 73.33, composite 66.00')", state="attached"
    )
    name, data = saved(page, lambda: page.keyboard.press("Enter"))
    assert name == "zoë-s-agent-customer-service-1.3.0-bo-s1-p1.yaml"
    holds(measured(data))

    page.reload()
    page.wait_for_selector("text=This is the next sheet of the same session")
    assert set(figures(page).values()) <= {"–", "10.00"}
    assert named(page, "universal.U1.note").input_value() == ""
    assert named(page, "evaluator.name").input_value() == ""
    assert named(page, "agent.version").input_value() == "1.0"
    page.get_by_role("button", name="Open the sheet I saved").click()
    assert figures(page) == FIGURES
    assert named(page, "universal.U1.note").input_value() == NOTE
    page.get_by_role("button", name="Delete the draft").click()
    assert set(figures(page).values()) == {"–"}
    page.get_by_role("button", name="Undo").click()
    assert figures(page) == FIGURES
    page.get_by_role("button", name="Delete the draft").click()
    page.reload()
    page.wait_for_selector(".sofar:not([hidden])")
    assert named(page, "agent.name").input_value() == ""

    file = tmp_path / name
    file.write_bytes(data)
    page.get_by_label("Import a saved sheet").set_input_files(file)
    page.wait_for_selector("text=Imported.")
    assert figures(page) == FIGURES
    assert saved(page, page.get_by_role("button", name="Download the sheet").click) == (name, data)


def test_an_unfinished_sheet_is_refused_with_its_faults_at_their_fields(visit: Callable[..., Any]):
    page = visit(CURRENT)
    assert page.locator("[data-faults] li").count() == 68
    page.get_by_role("button", name="Download the sheet").click()
    assert page.evaluate("document.activeElement.name") == "agent.name"
    field = named(page, "agent.name")
    assert field.get_attribute("aria-invalid") == "true"
    told = field.get_attribute("aria-describedby")
    assert page.locator(f'[id="{told}"]').inner_text() == "Agent: the name is missing"
    assert "was not saved" in page.locator("[data-say=handed]").inner_text()
    page.keyboard.type("X")
    assert field.get_attribute("aria-invalid") is None
    assert field.get_attribute("aria-describedby") is None
    group = page.get_by_role("radiogroup", name="Score of U4")
    assert "U4: the score is missing" in group.inner_text()
    page.get_by_role("link", name="U4: the score is missing").click()
    assert page.evaluate("document.activeElement.name") == "universal.U4.score"
    page.keyboard.press("Space")
    assert "missing" not in group.inner_text()
    name, data = saved(page, page.get_by_role("button", name="Download the unfinished draft").click)
    assert name == "x-customer-service-2.0.0-evaluator-s1-p1.draft.yaml"
    assert b'  name: "X"\n' in data


def test_questions_are_averaged_and_evidence_can_be_added_and_removed(visit: Callable[..., Any]):
    page = visit(CURRENT)
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
    page.get_by_role("button", name="More evidence for U2").click()
    page.keyboard.type("second")
    named(page, "universal.U2.evidence.1.file").fill("t.txt")
    page.get_by_role("button", name="Remove evidence 1 for U2").click()
    assert named(page, "universal.U2.evidence.0.excerpt").input_value() == "second"
    assert named(page, "universal.U2.evidence.0.file").input_value() == "t.txt"
    reloaded(page)  # at once: what was typed in the last half second is kept, too
    assert named(page, "universal.U2.evidence.0.file").input_value() == "t.txt"
    assert figures(page)["D1"] == "40.00"


def test_the_next_sheet_of_a_session_shows_nothing_of_the_one_before(visit: Callable[..., Any]):
    page = visit(FINED)
    by_keyboard(page)
    following = page.get_by_role("button", name="Begin the next sheet")
    assert not following.is_visible()
    saved(page, lambda: page.keyboard.press("Enter"))
    following.click()
    assert page.locator("input[type=radio]:checked").evaluate_all("all => all.map(one => one.name)") == [
        "disclosures.repeatabilityTested",
        "disclosures.multiStep",
    ]
    assert page.locator("textarea").evaluate_all("all => all.filter(one => one.value).length") == 0
    assert named(page, "session.date").input_value() == "2026-11-11"
    assert not following.is_visible()
    page.get_by_role("button", name="Undo").click()
    assert figures(page) == FIGURES
    following.click()
    named(page, "evaluator.name").fill("Cy")
    assert not page.locator("[data-act=undo]").is_visible(), "what Cy enters would be lost by going back"
    reloaded(page)
    assert named(page, "evaluator.name").input_value() == "Cy"
    assert named(page, "universal.U1.note").input_value() == ""


def test_going_back_to_an_earlier_draft_loses_nothing_of_the_later_one(visit: Callable[..., Any]):
    page = visit(CURRENT)
    name = named(page, "agent.name")
    name.fill("first")
    page.get_by_role("button", name="Delete the draft").click()
    name.fill("second")
    for button, stands in (("Undo", "first"), ("Redo", "second"), ("Undo", "first")):
        page.get_by_role("button", name=button).click()
        assert name.input_value() == stands
    reloaded(page)
    assert name.input_value() == "first"
    _, data = saved(page, page.get_by_role("button", name="Download what was set aside").click)
    assert data.count(b'  name: "second"\n') == 1


def test_a_sheet_corrected_after_it_was_opened_again_outlives_the_next_one(visit: Callable[..., Any]):
    page = visit(FINED)
    by_keyboard(page)
    saved(page, lambda: page.keyboard.press("Enter"))
    page.reload()
    page.get_by_role("button", name="Open the sheet I saved").click()
    back = page.get_by_role("button", name="Back to the next sheet")
    back.click()
    assert not page.locator("[data-act=aside]").is_visible(), "a file holds the sheet"
    page.get_by_role("button", name="Open the sheet I saved").click()
    note, person = named(page, "universal.U2.note"), named(page, "evaluator.name")
    note.fill("corrected")
    back.click()
    person.fill("Cy")
    page.get_by_role("button", name="Open the sheet I corrected").click()
    assert note.input_value() == "corrected"
    assert page.locator("[data-say=handed]").inner_text().startswith("Changed since it was saved")
    back.click()
    assert person.input_value() == "Cy"
    other = page.context.new_page()
    page.close()
    other.goto(page.url)
    other.wait_for_selector("text=Your draft is as you left it")
    assert named(other, "evaluator.name").input_value() == "Cy"
    _, data = saved(other, other.get_by_role("button", name="Download what was set aside").click)
    assert data.count(b'note: "corrected"\n') == data.count(b'  name: "Cy"\n') == 1


def test_what_cannot_be_set_aside_stays_until_a_file_holds_it(visit: Callable[..., Any]):
    page = visit(CURRENT, before=FULL)
    name, undo = named(page, "agent.name"), page.get_by_role("button", name="Undo")
    name.fill("first")
    page.get_by_role("button", name="Delete the draft").click()
    name.fill("second")
    undo.click()
    cautioned(page, "Not opened. This browser cannot set aside what you entered here: download it first.")
    page.wait_for_timeout(600)  # a later message would have taken its place
    cautioned(page, "Not opened.")
    assert name.input_value() == "second"
    _, data = saved(page, page.get_by_role("button", name="Download the unfinished draft").click)
    assert b'  name: "second"\n' in data
    undo.click()
    assert name.input_value() == "first"


def test_an_import_that_is_not_kept_is_said_with_caution(visit: Callable[..., Any]):
    unusable = "Storage.prototype.getItem = () => 'old: 1';"
    for before, says in (
        (WITHOUT, "This browser keeps no draft"),
        (FULL + unusable, "The draft is not kept."),
    ):
        page = visit(CURRENT, before=before)
        _, data = saved(page, page.get_by_role("button", name="Download the unfinished draft").click)
        take(page, data)
        cautioned(page, f"Imported. {says}")


def test_what_is_corrected_after_the_sheet_was_saved_is_kept(visit: Callable[..., Any], tmp_path: Path):
    page = visit(FINED)
    by_keyboard(page)
    note, told = named(page, "universal.U2.note"), page.locator("[data-say=handed]")
    following = page.get_by_role("button", name="Begin the next sheet")
    name, data = saved(page, lambda: page.keyboard.press("Enter"))
    assert told.inner_text() == f"Saved as {name}."
    for words in ("corrected", "corrected after it was imported"):
        note.fill(words)
        assert told.inner_text().startswith("Changed since it was saved")
        assert not following.is_visible(), "it would take the place of what no file holds"
        reloaded(page)
        assert note.input_value() == words
        assert figures(page) == FIGURES
        _, data = saved(page, page.get_by_role("button", name="Download the sheet").click)
        assert f'note: "{words}"'.encode() in data
        (tmp_path / name).write_bytes(data)
        page.get_by_label("Import a saved sheet").set_input_files(tmp_path / name)
        page.wait_for_selector("text=Imported.")
        assert following.is_visible()


def test_two_tabs_of_one_form_do_not_overwrite_each_other(visit: Callable[..., Any]):
    page = visit(CURRENT)
    named(page, "agent.name").fill("first")
    page.wait_for_selector("text=The draft is kept in this browser")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("text=Your draft is as you left it")
    named(other, "agent.name").fill("second")
    told = page.locator("[data-say=kept]", has_text="Another tab has changed this draft")
    told.wait_for()
    named(page, "agent.vendor").fill("entered in the first tab")
    page.wait_for_timeout(600)
    assert told.is_visible()
    take(page, saved(page, page.get_by_role("button", name="Download the unfinished draft").click)[1])
    cautioned(page, "Imported. Another tab has changed this draft")
    page.once("dialog", lambda dialog: dialog.accept())  # since what was entered is kept nowhere
    with page.expect_event("dialog") as asked:
        page.reload()
    assert asked.value.type == "beforeunload"
    page.wait_for_selector("text=Your draft is as you left it")
    assert named(page, "agent.name").input_value() == "second"
    assert named(page, "agent.vendor").input_value() == ""
    other.get_by_role("button", name="Delete the draft").click()
    page.wait_for_selector("text=Another tab has deleted this draft")
    named(page, "agent.vendor").fill("begun anew")
    page.wait_for_selector("text=The draft is kept in this browser")


def test_a_day_that_has_begun_nowhere_is_refused(visit: Callable[..., Any]):
    page = visit(CURRENT)
    named(page, "session.date").fill("9999-12-31")
    assert page.get_by_role("link", name="Session: the date is of a day that has begun nowhere").is_visible()
    named(page, "session.date").fill("2026-11-11")
    assert page.get_by_role("link", name="Session: the date").count() == 0


def test_a_kept_draft_that_cannot_be_used_is_offered_as_a_file(visit: Callable[..., Any]):
    page = visit(CURRENT)
    aside = page.get_by_role("button", name="Download what was set aside")
    assert not aside.is_visible()
    named(page, "agent.name").fill("kept")
    reloaded(page)
    page.evaluate("Object.keys(localStorage).forEach(key => localStorage.setItem(key, 'old: 1\\n'))")
    page.reload()
    page.wait_for_selector("text=cannot be used, and is set aside")
    named(page, "agent.name").fill("new")
    reloaded(page)
    assert saved(page, aside.click) == ("customer-service-2.0.0-set-aside.yaml", b"old: 1\n")
    reloaded(page)
    assert not aside.is_visible()


def test_a_file_that_is_no_sheet_of_this_form_changes_nothing(visit: Callable[..., Any]):
    page = visit(CURRENT)
    named(page, "agent.name").fill("kept")
    for says, data in FOREIGN.items():
        take(page, data)
        told = page.locator("[data-say=kept]", has_text=says)
        told.wait_for()
        assert told.inner_text().startswith("Not imported.")
        assert named(page, "agent.name").input_value() == "kept"


def test_without_storage_the_form_works_and_says_that_it_keeps_nothing(visit: Callable[..., Any]):
    page = visit(CURRENT, before=WITHOUT)
    assert "keeps no draft" in page.locator("[data-say=kept]").inner_text()
    page.locator('[name="universal.U1.score"][value="5"]').check()
    page.wait_for_timeout(600)
    assert "keeps no draft" in page.locator("[data-say=kept]").inner_text()
    assert page.locator("[data-faults] li").count() == 67


def test_without_script_the_page_reads_whole_and_offers_nothing_that_cannot_work(visit: Callable[..., Any]):
    page = visit(OLDEST, java_script_enabled=False)
    assert page.get_by_text("benchsite methodology new-sheet 1.0.0 customer-service").is_visible()
    assert page.get_by_text("Superseded.").is_visible()
    assert page.locator("main button:visible").count() == 0
    assert page.locator("input:enabled:visible, textarea:enabled:visible").count() == 0
    assert page.get_by_role("heading", name="U6").is_visible()


def test_the_form_starts_on_a_page_that_arrives_slowly(visit: Callable[..., Any]):
    page = visit(CURRENT + "?halves")
    assert page.locator("[data-faults] li").count() == 68


def test_a_phone_shows_the_form_without_scrolling_sideways_and_paper_shows_it_blank(
    visit: Callable[..., Any],
):
    page = visit(CURRENT, viewport={"width": 320, "height": 700})
    page.get_by_role("button", name="Download the sheet").click()
    page.get_by_role("button", name="Add a question to D5").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.emulate_media(media="print")
    assert not page.locator(".sofar").is_visible()
    assert not page.get_by_role("button", name="More evidence for U1").is_visible()
    assert page.get_by_role("radiogroup", name="Score of U1").is_visible()


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm ci in tests/js")
def test_axe_finds_nothing_in_light_and_dark(visit: Callable[..., Any]):
    page = visit(FINED, bypass_csp=True)
    page.get_by_role("button", name="Add a question to D1").click()
    page.get_by_role("button", name="Download the sheet").click()
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("axe.run()")["violations"]
    page.emulate_media(color_scheme="dark")  # in which only colours are others
    found += page.evaluate("axe.run({runOnly: ['cat.color']})")["violations"]
    assert [
        (one["id"], one["nodes"][0]["html"][:160], one["nodes"][0]["failureSummary"][:300]) for one in found
    ] == []


def test_firefox_fills_hands_over_keeps_and_imports(
    served: str, firefox: str, measured: Callable[[bytes], dict[str, Any]], tmp_path: Path
):
    given = {"address": served + FINED, "folder": str(tmp_path), "answers": ANSWERS}
    seen = drive_firefox(firefox, "firefox-evaluate.js", given=given)
    assert seen["version"].lower().startswith("firefox")
    assert seen["trouble"] == []
    assert [url for url in seen["requests"] if not url.startswith((served, "data:", "blob:"))] == []
    assert seen["typed"] == seen["reloaded"] == seen["imported"] == FIGURES
    assert set(seen["deleted"].values()) == {"–"}
    data = (tmp_path / "zoë-s-agent-customer-service-1.3.0-bo-s1-p1.yaml").read_bytes()
    holds(measured(data))
