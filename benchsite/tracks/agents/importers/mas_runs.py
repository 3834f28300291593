"""One run of the repository MAS_Analyzer, read from its files: trace, outcome, and what they state of system and task.

A run is `run_N.trace.jsonl` and at least one file that states its outcome: `run_N.eval.json`, `run_N.trace_metrics.json` or
`run_N.result.json`. `run_N.metadata.json` may name the model. Refuses runs whose files cannot be read or contradict one another: the
importer lists them with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from benchsite import canonical
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.tracks.agents.importers.foreign_text import Scrubber, truncated
from benchsite.tracks.agents.importers.mas_events import HINT, Counted, actions_of, counted, read_trace
from benchsite.tracks.agents.tools import Action
from benchsite.tracks.agents.trace.event import Event
from benchsite.unseen import is_blank

__all__ = ["SUFFIXES", "RunFiles", "StatedRun", "json_object", "read_run", "run_files", "stated_name"]

MAX_JSON: Final = 64 * 1024 * 1024
MAX_ERROR: Final = 100_000
MAX_QUERY: Final = 20_000
TRACE: Final = "trace.jsonl"
_OUTCOMES: Final = ("eval.json", "trace_metrics.json", "result.json")
_PARTS: Final = (TRACE, *_OUTCOMES, "metadata.json")
_RUN: Final = re.compile(rf"run_(?P<number>[0-9]{{1,6}})\.(?P<part>{'|'.join(map(re.escape, _PARTS))})")
_EXPERIMENT: Final = re.compile(r"/(?P<id>[0-9]{8}T[0-9]{6}Z)/")
SUFFIXES: Final = (*(f".{part}" for part in _PARTS), "summary.csv", "experiment_settings.json", "task.json")
"""Endings of the files that are read."""
_CLOSE: Final = 1e-9
"""Relative difference up to which a stated total is the counted one: sums of floats in another order."""


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of one run.

    Attributes:
        folder: names of the folders below PATH, outermost first.
        number: as in the names of the files, from 0.
        parts: path by what it is, such as `trace.jsonl`.
        digits: the number as the names write it.
    """

    folder: tuple[str, ...]
    number: int
    parts: Mapping[str, str]
    digits: str

    @property
    def where(self) -> str:
        """The path that its files begin with."""
        return "/".join((*self.folder, f"run_{self.digits}"))


@dataclass(frozen=True, slots=True)
class StatedRun:
    """A run as its files state it; empty texts and None are not stated.

    Attributes:
        events: in the source's conventions.
        totals: counted from them.
        unlike: totals that its files state otherwise, in words.
        needs_nothing: whether the evaluation expects no action, so that doing nothing succeeds.
    """

    files: RunFiles
    events: tuple[Event, ...]
    totals: Counted
    actions: tuple[Action, ...]
    success: bool
    score: float | None
    completed: bool | None
    answer: str | None
    error: str
    task: str
    query: str
    benchmark: str
    topology: str
    label: str
    model: str
    experiment: str
    agents: int | None
    needs_nothing: bool = False
    unlike: tuple[str, ...] = field(default=())


def run_files(names: Iterable[str]) -> list[RunFiles]:
    """Return the runs that files belong to, in the order of folders and numbers."""
    found: dict[tuple[tuple[str, ...], int, str], dict[str, str]] = {}
    for path in names:
        *folder, name = path.split("/")
        if (match := _RUN.fullmatch(name)) is not None:
            digits = match["number"]
            found.setdefault((tuple(folder), int(digits), digits), {})[match["part"]] = path
    return [
        RunFiles(folder, number, parts, digits) for (folder, number, digits), parts in sorted(found.items())
    ]


def stated_name(text: str) -> str:
    """Return a name without keys and paths, of at most 200 characters; empty if there is nothing to see."""
    return "" if is_blank(text) else Scrubber().name(text)


def json_object(data: bytes, where: str) -> Mapping[str, Any]:
    """Read a JSON object; raises `InputError` with the file and the place."""
    try:
        value = canonical.loads(data.removeprefix(b"\xef\xbb\xbf"), max_bytes=MAX_JSON)
    except JsonError as error:
        raise InputError(f"{where}: {error.message}", hint=error.hint or HINT) from None
    if not isinstance(value, dict):
        raise InputError(f"{where}: must be a JSON object", hint=HINT)
    return value


