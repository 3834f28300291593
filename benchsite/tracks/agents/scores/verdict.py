"""Verdict on a multi-agent system at equal budget: did the further agents pay, and how sure is that (specs/agents.md).

Owns the paired comparison of two systems on the same tasks, Holm's adjustment over a family, what would decide it, and the
one sentence that says so. Runs of a task are means first, so tasks are the clusters: Student's t interval over per-task
differences; McNemar's exact test where both ran every task once, else the paired randomization test; the latter for tokens.
Refuses systems with other tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from benchsite.errors import InputError
from benchsite.stats import (
    Interval,
    detectable,
    exact_mean,
    holm,
    mcnemar,
    mean_interval,
    paired_randomisation,
    pairs_needed,
    repeats_needed,
)
from benchsite.tracks.agents.record.runs import Run
from benchsite.words import amount, p_value, points

LEVEL: Final = 0.05
POWER_WORDS: Final = "two-sided 5%, 80% power"
_SHOWN: Final = 3
"""Tasks that an error names."""

ByTask = Mapping[str, Sequence[Run]]
"""Task id to the runs of one system, at least one each."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A system compared with a reference on the same tasks.

    Attributes:
        runs: of each task; None where tasks have different numbers of runs.
        success, reference_success: means over tasks of the success rate.
        interval: 95% CI of the difference, clustered by task; None for one task.
        p: of the test, unadjusted.
        p_adjusted: over the family of `adjusted`; p until then.
        token_ratio: tokens of the system ÷ tokens of the reference; None where either is blank.
        tokens_p: of the paired randomization test of the tokens, unadjusted.
        tokens_p_adjusted: over the family too; `tokens_p` until then.
        tasks_needed: that would decide the observed difference; None without a difference.
        runs_needed: of each of these tasks; None where no number suffices or runs can't tell.
        smallest: difference that this many tasks would decide.
    """

    system: str
    reference: str
    tasks: int
    runs: int | None
    success: float
    reference_success: float
    interval: Interval | None
    p: float
    p_adjusted: float
    token_ratio: float | None
    tokens_p: float | None
    tokens_p_adjusted: float | None
    tasks_needed: int | None
    runs_needed: int | None
    smallest: float | None

    @property
    def difference(self) -> float:
        """Success of the system minus success of the reference."""
        return self.success - self.reference_success

    @property
    def is_decided(self) -> bool:
        """Whether the adjusted p-value is below 0.05."""
        return self.p_adjusted < LEVEL


def require_same_tasks(systems: Mapping[str, ByTask]) -> None:
    """Raise `InputError` if a system ran other tasks than the first one; the error names the system and the tasks."""
    first = next(iter(systems), None)
    if first is None:
        return
    wanted = systems[first].keys()
    for name, runs in systems.items():
        for sign, other in (("lacks", wanted - runs.keys()), ("adds", runs.keys() - wanted)):
            if other:
                listed = ", ".join(sorted(other)[:_SHOWN]) + (", …" if len(other) > _SHOWN else "")
                raise InputError(
                    f"systems ran different tasks: {name} {sign} {amount(len(other), 'task')} of {first}: {listed}",
                    hint="compare systems that ran the same tasks: resume the experiment, or leave one out",
                )


def compare(system: str, runs: ByTask, reference: str, others: ByTask, *, seed: int) -> Verdict:
    """Compare a system with a reference on the same tasks.

    Args:
        runs, others: of the system and of the reference.
        seed: of the randomization tests; the methodology takes the first 8 bytes of the benchmark's SHA-256.

    Raises:
        InputError: they ran other tasks, or none.
    """
    require_same_tasks({system: runs, reference: others})
    if not runs:
        raise InputError(f"no task was run: {system}", hint="run the experiment first")
    order = sorted(runs)
    rates, other_rates = ([_rate(held[task]) for task in order] for held in (runs, others))
    differences = [a - b for a, b in zip(rates, other_rates, strict=True)]
    repeats = {len(held[task]) for held in (runs, others) for task in order}
    uniform = next(iter(repeats)) if len(repeats) == 1 else None
    tokens, other_tokens = _tokens(runs, order), _tokens(others, order)
    p = _p_value(rates, other_rates, once=repeats == {1}, seed=seed)
    tokens_p = paired_randomisation(tokens, other_tokens, seed=seed) if tokens and other_tokens else None
    return Verdict(
        system=system,
        reference=reference,
        tasks=len(order),
        runs=uniform,
        success=exact_mean(rates),
        reference_success=exact_mean(other_rates),
        interval=mean_interval(differences) if len(order) > 1 else None,
        p=p,
        p_adjusted=p,
        token_ratio=_ratio(tokens, other_tokens),
        tokens_p=tokens_p,
        tokens_p_adjusted=tokens_p,
        tasks_needed=pairs_needed(differences),
        runs_needed=_runs_needed(differences, rates, other_rates, uniform),
        smallest=detectable(differences),
    )


def adjusted(family: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts of one family with Holm-adjusted p-values, of success and of tokens, in the order given."""
    of_tokens = iter(holm([one.tokens_p for one in family if one.tokens_p is not None]))
    return [
        replace(one, p_adjusted=p, tokens_p_adjusted=None if one.tokens_p is None else next(of_tokens))
        for one, p in zip(family, holm([one.p for one in family]), strict=True)
    ]


