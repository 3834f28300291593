"""Reliability over repeated runs: consistency of trajectories, and calibration of recorded confidence.

Owns the definitions, after Rabanser et al. 2026 (arXiv 2602.16666) and specs/agents.md; each is written out at its function,
because the paper's text and code differ. Outcome consistency is the descriptor's `stability`, (2p − 1)²; resource consistency
its `tokens_cv` and `latency_cv`. Every number is made of + − × ÷ on doubles in a written order: JavaScript gives the same bits.

None is a blank: fewer than two runs, or than two that qualify.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from benchsite.stats import exact_mean, log2
from benchsite.tracks.agents.record.runs import Run

BINS: Final = 10
MOST_RUNS: Final = 10
"""Successful runs of a task, the first by number, whose trajectories are compared."""
MOST_ACTIONS: Final = 500
"""Actions of a run up to which trajectories are compared."""


class Consistency(NamedTuple):
    """How alike the trajectories of the successful runs of one task are, each in [0, 1].

    Attributes:
        actions: 1 − mean over pairs of the Jensen-Shannon divergence of their actions.
        sequence: 1 − mean over pairs of the edit distance of their actions, over the longer length.
    """

    actions: float | None = None
    sequence: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How recorded confidence fits success, over the runs of a benchmark.

    Attributes:
        n: runs that state a confidence.
        brier: mean of (confidence − success)², in [0, 1]; lower is better.
        calibration_error: Σ over bins of runs ÷ n × |success rate − mean confidence|, in [0, 1]. The 10 bins are
            [0, 0.1) to [0.9, 1]: bin min(9, floor(confidence × 10)).
        auroc: probability that a success has the higher confidence than a failure, ties half; None without both.
    """

    n: int
    brier: float | None
    calibration_error: float | None
    auroc: float | None


def consistency(trajectories: Sequence[tuple[str, ...]]) -> Consistency:
    """Compare the actions of the successful runs of one task, in the order of their numbers.

    The first 10 runs with actions count; blank with fewer than two, or with more than 500 actions in one of them.
    """
    acted = [done for done in trajectories if done][:MOST_RUNS]
    if len(acted) < 2 or any(len(done) > MOST_ACTIONS for done in acted):
        return Consistency()
    return Consistency(_alike(acted, divergence), _alike(acted, distance))


def divergence(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the Jensen-Shannon divergence, base 2, of how often each action occurs: in [0, 1].

    With shares p and q and m = (p + q) ÷ 2: Σ p × log2(p ÷ m) ÷ 2 + Σ q × log2(q ÷ m) ÷ 2, terms with share 0 being 0.

    Raises:
        ValueError: one has no actions.
    """
    if not a or not b:
        raise ValueError("a run without actions has no distribution of them")
    p, q = _shares(a), _shares(b)
    terms = [
        share * log2(share / ((p.get(action, 0.0) + q.get(action, 0.0)) / 2)) / 2
        for shares in (p, q)
        for action, share in shares.items()
    ]
    return min(1.0, max(0.0, math.fsum(terms)))


def distance(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the edit distance (Levenshtein 1966: insert, delete, replace at 1 each) over the longer length: in [0, 1].

    Raises:
        ValueError: neither has an action.
    """
    if not a and not b:
        raise ValueError("two runs without actions have no distance")
    return _edits(a, b) / max(len(a), len(b))


def _edits(a: Sequence[str], b: Sequence[str]) -> int:
    """The edit distance, a column of its table at a time as bits of two integers (Myers 1999; Hyyrö 2003)."""
    if not a or not b:
        return len(a) + len(b)
    full, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    places: dict[str, int] = {}
    for i, action in enumerate(a):
        places[action] = places.get(action, 0) | 1 << i
    plus, minus, edits = full, 0, len(a)
    for action in b:
        equal = places.get(action, 0)
        diagonal = (((equal & plus) + plus) ^ plus) | equal | minus
        up, down = minus | (full & ~(diagonal | plus)), plus & diagonal
        edits += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & full, down << 1 & full
        plus, minus = down | (full & ~(diagonal | up)), up & diagonal
    return edits


def calibrate(stated: Sequence[tuple[float, bool]]) -> Calibration:
    """Return the calibration of confidences in [0, 1], each with whether its run succeeded."""
    if not stated:
        return Calibration(0, None, None, None)
    bins: dict[int, list[tuple[float, bool]]] = {}
    for one in stated:
        bins.setdefault(min(BINS - 1, int(one[0] * BINS)), []).append(one)
    gaps = [
        abs(math.fsum(value for value, _ in held) - sum(won for _, won in held)) for held in bins.values()
    ]
    return Calibration(
        n=len(stated),
        brier=exact_mean([brier(value, success=won) for value, won in stated]),
        calibration_error=math.fsum(gaps) / len(stated),
        auroc=_auroc(stated),
    )


def accuracy_ratio(
    perturbed: Mapping[str, Sequence[Run]], plain: Mapping[str, Sequence[Run]]
) -> float | None:
    """Return the success rate under perturbation ÷ without it, over the tasks of both; None without a plain success.

    Rates are means over tasks of the success rates of their runs.
    """
    shared = [task for task in perturbed if plain.get(task)]
    rates = [
        exact_mean([exact_mean([run.success for run in system[task]]) for task in shared]) if shared else 0.0
        for system in (perturbed, plain)
    ]
    return rates[0] / rates[1] if rates[1] else None


def brier(confidence: float, *, success: bool) -> float:
    """Return the Brier score of one run: (confidence − success)²."""
    return (confidence - success) * (confidence - success)


def stated(runs: Sequence[Run]) -> list[tuple[float, bool]]:
    """Return the confidences that runs state, each with whether its run succeeded."""
    return [(run.confidence, run.success) for run in runs if run.confidence is not None]


def _auroc(stated: Sequence[tuple[float, bool]]) -> float | None:
    """(2 × pairs in which the success has more + ties) ÷ (2 × pairs), a quotient of integers."""
    won = sum(success for _, success in stated)
    pairs = won * (len(stated) - won)
    if not pairs:
        return None
    levels: dict[float, list[int]] = {}
    for value, success in stated:
        levels.setdefault(value, [0, 0])[success] += 1
    doubled = below = 0
    for value in sorted(levels):
        lost_here, won_here = levels[value]
        doubled += won_here * (2 * below + lost_here)
        below += lost_here
    return doubled / (2 * pairs)


def _alike(
    acted: Sequence[tuple[str, ...]], differ: Callable[[Sequence[str], Sequence[str]], float]
) -> float:
    return 1 - exact_mean([differ(a, b) for a, b in combinations(acted, 2)])


def _shares(done: Sequence[str]) -> Mapping[str, float]:
    return {action: count / len(done) for action, count in Counter(done).items()}
