"""Stated runs to finished ones: their traces, actions and outcomes on a benchmark, or on a list of tasks.

The runs of a benchmark that is installed are graded here, by their answer and actions. Those of a task list keep the outcome that
the file states, since nothing here can decide it. Keys and paths of a machine are replaced first, so that what is graded is what
is kept. Refused: runs of unknown tasks, tasks without a run, and runs that leave nothing to grade.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import ValidationError

from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.progress import Progress
from benchsite.schema import first_fault
from benchsite.track import LARGEST_EVIDENCE
from benchsite.tracks.agents.benchmarks import Benchmark, Graded, ending_of, evaluator_of, stated_ending
from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.importers.messages import Told, bounded, cut, read_messages
from benchsite.tracks.agents.importers.run_lines import Line, StatedRun
from benchsite.tracks.agents.record.action_log import MAX_RUN_TEXT, MAX_TEXT, read_action, size_of
from benchsite.tracks.agents.record.columns import Acts
from benchsite.tracks.agents.record.config import MAX_REPEATS
from benchsite.tracks.agents.record.payload import MAX_RUNS
from benchsite.tracks.agents.record.payload_from_runs import Finished, action_record
from benchsite.tracks.agents.record.sentences import said
from benchsite.tracks.agents.redaction import redacted
from benchsite.tracks.agents.trace.event import Event
from benchsite.words import amount

__all__ = ["Expected", "finished"]

SHOWN: Final = 5
AGENT: Final = "agent"
LOST: Final = "the file has no such run"
_UNKNOWN: Final = Graded(success=False, score=None)
_TOO_LONG: Final = "import fewer runs of each task, or the results in several parts"
_REPEAT: Final = "content/docs/import-runs.md lists the members of a line"


Keep: TypeAlias = Callable[[bytes], Callable[[], bytes]]
"""Takes bytes, and returns what reads them."""


class Expected(NamedTuple):
    """Which runs a file should have.

    Attributes:
        repeats: how many of each task.
        hint: what to do about a missing one.
        allow_missing: record it as an error of the infrastructure instead.
    """

    repeats: int
    hint: str = (
        'add the missing runs, with "outcome": "error" if they were lost, or import fewer runs of each task'
    )
    allow_missing: bool = False


class _Placed(NamedTuple):
    """A run by its number, and its place in the file in words."""

    number: int
    where: str
    run: Finished


class _Outside:
    """Traces and action records of runs, which `keep` takes; no more of them than a receipt can have."""

    def __init__(self, keep: Keep) -> None:
        self._keep, self._actions, self._traces = keep, MAX_TEXT, LARGEST_EVIDENCE

    def keep(self, one: Finished, where: str) -> Finished:
        """Return the run with what reads its trace and its action record, in place of events and actions; raises `InputError`."""
        size, trace = sum(map(size_of, one.actions)), one.trace
        self._actions -= size
        self._traces -= len(trace)
        for left, whose, most in (
            (MAX_RUN_TEXT - size, "a run", MAX_RUN_TEXT),
            (self._actions, "a receipt", MAX_TEXT),
        ):
            if left < 0:
                text = said("actions-too-long", whose=whose, most=f"{most:,}", where=where)
                raise InputError(text, hint=_TOO_LONG)
        if self._traces < 0:
            raise InputError(
                f"the traces of a receipt have more than {LARGEST_EVIDENCE:,} bytes: {where}", hint=_TOO_LONG
            )
        return replace(
            one,
            columns=one.traced,
            lines=self._keep(trace),
            acts=Acts.of(one.events),
            record=self._keep(action_record(one, one.graded or _UNKNOWN)),
            events=(),
            actions=(),
        )


class _Kept(NamedTuple):
    """The texts of a run, without keys and paths, and what its trace tells; `ended` is the place and the text of the error that ended it."""

    told: Told
    answer: str | None
    error: str
    has_steps: bool
    ended: tuple[int, str] | None = None


def finished(
    runs: Iterable[StatedRun],
    name: str,
    benchmark: Benchmark,
    progress: Progress,
    secrets: Sequence[str] = (),
    *,
    expected: Expected,
    keep: Keep = lambda data: lambda: data,
) -> tuple[list[Finished], Sequence[str]]:
    """Return the runs in the order of the benchmark's tasks, and notes for the person who imports them.

    One run is held whole at a time. `keep` takes the traces and the action records of the others, and returns what reads them.

    Raises:
        InputError: runs and tasks do not fit, or a run leaves nothing to grade.
    """
    ids = [task.id for task in benchmark.tasks]
    if expected.repeats > MAX_REPEATS or len(ids) * expected.repeats > MAX_RUNS:
        raise InputError(
            f"{name}: {expected.repeats:,} runs of {amount(len(ids), 'task')} are too many",
            hint=f"at most {MAX_REPEATS:,} runs a task and {MAX_RUNS:,} in all: import fewer",
        )
    by_name: Mapping[str, str] = getattr(benchmark, "by_name", {}) or {one: one for one in ids}
    found: dict[str, list[_Placed]] = {one: [] for one in ids}
    scrubber, outside, unlike, total = Scrubber(), _Outside(keep), list[str](), len(ids) * expected.repeats
    for place, run in enumerate(runs):
        progress(place, total, f"{name}: {run.line.task}")
        task = by_name.get(run.line.task)
        if task is None:
            raise InputError(
                f"{run.where}: task: {benchmark.id} has no task {run.line.task[:80]!r}",
                hint=f"its tasks are {', '.join(ids[:SHOWN])}{', …' if len(ids) > SHOWN else ''}; check --benchmark",
            )
        try:
            one = _finished(task, run, benchmark, scrubber, secrets)
            if one.graded is None:
                one = replace(one, graded=benchmark.grade(task, one.actions, one.answer, one.error))
                unlike += _unlike(run, one)
            one = outside.keep(one, run.where)
        except (JsonError, RecursionError) as error:
            why = error.message if isinstance(error, JsonError) else "nested too deeply"
            raise InputError(f"{run.where}: {why}", hint=_REPEAT) from None
        found[task].append(_Placed(run.line.run, run.where, one))
    absent = _absent(found, name, benchmark, expected, outside)
    progress(total, total, name)
    made = [one.run for placed in found.values() for one in sorted(placed, key=lambda one: one.number)]
    notes = [f"{amount(absent, 'run')} not in the file, recorded as errors"] if absent else []
    return made, (*notes, *_notes(benchmark, scrubber, unlike))


def _unlike(run: StatedRun, made: Finished) -> Iterator[str]:
    """Where the benchmark decides otherwise than the line states."""
    succeeds = made.graded is not None and made.graded.success
    if run.outcome is not None and succeeds != (run.outcome == "success"):
        yield f"{run.where}: {run.outcome} stated, {'success' if succeeds else 'no success'} here"


def _absent(
    found: Mapping[str, list[_Placed]], name: str, benchmark: Benchmark, expected: Expected, outside: _Outside
) -> int:
    """Add an error for each run that is missing, if that is allowed, and return how many; check the others."""
    count = 0
    if expected.allow_missing:
        for task, placed in found.items():
            lost = set(range(1, expected.repeats + 1)) - {one.number for one in placed}
            placed += [
                _Placed(number, name, outside.keep(_lost(task, number, benchmark), name))
                for number in sorted(lost)
            ]
            count += len(lost)
    elif missing := [task for task, made in found.items() if not made]:
        listed = ", ".join(missing[:SHOWN]) + (", …" if len(missing) > SHOWN else "")
        raise InputError(
            f"{name}: {amount(len(missing), 'task')} of {benchmark.id} without a run: {listed}",
            hint=expected.hint,
        )
    for task, made in found.items():
        _require_even(task, made, name, expected)
    return count


def _lost(task: str, number: int, benchmark: Benchmark) -> Finished:
    """A run of which nothing is known; the benchmark decides it too, if it decides the others."""
    error = stated_ending("error", None, LOST)
    payload = {"text": error, "source": "import", "ending": "error", "limit": None, "partial": True}
    event = Event(id="e1", actor=AGENT, event_type="error", payload=payload)
    graded = _UNKNOWN if evaluator_of(benchmark) else benchmark.grade(task, (), None, error)
    return Finished(task, number, (event,), error=error, graded=graded)


def _require_even(task: str, made: Sequence[_Placed], name: str, expected: Expected) -> None:
    """Raise `InputError` unless a task has each run that is expected once, under any of its names."""
    numbers, wanted = Counter(run.number for run in made), expected.repeats
    if twice := [number for number, count in numbers.items() if count > 1]:
        first, second, *_ = (run.where for run in made if run.number == twice[0])
        raise InputError(
            f"{second}: run {twice[0]} of task {task} occurs twice, first in {first.removeprefix(f'{name} ')}",
            hint="a task has a short name and a published one: give its run once",
        )
    if len(numbers) != wanted:
        raise InputError(
            f"{name}: task {task} has {amount(len(numbers), 'run')} ({', '.join(map(str, sorted(numbers)[:SHOWN]))}), "
            f"but every task needs the runs 1 to {wanted}",
            hint=expected.hint,
        )


def _finished(
    task: str, run: StatedRun, benchmark: Benchmark, scrubber: Scrubber, secrets: Sequence[str]
) -> Finished:
    line, outcome = run.line, run.outcome
    kept = _kept(run, scrubber, secrets)
    ending = outcome if outcome in ("limit", "error") or (outcome == "failure" and kept.error) else None
    if ending is None and kept.error:
        ending = "failure"
    error = stated_ending(ending, line.limit, kept.error) if ending is not None else ""
    if kept.ended is not None and ending is not None:
        told, limit = ending_of(kept.ended[1])
        error = kept.ended[1] if (told or "failure", limit) == (ending, line.limit) else error
    graded = _graded(run, benchmark, kept)
    try:
        events = tuple(_events(run, kept, error, ending))
        actions = tuple(read_action(action) for action in kept.told.actions)
    except ValidationError as fault:
        place, words = first_fault(fault)
        raise InputError(f"{run.where}: {place}: {words}", hint=_REPEAT) from None
    except ValueError as fault:
        raise InputError(f"{run.where}: action: {fault}", hint=_REPEAT) from None
    return Finished(task, line.run, events, actions, kept.answer, error, graded=graded)


def _graded(run: StatedRun, benchmark: Benchmark, kept: _Kept) -> Graded | None:
    """The decision that the file states; None if the benchmark decides."""
    if evaluator_of(benchmark):
        if run.outcome is None:
            raise InputError(
                f"{run.where}: no outcome, success or score",
                hint=f"{benchmark.id} is a task list: state one of them",
            )
        return Graded(run.outcome == "success", run.line.score)
    is_told = kept.has_steps or run.line.actions is not None or kept.answer is not None
    if run.outcome not in ("limit", "error") and not is_told:
        raise InputError(
            f"{run.where}: nothing to grade: no answer, actions or transcript",
            hint=f"runs of {benchmark.id} are graded here: add one of them, or import a task list with a declared evaluator",
        )
    return None


def _kept(run: StatedRun, scrubber: Scrubber, secrets: Sequence[str]) -> _Kept:
    """What is kept of a run's texts, and the transcript read; a stated answer counts before the last text."""
    line = run.line

    def clean(value: Any) -> Any:
        return scrubber.scrubbed(redacted(value, secrets))

    answer, error = clean(line.answer), clean(line.error) or ""
    if run.events:
        return _traced(clean(run.events), error)
    told = Told()
    if isinstance(line.messages, list):
        told = read_messages(line.messages, run.where, clean)
    for place, value in enumerate(clean(line.actions or ())):
        told.actions.append(_action(value, f"{run.where}: actions.{place}"))
        told.events.append(
            ("tool_call", {"tool": value["tool"], "input": value["arguments"], "action": value}, None)
        )
    counted = len(told.actions)
    has_steps = isinstance(line.messages, list)
    if has_steps and line.tool_calls is not None and line.tool_calls != counted:
        raise InputError(
            f"{run.where}: toolCalls is {line.tool_calls}, but its messages have {amount(counted, 'tool call')}",
            hint="remove toolCalls, or give the whole transcript",
        )
    if answer is not None and told.answer != answer:
        told.events = [
            ("act", {"text": what["output"]}, to) if kind == "finalize" else (kind, what, to)
            for kind, what, to in told.events
        ]
        told.events.append(("finalize", {"output": answer}, None))
        told.answer = answer
    return _Kept(told, told.answer, error, has_steps)


