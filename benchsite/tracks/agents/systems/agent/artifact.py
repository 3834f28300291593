"""The artifact: what an agent hands over, and its parser (specs/agents.md, "Systems").

An agent answers with a JSON object, in a fence, as the whole text or inside prose; its status is `ok`. Any other text is
its answer, with the status `fallback`: agents with tools may answer in the form of the task, and no second completion is
spent on the form. Text without an answer is `invalid`. JSON that was cut off is not an answer, but a whole `answer_artifact`
in it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.tracks.agents.systems.agent.directness import is_direct
from benchsite.tracks.agents.systems.agent.json_text import object_in
from benchsite.tracks.agents.systems.agent.session import Position, Session, ToolUse, clean
from benchsite.tracks.agents.systems.agent.signature import signature

__all__ = ["SCHEMA", "Artifact", "Status", "as_json", "bounded", "evidence", "parse"]

Status = Literal["ok", "fallback", "invalid"]

LENGTHS: Final = {"answer_artifact": 6_000, "summary": 400, "critique": 1_200, "revision_request": 1_200}
"""Characters of each text."""
ITEMS: Final = 6
"""Of issues and of evidence, each with as many characters as a summary."""
UNKNOWN: Final = 0.5
"""Confidence of an artifact that states none that can be read."""

_TEXT: Final[Json] = {"type": "string"}
_LIST: Final[Json] = {"type": "array", "items": {"type": "string"}, "maxItems": ITEMS}
SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "properties": {
        "answer_artifact": _TEXT,
        "summary": _TEXT,
        "critique": _TEXT,
        "revision_request": _TEXT,
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "unresolved_issues": _LIST,
        "evidence_summary": _LIST,
    },
    "required": ["answer_artifact", "confidence"],
    "additionalProperties": False,
}
"""JSON Schema of the object that an agent is asked for."""

_ANSWER: Final = re.compile(r'"answer_artifact"\s*:\s*("(?:[^"\\]|\\.)*")', re.DOTALL)


NOWHERE: Final = Position("")


@dataclass(frozen=True)
class Artifact:
    """What an agent handed over.

    Attributes:
        id: unique in the run.
        agent: who made it.
        at: the place in the control flow.
        confidence: that the agent has in `answer_artifact`, from 0 to 1.
        states_confidence: whether the agent stated it.
        used_tools: whether the agent called a tool for it, in this round or before.
    """

    answer_artifact: str
    summary: str = ""
    critique: str = ""
    revision_request: str = ""
    confidence: float = UNKNOWN
    unresolved_issues: tuple[str, ...] = ()
    evidence_summary: tuple[str, ...] = ()
    status: Status = "ok"
    states_confidence: bool = False
    used_tools: bool = False
    id: str = ""
    agent: str = ""
    at: Position = NOWHERE

    @property
    def is_usable(self) -> bool:
        """Whether it has an answer, of whatever kind."""
        return self.status != "invalid" and bool(self.answer_artifact)

    @cached_property
    def signature(self) -> str:
        """The signature of the answer."""
        return signature(self.answer_artifact)

    @cached_property
    def is_direct(self) -> bool:
        """Whether the answer is one."""
        return self.is_usable and is_direct(self.answer_artifact)

    @property
    def rendered(self) -> str:
        """The artifact as other agents read it, the answer first."""
        parts = [self.answer_artifact]
        if self.evidence_summary:
            parts.append(f"Evidence: {'; '.join(self.evidence_summary)}")
        if self.unresolved_issues:
            parts.append(f"Open: {'; '.join(self.unresolved_issues)}")
        return "\n".join(parts)


def parse(text: str) -> Artifact:
    """Return the artifact in what an agent said; lengths are as they were said."""
    found = object_in(text, "answer_artifact")
    if found is not None:
        made = _of(found)
        return made if made.answer_artifact else replace(made, status="invalid")
    if '"answer_artifact"' in text:
        cut = _ANSWER.search(text)
        answer = _string(cut[1]) if cut else ""
        return Artifact(answer, status="fallback" if answer else "invalid")
    answer = clean(text).strip()
    return Artifact(answer, status="fallback" if answer else "invalid")


def _of(found: Mapping[str, Any]) -> Artifact:
    confidence = _confidence(found.get("confidence"))
    return Artifact(
        answer_artifact=_words(found["answer_artifact"]),
        summary=_words(found.get("summary")),
        critique=_words(found.get("critique")),
        revision_request=_words(found.get("revision_request")),
        confidence=UNKNOWN if confidence is None else confidence,
        states_confidence=confidence is not None,
        unresolved_issues=_items(found.get("unresolved_issues")),
        evidence_summary=_items(found.get("evidence_summary")),
    )


def _string(literal: str) -> str:
    """Return the text of a JSON string in half a document."""
    try:
        return clean(str(json.loads(literal, strict=False))).strip()
    except ValueError:
        return ""


def _words(value: Any) -> str:
    if value is None:
        return ""
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).strip()


def _items(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    return tuple(words for item in listed if (words := _words(item)))


def _confidence(value: Any) -> float | None:
    """Return a confidence clipped to [0, 1]; None if it is missing, no number or NaN."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if number != number else min(max(number, 0.0), 1.0)  # noqa: PLR0124 - NaN


def bounded(session: Session, made: Artifact) -> Artifact:
    """Return an artifact within its lengths; what is cut is recorded."""

    def cut(text: str, most: int, what: str) -> str:
        return session.cut(text, most, f"{what} of {made.id}", made.agent)

    def few(items: tuple[str, ...], what: str) -> tuple[str, ...]:
        if len(items) > ITEMS:
            kept: dict[str, Json] = {"agent": made.agent, "items": len(items), "kept": ITEMS}
            session.note("truncation", {"what": f"{what} of {made.id}", **kept})
        return tuple(cut(item, LENGTHS["summary"], what) for item in items[:ITEMS])

    return replace(
        made,
        answer_artifact=cut(made.answer_artifact, LENGTHS["answer_artifact"], "answer"),
        summary=cut(made.summary, LENGTHS["summary"], "summary"),
        critique=cut(made.critique, LENGTHS["critique"], "critique"),
        revision_request=cut(made.revision_request, LENGTHS["revision_request"], "revision request"),
        unresolved_issues=few(made.unresolved_issues, "issues"),
        evidence_summary=few(made.evidence_summary, "evidence"),
    )


def evidence(uses: tuple[ToolUse, ...]) -> tuple[str, ...]:
    """Return the last successful calls and the beginnings of their results: evidence of an agent that states none."""
    return tuple(use.line[: LENGTHS["summary"]] for use in uses if not use.failed)[-ITEMS:]


def as_json(answer: str) -> str:
    """Return a worked example's answer as an agent would hand it over."""
    return canonical.dumps({"answer_artifact": answer, "confidence": 1}).decode()
