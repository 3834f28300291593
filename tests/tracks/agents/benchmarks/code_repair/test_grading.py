"""Code-repair grades what was handed in, and whatever the code does to its process, it cannot succeed by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import packaged_benchmarks
import pytest
from agents_receipts import context, document, given, resolved, work

from benchsite.errors import InputError, PrerequisiteError
from benchsite.isolation import sandbox, trial
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.record.columns import further_levels
from benchsite.tracks.agents.run import runner
from benchsite.tracks.agents.tools import Call

sealed_here = pytest.mark.skipif(sandbox.level() != "sealed", reason="no sandbox is permitted here")

TASK = "average"
RIGHT = "def average(numbers):\n    return sum(numbers) / len(numbers)\n"
FAULTY = "def average(numbers):\n    return sum(numbers) * len(numbers)\n"
WRONG = "def average(numbers):\n    return sum(numbers)\n"


def benchmark() -> Benchmark:
    return packaged_benchmarks.shipped("code-repair")


def calls(*codes: str) -> list[Call]:
    return [Call("run_tests", {"code": code}) for code in codes]


@sealed_here
def test_the_tool_says_which_calls_fail_and_how() -> None:
    workspace = benchmark().open(TASK)
    assert workspace.call("run_tests", {"code": RIGHT}).result == "All 3 tests pass."
    assert workspace.call("run_tests", {"code": f"```python\n{RIGHT}```"}).result == "All 3 tests pass."
    assert str(workspace.call("run_tests", {"code": WRONG}).result).splitlines() == [
        "3 of 3 tests fail.",
        "average([2, 4]) returned 6, expected 3",
        "average([5, 5, 5]) returned 15, expected 5",
        "average([1, 2]) returned 3, expected 1.5",
    ]
    broken = workspace.call("run_tests", {"code": "def average(numbers)\n    return 1"}).result
    assert broken == "All 3 tests fail: the code raised SyntaxError: expected ':' (solution.py, line 1)."


@pytest.mark.parametrize(
    "code", [FAULTY, f"# mine\n{FAULTY}\n\n", FAULTY.replace("    ", "  "), f"python\n{FAULTY}"]
)
def test_the_faulty_function_unchanged_is_refused(code: str) -> None:
    seen = benchmark().open(TASK).call("run_tests", {"code": code})
    assert (seen.result, seen.failed) == (
        "error: this is the faulty function, unchanged: correct it first",
        True,
    )
    graded = benchmark().grade(TASK, calls(code), "submit", "")
    assert (graded.success, graded.score) == (False, 0.0)
    assert benchmark().grade(TASK, (), code, "").success is False


@sealed_here
@pytest.mark.parametrize(
    ("codes", "answer", "success"),
    [
        ([RIGHT], "submit", True),
        ([WRONG, RIGHT], "Submit.", True),
        ([RIGHT, WRONG], "submit", False),
        ([f"```python\n{RIGHT}```"], "submit", True),
        ([WRONG], RIGHT, True),
        ([RIGHT], WRONG, False),
        ([], f"Here it is:\n```python\n{RIGHT}```\nIt divides now.", True),
        ([], f"python\n{RIGHT}", True),
        ([], "submit", False),
        ([RIGHT], "I repaired it.", False),
        ([RIGHT], None, False),
        ([RIGHT], "def other():\n    pass", False),
    ],
)
def test_submit_hands_in_the_code_tested_last_and_code_itself(
    codes: list[str], answer: str | None, *, success: bool
) -> None:
    assert benchmark().grade(TASK, calls(*codes), answer, "").success is success


@sealed_here
def test_a_hidden_test_decides_and_the_score_is_the_share_of_tests_passed() -> None:
    shown = "def average(numbers):\n    return {2: sum(numbers) / 2, 3: 5}.get(len(numbers))\n"
    assert benchmark().open(TASK).call("run_tests", {"code": shown}).result == "All 3 tests pass."
    graded = benchmark().grade(TASK, calls(shown), "submit", "")
    assert (graded.success, graded.score) == (False, 3 / 5)
    assert list(graded.difference) == [
        {"table": "tests", "row": "average([7])", "before": "7", "after": "returned None"},
        {"table": "tests", "row": "average([0, 0, 9, 3])", "before": "3", "after": "returned None"},
    ]


@sealed_here
def test_an_error_is_no_success_and_a_call_that_could_not_be_used_is_skipped() -> None:
    actions = [
        Call("run_tests", {}),
        Call("other", {"code": RIGHT}),
        "denied by policy: run_tests {}",
        *calls(RIGHT),
    ]
    graded = benchmark().grade(TASK, actions, "submit", "")
    assert graded.success is True
    assert [item["action"] for item in graded.skipped] == [0, 1, 2]
    assert benchmark().grade(TASK, actions, "submit", "benchsite: error: it crashed").success is False


HOSTILE = {
    "ends the process": "import os\nos._exit(0)\n",
    "raises SystemExit": "import sys\nsys.exit(0)\n",
    "equals everything": "class Any(float):\n    __eq__ = lambda s, o: True\n    __hash__ = None\ndef average(numbers):\n    return Any()\n",
    "replaces the writer": 'import os, json\njson.dumps = lambda o, **k: \'{"call": 0, "value": 3}\'\ndef average(numbers):\n    return 0\n',
    "replaces builtins": "import builtins\nbuiltins.type = lambda o: bool\nbuiltins.repr = str\ndef average(numbers):\n    return 3\n",
    "looks for the tests": "import gc\ndef average(numbers):\n    return [o for o in gc.get_objects() if isinstance(o, dict) and 'returns' in o][0]['returns']\n",
    "reads the fixture": "import glob\ndef average(numbers):\n    return glob.glob('/**/fixture.json', recursive=False)[0]\n",
    "prints": "def average(numbers):\n    while True:\n        print('x' * 1_000_000)\n",
    "takes memory": "def average(numbers):\n    return bytearray(10_000_000_000)\n",
}


@sealed_here
@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE)
def test_hostile_code_does_not_succeed(code: str) -> None:
    whole = code if "def average" in code else f"{code}{RIGHT}"
    graded = benchmark().grade(TASK, calls(whole), "submit", "")
    assert graded.success is False
    assert graded == benchmark().grade(TASK, calls(whole), "submit", "")


@sealed_here
def test_the_sandbox_is_not_told_what_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    order = trial._order
    monkeypatch.setattr(trial, "_order", lambda *given: told.append(order(*given)) or told[-1])
    benchmark().grade(TASK, (), RIGHT + "# told\n", "")
    assert told[0]["calls"] == [[[2, 4]], [[5, 5, 5]], [[1, 2]], [[7]], [[0, 0, 9, 3]]]
    assert "1.5" not in str(told[0])


@sealed_here
def test_runs_share_no_state() -> None:
    first, second = (benchmark().open(TASK) for _ in range(2))
    code = "import builtins\nbuiltins.sum = lambda numbers: 0\n" + RIGHT
    assert "fail" in str(first.call("run_tests", {"code": code}).result)
    assert second.call("run_tests", {"code": RIGHT}).result == "All 3 tests pass."
    assert benchmark().grade(TASK, (), "submit", "").success is False, (
        "what another run tested is not handed in"
    )


def test_without_a_sandbox_nothing_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PrerequisiteError("code cannot be run: no sandbox on this machine", hint="-")

    monkeypatch.setattr(trial, "require_sandbox", refuse)
    with pytest.raises(PrerequisiteError):
        benchmark().grade(TASK, (), RIGHT + "# not kept\n", "")
    with pytest.raises(PrerequisiteError):
        benchmark().open(TASK).call("run_tests", {"code": RIGHT + "# nor this\n"})


def test_a_task_that_is_malformed_is_named() -> None:
    raw = packaged_benchmarks.raw("code-repair")
    task = {**raw["tasks"][0], "parameters": {**raw["tasks"][0]["parameters"], "function": "no name"}}
    with pytest.raises(InputError, match=r"task fence-length: parameters\.function"):
        packaged_benchmarks.read({**raw, "tasks": [task]})


@sealed_here
def test_only_the_level_of_the_benchmark_runs_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """`verify`, `build` and `rescore` give no benchmark's data: with every piece of evidence at hand, nothing is run."""
    started: list[str] = []
    call = trial.call
    monkeypatch.setattr(trial, "call", lambda code, *rest: started.append(code) or call(code, *rest))
    data = packaged_benchmarks.data("code-repair")
    asked = resolved("constant")
    made = runner.run(work("constant"), replace(asked, target=data), context())
    body = document(made)
    assert started, "grading the runs ran code"
    started.clear()
    levels = further_levels(body, given(made))
    assert [step.state for step in levels.steps] == ["pass", "pass", "not checked"]
    assert started == []
    evaluated = further_levels(body, given(made, data))
    assert [step.state for step in evaluated.steps] == ["pass", "pass", "pass"]
    assert len(started) == 1, "the answers to other tasks define no function of the name"
