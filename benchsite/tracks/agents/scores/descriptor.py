"""Task descriptors of the agents track from run columns.

Owns the arithmetic of specs/agents.md, "Task descriptor", under the seed's names; JavaScript computes the same bits. Every
number is a count, the quotient of two integers (one division), or made of + − × ÷ √ on doubles in the order written at its
function; sums are correctly rounded (`math.fsum`), so the order of runs and of tasks changes no score. Nothing is rounded
otherwise. None is a blank: a value over several runs is None unless every run states what it is made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from benchsite.errors import IntegrityError
from benchsite.stats import exact_mean
from benchsite.tracks.agents.record.runs import Run
from benchsite.tracks.agents.scores.reliability import brier, stated

Value: TypeAlias = float | int | None
Descriptor: TypeAlias = dict[str, Value]
"""Field to value, in the order of `FIELDS`; None is null in JSON and an empty cell in CSV."""

KS: Final = (1, 3, 5, 8)
COUNTS: Final = ("runs", "errors", "limits")
METRICS: Final = (
    "Q1_success_rate",
    "Q2_completion_rate",
    "C1_latency_p95",
    "C2_tokens_total",
    "C3_cost_total",
    "C4_tool_calls_total",
    "D1_tool_error_rate",
    "D2_communication_count",
    "D2_agent_to_agent_communication_count",
    "D2_system_mediated_communication_count",
    "D3_handoff_count",
    "R1_success_var",
    "R2_latency_var",
    "R3_tokens_var",
    "P1_steps_total",
    "P2_backtrack_rate",
    "P3_loop_score",
    "P4_verification_density",
    "turns_total",
    "redundancy",
    "success_rate_valid",
    *(f"pass_at_{k}" for k in KS),
    *(f"pass_hat_{k}" for k in KS),
    *(f"pass_hat_{k}_valid" for k in KS),
    "stability",
    "eval_avg_score",
    "cost_per_success",
    "tokens_cv",
    "latency_cv",
    "brier_score",
)
ALIASES: Final[Mapping[str, str]] = {
    "success_rate": "Q1_success_rate",
    "tokens_total": "C2_tokens_total",
    "tool_calls_total": "C4_tool_calls_total",
    "tool_error_rate": "D1_tool_error_rate",
    "communication_count": "D2_communication_count",
    "handoff_count": "D3_handoff_count",
}
"""Names of the seed for numbers that have another one; a benchmark's scores have the other one only."""
CHECKS: Final[Mapping[str, str]] = {
    "eval_success_rate": "Q1_success_rate",
    "eval_completion_rate": "Q2_completion_rate",
}
"""What the evaluator's records give, and the number of the run columns that it must equal."""
FIELDS: Final = (*COUNTS, *METRICS, *ALIASES, *CHECKS)
BINARY: Final = frozenset(
    {"Q1_success_rate", "Q2_completion_rate", "success_rate_valid"}
    | {name for name in METRICS if name.startswith("pass_") and "_1" in name}
)
"""0 or 1 for each task that was run once."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the records beside the run columns say of one run: the evaluator's verdict, and whether it completed."""

    success: bool
    completion: bool | None


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Probability that at least one of k runs, drawn without replacement from n with c successes, succeeds.

    1 − C(n − c, k) ÷ C(n, k), as the quotient (C(n, k) − C(n − c, k)) ÷ C(n, k) of two integers, rounded once; None
    when n < k, which is looked at first. Both integers are exact doubles for n up to 300 and k up to 8. Source: Chen
    et al. 2021, arXiv 2107.03374.

    Raises:
        ValueError: k is below 1, or c outside 0 to n.
    """
    if _too_few(n, c, k):
        return None
    return (math.comb(n, k) - math.comb(n - c, k)) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Probability that all of k runs, drawn without replacement from n with c successes, succeed (pass^k).

    C(c, k) ÷ C(n, k), the quotient of two integers, rounded once; None when n < k, which is looked at first. Source:
    Yao et al. 2024, arXiv 2406.12045.

    Raises:
        ValueError: k is below 1, or c outside 0 to n.
    """
    if _too_few(n, c, k):
        return None
    return math.comb(c, k) / math.comb(n, k)


