"""The pages of experiments: verdict first, then success and tokens, systems by benchmarks, and the tasks that each system solved.

Systems that ran other tasks or other data of a benchmark are not compared, and the page says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import board_path, methodology_path
from benchsite.errors import InputError
from benchsite.history import Header
from benchsite.receipt import Document
from benchsite.track import Bodies, Page
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.pages.experiment_view import (
    Benchmark,
    called,
    headline,
    incomparable,
    of_benchmark,
    table,
    verdicts,
)
from benchsite.tracks.agents.pages.experiments import EXPERIMENTS, Experiment
from benchsite.tracks.agents.pages.metric_table import measured
from benchsite.tracks.agents.scores import experiment_text
from benchsite.tracks.agents.scores.experiment import Measured, summary
from benchsite.tracks.agents.systems.names import CONTROLS, budgeted
from benchsite.words import amount

_QUESTION: Final = "Is a team of agents worth its tokens?"


def experiment_pages(found: Sequence[Experiment], bodies: Bodies) -> Iterator[Page]:
    """The list of experiments; of each its page and its data."""
    yield Page(
        path=EXPERIMENTS,
        title="Experiments of agents",
        description="Experiments: systems on the same tasks, with the same models, and the same seed and limits if these are known.",
        template="agents/experiments.html.j2",
        context={"experiments": found},
    )
    for one in found:
        yield from _pages(one, bodies)


def outcomes_path(one: Experiment, benchmark: str) -> str:
    """`api/v1/agents/experiments/0f1e2d3c4b5a/kb-lookup.json`: how each run of each system ended."""
    return f"api/v1/{one.path}{benchmark}.json"


def elsewhere(found: Sequence[Experiment]) -> dict[str, str]:
    """Return the data file of outcomes for each receipt of an experiment."""
    return {
        header.receipt_id: outcomes_path(one, benchmark)
        for one in reversed(found)
        for benchmark, headers in one.receipts.items()
        for header in headers.values()
    }


def _pages(one: Experiment, bodies: Bodies) -> Iterator[Page]:
    """The page of an experiment, its summary as JSON and CSV, and the outcomes on each benchmark."""
    whole: dict[str, Any] = {"benchmarks": {}}
    made: list[Benchmark] = []
    names = list(dict.fromkeys(system for held in one.receipts.values() for system in held))
    systems = _ordered(names, one, bodies)
    numbers = {name: str(place) for place, name in enumerate(systems, 1)}
    for benchmark, headers in one.receipts.items():
        documents = {name: bodies(header.receipt_id) for name, header in headers.items()}
        try:
            held = summary({benchmark: {name: Measured.of(body) for name, body in documents.items()}})
        except InputError as error:
            made.append(incomparable(benchmark, error))
            continue
        whole["benchmarks"] |= held["benchmarks"]
        made.append(of_benchmark(benchmark, held["benchmarks"][benchmark], documents, headers, numbers))
        yield Page(path=outcomes_path(one, benchmark), data=_outcomes(benchmark, documents, headers))
    judged = [item for name, held in whole["benchmarks"].items() for item in verdicts(name, held)]
    data = f"api/v1/{one.path.rstrip('/')}"
    receipts = {
        name: {system: header.receipt_id for system, header in headers.items()}
        for name, headers in one.receipts.items()
    }
    value: dict[str, Any] = {
        "v": 1,
        "id": one.id,
        "shared": dict(one.shared),
        "models": list(one.models),
        "receipts": receipts,
    }
    yield Page(path=f"{data}.json", data=canonical.dumps(value | whole))
    yield Page(path=f"{data}.csv", data=experiment_text.csv(whole))
    bound = max(
        [0.15, *(abs(end) for item in judged for end in (item.low, item.high, item.delta) if end is not None)]
    )
    yield Page(
        path=one.path,
        title=f"Experiment {one.id}",
        description=f"{_QUESTION} {amount(len(systems), 'system')} on {', '.join(one.receipts)}.",
        template="agents/experiment.html.j2",
        context={
            "one": one,
            "question": _QUESTION,
            "lede": _lede(one, systems, made),
            "headline": headline(judged),
            "verdicts": judged,
            "bound": bound,
            "benchmarks": made,
            "rows": table(one, systems, numbers, whole),
            "legend": [(numbers[name], called(name)) for name in systems],
            "data": data,
            "methodology": methodology_path(TRACK.name, one.shared["methodology"]),
            "boards": {name: board_path(TRACK.name, name) for name in one.receipts},
        },
    )


def _ordered(names: Sequence[str], one: Experiment, bodies: Bodies) -> list[str]:
    """Single agent, its controls, teams, baselines; each in the order of the log."""
    kinds: dict[str, str] = {}
    for headers in one.receipts.values():
        for name, header in headers.items():
            kinds.setdefault(name, bodies(header.receipt_id)["system"]["kind"])
    order = {"single-agent": 0, "multi-agent": 2, "baseline": 3}
    return sorted(names, key=lambda name: 1 if budgeted(name)[0] in CONTROLS else order.get(kinds[name], 2))


def _lede(one: Experiment, systems: Sequence[str], made: Sequence[Benchmark]) -> str:
    tasks = sorted({item.tasks for item in made if item.tasks})
    each = f", {amount(tasks[0], 'task')} each" if len(tasks) == 1 else ""
    model = f", model {', '.join(one.models)}" if one.models else ""
    runs = amount(one.shared["runsPerTask"], "run")
    unknown = " The seed and limits of imported runs are unknown." if one.shared["origin"] == "import" else ""
    return (
        f"{amount(len(systems), 'system')}, {amount(len(one.receipts), 'benchmark')}{each}, {runs} per task{model}. "
        f"All {amount(one.count, 'receipt')} are logged.{unknown}"
    )


def _outcomes(benchmark: str, documents: Mapping[str, Document], headers: Mapping[str, Header]) -> bytes:
    """How each run of each task ended, by system."""
    tasks = list(next(iter(documents.values()))["tasks"]["id"])
    systems = []
    for name, document in documents.items():
        ended = measured(document).outcomes
        systems.append(
            {
                "receiptId": headers[name].receipt_id,
                "name": called(name),
                "outcomes": [list(ended.get(task, ())) for task in tasks],
            }
        )
    return canonical.dumps({"v": 1, "benchmark": benchmark, "tasks": {"id": tasks}, "systems": systems})
