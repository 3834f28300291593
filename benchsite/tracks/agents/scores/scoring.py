"""Scores of an agents receipt from its columns: means over tasks, denominators, intervals, per domain too.

Owns the layout of `scores`, `denominators`, `intervals`, `byDomain`, `calibration` and `answers`, and the metrics that need more than a
task's runs: harm, success on the tasks where doing nothing fails, and the consistency of trajectories, a column of tasks. What a task's runs amount to is `metrics`' business. A
score is the mean of per-task values, never pooled over runs; a metric that is blank for every task is absent from the
scores and has `den` 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from benchsite import stats
from benchsite.stats import exact_mean
from benchsite.tracks.agents.record.runs import COLUMNS, TASK, Run, from_columns
from benchsite.tracks.agents.scores import descriptor
from benchsite.tracks.agents.scores.answers import answers
from benchsite.tracks.agents.scores.reliability import Calibration, calibrate, stated

WILSON: Final = "wilson"
BOOTSTRAP: Final = "bootstrap"

SUCCESS: Final = "success"
HARMFUL: Final = "harmful"
NEEDS_ACTION: Final = "success_needs_action"
OF_DOMAINS: Final = (SUCCESS, "completion", HARMFUL, NEEDS_ACTION)
"""What is stated of each domain."""

_RENAMED: Final = {
    "success_rate": SUCCESS,
    "completion_rate": "completion",
    "success_rate_valid": "success_valid",
}
_SAME: Final = frozenset({"pass_at_1", "pass_hat_1", "pass_hat_1_valid"})
"""The success rate, by its other names; nothing is stated twice."""
_SPREAD: Final = frozenset({"R1_success_var", "R2_latency_var", "R3_tokens_var"})
"""Blank for a task with one run: one run has no spread."""

Values: TypeAlias = Mapping[str, float]
"""Task id to the value of one metric, in the order of the receipt; tasks for which it is blank are absent."""


def score_name(field: str) -> str:
    """The name in `scores` of a descriptor's field: without the seed's letter and number."""
    plain = re.sub(r"^[A-Z][0-9]_", "", field)
    return _RENAMED.get(plain, plain)


def name_in_scores(field: str) -> str:
    """Return the name in `scores` or `timing` of a descriptor's field, of one that another name states too."""
    return {"pass_hat_1_valid": "success_valid"}.get(field, SUCCESS) if field in _SAME else score_name(field)


FIELDS: Final[Mapping[str, str]] = {
    score_name(name): name for name in descriptor.METRICS if name not in _SAME
}
"""Name in `scores` to field of the descriptor."""
TIMED: Final = ("latency_p95", "latency_var", "latency_cv")
"""What a clock gave: in `timing` and not in `scores`, so that a re-run can have byte-identical scores."""
CONSISTENT: Final[Mapping[str, str]] = {
    "action_consistency": "actionConsistency",
    "sequence_consistency": "sequenceConsistency",
}
"""Name in `scores` to column of `tasks`: values of a task that its traces give."""
NAMES: Final = (
    *(SUCCESS, HARMFUL, NEEDS_ACTION),
    *(name for name in FIELDS if name not in {SUCCESS, *TIMED}),
    *CONSISTENT,
)
"""Every name that `scores` may hold, in the order in which they are computed."""
BINARY: Final = frozenset(
    {SUCCESS, "success_valid", "completion", HARMFUL, NEEDS_ACTION}
    | {name for name in NAMES if name.startswith("pass_")}
)
"""Where each task's value is 0 or 1, these are shares of tasks, with a Wilson interval."""


def _is_share(name: str, values: Values) -> bool:
    """Whether a metric is a share of tasks: one of `BINARY` with no value between 0 and 1."""
    return name in BINARY and bool(values) and all(value in (0, 1) for value in values.values())


