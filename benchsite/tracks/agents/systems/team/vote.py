"""The final vote: a judge chooses among the direct answers, or the order of the groups does (specs/agents.md, "Termination").

The judge is asked only if the answers differ. Its choice counts if it is an index of a candidate that it did not call
invalid; otherwise, and without a judge, `vote_artifacts` decides. An answer that is not empty wins over none.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchsite.canonical import Json
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.session import Position, Session
from benchsite.tracks.agents.systems.team.groups import Group, by_signature, ranked, vote_artifacts
from benchsite.tracks.agents.systems.team.judge import Asked, choose

__all__ = ["vote"]


def vote(session: Session, artifacts: Sequence[Artifact], mode: str, at: Position) -> Artifact | None:
    """Return the artifact whose answer is final; None if no agent gave one.

    Args:
        session: the run.
        artifacts: one of each agent.
        mode: `llm_judge` or `deterministic`.
        at: the place in the control flow.
    """
    candidates = [one for one in artifacts if one.is_direct]
    groups = ranked(by_signature(candidates))
    winner, found, source = vote_artifacts(artifacts), None, "deterministic"
    if len(groups) <= 1:
        source = "unanimous" if groups else "deterministic"
    elif mode == "llm_judge":
        found = choose(session, candidates, at)
        source = f"deterministic_fallback_{found.why_not}"
        if found.judgment is not None and found.judgment.winner is not None:
            winner, source = candidates[found.judgment.winner], "llm_judge"
            groups = [Group(tuple(candidates[place] for place in group)) for group in found.judgment.groups]
    _record(session, winner, groups, source, found, at)
    return winner


def _record(
    session: Session,
    winner: Artifact | None,
    groups: Sequence[Group],
    source: str,
    found: Asked | None,
    at: Position,
) -> None:
    votes = sorted((len(group.members) for group in groups), reverse=True)
    payload: dict[str, Json] = {
        "vote_source": source,
        "groups": [[one.agent for one in group.members] for group in groups],
        "chosen": winner.agent if winner else None,
        "artifact_id": winner.id if winner else None,
        "tie": len(votes) > 1 and votes[0] == votes[1],
        "explanation": found.judgment.explanation if found and found.judgment else "",
        "token_in": found.token_in if found else None,
        "token_out": found.token_out if found else None,
        "latency_ms": found.latency_ms if found else None,
        "cost_usd": found.cost_usd if found else None,
        "phase": at.phase,
    }
    session.note("vote", payload)
