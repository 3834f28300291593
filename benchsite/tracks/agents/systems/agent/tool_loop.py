"""The tool loop: an agent calls tools until it answers (specs/agents.md, "Systems").

At most so many requests may call tools, 8 by default; after them the agent is asked for its answer without tools. An agent
that answers without any call although tools are offered is told so once, and may answer the same again: some tasks need
no call. A result is what the tool gave; a call that was not made says so in its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchsite.tracks.agents.models import Completion, Message
from benchsite.tracks.agents.systems.agent import prompts
from benchsite.tracks.agents.systems.agent.conversation import assistant, results, user
from benchsite.tracks.agents.systems.agent.session import Position, Session, ToolUse, clean

__all__ = ["Work", "work"]


@dataclass(frozen=True, slots=True)
class Work:
    """What an agent answered at the end of a tool loop, and the calls that it made."""

    text: str
    uses: tuple[ToolUse, ...] = ()


def work(
    session: Session,
    opening: Sequence[Message],
    *,
    actor: str,
    role: str = "worker",
    event: str = "act",
    at: Position,
    sample: int | None = 0,
    has_evidence: bool = False,
) -> Work:
    """Let an agent call tools until it answers.

    Args:
        session: the run.
        opening: the conversation so far.
        actor: the agent.
        role: whose model is asked.
        event: the type of its events.
        at: the place in the control flow.
        sample: number of the sample; None for temperature 0.
        has_evidence: whether the agent called tools in an earlier round, so that it need not call one now.
    """
    messages, uses, text = list(opening), list[ToolUse](), ""

    def asked(*, with_tools: bool) -> Completion:
        offered = session.offered(actor) if with_tools else ()
        return session.complete(role, messages, actor=actor, event=event, at=at, tools=offered, sample=sample)

    may_correct = not has_evidence and bool(session.offered(actor))
    for _ in range(session.options.tool_iterations):
        found = asked(with_tools=True)
        if found.calls and session.tools.tools:
            messages += _called(session, found, actor, uses)
            continue
        text = clean(found.text or "") or text
        if uses or not may_correct:
            return Work(text, tuple(uses))
        may_correct = False
        session.note("correction", {"agent": actor, "phase": at.phase, "round": at.round})
        messages += [assistant(text), user(prompts.CORRECTION)]
    session.note("iteration_limit", {"agent": actor, "iterations": session.options.tool_iterations})
    messages.append(user(prompts.CLOSING))
    return Work(clean(asked(with_tools=False).text or "") or text, tuple(uses))


def _called(session: Session, found: Completion, actor: str, uses: list[ToolUse]) -> list[Message]:
    """Make the calls of a completion; return its message and the results."""
    calls = tuple((call.tool, dict(call.arguments)) for call in found.calls)
    made = [session.call(tool, arguments, actor=actor) for tool, arguments in calls]
    uses += made
    return [assistant(clean(found.text or ""), calls), *results(made)]  # type: ignore[arg-type]
