"""The words that agents are told, by name; their digest is in the receipt (specs/agents.md, "Systems").

They are short, because models of half a billion parameters read them. The fixed part of a conversation comes first (the
role, the instructions of the benchmark, its worked examples as turns) and the task last, so that a model server reuses the
prefix. No prompt offers a word to give up with: small models then answer it to everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["PROMPTS", "named"]

WORKER: Final = (
    "You solve one task. Call the tools to get facts and results; do not guess them. "
    "When you have the answer, reply with the answer alone."
)
ALONE: Final = "You solve one task. Reply with the answer alone."
ARTIFACT: Final = (
    "Your answer is one JSON object: answer_artifact is the answer to the task, in the form that the task asks for; "
    "confidence is from 0 to 1 how sure you are of this answer_artifact; evidence_summary lists results that support it."
)
CORRECTION: Final = (
    "You have not called a tool. Call one now if the task needs it. Otherwise reply with the answer alone."
)
CLOSING: Final = "Call no more tools. Reply now with the answer alone."
COMPARE: Final = "Compare the answers. Keep yours if it is right, otherwise correct it."
PERSONAS: Final = "You form a team for a task. Give each agent a persona: a few words on what it is good at and looks at first."
PLAN: Final = "You plan for a team. Tell each agent in one sentence what to do for the task, with every number and name it needs."
MERGE: Final = (
    "You combine the reports of a team into the one answer to the task. Prefer reports with evidence; "
    "a plan or an error is no answer."
)
CRITIC: Final = (
    "You check the answer of a team. critique says what is wrong with it, revision_request what to do next. "
    "Both are empty if the answer is right."
)
STOP: Final = (
    "You compare the answers of a team to a task. groups: indices of answers that mean the same. invalid_indices: "
    "answers that answer nothing. is_substantive: the largest group answers the task; a plan or an error does not. "
    "should_stop_for_no_progress: another round would not make the answers better."
)
VOTE: Final = (
    "You choose the best of several answers to a task. groups: indices of answers that mean the same. "
    "winner_index: the best answer; evidence counts more than numbers of votes. invalid_indices: answers that answer nothing."
)

PROMPTS: Final[Mapping[str, str]] = {
    name.lower(): text for name, text in globals().copy().items() if name.isupper() and isinstance(text, str)
}
"""Every text by its name in lower case."""


def named(*names: str) -> dict[str, str]:
    """Return some of the texts by name, for the description of a system."""
    return {name: PROMPTS[name] for name in names}
