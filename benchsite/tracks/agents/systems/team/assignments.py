"""What a model assigns to each agent of a team: personas for a task, and parts of a plan.

Both are one completion, a JSON object of texts by agent. If one agent is missing or the object is unusable, nothing of it
is used: personas go round a fixed list, and every agent gets the whole task. The record says which of both happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from benchsite.canonical import Json
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.conversation import asked
from benchsite.tracks.agents.systems.agent.json_text import object_in
from benchsite.tracks.agents.systems.agent.session import SYSTEM, Position, Session, clean

__all__ = ["ROUND", "personas", "plan"]

ROUND: Final = (
    "a careful solver who checks every step",
    "a skeptic who looks for mistakes",
    "an expert in using the tools",
    "a generalist who looks at the task as a whole",
)
"""Personas where no model assigns them, in turn."""
PERSONA_CHARACTERS: Final = 120
PART_CHARACTERS: Final = 1_200
WHOLE: Final = "Work on the whole task."


def personas(session: Session, agents: Sequence[str], *, dynamic: bool) -> dict[str, str]:
    """Return a persona for each agent.

    Args:
        session: the run.
        agents: their names.
        dynamic: whether a model is asked.
    """
    found = None
    if dynamic:
        told = f"Agents: {', '.join(agents)}"
        found = _assigned(
            session, prompts.PERSONAS, told, agents, SYSTEM, Position("personas"), PERSONA_CHARACTERS
        )
    source = "round_robin" if found is None else "model"
    made = found or {name: ROUND[place % len(ROUND)] for place, name in enumerate(agents)}
    session.note("personas", {"source": source, "personas": dict(made)})
    return made


def plan(session: Session, agents: Mapping[str, str], *, actor: str, at: Position) -> dict[str, str]:
    """Return what each agent is to do.

    Args:
        session: the run.
        agents: their personas by name.
        actor: who plans.
        at: the place in the control flow.
    """
    team = "\n".join(f"- {name}: {persona}" for name, persona in agents.items())
    found = _assigned(session, prompts.PLAN, f"Agents:\n{team}", list(agents), actor, at, PART_CHARACTERS)
    source = "whole_task" if found is None else "model"
    made = found or dict.fromkeys(agents, WHOLE)
    session.note("plan", {"source": source, "parts": dict(made), "round": at.round})
    return made


def _assigned(
    session: Session,
    prompt: str,
    told: str,
    agents: Sequence[str],
    actor: str,
    at: Position,
    most: int,
) -> dict[str, str] | None:
    """Ask the planner for a text of each agent; None if one is missing, or only its name, as small models give it."""
    properties: dict[str, Json] = {name: {"type": "string"} for name in agents}
    schema: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": list(agents),
        "additionalProperties": False,
    }
    messages = [{"role": "system", "content": prompt}, asked(session.task, told)]
    found = session.complete("planner", messages, actor=actor, event="plan", at=at, schema=schema)
    assigned = object_in(found.text or "") or {}
    texts = {name: clean(text).strip() for name in agents if isinstance(text := assigned.get(name), str)}
    if len(texts) < len(agents) or any(text in ("", name) for name, text in texts.items()):
        return None
    return {name: session.cut(text, most, f"{at.phase} of {name}", actor) for name, text in texts.items()}
