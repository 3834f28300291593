"""The reliability profile of a receipt with several runs per task, as far as its columns tell it.

What each number means is `reliability`'s business. Here they are means over tasks, shown beside the receipt and never
signed. Those that need traces are blank: traces are outside git, and a page follows from git alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final

from benchsite.receipt import Document
from benchsite.stats import exact_mean
from benchsite.tracks.agents.scores.reliability import Attempt, Profile, profile
from benchsite.tracks.agents.scores.scoring import runs_of
from benchsite.words import figure

_TRACES: Final = ("", "needs traces, which are outside git")
_CONFIDENCE: Final = ("confidence", "no confidence is recorded")
_UNDEFINED: Final = "not defined for these runs"
_ASPECTS: Final[tuple[tuple[str, Callable[[Profile], float | None], str, tuple[str, str]], ...]] = (
    (
        "Outcome consistency",
        lambda one: one.outcome_consistency,
        "(2p − 1)², with p the success rate of a task.",
        ("outcome", ""),
    ),
    (
        "Action consistency",
        lambda one: one.action_consistency,
        "1 − mean Jensen-Shannon divergence of the actions of successful runs.",
        _TRACES,
    ),
    (
        "Sequence consistency",
        lambda one: one.sequence_consistency,
        "1 − mean normalized edit distance of the actions of successful runs.",
        _TRACES,
    ),
    (
        "CV of tokens",
        lambda one: one.tokens_cv,
        "Standard deviation ÷ mean over the runs of a task.",
        ("tokens", "the source states no token counts"),
    ),
    (
        "CV of latency",
        lambda one: one.latency_cv,
        "Standard deviation ÷ mean over the runs of a task.",
        ("latencyMs", "the source states no clock"),
    ),
    (
        "Brier score",
        lambda one: one.calibration.brier,
        "Mean of (confidence − success)².",
        _CONFIDENCE,
    ),
    (
        "Calibration error",
        lambda one: one.calibration.calibration_error,
        "Mean gap between confidence and success rate, over 10 bins.",
        _CONFIDENCE,
    ),
    (
        "AUROC of confidence",
        lambda one: one.calibration.auroc,
        "Probability that a success has the higher confidence than a failure.",
        _CONFIDENCE,
    ),
)


@dataclass(frozen=True, slots=True)
class Aspect:
    """One number of the profile: its mean over tasks, over how many, and its meaning; where it is blank, `missing` says why."""

    label: str
    mean: float | None
    tasks: int
    words: str
    missing: str

    @property
    def cells(self) -> tuple[str, str, str]:
        """Value, tasks, meaning or why there is none: as the table shows them."""
        if self.mean is None:
            return "–", "0", f"Blank: {self.missing}."
        return figure(self.mean, 3), f"{self.tasks:,}", self.words


def aspects(document: Document) -> tuple[Aspect, ...]:
    """The profile over the tasks that were run at least twice; empty where there are none."""
    columns = document["runs"]
    stated: dict[str, list[float | None]] = defaultdict(list)
    for task, value in zip(columns["taskId"], columns.get("confidence") or repeat(None), strict=False):
        stated[task].append(value)
    found = [
        profile([Attempt(run, (), value) for run, value in zip(runs, stated[task], strict=True)])
        for task, runs in runs_of(columns).items()
        if len(runs) > 1
    ]
    return tuple(_aspect(found, columns, *one) for one in _ASPECTS) if found else ()


def _aspect(
    found: list[Profile],
    columns: Mapping[str, Any],
    label: str,
    read: Callable[[Profile], float | None],
    words: str,
    missing: tuple[str, str],
) -> Aspect:
    values = [value for one in found if (value := read(one)) is not None]
    column, why = missing
    reason = _UNDEFINED if columns.get(column) is not None else why
    return Aspect(label, exact_mean(values) if values else None, len(values), words, reason)
