"""`check`: evaluators' sheets that a branch brings in `fixtures/`."""

from __future__ import annotations

import pytest
from branches import Work, failing
from rubric_sheets import text

from benchsite.pipeline.check import Report
from benchsite.pipeline.workspace import Workspace

FOLDER = "fixtures/helper-2026"


def sent(work: Work, **files: str) -> Report:
    work.adds({f"{FOLDER}/{name}.yaml": data.encode() for name, data in files.items()})
    return work.checked()


def said(report: Report) -> str:
    return next(step.detail for step in report.steps if step.name == "sheets")


def test_sheets_that_can_be_scored_need_no_fixture_file(published: Workspace) -> None:
    report = sent(Work(published), one=text("1.3.0"), prompts="items: []\n")
    assert failing(report) == {}
    assert said(report) == "one sheet in one set, all scorable"


def test_a_bad_score_is_named_with_its_line(published: Workspace) -> None:
    report = sent(Work(published), one=text("1.3.0").replace("score: 4", "score: 6", 1))
    assert failing(report) == {"sheets": [(FOLDER, 4)]}
    (item,) = next(step.items for step in report.steps if step.name == "sheets")
    assert "one.yaml, line " in item.message
    assert "from 1 to 5" in item.message


def test_a_version_s_demands_are_held_against_the_whole_set(published: Workspace) -> None:
    report = sent(Work(published), one=text("2.0.0"))
    assert failing(report) == {"sheets": [(FOLDER, 4)]}


def test_a_folder_without_fixture_or_sheet_is_named(published: Workspace) -> None:
    report = sent(Work(published), prompts="items: []\n")
    assert failing(report) == {"fixtures": [(FOLDER, 4)]}


def test_a_sheet_with_a_word_misspelt_is_not_passed_over(published: Workspace) -> None:
    wrong = text("1.3.0", evaluator="Bo").replace("evaluator:", "evaluater:")
    report = sent(Work(published), one=text("1.3.0"), two=wrong)
    assert [code for _, code in failing(report)["sheets"]] == [4]
    (item,) = next(step.items for step in report.steps if step.name == "sheets")
    assert "two.yaml" in item.message
    assert "evaluat" in item.message


def test_what_cannot_be_read_beside_sheets_may_be_a_sheet(published: Workspace) -> None:
    doubled = text("1.3.0", evaluator="Bo") + "template: customer-service\n"
    report = sent(Work(published), one=text("1.3.0"), two=doubled)
    assert failing(report) == {"sheets": [(f"{FOLDER}/two.yaml", 4)]}


def test_what_cannot_be_read_beside_no_sheet_may_be_one_too(published: Workspace) -> None:
    """A lone sheet with a doubled key, and a `.yml` sheet with a score of 9: neither is passed over."""
    work = Work(published)
    work.adds(
        {
            f"{FOLDER}/one.yaml": (text("1.3.0") + "template: customer-service\n").encode(),
            f"{FOLDER}/two.yml": text("1.3.0").replace("score: 4", "score: 9", 1).encode(),
        }
    )
    report = work.checked()
    assert failing(report) == {"sheets": [(f"{FOLDER}/one.yaml", 4), (FOLDER, 4)]}
    one, two = next(step.items for step in report.steps if step.name == "sheets")
    assert "may be a sheet" in one.hint
    assert "two.yml, line " in two.message


@pytest.mark.parametrize("folder", [False, True])
def test_a_sheet_that_the_working_tree_lacks_is_to_be_restored_or_removed(
    published: Workspace, *, folder: bool
) -> None:
    work = Work(published)
    work.adds({f"{FOLDER}/one.yaml": text("1.3.0").encode()})
    (published.root / FOLDER / "one.yaml").unlink()
    if folder:
        (published.root / FOLDER).rmdir()
        (published.root / FOLDER).write_text("a file now", encoding="utf-8")
    (item,) = work.step("sheets").items
    assert (item.where, item.hint) == (f"{FOLDER}/one.yaml", "restore it, or commit its removal")


@pytest.mark.parametrize("name", ["one.yml", "day-1/one.yaml", "day-1/morning/one.yml"])
def test_a_sheet_counts_wherever_it_lies_in_the_folder(published: Workspace, name: str) -> None:
    work = Work(published)
    work.adds({f"{FOLDER}/{name}": text("1.3.0").encode()})
    report = work.checked()
    assert failing(report) == {}
    assert said(report) == "one sheet in one set, all scorable"


def test_a_day_to_come_is_told_here_and_not_only_by_publish(published: Workspace) -> None:
    report = sent(Work(published), one=text("1.3.0").replace("2026-11-20", "9999-12-31"))
    assert failing(report) == {"sheets": [(FOLDER, 4)]}
    (item,) = next(step.items for step in report.steps if step.name == "sheets")
    assert "session.date: Session dates are in the future" in item.message
