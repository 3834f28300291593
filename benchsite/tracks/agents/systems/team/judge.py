"""The judge: a model that groups answers by their meaning, asked for JSON (specs/agents.md, "Termination"; the seed's schema).

A judgment that cannot be used is a reason, and the caller counts signatures instead: no judge (`mock`, also for a
simulated model that names no other), no JSON object with groups (`parse_error`), or groups of nothing
(`empty_judgment`). Indices outside the candidates, repeated ones and invalid ones are left out of the groups; a
candidate that is in no group and not invalid is a group of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite.canonical import Json
from benchsite.tracks.agents.models import Completion
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.conversation import asked
from benchsite.tracks.agents.systems.agent.json_text import object_in
from benchsite.tracks.agents.systems.agent.session import SYSTEM, Position, Session, clean

__all__ = ["Asked", "Judgment", "Unusable", "choose", "compare"]

MOCK: Final = "simulated"
"""The model that responds for a script which names no other: it judges nothing."""
SHOWN: Final = 600
"""Characters of an answer that the judge reads."""
EXPLAINED: Final = 400

_INDICES: Final[Json] = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_GROUPS: Final[Json] = {"type": "array", "items": _INDICES}
_WORDS: Final[Json] = {"type": "string"}


def _schema(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


COMPARISON: Final = _schema(
    {
        "groups": _GROUPS,
        "invalid_indices": _INDICES,
        "is_substantive": {"type": "boolean"},
        "progress_status": {"type": "string", "enum": ["improving", "stalled", "unclear"]},
        "expected_improvement": {"type": "string", "enum": ["high", "medium", "low"]},
        "should_stop_for_no_progress": {"type": "boolean"},
        "explanation": _WORDS,
    }
)
CHOICE: Final = _schema(
    {
        "groups": _GROUPS,
        "winner_index": {"type": "integer", "minimum": 0},
        "invalid_indices": _INDICES,
        "explanation": _WORDS,
    }
)

Unusable = Literal["mock", "parse_error", "empty_judgment"]


@dataclass(frozen=True, slots=True)
class Judgment:
    """A judgment that can be used.

    Attributes:
        groups: indices of candidates, each once; none is invalid.
        invalid: indices of candidates that answer nothing.
        winner: the index of the best candidate; None in a comparison.
    """

    groups: tuple[tuple[int, ...], ...]
    invalid: frozenset[int]
    explanation: str
    is_substantive: bool = False
    progress_status: str = "unclear"
    expected_improvement: str | None = None
    should_stop: bool = False
    winner: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What asking the judge gave, and what it took; None for what the harness does not state."""

    judgment: Judgment | None
    why_not: Unusable | None
    token_in: int | None = None
    token_out: int | None = None
    latency_ms: float | None = None
    cost_usd: float | None = None


def compare(
    session: Session,
    candidates: Sequence[Artifact],
    previous: Mapping[str, Artifact],
    at: Position,
    *,
    merged: Sequence[Artifact] = (),
) -> Asked:
    """Ask which candidates mean the same, and whether another round would help.

    Args:
        session: the run.
        candidates: the answers, at least two.
        previous: the answers of the round before, by agent.
        at: the place in the control flow.
        merged: what the candidates were combined into, if that is what another round would revise.
    """
    combined = [f"Combined answer{_shown(session, one, previous)}" for one in merged]
    lines = [*combined, *_listed(session, candidates, previous)]
    return _ask(session, (prompts.STOP, COMPARISON, "plan"), lines, len(candidates), at)


def choose(session: Session, candidates: Sequence[Artifact], at: Position) -> Asked:
    """Ask which candidate is the best answer."""
    lines = _listed(session, candidates, {})
    return _ask(session, (prompts.VOTE, CHOICE, "act"), lines, len(candidates), at)


def _ask(
    session: Session,
    what: tuple[str, Mapping[str, Json], str],
    lines: Sequence[str],
    count: int,
    at: Position,
) -> Asked:
    """Ask for a judgment on so many answers, with a prompt, the schema and the type of the event."""
    prompt, schema, event = what
    messages = [{"role": "system", "content": prompt}, asked(session.task, "\n".join(lines))]
    if session.judge_is_mock:
        return Asked(None, "mock")
    try:
        found = session.complete("judge", messages, actor=SYSTEM, event=event, at=at, schema=schema)
    except KeyError:
        return Asked(None, "mock")
    judgment, why_not = _read(found, count)
    session.judge_is_mock = why_not == "mock"
    if judgment is not None and schema is CHOICE and judgment.winner is None:
        judgment, why_not = None, "parse_error"
    usage = found.usage
    return Asked(judgment, why_not, usage.tokens_in, usage.tokens_out, found.latency_ms, found.cost_usd)


def _listed(session: Session, candidates: Sequence[Artifact], previous: Mapping[str, Artifact]) -> list[str]:
    if session.judge_is_mock:  # no judge reads them
        return []
    return [f"{place}{_shown(session, one, previous)}" for place, one in enumerate(candidates)]


def _shown(session: Session, one: Artifact, previous: Mapping[str, Artifact]) -> str:
    """Return an answer as the judge reads it; that a part of it is cut is recorded."""

    def cut(text: str, what: str) -> str:
        return session.cut(text, SHOWN, f"{what} for the judge", one.agent)

    before = previous.get(one.agent)
    earlier = f" (before: {cut(before.answer_artifact, f'answer of {before.id}')})" if before else ""
    items = "; ".join(one.evidence_summary)
    evidence = f" | evidence: {cut(items, f'evidence of {one.id}')}" if items else ""
    return f": {cut(one.answer_artifact, f'answer of {one.id}')}{earlier}{evidence}"


def _read(found: Completion, count: int) -> tuple[Judgment | None, Unusable | None]:
    if found.responded == MOCK:
        return None, "mock"
    told = object_in(found.text or "", "groups")
    if told is None or not isinstance(told["groups"], list):
        return None, "parse_error"
    invalid = frozenset(_indices(told.get("invalid_indices"), count))
    groups = list(_groups(told["groups"], invalid, count))
    if not groups and not invalid:
        return None, "empty_judgment"
    grouped = {place for group in groups for place in group}
    groups += [(place,) for place in range(count) if place not in grouped and place not in invalid]
    winner = next(iter(_indices([told.get("winner_index")], count)), None)
    progress, improvement = told.get("progress_status"), told.get("expected_improvement")
    judgment = Judgment(
        tuple(groups),
        invalid,
        clean(str(told.get("explanation") or ""))[:EXPLAINED],
        is_substantive=told.get("is_substantive") is True,
        progress_status=progress if progress in ("improving", "stalled", "unclear") else "unclear",
        expected_improvement=improvement if improvement in ("high", "medium", "low") else None,
        should_stop=told.get("should_stop_for_no_progress") is True,
        winner=winner if winner not in invalid else None,
    )
    return judgment, None


def _groups(told: list[Any], invalid: frozenset[int], count: int) -> list[tuple[int, ...]]:
    """Return the groups with each candidate in the first one that names it."""
    seen = set(invalid)
    found = []
    for group in told:
        places = [place for place in _indices(group, count) if place not in seen]
        seen.update(places)
        if places:
            found.append(tuple(places))
    return found


def _indices(told: Any, count: int) -> list[int]:
    """Return the indices of candidates in a list, each once."""
    listed = told if isinstance(told, list) else []
    return list(dict.fromkeys(place for place in listed if type(place) is int and 0 <= place < count))
