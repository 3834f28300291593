"""The reliability profile of a receipt with several runs per task, as far as its columns tell it.

What each number means is `reliability`'s business. Here they are means over tasks, shown beside the receipt and never
signed. Those that need traces are blank: traces are outside git, and a page follows from git alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from benchsite.receipt import Document
from benchsite.stats import exact_mean
from benchsite.tracks.agents.reliability import Attempt, Profile, profile
from benchsite.tracks.agents.scoring import runs_of
from benchsite.words import figure

_TRACES: Final = "needs traces, which are outside git"
_CONFIDENCE: Final = "needs the confidence that traces record"
_ASPECTS: Final[tuple[tuple[str, Callable[[Profile], float | None], str, str], ...]] = (
    (
        "Outcome consistency",
        lambda one: one.outcome_consistency,
        "(2p − 1)², with p the success rate of a task.",
        "",
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
        "the source states no token counts",
    ),
    (
        "CV of latency",
        lambda one: one.latency_cv,
        "Standard deviation ÷ mean over the runs of a task.",
        "the source states no clock",
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
    repeated = [runs for runs in runs_of(document["runs"]).values() if len(runs) > 1]
    found = [profile([Attempt(run, ()) for run in runs]) for runs in repeated]
    return tuple(_aspect(found, *one) for one in _ASPECTS) if found else ()


def _aspect(
    found: list[Profile], label: str, read: Callable[[Profile], float | None], words: str, missing: str
) -> Aspect:
    values = [value for one in found if (value := read(one)) is not None]
    return Aspect(label, exact_mean(values) if values else None, len(values), words, missing)
