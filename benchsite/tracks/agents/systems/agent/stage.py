"""One stage of one agent: it reads what it may know, works, and hands over an artifact, which is recorded.

An agent knows the task, the packets that it was sent, its own previous artifact and its own tool results, nothing else.
Agents with tools answer after a tool loop, in the form of the task unless the options ask for JSON. Agents without tools
answer with the artifact as JSON, in one completion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from benchsite.canonical import Json
from benchsite.tracks.agents.systems.agent import artifact as artifacts
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.conversation import asked, opening
from benchsite.tracks.agents.systems.agent.session import Position, Session, ToolUse
from benchsite.tracks.agents.systems.agent.tool_loop import Work, work

__all__ = ["Agent", "Knowledge", "solve", "write"]

KEPT_RESULTS: Final = 3
"""Own tool results of earlier rounds that an agent is reminded of."""
RESULT_CHARACTERS: Final = 1_200
"""Of each of them."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent of a team.

    Attributes:
        role: whose model it asks: `worker`, `orchestrator`, `aggregator`.
        persona: what it is good at; it specializes the agent and changes nothing else.
    """

    name: str
    role: str = "worker"
    persona: str = ""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What an agent may know besides the task.

    Attributes:
        told: the contents of packets, each with a heading.
        own: its previous artifact.
        uses: its own calls of earlier rounds.
    """

    told: tuple[str, ...] = ()
    own: Artifact | None = None
    uses: tuple[ToolUse, ...] = ()

    def lines(self, session: Session, agent: Agent) -> tuple[str, ...]:
        """Return the paragraphs that an agent reads before the task."""
        own = f"Your answer so far: {self.own.answer_artifact}" if self.own and self.own.is_usable else ""
        last = [
            session.cut(use.line, RESULT_CHARACTERS, f"earlier result of {use.tool}", agent.name)
            for use in self.uses[-KEPT_RESULTS:]
        ]
        seen = "\n".join(("Your results so far:", *last)) if last else ""
        return (f"You are: {agent.persona}." if agent.persona else "", seen, own, *self.told)


def solve(
    session: Session,
    agent: Agent,
    known: Knowledge,
    *,
    at: Position,
    event: str = "act",
    sample: int = 0,
) -> tuple[Artifact, tuple[ToolUse, ...]]:
    """Let an agent answer the task; return its artifact and the calls that it made now."""
    question = asked(session.task, *known.lines(session, agent))
    if session.offered(agent.name):
        as_json = session.options.json_answers
        prompt = f"{prompts.WORKER} {prompts.ARTIFACT}" if as_json else prompts.WORKER
        answer = artifacts.as_json if as_json else str
        messages = opening(prompt, session.task, question, with_calls=True, answer=answer)
        made = work(
            session,
            messages,
            actor=agent.name,
            role=agent.role,
            event=event,
            at=at,
            sample=sample,
            has_evidence=bool(known.uses),
        )
    else:
        prompt = f"{prompts.ALONE} {prompts.ARTIFACT}"
        messages = opening(prompt, session.task, question, with_calls=False, answer=artifacts.as_json)
        found = session.complete(
            agent.role,
            messages,
            actor=agent.name,
            event=event,
            at=at,
            schema=artifacts.SCHEMA,
            sample=sample,
        )
        made = Work(found.text or "")
    return _handed_over(session, agent, made, known.uses, at), made.uses


def write(
    session: Session,
    agent: Agent,
    prompt: str,
    known: Knowledge,
    *,
    at: Position,
    event: str = "act",
) -> Artifact:
    """Let an agent without tools make an artifact from what it knows."""
    words = f"{prompt} {prompts.ARTIFACT}"
    question = asked(session.task, *known.lines(session, agent))
    system = f"{words}\n\n{session.task.instructions}" if session.task.instructions else words
    messages = [{"role": "system", "content": system}, question]
    found = session.complete(
        agent.role, messages, actor=agent.name, event=event, at=at, schema=artifacts.SCHEMA
    )
    return _handed_over(session, agent, Work(found.text or ""), (), at)


def _handed_over(
    session: Session, agent: Agent, made: Work, earlier: tuple[ToolUse, ...], at: Position
) -> Artifact:
    """Return the artifact in what an agent said, within its lengths, and record it."""
    uses = (*earlier, *made.uses)
    found = artifacts.parse(made.text)
    found = replace(
        found,
        id=session.next_artifact(),
        agent=agent.name,
        at=at,
        used_tools=any(not use.failed for use in uses),
        evidence_summary=found.evidence_summary or (artifacts.evidence(uses) if found.is_usable else ()),
    )
    found = artifacts.bounded(session, found)
    session.note("artifact", recorded(found), actor=agent.name)
    return found


def recorded(made: Artifact) -> dict[str, Json]:
    """Return an artifact as the trace states it; the text `artifact` is the answer."""
    return {
        "artifact": made.answer_artifact,
        "artifact_id": made.id,
        "status": made.status,
        "confidence": made.confidence,
        "phase": made.at.phase,
        "round": made.at.round,
        "discussion_index": made.at.discussion,
        "summary": made.summary,
        "critique": made.critique,
        "revision_request": made.revision_request,
        "unresolved_issues": list(made.unresolved_issues),
        "evidence_summary": list(made.evidence_summary),
        "direct": made.is_direct,
    }
