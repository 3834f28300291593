"""Steps of SciCode are tested as the official evaluation tests them, and foreign code gets no further than its script."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from examples import some
from scicode_set import CENTER, DOUBLE, SCALE

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.isolation import data_files, sandbox
from benchsite.tracks.agents.benchmarks.scicode.benchmark import SciCode
from benchsite.tracks.agents.tools import Call

pytestmark = pytest.mark.skipif(sandbox.level() != "sealed", reason="no sandbox is permitted here")

Make = Callable[..., SciCode]


def submit(*codes: str) -> list[Call]:
    return [Call("submit_step", {"code": one}) for one in codes]


def failures(benchmark: SciCode, task: str, *codes: str, answer: str = "done") -> dict[str, str]:
    graded = benchmark.grade(task, submit(*codes), answer, "")
    return {str(one["row"]): str(one["after"]) for one in graded.difference}


@pytest.mark.full
def test_a_problem_succeeds_if_all_steps_pass_and_its_score_is_the_share_of_steps(benchmark_of: Make) -> None:
    benchmark = benchmark_of()
    whole = benchmark.grade("8", submit(CENTER, f"```python\nimport os\n{SCALE}```"), "done", "")
    assert (whole.success, whole.score, whole.difference) == (True, 1.0, ())
    # The second step has given code and isn't counted: one of two steps passes.
    half = benchmark.grade(
        "8", submit(CENTER, SCALE.replace("norm(y), norm", "norm(y), 2 * norm")), "done", ""
    )
    assert (half.success, half.score) == (False, 0.5)
    assert half.difference[0]["row"] == "8.3"
    # A wrong first step fails the third too, as the official script has the code of all earlier steps.
    assert failures(benchmark, "8", CENTER.replace("-", "+"), SCALE) == {
        "8.1": "raised AssertionError",
        "8.3": "raised AssertionError",
    }
    assert failures(benchmark, "8", CENTER) == {"8.3": "not handed in"}
    stopped = benchmark.grade("8", submit(CENTER, SCALE), None, "benchsite: limit tokens")
    assert (stopped.success, stopped.score) == (False, 1.0)
    in_answer = benchmark.grade("8", (), f"```python\n{CENTER}\n{SCALE}```", "")
    assert in_answer.success


@pytest.mark.parametrize(
    ("body", "how"),
    some(
        [
            ("__import__('os')._exit(0)", "ended the process"),
            ("raise SystemExit(0)", "raised SystemExit: 0"),
            ("__import__('os').fork()", "raised PermissionError: [Errno 1] Operation not permitted"),
            (
                "open('/etc/passwd')",
                "raised FileNotFoundError: [Errno 2] No such file or directory: '/etc/passwd'",
            ),
            ("while True: pass", "took too long"),
            ("import os\n    return os.name", "raised NameError: name 'os' is not defined"),
        ],
        gate=2,
    ),
)
def test_code_that_misbehaves_fails_its_step(body: str, how: str, benchmark_of: Make) -> None:
    found = failures(benchmark_of(seconds=3), "7", f"def double(x):\n    {body}\n")
    assert found == {"7.1": how}


def test_code_that_prints_megabytes_passes_as_officially(benchmark_of: Make) -> None:
    assert not failures(benchmark_of(), "7", f"print('x' * 5_000_000)\n{DOUBLE}")


def test_steps_are_shown_one_after_the_other_and_refusals_say_why(benchmark_of: Make) -> None:
    benchmark = benchmark_of()
    task = next(task for task in benchmark.tasks if task.id == "8")
    assert "def center(x):" in task.query
    assert "def scale" not in task.query
    assert "target" not in task.query
    workspace = benchmark.open("8")
    assert workspace.call("submit_step", {"code": "x = 1"}).result == (
        "error: the code must define center of step 8.1, in at most 100,000 characters"
    )
    following = str(workspace.call("submit_step", {"code": CENTER}).result)
    assert "Its code is given:\ndef norm(x):" in following
    assert "Step 8.3: What step 8.3 does." in following
    assert str(workspace.call("submit_step", {"code": SCALE}).result).startswith("All steps are handed in.")
    assert workspace.call("submit_step", {"code": SCALE}).failed
    assert workspace.call("delete", {}).result == "error: no tool 'delete'; available: submit_step"
    skipped = benchmark.grade("8", ["text", *submit("x = 1")], None, "").skipped
    assert [one["action"] for one in skipped] == [0, 1]


def test_what_is_not_on_this_machine_is_said_and_counts_for_no_step(benchmark_of: Make) -> None:
    benchmark = benchmark_of()
    kept = data_files.folder() / benchmark.document.targets.sha256
    kept.write_bytes(b"other")
    with pytest.raises(IntegrityError):
        benchmark.grade("7", submit(DOUBLE), "done", "")
    kept.unlink()
    with pytest.raises(
        PrerequisiteError, match="file of targets test_data.h5 of scicode-dev is not on this machine"
    ):
        benchmark.grade("7", submit(DOUBLE), "done", "")
    problems = benchmark.document.model_dump(mode="json")["problems"]
    problems[0]["dependencies"] = "import a_package_of_another_time"
    with pytest.raises(PrerequisiteError, match="problem 7: its dependencies can't be imported"):
        benchmark_of(problems=problems).grade("7", submit(DOUBLE), "done", "")


FORGED = """def double(x):
    import_ = __import__
    frame = import_('sys')._getframe()
    while 'token' not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals['write'](passed=True)
    import_('os')._exit(0)
"""


def test_what_code_can_forge_is_said_where_the_benchmark_is_described(benchmark_of: Make) -> None:
    """The limit of the evaluation: a change that ends it must change the words too."""
    benchmark = benchmark_of()
    assert not failures(benchmark, "7", FORGED)
    assert "can forge a pass" in benchmark.facts()["evaluator"]
    assert "can forge a pass" in benchmark.notes
