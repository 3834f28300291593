"""The beginning of an agent's conversation: what is fixed for a benchmark, then the task."""

from __future__ import annotations

from collections.abc import Callable

from benchsite.tracks.agents.benchmarks import Example, Task
from benchsite.tracks.agents.models import Message
from benchsite.tracks.agents.systems.agent.session import ToolUse

__all__ = ["asked", "assistant", "opening", "results", "user"]


def user(text: str) -> Message:
    """Return a message to the model."""
    return {"role": "user", "content": text}


def assistant(text: str, calls: tuple[tuple[str, dict[str, object]], ...] = ()) -> Message:
    """Return a message of the model, with the calls that it asked for."""
    if not calls:
        return {"role": "assistant", "content": text}
    made = [{"tool": tool, "arguments": arguments} for tool, arguments in calls]
    return {"role": "assistant", "content": text, "calls": made}  # type: ignore[dict-item]


def results(uses: list[ToolUse]) -> list[Message]:
    """Return the results of calls, in their order."""
    return [{"role": "tool", "content": use.result} for use in uses]


def asked(task: Task, *before: str) -> Message:
    """Return the message that ends an opening: what the agent may know besides, then the task."""
    parts = [part for part in before if part]
    return user("\n\n".join((*parts, f"Task: {task.query}")))


def opening(
    prompt: str, task: Task, question: Message, *, with_calls: bool, answer: Callable[[str], str] = str
) -> list[Message]:
    """Return the beginning of a conversation.

    Args:
        prompt: what the agent does.
        task: its instructions and worked examples are shown.
        question: the last message.
        with_calls: whether the examples show their calls.
        answer: the form of an example's answer.
    """
    told = f"{prompt}\n\n{task.instructions}" if task.instructions else prompt
    messages: list[Message] = [{"role": "system", "content": told}]
    for example in task.examples:
        messages += _turns(example, with_calls=with_calls, answer=answer)
    return [*messages, question]


def _turns(example: Example, *, with_calls: bool, answer: Callable[[str], str]) -> list[Message]:
    turns = [user(f"Task: {example.query}")]
    for step in example.steps if with_calls else ():
        turns.append(assistant("", ((step.tool, dict(step.arguments)),)))
        turns.append({"role": "tool", "content": step.result})
    return [*turns, assistant(answer(example.answer))]
