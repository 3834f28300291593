"""The words that agents are told, by name; their digest is in the receipt (specs/agents.md, "Systems").

They are short, because models of half a billion parameters read them. The fixed part of a conversation comes first (the
role, the instructions of the benchmark, its worked examples as turns) and the task last, so that a model server reuses the
prefix. No prompt offers a word to give up with: small models then answer it to everything.
"""

from __future__ import annotations

from typing import Final

WORKER: Final = (
    "You solve one task. Call the tools to get facts and results; do not guess them. "
    "When you have the answer, reply with the answer alone."
)
ALONE: Final = "You solve one task. Reply with the answer alone."
CORRECTION: Final = (
    "You have not called a tool. Call one now if the task needs it. Otherwise reply with the answer alone."
)
CLOSING: Final = "Call no more tools. Reply now with the answer alone."
ARTIFACT: Final = (
    "When you have the answer, reply with one JSON object: answer_artifact is your answer to the task, summary says how "
    "you got it, confidence is from 0 to 1 how sure you are of this answer_artifact, evidence_summary lists results of "
    "tools that support it, unresolved_issues lists what is open, critique and revision_request may stay empty."
)
