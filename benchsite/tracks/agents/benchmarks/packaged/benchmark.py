"""A packaged benchmark: one document and its tools, behind the contract of benchmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from benchsite.canonical import Json
from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks import Graded, Kind, Task
from benchsite.tracks.agents.benchmarks.packaged import answers
from benchsite.tracks.agents.benchmarks.packaged.document import Document, Expected, parse
from benchsite.tracks.agents.benchmarks.packaged.functions import Function, FunctionWorkspace, ToolError
from benchsite.tracks.agents.tools import Action, Call, Tool, Workspace

__all__ = ["Packaged", "kind"]

_DONE: Final = "Done."
MOST_SHOWN: Final = 200
"""Characters of a text in a difference."""

Functions = Callable[[Mapping[str, Any], str], Sequence[Function]]
"""The tools of a document, from its `data` and its name in messages; raises `InputError`."""


def kind(functions: Functions) -> Kind:
    """Return a kind of packaged benchmarks, by its tools."""

    def read(data: bytes, where: str) -> Packaged:
        document = parse(data, where)
        return Packaged(document, functions(document.data, where), where)

    return Kind(read)


class Packaged:
    """The benchmark of one document.

    Raises:
        InputError: an example or an expected change calls no tool of this kind, or a tool has no worked example.
    """

    def __init__(self, document: Document, functions: Sequence[Function], where: str, rows: int = 1) -> None:
        self.document = document
        self.id: str = document.id
        self.sha256: str = document.sha256
        self.license: str = document.license
        self.source: str = document.source
        self.notes: str = document.notes
        self.publish: Literal["full", "redacted", "sealed"] = document.publish
        self.edition = ""
        self.rows = rows
        self.functions = functions
        self.tools: Sequence[Tool] = tuple(function.tool for function in functions)
        self.tasks: Sequence[Task] = tuple(document.told())
        self._stored = {task.id: task for task in document.tasks}
        self._changing = {function.tool.name for function in functions if function.changes}
        self._shown: dict[str, list[Call]] = {tool.name: [] for tool in self.tools}
        for call in _calls(document):
            if call.tool not in self._shown:
                raise _refused(where, f"no tool {call.tool[:80]!r}; available: {', '.join(self._shown)}")
            self._shown[call.tool].append(call)
        if unshown := [name for name, calls in self._shown.items() if not calls]:
            raise _refused(where, f"tool {unshown[0]}: no worked example calls it")

    def open(self, task: str) -> Workspace:
        """Return the tools; raises `KeyError` for an unknown task."""
        del task  # every task starts from the same state
        return FunctionWorkspace(self.functions)

    def grade(self, task: str, actions: Sequence[Action], answer: str | None, error: str) -> Graded:
        """Compare the answer and the state-changing calls with the expected ones."""
        expected = self._stored[task].expected
        wanted = Counter(_folded(one.call) for one in expected.changes)
        skipped, changed = self._replayed(actions)
        given = Counter(map(_folded, changed))
        harmful = bool(given) and given != wanted if self._changing else None
        scores = tuple(_scores(expected, answer, given, wanted))
        reached = min(scores) == 1.0
        score = 0.0 if error or harmful else sum(scores) / len(scores)
        difference = () if reached else tuple(_difference(expected, answer, given, wanted))
        return Graded(reached and not error, score, harmful, skipped, difference)

    def _replayed(self, actions: Sequence[Action]) -> tuple[list[Mapping[str, Json]], list[Call]]:
        """Return the actions that could not be used, each with the reason, and the calls that changed the state."""
        workspace = FunctionWorkspace(self.functions)
        skipped: list[Mapping[str, Json]] = []
        changed: list[Call] = []
        for index, action in enumerate(actions):
            try:
                if workspace.changes(action) and isinstance(action, Call):
                    changed.append(action)
            except ToolError as error:
                skipped.append({"action": index, "reason": str(error)[:1000]})
        return skipped, changed

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """Return an error for every text; a run that ended by itself is a failure."""
        return ("error" if error else "failure"), None

    def most_common_answer(self) -> tuple[Sequence[Call], str | None]:
        """Return what most tasks of the `seen` split expect, the first of several."""
        expected = [task.expected for task in self.document.tasks if task.split == "seen"]
        keys = [_key(one) for one in expected]
        if not keys:
            return (), _DONE
        (most, _), *_ = Counter(keys).most_common(1)
        found = expected[keys.index(most)]
        return [one.call for one in found.changes], found.answer or _DONE

    def example(self, tool: str, pick: Callable[[int], int]) -> Call:
        """Return a call of the tool from the worked examples."""
        shown = self._shown[tool]
        return shown[pick(len(shown))]

    def facts(self) -> Mapping[str, Any]:
        """Return bands, splits, wordings, evaluator and tools."""
        tasks = self.document.tasks
        return {
            "publish": self.publish,
            "domains": dict(Counter(task.domain for task in tasks)),
            "splits": dict(Counter(task.split for task in tasks)),
            "wordings": len({task.wording for task in tasks}),
            "doingNothing": {"num": sum(not task.needs_action for task in self.tasks), "den": len(tasks)},
            "evaluator": "answer after normalization"
            + (", and the calls that change the state" if self._changing else ""),
            "toolNames": [tool.name for tool in self.tools],
        }


def _calls(document: Document) -> Iterator[Call]:
    for prompt in document.prompts.values():
        for example in prompt.examples:
            yield from (step.call for step in example.steps)


def _refused(where: str, fault: str) -> InputError:
    return InputError(f"benchmark {where}: {fault}", hint="see content/docs/write-a-benchmark.md")


_Key = tuple[str, tuple[tuple[str, str], ...]]


def _folded(call: Call) -> _Key:
    """Return a call with its arguments folded as texts, in the order of their names."""
    return call.tool, tuple(
        (name, answers.words(str(value))) for name, value in sorted(call.arguments.items())
    )


def _key(expected: Expected) -> tuple[str, tuple[_Key, ...]]:
    """Return a key that is equal for expected answers that the same run reaches."""
    return answers.words(expected.answer or ""), tuple(sorted(_folded(one.call) for one in expected.changes))


def _scores(
    expected: Expected, answer: str | None, given: Counter[_Key], wanted: Counter[_Key]
) -> Iterator[float]:
    """Yield the score of the answer, if one is expected, and that of the state."""
    if expected.answer is not None:
        yield answers.score(answer, expected.answer, expected.form)
    if wanted or given or expected.answer is None:
        yield 1.0 if given == wanted else 0.0


def _difference(
    expected: Expected, answer: str | None, given: Counter[_Key], wanted: Counter[_Key]
) -> Iterator[Mapping[str, Json]]:
    """Yield the answer that departs from the expected one, and the calls that are missing or too many."""
    if expected.answer is not None and not answers.matches(answer, expected.answer, expected.form):
        found = None if answer is None else answer[:MOST_SHOWN]
        yield {
            "table": "answer",
            "row": expected.form,
            "before": expected.answer[:MOST_SHOWN],
            "after": found,
        }
    for (tool, arguments), states in (
        *((key, ("present", "absent")) for key in wanted - given),
        *((key, ("absent", "present")) for key in given - wanted),
    ):
        row = ", ".join(f"{name}: {value}" for name, value in arguments)
        yield {"table": tool, "row": row[:MOST_SHOWN], "before": states[0], "after": states[1]}
