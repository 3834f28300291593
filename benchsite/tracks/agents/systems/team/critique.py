"""The critique of a merged answer: the one verification step of the systems, recorded as `verify`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from benchsite.canonical import Json
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import LENGTHS, Artifact
from benchsite.tracks.agents.systems.agent.conversation import asked
from benchsite.tracks.agents.systems.agent.json_text import object_in
from benchsite.tracks.agents.systems.agent.session import Position, Session, clean

__all__ = ["feedback"]

MEMBERS: Final = ("critique", "revision_request")
SCHEMA: Final[Mapping[str, Json]] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in MEMBERS},
    "required": list(MEMBERS),
    "additionalProperties": False,
}


def feedback(session: Session, merged: Artifact, reports: Sequence[str], *, actor: str, at: Position) -> str:
    """Return what the team hears of its merged answer: the answer, the critique and the request.

    Args:
        session: the run.
        merged: the answer that is criticized.
        reports: what it was merged from.
        actor: who criticizes.
        at: the place in the control flow.
    """
    answer = f"The team's answer is: {merged.answer_artifact}"
    messages = [{"role": "system", "content": prompts.CRITIC}, asked(session.task, *reports, answer)]
    found = session.complete("critic", messages, actor=actor, event="verify", at=at, schema=SCHEMA)
    told = object_in(found.text or "", "critique")
    if told is None:
        words = {"critique": clean(found.text or "").strip(), "revision_request": ""}
    else:
        words = {name: clean(str(told.get(name) or "")).strip() for name in MEMBERS}
    words = {name: session.cut(text, LENGTHS[name], name, actor) for name, text in words.items()}
    status = "fallback" if told is None else "ok"
    session.note("critique", {"artifact_id": merged.id, "status": status, **words})
    return "\n".join((answer, *filter(None, words.values())))