def sentence(verdict: Verdict) -> str:
    """Return the verdict in one sentence: difference, CI, p, n, multiple of the tokens, decided or not, what would decide."""
    v = verdict
    runs = f" × {amount(v.runs, 'run')}" if v.runs is not None else ""
    interval = f", 95% CI [{points(v.interval.low)}, {points(v.interval.high)}]" if v.interval else ""
    times = (
        f", at {v.token_ratio:.2f} times the tokens" if v.token_ratio is not None else ", tokens not stated"
    )
    found = f"success {points(v.difference)}{interval}, {p_value(v.p_adjusted)}"
    return f"{v.system} compared with {v.reference}: {found}, n = {amount(v.tasks, 'task')}{runs}{times}: {_decision(v)}."


def _decision(v: Verdict) -> str:
    if v.is_decided:
        return f"decided, {v.system} {'solves more' if v.difference > 0 else 'solves fewer'}"
    if v.tasks < 2:
        return "not decided, one task can't decide it"
    if v.tasks_needed is None:
        if not v.smallest:
            return "not decided, no task differs"
        return f"not decided, {amount(v.tasks, 'task')} would show {points(v.smallest)} ({POWER_WORDS})"
    more = amount(max(1, v.tasks_needed - v.tasks), "more task")
    if v.runs is not None and v.runs_needed is not None and v.runs_needed > v.runs:
        more += f" or {amount(v.runs_needed - v.runs, 'more run')} of each task"
    return f"not decided, about {more} would decide it ({POWER_WORDS})"


def _rate(runs: Sequence[Run]) -> float:
    return sum(run.success for run in runs) / len(runs)


def _tokens(runs: ByTask, order: Sequence[str]) -> list[float]:
    """The mean tokens of each task; empty where a run doesn't state them."""
    found = []
    for task in order:
        stated = [run.tokens for run in runs[task] if run.tokens is not None]
        if len(stated) < len(runs[task]):
            return []
        found.append(exact_mean(stated))
    return found


def _ratio(tokens: Sequence[float], others: Sequence[float]) -> float | None:
    if not tokens or not others or not any(others):
        return None
    return exact_mean(tokens) / exact_mean(others)


def _p_value(rates: Sequence[float], others: Sequence[float], *, once: bool, seed: int) -> float:
    if not once:
        return paired_randomisation(rates, others, seed=seed)
    wins = sum(a > b for a, b in zip(rates, others, strict=True))
    losses = sum(a < b for a, b in zip(rates, others, strict=True))
    return mcnemar(wins, losses)


def _runs_needed(
    differences: Sequence[float], rates: Sequence[float], others: Sequence[float], runs: int | None
) -> int | None:
    """Runs of each task, from the variance p (1 − p) r ÷ (r − 1) of single runs; None for one run."""
    if runs is None or runs < 2:
        return None
    spread = runs / (runs - 1)
    within = [spread * (a * (1 - a) + b * (1 - b)) for a, b in zip(rates, others, strict=True)]
    return repeats_needed(differences, exact_mean(within), runs)