def _traced(events: Sequence[Mapping[str, Any]], error: str) -> _Kept:
    """What a run tells whose format has a trace."""
    events = [cut(event) for event in events]
    told = Told(prepared=list(events))
    for event in events:
        payload = event["payload"]
        if event["event_type"] == "tool_call" and payload.get("kind") != "send" and "action" in payload:
            told.actions.append(payload["action"])
        if event["event_type"] == "finalize" and isinstance(payload.get("output"), str):
            told.answer = payload["output"]
    return _Kept(told, told.answer, error, has_steps=True, ended=_ended(events))


def _ended(events: Sequence[Mapping[str, Any]]) -> tuple[int, str] | None:
    """The first error of a trace that ended the run, as `agreement` reads it; None if none did, or its text is cut."""
    for place, event in enumerate(events):
        payload = event["payload"]
        is_last = place == len(events) - 1
        if event["event_type"] == "error" and (is_last or payload.get("source") != "tool"):
            text = payload.get("text")
            return (place, text) if isinstance(text, str) and text and "text_sha256" not in payload else None
    return None


def _action(value: Any, where: str) -> dict[str, Any]:
    if not (isinstance(value, dict) and value.keys() == {"tool", "arguments"}):
        raise InputError(f"{where}: must be an object of tool and arguments", hint=_REPEAT)
    if not isinstance(value["tool"], str) or not isinstance(value["arguments"], dict):
        raise InputError(f"{where}: tool must be text and arguments an object", hint=_REPEAT)
    return value


