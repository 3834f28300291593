"""Reliability profile of one task over repeated runs, and calibration of recorded confidence.

Owns the definitions, after Rabanser et al. 2026 (arXiv 2602.16666) and specs/agents.md; each is written out at its function,
because the paper's text and code differ. These measures need traces and some need logarithms, whose last bit differs
between libm and V8: they are shown beside a receipt, never signed, and the browser does not re-score them.

None is a blank: fewer than two runs, or than two that qualify.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from benchsite.stats import exact_mean
from benchsite.tracks.agents.record.runs import Run
from benchsite.tracks.agents.scores.descriptor import variance
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import is_send

BINS: Final = 10
MOST_ACTIONS: Final = 2_000
"""Actions of a run up to which sequences are compared: the work grows with their square."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run with what only its trace tells.

    Attributes:
        run: its columns.
        actions: what `actions` gives.
        confidence: what `confidence` gives.
    """

    run: Run
    actions: tuple[str, ...]
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """How recorded confidence fits success.

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


@dataclass(frozen=True, slots=True)
class Profile:
    """Reliability of one task over N runs, each in [0, 1] and higher for more alike, but for the two CVs.

    Attributes:
        outcome_consistency: (2p − 1)² with p the success rate, the `stability` of descriptors.
        action_consistency: 1 − mean over pairs of successful runs of the Jensen-Shannon divergence of their actions.
        sequence_consistency: 1 − mean over such pairs of the edit distance of their actions, over the longer length.
        tokens_cv, latency_cv: population standard deviation ÷ mean of all runs; None where one run is blank.
        calibration: of all runs.
    """

    runs: int
    outcome_consistency: float | None
    action_consistency: float | None
    sequence_consistency: float | None
    tokens_cv: float | None
    latency_cv: float | None
    calibration: Calibration


def actions(events: Iterable[Event]) -> tuple[str, ...]:
    """What a run did, in order: `tool:NAME` for a tool call, `send` for a send, otherwise the event type.

    A `tool_result` is what an action brought about, and is skipped.
    """
    return tuple(_action(event) for event in events if event.event_type != "tool_result")


def _action(event: Event) -> str:
    if is_send(event):
        return "send"
    if event.event_type == "tool_call":
        return f"tool:{event.payload.get('tool')}"
    return event.event_type


def confidence(events: Sequence[Event]) -> float | None:
    """The `confidence` of the last `finalize` event that has one as a number in [0, 1]."""
    for event in reversed(events):
        value = event.payload.get("confidence")
        if (
            event.event_type == "finalize"
            and isinstance(value, int | float)
            and not isinstance(value, bool)
            and 0 <= value <= 1
        ):
            return float(value)
    return None


def profile(attempts: Sequence[Attempt]) -> Profile:
    """The reliability of one task by one system over its runs."""
    n, c = len(attempts), sum(one.run.success for one in attempts)
    acted = [one.actions for one in attempts if one.run.success and one.actions]
    short = all(len(done) <= MOST_ACTIONS for done in acted)
    return Profile(
        runs=n,
        outcome_consistency=(n - 2 * c) ** 2 / (n * n) if n > 1 else None,
        action_consistency=_alike(acted, divergence),
        sequence_consistency=_alike(acted, distance) if short else None,
        tokens_cv=_cv([one.run.tokens for one in attempts]),
        latency_cv=_cv([one.run.latency_ms for one in attempts]),
        calibration=calibrate(
            [(one.confidence, one.run.success) for one in attempts if one.confidence is not None]
        ),
    )


def divergence(a: Sequence[str], b: Sequence[str]) -> float:
    """Jensen-Shannon divergence, base 2, of how often each action occurs: in [0, 1].

    With shares p and q and m = (p + q) ÷ 2: Σ p × log2(p ÷ m) ÷ 2 + Σ q × log2(q ÷ m) ÷ 2, terms with share 0 being 0.

    Raises:
        ValueError: one has no actions.
    """
    if not a or not b:
        raise ValueError("a run without actions has no distribution of them")
    p, q = _shares(a), _shares(b)
    terms = [
        share * math.log2(share / ((p.get(action, 0.0) + q.get(action, 0.0)) / 2)) / 2
        for shares in (p, q)
        for action, share in shares.items()
    ]
    return min(1.0, max(0.0, math.fsum(terms)))


def distance(a: Sequence[str], b: Sequence[str]) -> float:
    """Edit distance (Levenshtein 1966: insert, delete, replace at 1 each) over the longer length: in [0, 1].

    Raises:
        ValueError: neither has an action.
    """
    if not a and not b:
        raise ValueError("two runs without actions have no distance")
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1] / max(len(a), len(b))


def calibrate(stated: Sequence[tuple[float, bool]]) -> Calibration:
    """Calibration of confidences in [0, 1], each with whether its run succeeded."""
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
        brier=exact_mean([(value - won) * (value - won) for value, won in stated]),
        calibration_error=math.fsum(gaps) / len(stated),
        auroc=_auroc(stated),
    )


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
) -> float | None:
    pairs = [differ(a, b) for a, b in combinations(acted, 2)]
    return 1 - exact_mean(pairs) if pairs else None


def _shares(done: Sequence[str]) -> Mapping[str, float]:
    return {action: count / len(done) for action, count in Counter(done).items()}


def _cv(values: Sequence[float | None]) -> float | None:
    stated = [value for value in values if value is not None]
    if len(stated) < len(values) or len(stated) < 2 or not any(stated):
        return None
    return math.sqrt(variance(stated)) / exact_mean(stated)
