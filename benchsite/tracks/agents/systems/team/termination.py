"""The termination controller: whether a loop stops, and why (specs/agents.md, "Termination"; the seed's fields).

In order: `invalid_or_failed_branch` if fewer than half of the branches are left; continue below the minimum of rounds;
`consensus_reached` for three quarters of the valid answers, if they answer the task; `no_meaningful_change` against the
round before; `max_rounds_reached`. A judge groups answers by meaning; without a usable judgment their signatures are
compared. A judge's word that a majority is substantive is not enough: one of its answers must be direct.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, Final, Literal

from benchsite.canonical import Json
from benchsite.stats import exact_mean
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position, Session
from benchsite.tracks.agents.systems.agent.signature import distance
from benchsite.tracks.agents.systems.team.groups import Group, by_signature, ranked
from benchsite.tracks.agents.systems.team.judge import Asked, compare

__all__ = ["Decision", "Loop", "decide"]

CONSENSUS: Final = 0.75
NO_CHANGE: Final = 0.05

Reason = Literal[
    "continue",
    "invalid_or_failed_branch",
    "consensus_reached",
    "no_meaningful_change",
    "max_rounds_reached",
]


@dataclass(frozen=True, slots=True)
class Loop:
    """What a controller sees of its loop.

    Attributes:
        candidates: the artifacts that would be revised.
        previous: those of the round before, by agent; empty in round 0.
        consensus: the artifacts whose answers are compared.
        expected: branches that were to hand over an artifact.
        done: rounds that are done.
        most: rounds that there may be.
        minimum: rounds before it may stop; 0 for a loop that is no discussion.
    """

    candidates: Sequence[Artifact]
    previous: Mapping[str, Artifact]
    consensus: Sequence[Artifact]
    expected: int
    done: int
    most: int
    minimum: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision; `token_in` to `cost_usd` are the judge's, None without one.

    Attributes:
        winner: signature of the largest group; empty without one.
    """

    reason: Reason
    reason_detail: str
    consensus_mode: str
    consensus_source: str
    consensus_ratio: float
    consensus_groups: list[list[str]]
    consensus_explanation: str
    progress_source: str
    progress_status: str
    expected_improvement: str | None
    progress_explanation: str
    average_confidence: float | None
    mean_delta: float | None
    valid_artifact_count: int
    winner: str
    token_in: int | None = None
    token_out: int | None = None
    latency_ms: float | None = None
    cost_usd: float | None = None

    @property
    def stops(self) -> bool:
        """Whether the loop ends."""
        return self.reason != "continue"


@dataclass(frozen=True, slots=True)
class _Consensus:
    groups: list[Group]
    source: str
    is_substantive: bool
    asked: Asked | None = None

    @property
    def valid(self) -> int:
        return sum(len(group.members) for group in self.groups)

    @property
    def ratio(self) -> float:
        return len(self.groups[0].members) / self.valid if self.groups else 0.0


def decide(session: Session, loop: Loop, mode: str, at: Position) -> Decision:
    """Decide whether a loop ends, and record the decision.

    Args:
        session: the run.
        loop: what the controller sees.
        mode: `llm_judge` or `lexical`.
        at: the place in the control flow.
    """
    usable = [one for one in loop.consensus if one.is_usable]
    least = max(1, ceil(loop.expected / 2))
    is_early = loop.done < min(loop.minimum, loop.most)
    may_judge = mode == "llm_judge" and len(usable) >= least and not is_early
    consensus = _consensus(session, loop, usable, at, mode if may_judge else "lexical")
    delta = _mean_delta(loop)
    reason, detail = _reason(loop, consensus, len(usable), least, delta, is_early=is_early)
    made = _decision(loop, consensus, mode, delta, len(usable), (reason, detail))
    place: dict[str, Json] = {"phase": at.phase, "round": at.round, "discussion_index": at.discussion}
    session.note("termination", {**asdict(made), **place})
    return made


