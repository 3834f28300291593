"""Properties that every shipped benchmark has (specs/agents.md, "Benchmarks")."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import packaged_benchmarks
import pytest

from benchsite import resources
from benchsite.tracks.agents.benchmarks.packaged import answers

BANDS: Final = ("easy", "middle", "hard")

pytestmark = pytest.mark.parametrize("name", packaged_benchmarks.ANSWERED)


def test_it_is_licensed_and_has_a_notice(name: str) -> None:
    found = packaged_benchmarks.shipped(name)
    assert (found.id, found.license, found.publish) == (name, "CC-BY-4.0", "full")
    notice = (resources.folder("fixtures") / name / "LICENSE").read_text("utf-8")
    assert notice.startswith(f"{name} (fixture.json")


def test_the_document_has_one_task_a_line(name: str) -> None:
    lines = packaged_benchmarks.data(name).decode("utf-8").splitlines()
    assert sum('"expected":' in line for line in lines) == len(packaged_benchmarks.shipped(name).tasks)


def test_the_worked_examples_are_what_the_tools_really_answer(name: str) -> None:
    found = packaged_benchmarks.shipped(name)
    for examples in found.document.examples.values():
        for example in examples:
            workspace = found.open(found.tasks[0].id)
            for step in example.steps:
                seen = workspace.call(step.tool, step.arguments)
                assert (seen.result, seen.failed) == (step.result, False), example.query


def test_the_expected_run_succeeds_and_nothing_does_not(name: str) -> None:
    found = packaged_benchmarks.shipped(name)
    for task in found.document.tasks:
        actions = [change.call for change in task.expected.changes]
        right = found.grade(task.id, actions, task.expected.answer, "")
        assert (right.success, right.skipped) == (True, []), task.id
        assert not found.grade(task.id, [], None, "").success, task.id
        assert not found.grade(task.id, [], "Done.", "").success, task.id
    assert all(task.needs_action for task in found.tasks)


def test_the_expected_answer_is_not_in_its_query_or_prompt(name: str) -> None:
    for task in packaged_benchmarks.shipped(name).document.tasks:
        if task.expected.answer is None:
            continue
        if task.expected.form == "number":
            assert answers.numbers(task.expected.answer)[0] not in answers.numbers(task.query), task.id
        shown = {one.answer for one in packaged_benchmarks.shipped(name).document.examples[task.prompt]}
        assert task.expected.answer not in shown, task.id


def test_no_worked_example_is_a_task_with_other_numbers(name: str) -> None:
    def form(query: str) -> str:
        return re.sub(r"[0-9]+", "0", query)

    document = packaged_benchmarks.shipped(name).document
    asked = {form(task.query) for task in document.tasks}
    assert not asked & {form(one.query) for examples in document.examples.values() for one in examples}


def test_it_has_bands_splits_and_wordings(name: str) -> None:
    tasks = packaged_benchmarks.shipped(name).document.tasks
    assert len(tasks) >= 40
    assert {task.domain for task in tasks} == set(BANDS)
    assert min(Counter(task.domain for task in tasks).values()) >= 10
    assert {task.domain for task in tasks[:3]} == set(BANDS), "the first tasks are a sample of all bands"
    wordings = Counter(task.wording for task in tasks)
    assert len(wordings) >= 10
    assert max(wordings.values()) <= 4


def test_a_wording_is_seen_or_reserved_as_a_whole(name: str) -> None:
    """Tasks of one wording succeed or fail together: a split between them would keep nothing back."""
    tasks = packaged_benchmarks.shipped(name).document.tasks
    splits = {task.wording: task.split for task in tasks}
    assert all(task.split == splits[task.wording] for task in tasks)
    assert len({(task.wording, task.domain) for task in tasks}) == len(splits)
    reserved = sum(task.split == "reserved" for task in tasks)
    assert 0.2 <= reserved / len(tasks) <= 0.35


def test_no_answer_is_common(name: str) -> None:
    tasks = packaged_benchmarks.shipped(name).document.tasks
    counts = Counter(answers.words(task.expected.answer or "") for task in tasks)
    del counts[""]
    assert max(counts.values()) <= len(tasks) / 5
