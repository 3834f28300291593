"""The second and the third level of re-scoring, and their agreement: columns from traces, success from the benchmark.

Each needs evidence that a receipt pins and does not hold. If it is missing, the step says so and nothing differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from benchsite.canonical import MAX_INTEGER, Json
from benchsite.errors import BenchsiteError, PrerequisiteError
from benchsite.history import Difference, Given, Step, Violation
from benchsite.receipt import Document
from benchsite.tracks.agents.benchmarks import Benchmark, Graded, decided, evaluator_of, load
from benchsite.tracks.agents.record import action_log, agreement
from benchsite.tracks.agents.record.sentences import said
from benchsite.tracks.agents.scores.reliability import Consistency, consistency
from benchsite.tracks.agents.scores.scoring import CONSISTENT
from benchsite.tracks.agents.trace import archive, conduct
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import completion, measure

TRACED: Final = (
    *("completion", "steps", "toolCalls", "toolFailures", "backtracks", "loopNum", "loopDen", "verifies"),
    *("agentToAgent", "systemMediated", "handoffs", "latencyMs", "latencyWallMs", "tokens", "costUsd"),
    *("turns", "redundancy", "confidence", "judged"),
)
"""The columns that follow from a trace."""


COUNTED: Final = (
    *("steps", "toolCalls", "toolFailures", "backtracks", "loopNum", "loopDen", "verifies"),
    *("agentToAgent", "systemMediated", "handoffs", "turns", "redundancy"),
)
"""The columns that count steps."""


class Found(NamedTuple):
    """What a level found: its step, and the differences."""

    step: Step
    differences: Sequence[Difference] = ()


class Levels(NamedTuple):
    """Steps, differences and violations of the levels above the scores."""

    steps: tuple[Step, ...]
    differences: Sequence[Difference]
    violations: Sequence[Violation]


class _Piece(NamedTuple):
    """One piece of evidence, run by run; None, and why, if it is missing or cannot be read."""

    held: Mapping[agreement.Key, Any] | None
    why: str = ""
    is_bad: bool = False


def further_levels(document: Document, given: Given) -> Levels:
    """Check run columns, agreement of the evidence, and success, as far as evidence is at hand."""
    columns, traced = _from_traces(document, given)
    recorded = _records(document, given)
    agreed, violations = _agreement(document, traced, recorded)
    found = (columns, agreed, _from_benchmark(document, given))
    differences = dict.fromkeys(item for one in found for item in one.differences)
    return Levels(tuple(one.step for one in found), tuple(differences), violations)


def traced_columns(events: Sequence[Event], *, is_native: bool = False) -> dict[str, Any]:
    """The columns of one run that follow from its trace, by name.

    A run is complete when it ended with an answer and not with an `error` event: see `metrics.completion`. Where an
    event of an imported run has `partial` in its payload, the source does not tell every step: what counts steps is blank.
    An event of an imported run may state totals of the run that no other event has (`_totals`).
    """
    measured = measure(events)
    failed = bool(events) and events[-1].event_type == "error"
    answers = [event.payload.get("output") for event in events if event.event_type == "finalize"]
    answer = next((text for text in reversed(answers) if isinstance(text, str)), None)
    found: dict[str, Any] = {
        "completion": completion({"error": failed}, answer, events),
        "steps": measured.steps,
        "toolCalls": measured.tool_calls,
        "toolFailures": measured.tool_failures,
        "backtracks": measured.backtracks,
        "loopNum": measured.loop_num,
        "loopDen": measured.loop_den,
        "verifies": measured.verifies,
        "agentToAgent": measured.communication_agent_to_agent,
        "systemMediated": measured.communication_system_mediated,
        "handoffs": measured.handoffs,
        "latencyMs": measured.latency_total,
        "latencyWallMs": measured.latency_wall,
        "tokens": measured.tokens_total,
        "costUsd": measured.cost_total,
        "turns": conduct.turns(events),
        "redundancy": conduct.redundancy(events),
        "confidence": conduct.confidence(events),
        "judged": None if is_native else conduct.judged(events),
    }
    if not is_native and is_partial(events):
        found |= dict.fromkeys(COUNTED)
    if not is_native:
        found |= _totals(events)
    return found


def _totals(events: Sequence[Event]) -> dict[str, int]:
    """The columns that the last member `totals` of a payload states: `tokens`, and `toolCalls` where steps are not told."""
    told = [event.payload["totals"] for event in events if isinstance(event.payload.get("totals"), dict)]
    names = ("tokens", "toolCalls") if is_partial(events) else ("tokens",)
    stated = {name: told[-1].get(name) for name in names} if told else {}
    return {name: int(value) for name, value in stated.items() if _is_count(value)}


def _is_count(value: Any) -> bool:
    """Whether a JSON value is a whole number that a column can hold; 5.0 is one, as in JavaScript."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= MAX_INTEGER and bool(value == int(value))


