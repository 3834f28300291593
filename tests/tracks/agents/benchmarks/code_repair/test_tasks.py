"""The shipped tasks of code-repair: each faulty function fails a test of its query, each expected repair passes all."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import packaged_benchmarks
import pytest
from examples import some

from benchsite import resources
from benchsite.isolation import sandbox
from benchsite.tracks.agents.benchmarks.code_repair.benchmark import CodeRepair
from benchsite.tracks.agents.benchmarks.code_repair.submission import is_unchanged
from benchsite.tracks.agents.tools import Call

NAME: Final = "code-repair"
RAW: Final = packaged_benchmarks.raw(NAME)
BENCHMARK: Final = packaged_benchmarks.shipped(NAME)
TASKS: Final = RAW["tasks"]
sealed_here = pytest.mark.skipif(sandbox.level() != "sealed", reason="no sandbox is permitted here")


def ours() -> CodeRepair:
    assert isinstance(BENCHMARK, CodeRepair)
    return BENCHMARK


def test_the_mix_is_the_one_that_was_measured() -> None:
    # reviews/agent-task-shapes.md, chapter 7: 14 C1, 12 C2, 10 C3, 4 C4, at most 2 with two bugs, >= 10 wordings
    mix = {"wrong-operator": 14, "off-by-one": 12, "edge-case": 10, "shared-state": 4}
    assert Counter(task["parameters"]["fault"] for task in TASKS) == mix
    assert sum(task["parameters"]["faults"] == 2 for task in TASKS) <= 2
    assert Counter(task["domain"] for task in TASKS) == {"easy": 10, "middle": 20, "hard": 10}
    assert set(Counter((task["domain"], task["split"]) for task in TASKS).values()) == {5, 10}
    wordings = Counter(task["wording"] for task in TASKS)
    assert len(wordings) >= 10
    assert max(wordings.values()) <= 4


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["id"])
def test_the_query_shows_the_faulty_function_and_its_visible_tests_only(task: dict[str, Any]) -> None:
    told, parameters = task["query"], task["parameters"]
    assert parameters["faulty"].rstrip() in told
    for case in parameters["visible"]:
        arguments = ", ".join(map(repr, case["arguments"]))
        assert f"{parameters['function']}({arguments}) == {case['returns']!r}" in told
    assert told.count(" == ") >= len(parameters["visible"])
    shown = [(case["arguments"], case["returns"]) for case in parameters["visible"]]
    hidden = [(case["arguments"], case["returns"]) for case in parameters["hidden"]]
    assert any(case not in shown for case in hidden)
    assert task["expected"]["answer"] not in told
    assert not is_unchanged(task["expected"]["answer"], parameters["faulty"])


@sealed_here
@pytest.mark.parametrize("task", some(TASKS, gate=10), ids=lambda task: task["id"])
def test_the_repair_passes_and_the_faulty_function_fails_a_visible_test(task: dict[str, Any]) -> None:
    right = BENCHMARK.grade(task["id"], (), task["expected"]["answer"], "")
    assert (right.success, right.score, right.difference) == (True, 1.0, ())
    touched = task["parameters"]["faulty"] + "\nx = 1\n"
    seen = BENCHMARK.open(task["id"]).call("run_tests", {"code": touched})
    assert seen.failed is False
    assert "fail" in str(seen.result).splitlines()[0]
    tried = Call("run_tests", {"code": touched})
    assert BENCHMARK.grade(task["id"], (tried,), "submit", "").success is False


@sealed_here
def test_the_worked_examples_have_the_results_of_the_tool_and_pass_at_once() -> None:
    examples = BENCHMARK.tasks[0].examples
    assert [example.answer for example in examples] == ["submit", "submit"]
    for example, stored in zip(examples, RAW["data"]["examples"], strict=True):
        (step,) = example.steps
        task = {
            **TASKS[0],
            "query": "?",
            "parameters": {**TASKS[0]["parameters"], **stored, "hidden": stored["visible"]},
        }
        small = packaged_benchmarks.read({**RAW, "tasks": [task]})
        assert small.open(TASKS[0]["id"]).call(step.tool, step.arguments).result == step.result
        assert stored["faulty"].rstrip() in example.query
        assert small.open(TASKS[0]["id"]).call(step.tool, {"code": stored["faulty"]}).failed is True


def test_it_is_licensed_and_reading_it_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    notice = (resources.folder("fixtures") / NAME / "LICENSE").read_text("utf-8")
    assert notice.startswith(f"{NAME} (fixture.json")
    assert (BENCHMARK.license, BENCHMARK.publish) == ("CC-BY-4.0", "full")
    monkeypatch.setattr("benchsite.isolation.trial.call", None)
    found = packaged_benchmarks.read(RAW)
    assert found.facts()["doingNothing"] == {"num": 0, "den": 40}
    found.open("average")
    found.most_common_answer()
    assert all(task.needs_action for task in found.tasks)
