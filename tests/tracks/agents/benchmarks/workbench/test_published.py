"""The figures of WorkBench's published configurations, from their own data and transcripts.

Expected values are those of the original's `is_correct` and `has_side_effects` (commit 42f1b6dc, pandas 2.1.4), run over
these files: all 4,140 rows agree with ours in both. Successes are also those of specs/agents.md.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from examples import some

from benchsite import canonical
from benchsite.tracks.agents.benchmarks.workbench import importer, results
from benchsite.tracks.agents.benchmarks.workbench.actions import canonical_action
from benchsite.tracks.agents.benchmarks.workbench.benchmark import WorkBench
from benchsite.tracks.agents.benchmarks.workbench.dataset import Dataset, parse
from benchsite.tracks.agents.benchmarks.workbench.grading import Grader
from benchsite.tracks.agents.benchmarks.workbench.transcript import events, graded, notes, read_transcript

FIGURES = {
    "gpt-4_domains": (340, 138),
    "gpt-4_all": (294, 177),
    "claude-2_domains": (156, 254),
    "mistral-8x7B_domains": (132, 237),
    "gpt-3.5_domains": (93, 362),
    "llama2-70b_domains": (16, 137),
}
NOTHING = {
    "analytics": 40,
    "calendar": 11,
    "customer_relationship_manager": 10,
    "email": 1,
    "multi_domain": 41,
    "project_management": 21,
}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "workbench"


@pytest.fixture(scope="module")
def published(folder: Path) -> Dataset:
    document = importer.convert({name: (folder / name).read_bytes() for name in importer.FILES.values()})
    return parse(canonical.dumps(document), where="fixture.json")


@pytest.fixture(scope="module")
def files(folder: Path) -> dict[str, bytes]:
    root = folder / "results"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.glob("*/*.csv")}


def test_the_published_data_are_known_by_their_digest(published: Dataset) -> None:
    assert published.described == "the published data of July 2024"
    assert len(published.tasks) == 690


def test_a_table_altered_by_one_cell_is_another_dataset(folder: Path) -> None:
    files = {name: (folder / name).read_bytes() for name in importer.FILES.values()}
    table = "processed/calendar_events.csv"
    files[table] = files[table].replace(b"sync up", b"sync-up", 1)
    altered = parse(canonical.dumps(importer.convert(files)), where="fixture.json")
    assert altered.described == "altered data"


def test_doing_nothing_is_right_on_124_tasks(published: Dataset) -> None:
    grader = Grader(published)
    right = Counter(task.domain for task in published.tasks if grader.grade(task, ()).success)
    assert dict(right) == NOTHING


@pytest.mark.parametrize("configuration", some(list(FIGURES), gate=3))
def test_a_published_configuration_has_its_published_figures(
    configuration: str, published: Dataset, files: dict[str, bytes]
) -> None:
    grader = Grader(published)
    found = results.read(published, files, configuration)
    grades = [grader.grade(row.task, row.actions, row.error) for row in found.rows]
    assert len(grades) == 690
    assert (sum(grade.success for grade in grades), sum(grade.harmful for grade in grades)) == FIGURES[
        configuration
    ]


def test_the_events_of_published_runs_hold_what_is_graded(
    published: Dataset, files: dict[str, bytes]
) -> None:
    for row in results.read(published, files, "gpt-3.5_domains").rows:
        told = read_transcript(row.response)
        assert graded(events(row, told)) == (tuple(map(canonical_action, row.actions)), row.error)
        assert notes(row, told) == ()
        assert (told.reason == "") is (row.response != "")


def test_every_published_configuration_is_listed(files: dict[str, bytes]) -> None:
    assert set(results.configurations(files)) == set(FIGURES)


def test_the_worked_examples_are_no_tasks(published: Dataset) -> None:
    benchmark = WorkBench(published)
    shown = benchmark.tasks[0].examples
    assert len(shown) == 2
    assert not {example.query for example in shown} & {task.query for task in benchmark.tasks}
    assert [step.result for step in shown[1].steps] == [
        '["luis.ortiz@atlas.com"]',
        "Email sent successfully.",
    ], "the first participant of the calendar"
