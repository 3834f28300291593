"""One attempt of the single agent, which `sas`, `sas-retry`, `sas-majority` and `no-tools` share."""

from __future__ import annotations

from dataclasses import replace

from benchsite.tracks.agents.systems.agent import artifact as artifacts
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.artifact import Artifact
from benchsite.tracks.agents.systems.agent.conversation import asked, opening
from benchsite.tracks.agents.systems.agent.session import Position, Session, ToolUse, clean
from benchsite.tracks.agents.systems.agent.tool_loop import work

__all__ = ["ask", "attempt"]


def attempt(
    session: Session, actor: str, *, number: int = 0, sample: int | None = 0
) -> tuple[Artifact, tuple[ToolUse, ...]]:
    """Let the agent work on the task from the start; return its artifact and its calls.

    Args:
        session: the run.
        actor: the agent.
        number: of the attempt, from 0.
        sample: number of the sample; None for temperature 0.
    """
    session.switch_on(actor)
    prompt = prompts.WORKER if session.tools.tools else prompts.ALONE
    as_json = session.options.json_answers
    messages = opening(
        f"{prompt} {prompts.ARTIFACT}" if as_json else prompt,
        session.task,
        asked(session.task),
        with_calls=True,
        answer=artifacts.as_json if as_json else str,
    )
    made = work(session, messages, actor=actor, at=Position("answer", number), sample=sample)
    found = replace(
        artifacts.parse(made.text),
        id=session.next_artifact(),
        agent=f"attempt-{number + 1:03}",
        at=Position("answer", number),
        used_tools=any(not use.failed for use in made.uses),
    )
    if found.is_usable and not found.evidence_summary:
        found = replace(found, evidence_summary=artifacts.evidence(made.uses))
    return artifacts.bounded(session, found), made.uses


def ask(session: Session, actor: str) -> Artifact:
    """Ask for an answer once, without tools."""
    messages = opening(prompts.ALONE, session.task, asked(session.task), with_calls=False)
    found = session.complete("worker", messages, actor=actor, event="act", at=Position("answer"), sample=0)
    made = replace(artifacts.parse(clean(found.text or "")), id=session.next_artifact(), agent=actor)
    return artifacts.bounded(session, made)
