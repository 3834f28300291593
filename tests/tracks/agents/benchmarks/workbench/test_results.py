"""Results of a configuration: one file a domain, one row a task, or a refusal that says which."""

from __future__ import annotations

import re

import pytest
from workbench_files import RESULTS, query, result_files, table

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.workbench import results
from benchsite.tracks.agents.benchmarks.workbench.dataset import Dataset

EMAIL = "email/model_all_2024-03-21_15-21-12.csv"


def test_rows_come_in_the_order_of_the_tasks_with_their_files_digests(dataset: Dataset) -> None:
    files = result_files()
    lines = files[EMAIL].splitlines(keepends=True)
    files[EMAIL] = b"".join([lines[0], lines[2], lines[1]])
    found = results.read(dataset, files, "model_all")
    assert [row.task.id for row in found.rows] == [task.id for task in dataset.tasks]
    assert [(row.path, row.row) for row in found.rows if row.task.id == "email-001"] == [(EMAIL, 3)]
    assert [(one.path, one.sha256, one.rows) for one in found.files] == [
        (name, canonical.sha256_hex(files[name]), 2) for name in sorted(files)
    ]
    assert found.missing == ()


def test_a_configuration_is_what_is_before_the_date() -> None:
    names = [
        *result_files(configuration="gpt-4_all"),
        *result_files(configuration="gpt-4_all_2"),
        "README.md",
    ]
    assert results.configurations(names) == ("gpt-4_all", "gpt-4_all_2")
    assert set(results.choose(names, "gpt-4_all").values()) == {*result_files(configuration="gpt-4_all")}


@pytest.mark.parametrize(
    ("name", "configuration", "day"),
    [
        ("gpt-4_all_2024-03-21_15-21-12.csv", "gpt-4_all", "2024-03-21"),
        ("gpt-4_all_2024-03-21T15:21:12Z.csv", "gpt-4_all", "2024-03-21"),
        ("gpt-4_all_20240321-1521.csv", "gpt-4_all", "2024-03-21"),
        ("gpt-4_all_2024-03-21.csv", "gpt-4_all", "2024-03-21"),
        ("gpt-4o_2024-08-06_2024-09-01.csv", "gpt-4o_2024-08-06", "2024-09-01"),
        ("Llama 3 70B@meta+tools.csv", "Llama 3 70B@meta+tools", None),
        ("gpt-4_all_2.csv", "gpt-4_all_2", None),
    ],
)
def test_a_date_has_several_forms_or_is_absent(name: str, configuration: str, day: str | None) -> None:
    assert results.configurations([f"email/{name}"]) == (configuration,)
    assert results.date(f"email/{name}") == day


def test_files_elsewhere_are_no_results() -> None:
    with pytest.raises(InputError, match="emails: no file") as caught:
        results.choose(["processed/emails.csv"], "emails")
    assert caught.value.hint == "PATH is the folder that holds DOMAIN/CONFIGURATION_DATE.csv"
    with pytest.raises(InputError) as caught:
        results.choose([EMAIL.removeprefix("email/")], "model_all")
    assert caught.value.hint == "PATH holds results itself, as a domain's folder does: name its parent"


def test_a_configuration_without_its_files_is_refused() -> None:
    files = result_files()
    with pytest.raises(InputError, match="other: no file") as caught:
        results.choose(files, "other")
    assert caught.value.hint == "available: model_all"
    del files[EMAIL]
    with pytest.raises(InputError, match="file for email$"):
        results.choose(files, "model_all")
    with pytest.raises(InputError, match=r"calendar/.*12\.csv, calendar/.*13\.csv$"):
        results.choose([*result_files(), "calendar/model_all_2024-03-21_15-21-13.csv"], "model_all")


def changed(*rows: tuple[str, ...]) -> dict[str, bytes]:
    return {**result_files(), EMAIL: table(RESULTS, rows)}


GOOD = (query("email", 1), "[]", "", "")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (changed(GOOD), f'  {EMAIL}: no row for email-002 "Do job 2 of email"'),
        (changed(GOOD, GOOD), f"  {EMAIL}: row 3: email-001, as in row 2"),
        (
            changed(GOOD, ("What\x1b[2J\u202e?", "[]", "", "")),
            f'  {EMAIL}: row 3: unknown query "What\\u001b[2J\\u202e?"',
        ),
        (changed(("q", "[", "", "")), "not a row for each task"),
        (changed((GOOD[0], "[", "", "")), f"{EMAIL}: row 2, column 2: not a Python expression"),
        (changed((GOOD[0], "[1]", "", "")), f"{EMAIL}: row 2, column 2: expected a list of texts"),
        (changed((GOOD[0], "[]", "x" * 1_000_001, "")), f"{EMAIL}: row 2, column 3: a cell of 1,000,001"),
        (
            {**result_files(), EMAIL: b"query,error\na,b\n"},
            f"{EMAIL}: row 1: missing columns: function_calls",
        ),
    ],
)
def test_rows_that_are_not_the_tasks_are_refused(
    dataset: Dataset, files: dict[str, bytes], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        results.read(dataset, files, "model_all")


def test_results_of_another_edition_name_the_first_ten_differences(dataset: Dataset) -> None:
    rows = [(f"Another task {number}", "[]", "", "") for number in range(20)]
    with pytest.raises(InputError) as caught:
        results.read(dataset, changed(*rows), "model_all")
    lines = caught.value.message.splitlines()
    assert lines[0] == "results of model_all: not a row for each task, 22 differences"
    assert (len(lines), lines[-1]) == (12, "  and 12 more")
    assert "one edition of the data" in caught.value.hint


def test_a_missing_task_can_be_listed_instead(dataset: Dataset) -> None:
    found = results.read(dataset, changed(GOOD), "model_all", allow_missing=True)
    assert [task.id for task in found.missing] == ["email-002"]
    assert len(found.rows) == len(dataset.tasks) - 1
