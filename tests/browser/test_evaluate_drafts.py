"""Drafts of the evaluator form: kept, brought back, set aside, imported, shared by two tabs; nothing entered is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser.evaluating import (
    CURRENT,
    FIGURES,
    FINED,
    FULL,
    WITHOUT,
    by_keyboard,
    cautioned,
    figures,
    named,
    reloaded,
    saved,
    take,
)

pytestmark = pytest.mark.browser


@pytest.mark.full
def test_the_next_sheet_of_a_session_shows_nothing_of_the_one_before(visit_form: Callable[..., Any]):
    page = visit_form(FINED)
    by_keyboard(page)
    following = page.get_by_role("button", name="Start next sheet")
    assert not following.is_visible()
    saved(page, lambda: page.keyboard.press("Enter"))
    following.click()
    assert page.evaluate("document.activeElement.className") == "draft-bar", (
        "where it is said what this sheet is"
    )
    assert 0 <= page.locator(".draft-bar").bounding_box()["y"] < 300
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


@pytest.mark.full
def test_going_back_to_an_earlier_draft_loses_nothing_of_the_later_one(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    name = named(page, "agent.name")
    name.fill("first")
    page.get_by_role("button", name="Delete draft").click()
    name.fill("second")
    for button, stands in (("Undo", "first"), ("Redo", "second"), ("Undo", "first")):
        page.get_by_role("button", name=button).click()
        assert name.input_value() == stands
    reloaded(page)
    assert name.input_value() == "first"
    _, data = saved(page, page.get_by_role("button", name="Download recovered draft").click)
    assert data.count(b'  name: "second"\n') == 1


@pytest.mark.full
def test_an_import_sets_aside_what_no_file_holds(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    name = named(page, "agent.name")
    name.fill("from a file")
    _, file = saved(page, page.get_by_role("button", name="Download unfinished draft").click)
    for words in ("first", "second"):
        name.fill(words)
        page.wait_for_selector("text=Draft stored in this browser")
        take(page, file)
        page.wait_for_selector("text=Imported. Your draft is also stored as a recovered draft.")
        assert name.input_value() == "from a file"
    other = page.context.new_page()
    page.close()
    other.goto(page.url)
    other.wait_for_selector("text=Draft restored")
    aside = other.get_by_role("button", name="Download recovered draft")
    for words, left in (
        ("first", "1 more recovered draft."),
        ("second", "No more recovered drafts."),
    ):
        file_name, data = saved(other, aside.click)
        assert file_name == f"{words}-customer-service-2.0.0-evaluator-s1-p1.draft.yaml"
        assert data.count(f'  name: "{words}"\n'.encode()) == 1
        assert other.locator("[data-say=kept]").inner_text() == left
    assert saved(other, aside.click)[1] != data, "a download that went wrong can be had again"
    take(other, data)
    other.wait_for_selector("text=Imported.")
    assert named(other, "agent.name").input_value() == "second"


@pytest.mark.full
def test_a_sheet_corrected_after_it_was_opened_again_outlives_the_next_one(visit_form: Callable[..., Any]):
    page = visit_form(FINED)
    by_keyboard(page)
    saved(page, lambda: page.keyboard.press("Enter"))
    page.reload()
    page.get_by_role("button", name="Open downloaded sheet").click()
    back = page.get_by_role("button", name="Back to next sheet")
    back.click()
    assert not page.locator("[data-act=aside]").is_visible(), "a file holds the sheet"
    page.get_by_role("button", name="Open downloaded sheet").click()
    note, person = named(page, "universal.U2.note"), named(page, "evaluator.name")
    note.fill("corrected")
    back.click()
    person.fill("Cy")
    page.get_by_role("button", name="Open corrected sheet").click()
    assert note.input_value() == "corrected"
    assert page.locator("[data-say=handed]").inner_text().startswith("Changed since the download")
    back.click()
    assert person.input_value() == "Cy"
    other = page.context.new_page()
    page.close()
    other.goto(page.url)
    other.wait_for_selector("text=Draft restored")
    assert named(other, "evaluator.name").input_value() == "Cy"
    aside = other.get_by_role("button", name="Download recovered draft")
    found = [saved(other, aside.click)[1] for _ in range(2)]
    assert [data.count(b'note: "corrected"\n') for data in found] == [1, 0]
    assert [data.count(b'  name: "Cy"\n') for data in found] == [0, 1]


@pytest.mark.full
def test_what_cannot_be_set_aside_stays_until_a_file_holds_it(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT, before=FULL)
    name, undo = named(page, "agent.name"), page.get_by_role("button", name="Undo")
    name.fill("first")
    page.get_by_role("button", name="Delete draft").click()
    name.fill("second")
    undo.click()
    cautioned(page, "Not opened. This browser has no room for a copy of your draft: download it first.")
    page.wait_for_timeout(600)  # a later message would have taken its place
    cautioned(page, "Not opened.")
    assert name.input_value() == "second"
    _, data = saved(page, page.get_by_role("button", name="Download unfinished draft").click)
    assert b'  name: "second"\n' in data
    undo.click()
    assert name.input_value() == "first"


@pytest.mark.full
def test_an_import_that_is_not_kept_is_said_with_caution(visit_form: Callable[..., Any]):
    unusable = "Storage.prototype.getItem = () => 'old: 1';"
    for before, says in (
        (WITHOUT, "This browser cannot store a draft"),
        (FULL + unusable, "Draft not stored."),
    ):
        page = visit_form(CURRENT, before=before)
        _, data = saved(page, page.get_by_role("button", name="Download unfinished draft").click)
        take(page, data)
        cautioned(page, f"Imported. {says}")


@pytest.mark.full
def test_what_is_corrected_after_the_sheet_was_saved_is_kept(visit_form: Callable[..., Any], tmp_path: Path):
    page = visit_form(FINED)
    by_keyboard(page)
    note, told = named(page, "universal.U2.note"), page.locator("[data-say=handed]")
    following = page.get_by_role("button", name="Start next sheet")
    name, data = saved(page, lambda: page.keyboard.press("Enter"))
    assert told.inner_text() == f"Downloaded as {name}."
    for words in ("corrected", "corrected after it was imported"):
        note.fill(words)
        assert told.inner_text().startswith("Changed since the download")
        assert not following.is_visible(), "it would take the place of what no file holds"
        reloaded(page)
        assert note.input_value() == words
        assert figures(page) == FIGURES
        _, data = saved(page, page.get_by_role("button", name="Download sheet").click)
        assert f'note: "{words}"'.encode() in data
        (tmp_path / name).write_bytes(data)
        page.get_by_label("Import a sheet").set_input_files(tmp_path / name)
        page.wait_for_selector("text=Imported.")
        assert following.is_visible()


@pytest.mark.full
def test_two_tabs_of_one_form_do_not_overwrite_each_other(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    named(page, "agent.name").fill("first")
    page.wait_for_selector("text=Draft stored in this browser")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("text=Draft restored")
    named(other, "agent.name").fill("second")
    told = page.locator("[data-say=kept]", has_text="Another tab has changed this draft")
    told.wait_for()
    named(page, "agent.vendor").fill("entered in the first tab")
    page.wait_for_timeout(600)
    assert told.is_visible()
    take(page, saved(page, page.get_by_role("button", name="Download unfinished draft").click)[1])
    cautioned(page, "Imported. Another tab has changed this draft")
    page.once("dialog", lambda dialog: dialog.accept())  # since what was entered is kept nowhere
    with page.expect_event("dialog") as asked:
        page.reload()
    assert asked.value.type == "beforeunload"
    page.wait_for_selector("text=Draft restored")
    assert named(page, "agent.name").input_value() == "second"
    assert named(page, "agent.vendor").input_value() == ""
    other.get_by_role("button", name="Delete draft").click()
    page.wait_for_selector("text=Another tab has deleted this draft")
    named(page, "agent.vendor").fill("begun anew")
    page.wait_for_selector("text=Draft stored in this browser")


@pytest.mark.full
def test_a_kept_draft_that_cannot_be_used_is_offered_as_a_file(visit_form: Callable[..., Any]):
    page = visit_form(CURRENT)
    aside = page.get_by_role("button", name="Download recovered draft")
    assert not aside.is_visible()
    named(page, "agent.name").fill("kept")
    reloaded(page)
    page.evaluate("Object.keys(localStorage).forEach(key => localStorage.setItem(key, 'old: 1\\n'))")
    page.reload()
    page.wait_for_selector("text=cannot be used. Download it as a recovered draft")
    named(page, "agent.name").fill("new")
    reloaded(page)
    assert saved(page, aside.click) == ("customer-service-2.0.0-recovered.yaml", b"old: 1\n")
    reloaded(page)
    assert not aside.is_visible()