@dataclass(frozen=True, slots=True)
class Table:
    """Scores of one group of tasks.

    Attributes:
        values: metric to its per-task values.
        tasks: how many tasks the group has.
    """

    values: Mapping[str, Values]
    tasks: int

    def sections(self, seed: int | None) -> dict[str, Any]:
        """`scores`, `denominators` and `intervals` as a receipt states them; without a seed, only Wilson's."""
        scores, denominators = {}, {}
        for name, values in self.values.items():
            counted = {"den": len(values), "excluded": self.tasks - len(values)}
            if _is_share(name, values):
                counted["num"] = round(sum(values.values()))
            denominators[name] = counted
            if values:
                scores[name] = exact_mean(list(values.values()))
        intervals = self._wilson(denominators)
        if seed is not None:
            intervals |= self._bootstrap(seed)
        return {"scores": scores, "denominators": denominators, "intervals": intervals}

    def _wilson(self, denominators: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, Any]]:
        return {
            name: _interval(stats.wilson(counted["num"], counted["den"]), WILSON)
            for name, counted in denominators.items()
            if "num" in counted and counted["den"]
        }

    def _bootstrap(self, seed: int) -> dict[str, dict[str, Any]]:
        """Tasks are resampled whole; metrics that are blank for the same tasks share their draws."""
        together: dict[tuple[str, ...], list[str]] = {}
        for name, values in self.values.items():
            if values and not _is_share(name, values):
                together.setdefault(tuple(values), []).append(name)
        found: dict[str, dict[str, Any]] = {}
        for names in together.values():
            drawn = stats.bootstrap_means([list(self.values[name].values()) for name in names], seed)
            found |= {name: _interval(one, BOOTSTRAP) for name, one in zip(names, drawn, strict=True)}
        return found


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a system on a benchmark, over all tasks and in each domain."""

    overall: Table
    by_domain: Mapping[str, Table]
    timing: Mapping[str, float]
    calibration: Calibration
    answers: Mapping[str, Any] | None

    def sections(self, *, seed: int | None) -> dict[str, Any]:
        """The receipt's members; without a seed the resampled intervals are left to be stated."""
        domains = {name: table.sections(seed) for name, table in self.by_domain.items()}
        found = {**self.overall.sections(seed), "byDomain": domains, "timing": dict(self.timing)}
        stated = {} if self.answers is None else {"answers": dict(self.answers)}
        return found | self._calibration() | stated

    def _calibration(self) -> dict[str, Any]:
        """Pooled over runs, so without a CI; absent if no run states a confidence."""
        one = self.calibration
        if not one.n:
            return {}
        return {"calibration": {"runs": one.n, "calibrationError": one.calibration_error, "auroc": one.auroc}}


def score(tasks: Mapping[str, Any], runs: Mapping[str, Any]) -> Scores:
    """Score the columns of a receipt.

    Args:
        tasks: the member `tasks`: `id`, `domain` and, where the benchmark tells, `needsAction`.
        runs: the member `runs`; every run is of a task that `tasks` lists, and every task has one.
    """
    by_task = runs_of(runs)
    held = {name: by_task[name] for name in tasks["id"] if name in by_task}
    values = _values(held, tasks, _harm(runs))
    groups: dict[str, list[str]] = {}
    for name, domain in zip(tasks["id"], tasks["domain"], strict=True):
        if name in held:
            groups.setdefault(domain, []).append(name)
    return Scores(
        Table({name: values[name] for name in NAMES}, len(held)),
        {domain: _part(values, names) for domain, names in groups.items()},
        {name: exact_mean(list(values[name].values())) for name in TIMED if values[name]},
        calibrate(stated([run for found in held.values() for run in found])),
        answers(list(held), runs),
    )


def runs_of(runs: Mapping[str, Any]) -> dict[str, list[Run]]:
    """The runs of each task, from the columns that scores follow from."""
    held = {name: cells for name, cells in runs.items() if name == TASK or name in COLUMNS}
    return from_columns({name: cells for name, cells in held.items() if cells is not None})


def successes(document: Mapping[str, Any]) -> dict[str, float]:
    """The success rate of every task of a receipt, for paired tests."""
    return {
        name: sum(run.success for run in found) / len(found)
        for name, found in runs_of(document["runs"]).items()
    }


def harm_of(runs: Mapping[str, Any]) -> dict[str, float]:
    """The share of harmful runs of every task, for paired tests; nothing if the benchmark does not tell."""
    return {name: sum(found) / len(found) for name, found in _harm(runs).items()}


def _harm(runs: Mapping[str, Any]) -> dict[str, list[bool]]:
    """Whether each run of a task was harmful; nothing where the benchmark does not tell."""
    found: dict[str, list[bool]] = {}
    for name, harmful in zip(runs[TASK], runs.get("harmful") or (), strict=False):
        found.setdefault(name, []).append(harmful)
    return found


def _values(
    held: Mapping[str, Sequence[Run]], tasks: Mapping[str, Any], harm: Mapping[str, Sequence[bool]]
) -> dict[str, Values]:
    """Every metric's values, tasks in the order of the receipt."""
    described = {name: descriptor.describe(runs, task=name) for name, runs in held.items()}
    found: dict[str, Values] = {
        name: {
            task: float(value)
            for task, descriptor in described.items()
            if (value := descriptor[field]) is not None and not (field in _SPREAD and len(held[task]) == 1)
        }
        for name, field in FIELDS.items()
    }
    for name, column in CONSISTENT.items():
        cells = zip(tasks["id"], tasks.get(column) or (), strict=False)
        found[name] = {task: value for task, value in cells if value is not None and task in held}
    found[HARMFUL] = {name: sum(harm[name]) / len(harm[name]) for name in held if name in harm}
    needed = dict(zip(tasks["id"], tasks.get("needsAction") or (), strict=False))
    found[NEEDS_ACTION] = {task: value for task, value in found[SUCCESS].items() if needed.get(task)}
    return found


def _part(values: Mapping[str, Values], names: Iterable[str]) -> Table:
    """The table of some of the tasks."""
    inside = set(names)
    chosen = {
        metric: {task: value for task, value in values[metric].items() if task in inside}
        for metric in OF_DOMAINS
    }
    return Table(chosen, len(inside))


def _interval(interval: stats.Interval, method: str) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "method": method}
