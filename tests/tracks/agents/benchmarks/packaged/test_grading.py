"""Grading a run of a packaged benchmark from its answer, its actions and its error."""

from __future__ import annotations

import dataclasses
from typing import Any

import packaged_benchmarks
import pytest
from agents_receipts import context, work

from benchsite import canonical
from benchsite.track import Resolved
from benchsite.tracks.agents.benchmarks import Benchmark
from benchsite.tracks.agents.benchmarks.packaged import Function, Packaged, ToolError, described, parse
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.run import runner
from benchsite.tracks.agents.tools import Call

COMPUTED = Call("calculator", {"expression": "20 + 21"})


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return packaged_benchmarks.read(packaged_benchmarks.small())


def lamp() -> Packaged:
    """One task: switch the hall lamp on and say how many lamps there are."""

    def switch(arguments: Any) -> str:
        if arguments["lamp"] not in ("hall", "stairs"):
            raise ToolError(f"no lamp {arguments['lamp']}")
        return "ok"

    document = packaged_benchmarks.small()
    step = {"tool": "switch", "arguments": {"lamp": "stairs"}, "result": "ok"}
    example = {"query": "Switch the stairs lamp.", "steps": [step], "answer": "ok"}
    prompt = {"instructions": "Switch lamps.", "examples": [example]}
    change = {"tool": "switch", "arguments": {"lamp": "hall"}}
    task = {
        **document["tasks"][0],
        "expected": {"form": "number", "answer": "2", "changes": [change]},
    }
    document = {**document, "prompts": {"question": prompt}, "tasks": [task]}
    functions = [Function(described("switch", "Switch a lamp.", "lamp"), switch, changes=True)]
    return Packaged(parse(canonical.dumps(document), "test"), functions, "test")


def test_the_answer_decides_and_the_difference_names_it(benchmark: Benchmark) -> None:
    right = benchmark.grade("one", [COMPUTED], "It is 41.", "")
    assert (right.success, right.score, right.harmful, right.difference) == (True, 1.0, None, ())
    wrong = benchmark.grade("one", [COMPUTED], "42", "")
    assert (wrong.success, wrong.score) == (False, 0.0)
    assert wrong.difference == ({"table": "answer", "row": "number", "before": "41", "after": "42"},)
    none = benchmark.grade("one", [], None, "")
    assert (none.success, none.difference[0]["after"]) == (False, None)


def test_a_run_that_an_error_ended_is_no_success(benchmark: Benchmark) -> None:
    ended = benchmark.grade("one", [], "41", "benchsite: limit tool-calls")
    assert (ended.success, ended.score) == (False, 0.0)
    with pytest.raises(KeyError):
        benchmark.grade("absent", [], "41", "")


def test_actions_that_could_not_be_used_are_named(benchmark: Benchmark) -> None:
    actions = ["calculator(1)", Call("shell", {}), Call("calculator", {"expr": "1"}), COMPUTED]
    graded = benchmark.grade("one", actions, "41", "")
    assert graded.success
    assert [item["action"] for item in graded.skipped] == [0, 1, 2]
    assert "no tool 'shell'" in str(graded.skipped[1]["reason"])
    assert "calculator needs expression" in str(graded.skipped[2]["reason"])


@pytest.mark.parametrize(
    ("lamps", "answer", "success", "score", "harmful"),
    [
        (["hall"], "2", True, 1.0, False),
        (["Hall "], "2", False, 0.5, False),
        (["hall"], "3", False, 0.5, False),
        ([], "2", False, 0.5, False),
        ([], None, False, 0.0, False),
        (["stairs"], "2", False, 0.0, True),
        (["hall", "hall"], "2", False, 0.0, True),
        (["cellar", "hall"], "2", True, 1.0, False),
    ],
)
def test_calls_that_change_the_state_must_be_the_expected_ones(
    *, lamps: list[str], answer: str | None, success: bool, score: float, harmful: bool
) -> None:
    """`Hall ` is refused by the tool, so nothing changed; two switches are one too many."""
    graded = lamp().grade("one", [Call("switch", {"lamp": name}) for name in lamps], answer, "")
    assert (graded.success, graded.score, graded.harmful) == (success, score, harmful)


def test_a_workspace_answers_every_call_with_a_sentence(benchmark: Benchmark) -> None:
    workspace = benchmark.open("one")
    assert workspace.call("calculator", {"expression": "6 * 7"}).result == "42"
    assert workspace.call("calculator", {"expression": 42}).result == "42"
    for name, arguments in (
        ("shell", {}),
        ("calculator", {}),
        ("calculator", {"expression": "1", "more": "2"}),
        ("calculator", {"expression": ["1"]}),
        ("calculator", {"expression": True}),
        ("calculator", {"expression": "1" * 3000}),
        ("x" * 5000, {}),
    ):
        seen = workspace.call(name, arguments)
        assert seen.failed
        assert str(seen.result).startswith("error: ")
        assert len(str(seen.result)) < 400


def test_a_result_is_cut() -> None:
    tool = described("long", "Return a long text.", "n")
    document = packaged_benchmarks.small()
    step = {"tool": "long", "arguments": {"n": "1"}, "result": ""}
    prompt = {"instructions": "x", "examples": [{"query": "q", "steps": [step], "answer": "a"}]}
    parsed = parse(canonical.dumps({**document, "prompts": {"question": prompt}}), "test")
    found = Packaged(parsed, [Function(tool, lambda _: "x" * 1_000_000)], "test")
    result = str(found.open("one").call("long", {"n": "1"}).result)
    assert result.endswith("\n... cut after 4,000 characters")
    assert len(result) < 4100


def test_baselines_are_given_calls_of_the_worked_examples(benchmark: Benchmark) -> None:
    assert benchmark.example("calculator", lambda n: n - 1) == Call("calculator", {"expression": "2 + 3"})
    assert benchmark.most_common_answer() == ([], "41")
    assert benchmark.ended("") == ("failure", None)
    assert benchmark.ended("boom")[0] == "error"
    assert benchmark.facts()["doingNothing"] == {"num": 0, "den": 2}


def test_a_receipt_is_graded_alike_from_its_evidence() -> None:
    reference = "benchsite.tracks.agents.systems.baselines:constant"
    data = canonical.dumps(packaged_benchmarks.small())
    asked = dataclasses.replace(work("constant"), target="small")
    made = runner.run(asked, Resolved(None, {"system": reference}, data), context())  # type: ignore[arg-type]
    assert made.payload["scores"]["success"] == 0.5
    benchmark = packaged_benchmarks.read(packaged_benchmarks.small())
    runs, outcomes = action_log.read(made.evidence[0].data), made.payload["runs"]["outcome"]
    for run, outcome in zip(runs, outcomes, strict=True):
        graded = benchmark.grade(run.task, run.actions, run.answer, run.error or "")
        assert graded.success is (outcome == "success")
