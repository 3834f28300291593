"""Stages of a run and its bottlenecks (specs/agents.md, "Stages, bottlenecks, failure tags").

Owns the stage of each event type, what was spent in each, and the hints that follow from it. Sums are over the events that
state a value; a sum is None where none does. Shares are a stage's sum over the sum of all stages, None without one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite.tracks.agents.trace.event import Event, EventType
from benchsite.tracks.agents.trace.metrics import failed_tool, latency

Stage = Literal["plan", "retrieve", "act", "verify", "revise", "finalize"]
STAGE_OF: Final[Mapping[EventType, Stage]] = {
    "plan": "plan",
    "tool_call": "retrieve",
    "tool_result": "retrieve",
    "act": "act",
    "verify": "verify",
    "revise": "revise",
    "finalize": "finalize",
    "error": "finalize",
}
STAGES: Final[tuple[Stage, ...]] = tuple(dict.fromkeys(STAGE_OF.values()))
LEAST_VERIFICATION: Final = 0.05


@dataclass(frozen=True, slots=True)
class Spent:
    """What one stage took.

    Attributes:
        events, tool_errors: counts; a tool error is an event for which `metrics.failed_tool` holds.
        tokens: input and output, of the events that state them.
        latency_ms: of the events that state it.
        event_share, token_share, latency_share, tool_error_share: of all stages, in [0, 1].
    """

    events: int
    tokens: int | None
    latency_ms: float | None
    tool_errors: int
    event_share: float | None
    token_share: float | None
    latency_share: float | None
    tool_error_share: float | None


@dataclass(frozen=True, slots=True)
class Hint:
    """Something to look at first.

    Attributes:
        code: `peak-latency`, `peak-tokens`, `low-verification`, `retrieve-errors`, `revise-above-act`.
        stage: where.
        text: one sentence.
        mast: code of the failure taxonomy MAST (arXiv 2503.13657) that corresponds; None where none does.
    """

    code: str
    stage: Stage
    text: str
    mast: str | None = None


def by_stage(events: Iterable[Event]) -> dict[Stage, Spent]:
    """What each stage took, stages without events included, in the order of `STAGES`."""
    held: dict[Stage, list[Event]] = {stage: [] for stage in STAGES}
    for event in events:
        held[STAGE_OF[event.event_type]].append(event)
    counts = {stage: len(found) for stage, found in held.items()}
    tokens = {stage: _tokens(found) for stage, found in held.items()}
    latencies = {stage: _sum([latency(event) for event in found]) for stage, found in held.items()}
    errors = {stage: sum(map(failed_tool, found)) for stage, found in held.items()}
    shares = [_shares(values) for values in (counts, tokens, latencies, errors)]
    return {
        stage: Spent(
            counts[stage],
            tokens[stage],
            latencies[stage],
            errors[stage],
            *(share[stage] for share in shares),
        )
        for stage in STAGES
    }


def hints(stages: Mapping[Stage, Spent]) -> list[Hint]:
    """The hints of one run: peaks, verification below 5% of steps, failed tools, and more revised than acted."""
    found = []
    for code, unit, share, name in (
        ("peak-latency", "time", "latency_share", "latency_ms"),
        ("peak-tokens", "tokens", "token_share", "tokens"),
    ):
        peak = _peak(stages, name)
        if peak is not None:
            text = f"{peak} takes most {unit}: {100 * getattr(stages[peak], share):.0f}%"
            found.append(Hint(code, peak, text))
    steps = sum(spent.events for spent in stages.values())
    if steps and stages["verify"].events / steps < LEAST_VERIFICATION:
        text = f"{stages['verify'].events} of {steps} steps verify"
        found.append(Hint("low-verification", "verify", text, "FM-3.2"))
    if failed := stages["retrieve"].tool_errors:
        found.append(Hint("retrieve-errors", "retrieve", f"{failed} tool results are failures"))
    if (stages["revise"].tokens or 0) > (stages["act"].tokens or 0):
        found.append(Hint("revise-above-act", "revise", "revise takes more tokens than act"))
    return found


def _peak(stages: Mapping[Stage, Spent], name: str) -> Stage | None:
    """The stage with the largest sum above 0, the first of equal ones; None where there is none."""
    stage = max(STAGES, key=lambda stage: getattr(stages[stage], name) or 0)
    return stage if getattr(stages[stage], name) else None


def _tokens(events: Sequence[Event]) -> int | None:
    total = _sum([value for event in events for value in (event.token_in, event.token_out)])
    return None if total is None else int(total)


def _sum(values: Sequence[float | None]) -> float | None:
    stated = [value for value in values if value is not None]
    return math.fsum(stated) if stated else None


def _shares(values: Mapping[Stage, Any]) -> dict[Stage, float | None]:
    total = _sum(list(values.values()))
    return {stage: value / total if total and value is not None else None for stage, value in values.items()}