def is_partial(events: Sequence[Event]) -> bool:
    """Return whether an event says that the source does not tell every step."""
    return any(event.payload.get("partial") is True for event in events)


class Acts(NamedTuple):
    """What a run did, as the consistency of its task needs it; `partial` if the source does not tell every step."""

    actions: tuple[str, ...]
    partial: bool

    @classmethod
    def of(cls, events: Sequence[Event]) -> Self:
        """Return those of a trace."""
        return cls(conduct.actions(events), is_partial(events))


class Trajectories:
    """The actions of successful runs by task, as their consistency needs them."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[int, tuple[str, ...]]] = {}
        self._blank: set[str] = set()

    def add(self, task: str, run: int, acts: Acts) -> None:
        """Add a successful run; one whose source does not tell every step blanks its task."""
        if acts.partial:
            self._blank.add(task)
        self._runs.setdefault(task, {})[run] = acts.actions

    def columns(self, tasks: Sequence[str]) -> dict[str, list[float | None]]:
        """Return the columns of `tasks` that follow, blank ones included."""
        found = [self._of(task) for task in tasks]
        return {
            "actionConsistency": [one.actions for one in found],
            "sequenceConsistency": [one.sequence for one in found],
        }

    def _of(self, task: str) -> Consistency:
        runs = self._runs.get(task)
        if runs is None or task in self._blank:
            return Consistency()
        return consistency([runs[number] for number in sorted(runs)])


def _is_native(document: Document) -> bool:
    """Whether benchsite measured the runs itself."""
    return bool(document.get("origin") == "native")


def pinned(document: Document, name: str) -> Mapping[str, Any] | None:
    """The entry of a receipt's evidence by its name."""
    return next((item for item in document["evidence"] if item["name"] == name), None)


def _from_traces(document: Document, given: Given) -> tuple[Found, _Piece]:
    """The level of the traces, and what each trace says of actions and end."""
    entry = pinned(document, archive.NAME)
    data = None if entry is None else given.evidence(entry["sha256"])
    if entry is None or data is None:
        why = said("no-traces") if entry is None else _absent(given, archive.NAME, entry)
        return Found(Step("traces", "not checked", why)), _Piece(None, why)
    traced: dict[agreement.Key, agreement.TracedRun] = {}
    try:
        found = list(_differing(document, data, traced))
    except BenchsiteError as error:
        step = Step("traces", "fail", error.message)
        bad = _Piece(None, error.message, is_bad=True)
        return Found(step, [Difference("runs", said("as-recorded"), None)]), bad
    total = f"{_cells(document['runs'], document['tasks']):,}"
    if found:
        detail = said("traces-differ", count=len(found), total=total, field=found[0].field)
        return Found(Step("traces", "fail", detail, found[0].field), found), _Piece(traced)
    return Found(Step("traces", "pass", said("traces-match", total=total, name=archive.NAME))), _Piece(traced)


def _records(document: Document, given: Given) -> _Piece:
    """What each action record says of actions and end."""
    entry = pinned(document, action_log.NAME)
    data = None if entry is None else given.evidence(entry["sha256"])
    if entry is None or data is None:
        return _Piece(None, said("no-actions") if entry is None else _absent(given, action_log.NAME, entry))
    try:
        return _Piece({(run.task, run.run): agreement.recorded_run(run) for run in action_log.read(data)})
    except BenchsiteError as error:
        return _Piece(None, error.message, is_bad=True)