def _too_few(n: int, c: int, k: int) -> bool:
    if k < 1:
        raise ValueError(f"k = {k} is below 1")
    if n < k:
        return True
    if not 0 <= c <= n:
        raise ValueError(f"{c} successes in {n} runs are impossible")
    return False


def p95(values: Sequence[float]) -> float:
    """95th percentile by linear interpolation between the two nearest ranks.

    With the n values sorted from x[0] on and 19 × (n − 1) = 20 × i + r, r from 0 to 19: x[i] where r is 0, otherwise
    x[i] + (x[i + 1] − x[i]) × r ÷ 20, evaluated from left to right in that precedence.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("a percentile of no values is not defined")
    ordered = sorted(values)
    i, r = divmod(19 * (len(ordered) - 1), 20)
    return ordered[i] + float(ordered[i + 1] - ordered[i]) * r / 20 if r else ordered[i]


def variance(values: Sequence[float]) -> float:
    """Population variance (ddof = 0): fsum of (x − mean) × (x − mean), divided by n; the mean is fsum ÷ n.

    Raises:
        ValueError: there are no values.
    """
    mean = exact_mean(values)
    return exact_mean([(value - mean) * (value - mean) for value in values])


def describe(
    runs: Sequence[Run], *, evaluations: Sequence[Evaluation] | None = None, task: str = "task"
) -> Descriptor:
    """The descriptor of one task: every field of `FIELDS`, in that order.

    With N runs, c successes and e errors: Q1 = c ÷ N; R1 = c × (N − c) ÷ (N × N), a quotient of integers;
    `stability` = (N − 2c)² ÷ (N × N), which is clip(1 − R1 ÷ 0.25, 0, 1) and the (2p − 1)² of arXiv 2602.16666; R1 to
    R3 of one run are 0, `stability`, `tokens_cv` and `latency_cv` are None. A CV is √variance ÷ mean, None where the
    mean is 0; `brier_score` is the mean of (confidence − success)²;
    `cost_per_success` = C2 ÷ Q1, tokens per success, None where Q1 is 0. D1 = failures ÷ calls of all runs, 0 without
    calls. P2 to P4 are means of the rates of runs, each a quotient of integers, 0 where its denominator is. Errors count
    as failures; `_valid` fields exclude them, so that n is N − e.

    Args:
        runs: of one task by one system.
        evaluations: what the evaluator's records say, one a run; what the runs say where it is None.
        task: what errors call it.

    Raises:
        ValueError: there are no runs, or not one evaluation a run.
        IntegrityError: Q1 is not `eval_success_rate`, or Q2 not `eval_completion_rate`.
    """
    if not runs:
        raise ValueError(f"{task} has no runs")
    n, c = len(runs), sum(run.success for run in runs)
    errors = sum(run.outcome == "error" for run in runs)
    found: Descriptor = dict.fromkeys(FIELDS)
    found |= {
        "runs": n,
        "errors": errors,
        "limits": sum(run.outcome == "limit" for run in runs),
        "Q1_success_rate": c / n,
        "Q2_completion_rate": _mean(_column(runs, "completion")),
        "success_rate_valid": c / (n - errors) if n > errors else None,
        "R1_success_var": c * (n - c) / (n * n),
        "stability": (n - 2 * c) ** 2 / (n * n) if n > 1 else None,
        **_costs(runs),
        **_process(runs),
    }
    for k in KS:
        found[f"pass_at_{k}"] = pass_at_k(n, c, k)
        found[f"pass_hat_{k}"] = pass_hat_k(n, c, k)
        found[f"pass_hat_{k}_valid"] = pass_hat_k(n - errors, c, k)
    tokens = found["C2_tokens_total"]
    if tokens is not None:
        found["cost_per_success"] = tokens / (c / n) if c else None
    if n > 1:
        found["tokens_cv"] = _of(_cv, _column(runs, "tokens"))
        found["latency_cv"] = _of(_cv, _column(runs, "latency_ms"))
    found |= _evaluated(runs, evaluations, task)
    found |= {alias: found[name] for alias, name in ALIASES.items()}
    check(found, task)
    return found


def _evaluated(runs: Sequence[Run], evaluations: Sequence[Evaluation] | None, task: str) -> Descriptor:
    """What the evaluator's records give; what the runs say where there are none."""
    if evaluations is None:
        evaluations = [Evaluation(run.success, run.completion) for run in runs]
    if len(evaluations) != len(runs):
        raise ValueError(f"{task} has {len(runs)} runs and {len(evaluations)} evaluations")
    return {
        "eval_success_rate": sum(one.success for one in evaluations) / len(evaluations),
        "eval_completion_rate": _mean(_column(evaluations, "completion")),
    }


