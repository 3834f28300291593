"""Every run starts from the same state: what one run did is not there in the next, on every benchmark."""

from __future__ import annotations

from typing import Any, Final

import packaged_benchmarks
import pytest
import tiny_workbench

from benchsite.isolation import sandbox
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.tools import Call

NAMES: Final = ("workbench", *packaged_benchmarks.SHIPPED)


def benchmark(name: str) -> Benchmark:
    return tiny_workbench.benchmark() if name == "workbench" else packaged_benchmarks.shipped(name)


def calls(found: Benchmark) -> list[Call]:
    """Two calls of every tool."""
    return [
        found.example(tool.name, lambda n, at=at: min(at, n - 1)) for tool in found.tools for at in (0, 1)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_run_did_is_not_there_in_the_next(name: str) -> None:
    if name == "code-repair" and sandbox.level() != "sealed":
        pytest.skip("no sandbox is permitted here")
    found = benchmark(name)
    task = found.tasks[0].id
    made = calls(found)

    def run() -> list[Any]:
        workspace = found.open(task)
        return [workspace.call(call.tool, call.arguments) for call in made]

    first = run()
    again = run()
    assert first == again
    side_by_side = [found.open(task) for _ in range(2)]
    seen = [[one.call(call.tool, call.arguments) for one in side_by_side] for call in made]
    assert [pair[0] for pair in seen] == [pair[1] for pair in seen] == first


@pytest.mark.parametrize("name", NAMES)
def test_grading_a_run_does_not_change_the_grade_of_another(name: str) -> None:
    if name == "code-repair" and sandbox.level() != "sealed":
        pytest.skip("no sandbox is permitted here")
    found = benchmark(name)
    task = found.tasks[0].id
    nothing = found.grade(task, (), "Done.", "")
    busy = found.grade(task, calls(found), "Done.", "")
    assert found.grade(task, (), "Done.", "") == nothing
    assert found.grade(task, calls(found), "Done.", "") == busy
    assert busy.success is False