def read_run(one: RunFiles, files: Mapping[str, bytes]) -> StatedRun:
    """Read the files of a run.

    Raises:
        InputError: trace or outcome are missing, a file cannot be read, or two files contradict each other.
    """
    if TRACE not in one.parts:
        raise InputError(f"{one.where}.{TRACE} is missing", hint=HINT)
    stating = [part for part in _OUTCOMES if part in one.parts]
    if not stating:
        raise InputError(
            f"no outcome: {', '.join(f'run_{one.digits}.{part}' for part in _OUTCOMES)} are missing",
            hint=HINT,
        )
    told = {part: json_object(files[one.parts[part]], one.parts[part]) for part in stating}
    optional = one.parts.get("metadata.json")
    metadata = json_object(files[optional], optional) if optional is not None else {}
    events = read_trace(files[one.parts[TRACE]], one.parts[TRACE])
    totals = counted(events)
    said = _Said(tuple(told.values()), metadata)
    success = _agreed(told)
    error = truncated(said.text("error"), MAX_ERROR)
    if success and error:
        raise InputError("a success and an error are stated", hint=HINT)
    return StatedRun(
        files=one,
        events=events,
        totals=totals,
        actions=actions_of(events),
        success=success,
        score=said.score(),
        completed=said.flag("completion"),
        answer=next(
            (text for event in reversed(events) if isinstance(text := event.payload.get("output"), str)), None
        ),
        error=error,
        task=stated_name(said.text("task_id")),
        query=truncated(said.text("query"), MAX_QUERY),
        benchmark=stated_name(said.text("benchmark")),
        topology=stated_name(said.text("topology")),
        label=stated_name(said.text("system_label")),
        model=_model(events, metadata),
        experiment=said.experiment(),
        agents=said.agents(),
        needs_nothing=said.member("ground_truth") == [],
        unlike=tuple(_unlike(totals, told)),
    )


def _agreed(told: Mapping[str, Mapping[str, Any]]) -> bool:
    """The outcome that every file states which states one."""
    found: dict[str, bool] = {}
    for part, value in told.items():
        for name, holder in (
            ("", value),
            *((name, value.get(name)) for name in ("outcome", "evaluation", "metrics")),
        ):
            if isinstance(holder, dict) and isinstance(holder.get("success"), bool):
                found[f"{part}: {name}.success" if name else f"{part}: success"] = holder["success"]
    if not found:
        raise InputError(f"no outcome: {', '.join(told)} state no success, true or false", hint=HINT)
    if len(set(found.values())) > 1:
        (first, one), (second, other) = _unequal(found)
        raise InputError(
            f"contradictory outcomes: {first} is {str(one).lower()}, {second} is {str(other).lower()}",
            hint=HINT,
        )
    return next(iter(found.values()))


def _unequal(found: Mapping[str, bool]) -> tuple[tuple[str, bool], tuple[str, bool]]:
    first, *rest = found.items()
    return first, next(item for item in rest if item[1] != first[1])


@dataclass(frozen=True, slots=True)
class _Said:
    """What the files of a run state, the first one that does."""

    told: tuple[Mapping[str, Any], ...]
    metadata: Mapping[str, Any]

    def _holders(self) -> Iterator[Mapping[str, Any]]:
        for value in (*self.told, self.metadata):
            yield value
            for name in ("outcome", "evaluation", "details", "runtime", "run_summary", "system", "metrics"):
                inner = value.get(name)
                if isinstance(inner, dict):
                    yield inner
                    for further in ("details", "run_metadata_summary"):
                        if isinstance(deep := inner.get(further), dict):
                            yield deep

    def text(self, name: str) -> str:
        """The first text of this name that is not empty."""
        found = (holder.get(name) for holder in self._holders())
        return next((value for value in found if isinstance(value, str) and value.strip()), "")

    def flag(self, name: str) -> bool | None:
        """The first true or false of this name."""
        found = (holder.get(name) for holder in self._holders())
        return next((value for value in found if isinstance(value, bool)), None)

    def score(self) -> float | None:
        """The score; None if none is stated, or one outside [0, 1]."""
        for holder in self._holders():
            value = holder.get("score")
            if isinstance(value, int | float) and not isinstance(value, bool):
                return value if 0 <= value <= 1 else None
        return None

    def experiment(self) -> str:
        """The id of the experiment in a path that is stated."""
        found = _EXPERIMENT.search(self.text("run_metadata_path"))
        return found["id"] if found is not None else ""

    def member(self, name: str) -> Any:
        """The first value of this name."""
        return next((holder[name] for holder in self._holders() if name in holder), None)

    def agents(self) -> int | None:
        """How many agents the system has."""
        for holder in self._holders():
            value = holder.get("agents")
            if type(value) is int and value > 0:
                return value
        return None


def _model(events: Iterable[Event], metadata: Mapping[str, Any]) -> str:
    """The model that the artifacts of the metadata name, or the events; empty if none does."""
    records = metadata.get("artifact_records")
    for record in records if isinstance(records, list) else ():
        llm = record.get("llm") if isinstance(record, dict) else None
        if isinstance(llm, dict) and isinstance(name := llm.get("model"), str) and name.strip():
            return stated_name(name)
    named = (event.payload.get("model_responded") for event in events)
    return next((stated_name(name) for name in named if isinstance(name, str)), "")


def _unlike(totals: Counted, told: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Totals that the files state otherwise than the trace gives them."""
    metrics = told.get("trace_metrics.json", {}).get("metrics")
    for name, value in totals.figures().items():
        stated = metrics.get(name) if isinstance(metrics, dict) else None
        if isinstance(stated, int | float) and abs(stated - value) > _CLOSE * max(1.0, abs(value)):
            yield f"{name} is {stated:g}, its trace gives {value:g}"