def _events(run: StatedRun, kept: _Kept, error: str, ending: str | None) -> Iterator[Event]:
    """The trace: the transcript's events, the end, and on the last event what the line states of the whole run."""
    for place, told in enumerate(kept.told.prepared):
        parent = f"e{place}" if told.get("answers") else None
        members = {name: value for name, value in told.items() if name != "answers"}
        if kept.ended is not None and place == kept.ended[0] and error not in ("", kept.ended[1]):
            stated_end = {**bounded("text", error), "ending": ending, "limit": run.line.limit}
            members["payload"] = {**told["payload"], **stated_end}
        yield Event.model_validate({"actor": AGENT, "parent": parent, **members, "id": f"e{place + 1}"})
    if kept.told.prepared and (ending is None or kept.ended is not None):
        return
    line, events = run.line, list(kept.told.events)
    if ending is not None:
        payload = {**bounded("text", error), "source": "import", "ending": ending, "limit": line.limit}
        events.append(("error", payload, None))
    elif not kept.has_steps and kept.answer is None:
        events.append(("finalize", {}, None))  # ended by itself, as far as the line tells
    if not events:
        events.append(("act", {"text": ""}, None))  # an empty transcript
    partial = {} if kept.has_steps else {"partial": True}
    before = len(kept.told.prepared)
    for place, (kind, payload, answered) in enumerate(events):
        last = place == len(events) - 1
        yield Event.model_validate(
            {
                "id": f"e{before + place + 1}",
                "parent": None if answered is None else f"e{answered + 1}",
                "actor": AGENT,
                "event_type": kind,
                "payload": {**payload, **partial, **(_whole(line) if last else {})},
                "latency_ms": line.latency_ms if last else None,
                "cost_usd": line.cost_usd if last else None,
            }
        )


def _whole(line: Line) -> dict[str, Any]:
    """What a line states of the whole run and no event does."""
    messages = line.messages if type(line.messages) is int else None
    stated = {"tokens": line.tokens, "toolCalls": line.tool_calls, "messages": messages}
    totals = {name: value for name, value in stated.items() if value is not None}
    return {"totals": totals} if totals else {}


def _notes(benchmark: Benchmark, scrubber: Scrubber, unlike: Sequence[str]) -> Iterator[str]:
    if evaluator := evaluator_of(benchmark):
        yield f"outcomes are as the file states them, not evaluated here; declared evaluator: {evaluator}"
    if scrubber.keys or scrubber.paths:
        yield f"replaced in texts: {amount(scrubber.keys, 'key')}, {amount(scrubber.paths, 'absolute path')}"
    if unlike:
        yield f"{amount(len(unlike), 'run')} graded other than the file states:"
        yield from (f"  {one}" for one in unlike[:SHOWN])
        if len(unlike) > SHOWN:
            yield f"  and {len(unlike) - SHOWN} more"