def _agreement(document: Document, traced: _Piece, recorded: _Piece) -> tuple[Found, Sequence[Violation]]:
    """Compare trace, action record and outcome of every run, as far as they are at hand."""
    runs, is_native = document["runs"], _is_native(document)
    found = [*agreement.disagreements(runs, traced.held, recorded.held, is_native=is_native)]
    violations = [*agreement.impossible_successes(runs, traced.held, recorded.held)]
    if is_native:
        violations += agreement.partial_natives(runs, traced.held)
    if recorded.is_bad:
        found.append(Difference("runs.outcome", said("as-recorded"), None))
    if traced.is_bad or recorded.is_bad:
        return Found(
            Step("agreement", "fail", traced.why if traced.is_bad else recorded.why), found
        ), violations
    if found:
        detail = said("evidence-differs", count=len(found), field=found[0].field)
        return Found(Step("agreement", "fail", detail, found[0].field), found), violations
    if why := traced.why or recorded.why:
        return Found(Step("agreement", "not checked", said("agreement-unchecked", why=why))), violations
    total = f"{len(runs['taskId']):,}"
    return Found(Step("agreement", "pass", said("evidence-agrees", total=total))), violations


def _absent(given: Given, name: str, entry: Mapping[str, Any]) -> str:
    if why := given.damage(entry["sha256"]):
        return f"{name} at hand is damaged: {why}"
    return said("not-at-hand", name=name, sha256=entry["sha256"])


def _target(given: Given, named: Mapping[str, Any]) -> tuple[bytes | None, str]:
    """The data of a benchmark; None, and why, where it is not at hand or other data is."""
    try:
        found = given.target(named["id"], named["sha256"])
    except BenchsiteError as error:
        return None, error.message
    return found, said("not-evaluated", id=named["id"], sha256=named["sha256"][:12])


def _unevaluated(error: BenchsiteError) -> Found:
    """A package that is not installed is no difference; evidence that cannot be read is."""
    if isinstance(error, PrerequisiteError):
        return Found(Step("evaluation", "not checked", error.message))
    return Found(
        Step("evaluation", "fail", error.message), [Difference("runs.outcome", said("as-recorded"), None)]
    )


def _from_benchmark(document: Document, given: Given) -> Found:
    entry, named = pinned(document, action_log.NAME), document["benchmark"]
    if entry is None:
        return Found(Step("evaluation", "not checked", said("no-actions")))
    target, why = _target(given, named)
    if target is None:
        stated = named.get("evaluator")
        return Found(Step("evaluation", "not checked", said("stated", evaluator=stated) if stated else why))
    try:
        return _evaluated(document, entry, given, load(target, named["id"]))
    except BenchsiteError as error:
        return _unevaluated(error)


def _evaluated(document: Document, entry: Mapping[str, Any], given: Given, benchmark: Benchmark) -> Found:
    """The evaluator's decisions; of a benchmark whose evaluator is elsewhere, that there are none."""
    evaluator = evaluator_of(benchmark)
    if evaluator and evaluator == document["benchmark"].get("evaluator"):
        return Found(Step("evaluation", "not checked", said("stated", evaluator=evaluator), declared=True))
    data = given.evidence(entry["sha256"])
    if data is None:
        return Found(Step("evaluation", "not checked", _absent(given, action_log.NAME, entry)))
    found = list(_decided(document["runs"], data, benchmark))
    count = len(document["runs"]["taskId"])
    if found:
        detail = f"the benchmark decides {len(found)} values otherwise; first {found[0].field}"
        return Found(Step("evaluation", "fail", detail, found[0].field), found)
    return Found(Step("evaluation", "pass", f"the benchmark decides all {count:,} runs as recorded"))