def _consensus(session: Session, loop: Loop, usable: list[Artifact], at: Position, mode: str) -> _Consensus:
    lexical = ranked(by_signature(usable))
    direct = bool(lexical) and any(one.is_direct for one in lexical[0].members)
    if len(usable) <= 1:
        return _Consensus(lexical, "lexical_singleton", direct)
    if mode == "lexical":
        return _Consensus(lexical, "lexical", direct)
    merged = [one for one in loop.candidates if one not in loop.consensus]
    found = compare(session, usable, loop.previous, at, merged=merged)
    if found.judgment is None:
        return _Consensus(lexical, f"lexical_fallback_{found.why_not}", direct, found)
    groups = ranked(Group(tuple(usable[place] for place in group)) for group in found.judgment.groups)
    direct = bool(groups) and any(one.is_direct for one in groups[0].members)
    return _Consensus(groups, "llm_judge", found.judgment.is_substantive and direct, found)


def _mean_delta(loop: Loop) -> float | None:
    """Return the mean change of the answers of agents that answered before; None if there is none."""
    changes = [
        distance(loop.previous[one.agent].answer_artifact, one.answer_artifact)
        for one in loop.candidates
        if one.is_usable and one.agent in loop.previous and loop.previous[one.agent].is_usable
    ]
    return exact_mean(changes) if changes else None


def _reason(
    loop: Loop,
    consensus: _Consensus,
    valid: int,
    least: int,
    delta: float | None,
    *,
    is_early: bool,
) -> tuple[Reason, str]:
    if valid < least:
        return "invalid_or_failed_branch", f"{valid} of {loop.expected} branches, at least {least} needed"
    if is_early:
        return "continue", f"{loop.done} of at least {loop.minimum} rounds"
    if consensus.valid > 1 and consensus.ratio >= CONSENSUS and consensus.is_substantive:
        agreed = len(consensus.groups[0].members)
        return "consensus_reached", f"{agreed} of {consensus.valid} answers agree"
    judgment = consensus.asked.judgment if consensus.asked else None
    if delta is not None and (judgment.should_stop if judgment else delta <= NO_CHANGE):
        return "no_meaningful_change", "the judge expects none" if judgment else f"mean delta {delta:.3f}"
    if loop.done >= loop.most:
        return "max_rounds_reached", f"{loop.done} of {loop.most} rounds"
    return "continue", f"{loop.done} of {loop.most} rounds"


def _decision(
    loop: Loop,
    consensus: _Consensus,
    mode: str,
    delta: float | None,
    valid: int,
    reason: tuple[Reason, str],
) -> Decision:
    judgment = consensus.asked.judgment if consensus.asked else None
    confident = [one.confidence for one in loop.candidates if one.is_usable] or [
        one.confidence for one in loop.consensus if one.is_usable
    ]
    lexical = "stalled" if delta is not None and delta <= NO_CHANGE else "unclear"
    explanation = judgment.explanation if judgment else ""
    return Decision(
        *reason,
        consensus_mode=mode,
        consensus_source=consensus.source,
        consensus_ratio=consensus.ratio,
        consensus_groups=[[one.agent for one in group.members] for group in consensus.groups],
        consensus_explanation=explanation,
        progress_source="none" if delta is None else consensus.source,
        progress_status=judgment.progress_status if judgment else lexical,
        expected_improvement=judgment.expected_improvement if judgment else None,
        progress_explanation=explanation,
        average_confidence=exact_mean(confident) if confident else None,
        mean_delta=delta,
        valid_artifact_count=valid,
        winner=consensus.groups[0].representative.signature[:200] if consensus.groups else "",
        **_spent(consensus.asked),
    )


def _spent(asked: Asked | None) -> dict[str, Any]:
    """Return what a judgment took."""
    names = ("token_in", "token_out", "latency_ms", "cost_usd")
    return {name: getattr(asked, name) for name in names} if asked else {}
