"""Whether a text answers a task at all: not blocked, not a plan, not an error, not empty.

Agents that collaborate repeat such texts to one another. In a run of the seed's repository a majority of "I need to search
first" ended a debate; in measurements with small models error texts, NULL and "done" won votes (specs/agents.md,
"Termination"). The rules know English. A text that names its answer after a plan is direct.
"""

from __future__ import annotations

import re
from typing import Final

from benchsite.tracks.agents.systems.agent.signature import signature

__all__ = ["is_direct"]

_EMPTY: Final = frozenset(
    {
        *("", "null", "none", "nil", "nan", "undefined", "empty", "n a", "error", "failed", "failure"),
        *(
            "done",
            "finished",
            "completed",
            "complete",
            "success",
            "successful",
            "submit",
            "submitted",
            "final",
        ),
        *("ok", "okay", "yes done", "task done", "task completed", "all done", "the task is done"),
        *("i am done", "the task is complete", "the task is completed", "the task has been completed"),
    }
)
"""Signatures of texts that say nothing about the task."""

_NAMED: Final = re.compile(r"\b(?:answer|result|total|sum|value)\s*(?:is|was|are|=|:)", re.IGNORECASE)

_ERROR: Final = re.compile(
    r"\W*(?:an? )?(?:error\b|(?-i:[A-Z]\w*Error)\b|exception\b|traceback\b|tool (?:failed|error)|failed to\b|invalid (?:call|tool|arguments?)\b"
    r"|no such (?:tool|table|column)\b)",
    re.IGNORECASE,
)
_PLAN: Final = re.compile(
    r"\W*(?:(?:ok|okay|sure|first|next|now|then|so)\W+)*"
    r"(?:to (?:answer|solve|find|do|determine|calculate)\b[^.]{0,80}?\W)?"
    r"(?:(?:i|we)(?-i:['’]ll| will| need to| needs? to| should| must| am going to| are going to| have to| plan to| want to"
    r"| would(?: like to)?)\b|let(?:['’]s| us| me)\b|(?:the )?(?:next|first) step\b|step 1\b|(?:my |the )plan\b|plan:"
    r"|searching\b|need to\b|please (?:wait|provide)\b)",
    re.IGNORECASE,
)
_BLOCKED: Final = re.compile(
    r"\b(?:i|we)(?:['’]m| am| are| was| were)? (?:can ?not|can['’]t|could not|couldn['’]t|unable|not able|do not have|don['’]t have"
    r"|did not find|didn['’]t find|do not know|don['’]t know|have no)\b|\bunable to\b|\bno (?:evidence|information|results?|data)"
    r" (?:was |were |is |are )?(?:found|available|provided)\b|\b(?:not enough|insufficient) (?:information|evidence|data)\b"
    r"|\bas an ai\b",
    re.IGNORECASE,
)
_CALL: Final = re.compile(r'\s*[\[{].{0,200}"(?:tool|tool_calls|function|arguments)"\s*:', re.DOTALL)
_HEAD: Final = 200
"""Characters in which a text says that it is blocked."""


def is_direct(text: str) -> bool:
    """Return whether a text answers its task, rightly or wrongly."""
    head = text[:_HEAD]
    if signature(head) in _EMPTY or _CALL.match(text) or _ERROR.match(head):
        return False
    if _NAMED.search(text):
        return True
    return not _PLAN.match(head) and not _BLOCKED.search(head)