def _decided(runs: Mapping[str, Any], data: bytes, benchmark: Benchmark) -> Iterator[Difference]:
    """Where the evaluator decides otherwise: outcome, harm and score of each run, and what pages quote of its actions.

    Of a skipped action its place counts: the reason is in words.
    """
    places = _places(runs)
    for acted in action_log.read(data):
        i = places.pop((acted.task, acted.run), None)
        if i is None:
            yield Difference("runs.taskId", None, f"{acted.task}, run {acted.run}")
            continue
        try:
            graded = benchmark.grade(acted.task, acted.actions, acted.answer, acted.error or "")
        except KeyError:
            yield Difference(f"runs.taskId[{i}]", acted.task, None)
            continue
        outcome, limit = decided(benchmark, graded, acted.error or "")
        expected = {"outcome": outcome, "limit": limit, "harmful": graded.harmful, "score": graded.score}
        if runs.get("evidenceRecall") is not None:  # an optional column, which earlier receipts don't have
            expected["evidenceRecall"] = graded.evidence_recall
        for name, value in expected.items():
            column = runs.get(name)
            recorded = None if column is None else column[i]
            if recorded != value:
                yield Difference(f"runs.{name}[{i}]", recorded, value)
        yield from _told_otherwise(acted, graded, i)
    yield from _left(places)


def _told_otherwise(acted: action_log.Acted, graded: Graded, i: int) -> Iterator[Difference]:
    """Where the evidence of a run names other actions as skipped, or another difference of the final state."""
    skipped, places = [item.action for item in acted.skipped], [item["action"] for item in graded.skipped]
    if skipped != places:
        yield Difference(f"{action_log.NAME}[{i}].skipped", _listed(skipped), _listed(places))
    expected = graded.difference
    recorded = [item.model_dump() for item in acted.difference]
    if recorded != [{"column": None, **item} for item in expected]:
        changed = f"{len(recorded)} changes", f"{len(expected)} changes"
        yield Difference(f"{action_log.NAME}[{i}].difference", *changed)


def _listed(places: Sequence[Json]) -> str:
    return ", ".join(map(str, places[:5])) + (", …" if len(places) > 5 else "")


def _places(runs: Mapping[str, Any]) -> dict[tuple[str, int], int]:
    """The place of each run in the columns."""
    return {pair: i for i, pair in enumerate(zip(runs["taskId"], runs["run"], strict=True))}


def _left(places: Mapping[tuple[str, int], int]) -> Iterator[Difference]:
    """Runs of the receipt that the evidence does not hold."""
    for (task, run), i in places.items():
        yield Difference(f"runs.taskId[{i}]", f"{task}, run {run}", None)


def _cells(runs: Mapping[str, Any], tasks: Mapping[str, Any]) -> int:
    """How many values are compared."""
    return len(TRACED) * len(runs["taskId"]) + len(CONSISTENT) * len(tasks["id"])


def _differing(
    document: Document, data: bytes, traced_runs: dict[agreement.Key, agreement.TracedRun]
) -> Iterator[Difference]:
    """Compare the columns with the traces, and note what each trace says of actions and end.

    A run without a trace, or a trace without a run, is one difference.
    """
    runs, is_native = document["runs"], _is_native(document)
    places, trajectories = _places(runs), Trajectories()
    for traced in archive.unpacked(data):
        traced_runs[traced.task, traced.run] = agreement.traced_run(traced.events)
        i = places.pop((traced.task, traced.run), None)
        if i is None:
            yield Difference("runs.taskId", None, f"{traced.task}, run {traced.run}")
            continue
        for name, value in traced_columns(traced.events, is_native=is_native).items():
            column = runs.get(name)
            recorded = None if column is None else column[i]
            if recorded != value:
                yield Difference(f"runs.{name}[{i}]", recorded, value)
        if runs["outcome"][i] == "success":
            trajectories.add(traced.task, traced.run, Acts.of(traced.events))
    yield from _left(places)
    yield from _inconsistent(document["tasks"], trajectories)


def _inconsistent(tasks: Mapping[str, Any], trajectories: Trajectories) -> Iterator[Difference]:
    """Where a task's consistency is not that of its traces."""
    for name, cells in trajectories.columns(tasks["id"]).items():
        column = tasks.get(name) or [None] * len(cells)
        for i, (recorded, value) in enumerate(zip(column, cells, strict=True)):
            if recorded != value:
                yield Difference(f"tasks.{name}[{i}]", recorded, value)
