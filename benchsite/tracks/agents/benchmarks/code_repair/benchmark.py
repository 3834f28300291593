"""The kind `code-repair`: tasks of a packaged document whose answers are code, run in a sandbox.

Its evaluator runs foreign code, in a process that can reach nothing (`benchsite.isolation.trial`): when a run is made, when
a draft is published, and for `rescore --evaluate`. Reading the benchmark runs nothing, so builds and verification run
nothing either. The sandbox gets the arguments of the tests and not the expected values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from benchsite.canonical import Json
from benchsite.errors import InputError
from benchsite.isolation import trial
from benchsite.schema import first_fault
from benchsite.tracks.agents.benchmarks import Graded, Kind
from benchsite.tracks.agents.benchmarks.code_repair.cases import (
    Case,
    Repair,
    call_text,
    failure,
    marked,
    python,
)
from benchsite.tracks.agents.benchmarks.code_repair.submission import code_in, handed_in, is_unchanged
from benchsite.tracks.agents.benchmarks.packaged import Document, Function, Packaged, ToolError, parse
from benchsite.tracks.agents.benchmarks.packaged.functions import FunctionWorkspace
from benchsite.tracks.agents.tools import Action, Call, Tool, Workspace
from benchsite.words import amount

__all__ = ["KIND", "CodeRepair", "read"]

RUN_TESTS: Final = Tool(
    "run_tests",
    "Run the tests of the task on a whole function. The result says which calls fail, and how.",
    {
        "type": "object",
        "properties": {
            "code": {
                "type": "string",
                "description": "The whole corrected Python function, with its def line.",
            }
        },
        "required": ["code"],
        "additionalProperties": False,
    },
)
UNCHANGED: Final = "this is the faulty function, unchanged: correct it first"
_VALUES: Final = ("returned", "changed")
ROWS: Final = 2_000
"""What one run costs, in visits of a row: a trial takes some 40 ms."""
MOST_KEPT: Final = 10_000
"""Trials whose results are kept: their results are the same each time."""


class _Failed(NamedTuple):
    """A test that failed: its call, the expected value, and what happened."""

    call: str
    expected: str
    found: str


def read(data: bytes, where: str) -> CodeRepair:
    """Return the benchmark of a document; raises `InputError`."""
    return CodeRepair(parse(data, where), where)


class CodeRepair(Packaged):
    """The benchmark of one document. Nothing is run until a tool is called or a run is graded."""

    def __init__(self, document: Document, where: str) -> None:
        super().__init__(document, (Function(RUN_TESTS, _not_here),), where, ROWS)
        self._repairs = {task.id: _repair(task.id, task.parameters, where) for task in document.tasks}
        self._kept: dict[tuple[str, str, bool], tuple[_Failed, ...]] = {}

    def open(self, task: str) -> Workspace:
        """Return the tool for one task; raises `KeyError` for an unknown task."""
        repair = self._repairs[task]

        def run_tests(arguments: Mapping[str, str]) -> str:
            return self._tested(task, repair, arguments["code"])

        return FunctionWorkspace((Function(RUN_TESTS, run_tests),))

    def grade(self, task: str, actions: Sequence[Action], answer: str | None, error: str) -> Graded:
        """Run every test, hidden ones included, on the code that the run handed in.

        Raises:
            KeyError: the task is unknown.
            PrerequisiteError: this machine permits no sandbox.
        """
        repair = self._repairs[task]
        skipped, _ = self._replayed(actions)
        unusable = {item["action"] for item in skipped}
        tested = [
            str(action.arguments["code"])
            for place, action in enumerate(actions)
            if isinstance(action, Call) and place not in unusable
        ]
        last = code_in(tested[-1], repair.function) or tested[-1] if tested else None
        code = handed_in(answer, last, repair.function)
        if code is None or is_unchanged(code, repair.faulty):
            found = "none" if code is None else "the faulty function, unchanged"
            lacking = {"table": "answer", "row": "code", "before": "a repaired function", "after": found}
            return Graded(success=False, score=0.0, skipped=skipped, difference=(lacking,))
        failed = self._failed(task, repair, code, hidden=True)
        count = len(repair.visible) + len(repair.hidden)
        difference: tuple[Mapping[str, Json], ...] = tuple(
            {"table": "tests", "row": one.call, "before": one.expected, "after": one.found} for one in failed
        )
        score = 0.0 if error else (count - len(failed)) / count
        return Graded(not failed and not error, score, None, skipped, difference)

    def most_common_answer(self) -> tuple[Sequence[Call], str | None]:
        """Return the expected code of the first task of the `seen` split: no two tasks have the same."""
        first = next((task for task in self.document.tasks if task.split == "seen"), self.document.tasks[0])
        return (), first.expected.answer

    def facts(self) -> Mapping[str, Any]:
        """Return what packaged benchmarks state, and the kinds of faults."""
        faults = [repair.fault for repair in self._repairs.values()]
        return {
            **super().facts(),
            "evaluator": "visible and hidden tests, in a sandbox",
            "faults": {kind: faults.count(kind) for kind in dict.fromkeys(faults)},
        }

    def _tested(self, task: str, repair: Repair, text: str) -> str:
        """Return the result of the tool, in words."""
        code = code_in(text, repair.function) or text
        if is_unchanged(code, repair.faulty):
            raise ToolError(UNCHANGED)
        failed = self._failed(task, repair, code, hidden=False)
        if not failed:
            return f"All {amount(len(repair.visible), 'test')} pass."
        (how, *others) = dict.fromkeys(one.found for one in failed)
        if len(failed) == len(repair.visible) and not others and not how.startswith(_VALUES):
            return f"All {amount(len(failed), 'test')} fail: the code {how}."
        lines = (f"{one.call} {one.found}, expected {one.expected}" for one in failed)
        return "\n".join([f"{len(failed)} of {amount(len(repair.visible), 'test')} fail.", *lines])

    def _failed(self, task: str, repair: Repair, code: str, *, hidden: bool) -> tuple[_Failed, ...]:
        key = (task, code, hidden)
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = tuple(_failures(repair.function, code, _cases(repair, hidden=hidden)))
        return self._kept[key]


def _cases(repair: Repair, *, hidden: bool) -> Sequence[Case]:
    return (*repair.visible, *repair.hidden) if hidden else repair.visible


def _failures(function: str, code: str, cases: Sequence[Case]) -> list[_Failed]:
    tried = trial.call(code, function, [list(case.arguments) for case in cases])
    found = []
    for number, case in enumerate(cases):
        result = tried.fault if tried.fault is not None else tried.results.get(number)
        if (how := failure(case, result, tried.ended)) is not None:
            expected = python(marked(case.returns))
            if case.leaves is not None:
                expected += " and unchanged arguments"
            found.append(_Failed(call_text(function, case), expected, how))
    return found


def _repair(task: str, parameters: Mapping[str, Any], where: str) -> Repair:
    try:
        return Repair.model_validate(dict(parameters))
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(
            f"benchmark {where}: task {task}: parameters.{place}: {fault}",
            hint="see content/docs/write-a-benchmark.md",
        ) from None


def _not_here(_arguments: Mapping[str, str]) -> str:
    """Refuse a call outside a task: every task has its own tests."""
    raise ToolError("no task is open")


KIND: Final = Kind(read)