def check(descriptor: Mapping[str, Value], task: str = "task") -> None:
    """Compare the run columns with the evaluator's records.

    Raises:
        IntegrityError: Q1 is not `eval_success_rate`, or Q2 not `eval_completion_rate`.
    """
    for name, column in CHECKS.items():
        if descriptor[name] != descriptor[column]:
            raise IntegrityError(
                f"{column} {descriptor[column]} is not {name} {descriptor[name]}: {task}",
                hint="the run columns and the evaluator's records disagree: re-run the task",
            )


def _costs(runs: Sequence[Run]) -> Descriptor:
    """The fields of cost and coordination, the variances of what was spent, and the score."""
    latencies, tokens = _column(runs, "latency_ms"), _column(runs, "tokens")
    calls, failures = _column(runs, "tool_calls"), _column(runs, "tool_failures")
    to_agents, mediated = _column(runs, "agent_to_agent"), _column(runs, "system_mediated")
    found: Descriptor = {
        "C1_latency_p95": _of(p95, latencies),
        "C2_tokens_total": _mean(tokens),
        "C3_cost_total": _mean(_column(runs, "cost_usd")),
        "C4_tool_calls_total": _mean(calls),
        "D2_agent_to_agent_communication_count": _mean(to_agents),
        "D2_system_mediated_communication_count": _mean(mediated),
        "D3_handoff_count": _mean(_column(runs, "handoffs")),
        "R2_latency_var": _of(variance, latencies),
        "R3_tokens_var": _of(variance, tokens),
        "eval_avg_score": _mean(_column(runs, "score")),
    }
    if calls and failures:
        found["D1_tool_error_rate"] = sum(failures) / sum(calls) if any(calls) else 0.0
    if to_agents and mediated:
        found["D2_communication_count"] = (sum(to_agents) + sum(mediated)) / len(runs)
    return found


def _process(runs: Sequence[Run]) -> Descriptor:
    """The fields of process structure."""
    return {
        "P1_steps_total": _mean(_column(runs, "steps")),
        "P2_backtrack_rate": _mean_ratio(runs, "backtracks", "steps"),
        "P3_loop_score": _mean_ratio(runs, "loop_num", "loop_den"),
        "P4_verification_density": _mean_ratio(runs, "verifies", "steps"),
        "turns_total": _mean(_column(runs, "turns")),
        "redundancy": _mean(_column(runs, "redundancy")),
        "brier_score": _brier(runs) if _column(runs, "confidence") else None,
    }


def _brier(runs: Sequence[Run]) -> float:
    return exact_mean([brier(value, success=success) for value, success in stated(runs)])


def _cv(values: Sequence[float]) -> float | None:
    """Population standard deviation ÷ mean; None where the mean is 0."""
    mean = exact_mean(values)
    return math.sqrt(variance(values)) / mean if mean > 0 else None


def _column(runs: Sequence[Run] | Sequence[Evaluation], name: str) -> list[Any] | None:
    """What every run states; None where one does not. Never empty."""
    values = [getattr(run, name) for run in runs]
    return None if any(value is None for value in values) else values


def _of(measure: Callable[[Any], float | None], values: Sequence[Any] | None) -> float | None:
    return None if values is None else measure(values)


def _mean(values: list[Any] | None) -> float | None:
    return _of(exact_mean, values)


def _mean_ratio(runs: Sequence[Run], above: str, below: str) -> float | None:
    nums, dens = _column(runs, above), _column(runs, below)
    if nums is None or dens is None:
        return None
    return exact_mean([num / den if den else 0.0 for num, den in zip(nums, dens, strict=True)])
