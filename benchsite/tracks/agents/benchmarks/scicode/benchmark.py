"""SciCode as a benchmark: a problem is a task, whose steps are handed in one after the other and tested in a sandbox.

A step passes if its script runs to its end within the limit (`code`); a problem succeeds if all of its steps pass, and its
score is the share of its steps that pass. Steps with given code are not evaluated. Reading the benchmark runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.errors import PrerequisiteError
from benchsite.isolation import data_files, script
from benchsite.isolation.data_files import DataFile
from benchsite.isolation.trial import Limits
from benchsite.track import Imported
from benchsite.tracks.agents.benchmarks import Graded, Kind, Task
from benchsite.tracks.agents.benchmarks.scicode import code, importer
from benchsite.tracks.agents.benchmarks.scicode.document import Document, Problem, Step, parse
from benchsite.tracks.agents.tools import Action, Call, Observation, Tool, Workspace
from benchsite.words import amount

__all__ = ["KIND", "SciCode", "read"]

SUBMIT: Final = Tool(
    "submit_step",
    "Hand in the code of the current step, which cannot be changed afterwards. The result is the next step.",
    {
        "type": "object",
        "properties": {
            "code": {
                "type": "string",
                "description": "The whole Python function or class of the step, without imports and tests.",
            }
        },
        "required": ["code"],
        "additionalProperties": False,
    },
)
INSTRUCTIONS: Final = (
    "Solve the problem step by step. Write the function of the current step in Python and hand it in with submit_step. "
    "You may call the functions of earlier steps. Use the given dependencies and import nothing else. "
    "When all steps are handed in, give a final answer of one word: done."
)
_DONE: Final = "All steps are handed in. Finish with the answer: done."
_HINT: Final = "run `benchsite benchmark import scicode PATH` with the same files on this machine"
ROWS: Final = 10_000
"""What one run costs, in visits of a row: a script takes some 500 ms before it does anything."""
MOST_KEPT: Final = 10_000
_MEMORY: Final = 4 * 2**30
_OUTPUT: Final = 2**20


class SciCode:
    """The benchmark of one split."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.id: str = document.id
        self.sha256: str = document.sha256
        self.license: str = document.license
        self.source: str = document.source
        self.notes: str = document.notes
        self.publish: Literal["full", "redacted", "sealed"] = document.publish
        self.edition: str = document.edition
        self.rows = ROWS
        self.tools: Sequence[Tool] = (SUBMIT,)
        self._problems = {problem.id: problem for problem in document.problems}
        split: Literal["seen", "reserved"] = "seen" if document.split == "dev" else "reserved"
        self.tasks: Sequence[Task] = tuple(
            Task(one.id, "all", _query(one), needs_action=True, split=split, instructions=INSTRUCTIONS)
            for one in document.problems
        )
        self._limits = Limits(document.seconds, 2.0 * document.seconds, _MEMORY, _OUTPUT)
        self._kept: dict[str, str | None] = {}

    def open(self, task: str) -> Workspace:
        """Return the steps of a problem, none handed in; raises `KeyError` for an unknown task."""
        return Steps(self._problems[task])

    def grade(self, task: str, actions: Sequence[Action], answer: str | None, error: str) -> Graded:
        """Test every step that was handed in, each with the code of the earlier ones.

        Raises:
            KeyError: the task is unknown.
            PrerequisiteError: no sandbox, targets, or package that the problem imports is on this machine.
        """
        problem = self._problems[task]
        steps = Steps(problem)
        skipped: list[Mapping[str, Json]] = []
        for index, action in enumerate(actions):
            seen = steps.call(action.tool, action.arguments) if isinstance(action, Call) else None
            if seen is None or seen.failed:
                reason = "not a call of a tool" if seen is None else str(seen.result)
                skipped.append({"action": index, "reason": reason[:1000]})
        steps.complete(answer or "")
        failures = self._failures(problem, steps.codes)
        tested = sum(bool(step.tests) for step in problem.steps)
        difference: list[Mapping[str, Json]] = [
            {"table": "steps", "row": number, "before": "passes", "after": how} for number, how in failures
        ]
        score = (tested - len(failures)) / tested
        return Graded(not failures and not error, score, None, skipped, tuple(difference))

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """Return an error for every text; a run that ended by itself is a failure."""
        return ("error" if error else "failure"), None

    def most_common_answer(self) -> tuple[Sequence[Call], str | None]:
        """Return no call: no two problems have the same code."""
        return (), "done"

    def example(self, tool: str, pick: Callable[[int], int]) -> Call:
        """Return a call with the header of a step: a function that does nothing right."""
        steps = [step for problem in self.document.problems for step in problem.steps]
        return Call(tool, {"code": code.stub(steps[pick(len(steps))])})

    def facts(self) -> Mapping[str, Any]:
        """Return edition, steps, evaluator and the hash of the targets."""
        steps = [step for problem in self.document.problems for step in problem.steps]
        return {
            "publish": self.publish,
            "data": self.edition,
            "steps": sum(bool(step.tests) for step in steps),
            "stepsGiven": sum(not step.tests for step in steps),
            "doingNothing": {"num": 0, "den": len(self.tasks)},
            "evaluator": f"official tests in a sandbox, {self.document.seconds} s of CPU a step; "
            "a problem succeeds if all of its steps pass; "
            "code shares a process with its tests and can forge a pass",
            "targets": f"{self.document.targets.name}, SHA-256 {self.document.targets.sha256}",
            "toolNames": [SUBMIT.name],
        }

    def _failures(self, problem: Problem, codes: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the number of each step that does not pass, and how it failed."""
        failures: list[tuple[str, str]] = []
        earlier: list[str] = []
        for step in problem.steps:
            handed_in = codes.get(step.number)
            if step.tests and handed_in is None:
                failures.append((step.number, "not handed in"))
            elif step.tests and handed_in is not None:
                how = self._tested(problem, step, earlier, handed_in)
                failures += [] if how is None else [(step.number, how)]
            if handed_in is not None:
                earlier.append(handed_in)
        return failures

    def _tested(self, problem: Problem, step: Step, earlier: Sequence[str], handed_in: str) -> str | None:
        """Return how a step fails; None if it passes."""
        self._require_dependencies(problem)
        source = code.script(problem.dependencies, earlier, handed_in, step)
        key = f"{step.number} {canonical.sha256_hex(source.encode('utf-8', 'surrogatepass'))}"
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            targets = None
            if step.reads_targets:
                file = self.document.targets
                what = f"the file of targets {file.name} of {self.id}"
                targets = script.Targets(
                    data_files.found(file.sha256, what, _HINT), step.number, len(step.tests)
                )
            ran = script.run(source, targets, limits=self._limits)
            self._kept[key] = None if ran.is_passed else " ".join(ran.how.split())[:500]
        return self._kept[key]

    def _require_dependencies(self, problem: Problem) -> None:
        """Raise `PrerequisiteError` if what a problem imports cannot be: no code could pass."""
        key = f"dependencies {problem.dependencies}"
        if key not in self._kept:
            ran = script.run(problem.dependencies)
            self._kept[key] = None if ran.is_passed else ran.how
        if (how := self._kept[key]) is not None:
            raise PrerequisiteError(
                f"SciCode problem {problem.id}: its dependencies can't be imported: {how}",
                hint="install the versions that content/docs/run-an-official-benchmark.md names",
            )


class Steps:
    """The steps of one run.

    Attributes:
        codes: what was handed in or is given, by the number of the step.
    """

    tools: Sequence[Tool] = (SUBMIT,)

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.codes: dict[str, str] = {
            step.number: step.given for step in problem.steps if step.given is not None
        }

    def call(self, name: str, arguments: Mapping[str, Json]) -> Observation:
        """Take the code of the current step, and show the next one."""
        step = self._current()
        text = arguments.get("code")
        if name != SUBMIT.name:
            return _refused(f"no tool {name[:80]!r}; available: {SUBMIT.name}")
        if not isinstance(text, str) or len(arguments) != 1:
            return _refused("submit_step takes code, which must be a text")
        if step is None:
            return _refused("all steps are handed in: finish with the answer done")
        wanted = code.function_name(step.header) or ""
        found = code.code_in(text, wanted)
        if found is None:
            most = f", in at most {code.MOST:,} characters"
            return _refused(f"the code must define {wanted} of step {step.number}{most}")
        self.codes[step.number] = found
        following = self._current()
        return Observation(_DONE if following is None else _shown(self._problem, following))

    def complete(self, answer: str) -> None:
        """Take the code of the remaining steps from an answer, each if the answer defines its function."""
        for step in self._problem.steps:
            found = code.code_in(answer, code.function_name(step.header) or "")
            if step.number not in self.codes and found is not None:
                self.codes[step.number] = found

    def _current(self) -> Step | None:
        return next((step for step in self._problem.steps if step.number not in self.codes), None)


def _refused(why: str) -> Observation:
    return Observation(f"error: {why}", failed=True)


def _query(problem: Problem) -> str:
    first = next(step for step in problem.steps if step.tests)
    return (
        f"{problem.description}\n\nDependencies:\n{problem.dependencies}\n\n"
        f"The problem has {amount(len(problem.steps), 'step')}.\n\n{_shown(problem, first)}"
    )


def _shown(problem: Problem, step: Step) -> str:
    """Return a step as a system sees it, after the steps with given code that come right before it."""
    place = problem.steps.index(step)
    given: list[Step] = []
    while place > 0 and problem.steps[place - 1].given is not None:
        place -= 1
        given.insert(0, problem.steps[place])
    parts = [f"Step {one.number}: {one.description}\n\nIts code is given:\n{one.given}" for one in given]
    return "\n\n".join([*parts, f"Step {step.number}: {step.description}\n\n{code.stub(step)}"])


def read(data: bytes, where: str) -> SciCode:
    """Return the benchmark of a `fixture.json`; raises `InputError` with what is wrong."""
    return SciCode(parse(data, where))


def _converted(files: Mapping[str, bytes], *, large: Mapping[str, DataFile], split: str) -> Imported:
    document, found = importer.convert(
        files,
        split,
        {name: (file.sha256, file.size) for name, file in large.items()},
        lambda name: script.tests_in(large[name].path),
    )
    data = canonical.dumps(document)
    benchmark = SciCode(parse(data, "scicode"))
    steps = benchmark.facts()["steps"]
    lines = [
        f"{amount(len(found.problems), 'problem')}, {amount(steps, 'step')} with tests: {found.edition}",
        f"targets: {found.targets.name}, SHA-256 {found.targets.sha256[:12]}…, kept in the user's cache folder",
    ]
    report = {
        "id": found.id,
        "sha256": benchmark.sha256,
        "data": found.edition,
        "problems": len(found.problems),
        "steps": steps,
        "large": [found.targets.sha256],
    }
    return Imported(data, lines, report)


KIND: Final = Kind(
    read,
    _converted,
    help=(
        "Import SciCode.\n\n"
        "PATH is a folder with the published problems and their targets, such as eval/data of the repository with "
        "test_data.h5 in it. The targets are kept in the user's cache folder."
    ),
    suffixes=(".jsonl", ".txt"),
    large=(".h5", ".hdf5"),
    choices={"split": (("test", "dev"), "Split of the problems.")},
)
