"""Clause "finds": ten planted facts, each asked in other words, with `random` beside it (specs/retrieval.md, "Adapter contract").

A system at the level of `random` keeps every rule of the contract. Its default installation may compare hashes, or only
whole sentences. The clause warns its author; it never fails.
"""

from __future__ import annotations

from typing import Any, Final

from benchsite.track import Clause
from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.baselines.random_order import RandomOrder
from benchsite.tracks.retrieval.conformance.cases import SEED, BreachError, Session, sentences_about_things

__all__ = ["NAME", "finds"]

NAME: Final = "finds"
FEW: Final = 3
"""First ranks below which the clause warns. A random order has 3 or more in fewer than 1 of 150 tests."""
PLANTED: Final = {
    "The spare key of the boathouse hangs behind the blue flowerpot.": "Where is the extra boathouse key hidden?",
    "No ferry sailed to the island on Tuesday because of thick fog.": "Why did the boats stay away from the island?",
    "Peanuts make Franka ill, so she carries tablets in her coat.": "Which food must Franka avoid?",
    "Goran paid ninety crowns for a used cello.": "How much did the second-hand cello cost?",
    "Hana's daughter starts school in the next village this autumn.": "When does Hana's girl have her first lessons?",
    "The doctor told Ilya to rest his ankle for three weeks.": "What part of his body did Ilya injure?",
    "Rain came through the roof of the chapel and ruined the carpet.": "Which building had a leak?",
    "The oldest hen lays no eggs since the thunderstorm.": "Which bird stopped laying after the storm?",
    "The baker retired and left the shop to a couple from Lisbon.": "Who runs the bakery now?",
    "Fishing in the bay is banned until the first of June.": "From which date may people catch fish there?",
}
"""Facts, and the question to which each is the answer."""


def finds(session: Session) -> Clause:
    """Return how many facts are at the first rank; a warning if `random` may have as many."""
    others = sentences_about_things()
    facts: list[dict[str, Any]] = [
        {"id": f"d8{place:03}", "content": fact, "metadata": {}, "timestamp": None}
        for place, fact in enumerate(PLANTED)
    ]
    items: list[dict[str, Any]] = [item for pair in zip(others, facts, strict=False) for item in pair]
    items += others[len(facts) :]
    try:
        session.prepare(items)
        asked = zip(facts, PLANTED.values(), strict=True)
        found = sum(session.ask(question, 1).ids[:1] == [fact["id"]] for fact, question in asked)
    except BreachError as breach:
        return Clause(NAME, "not checked", f"not checked: {breach.detail}", breach.hint)
    detail = (
        f"{found} of {len(facts)} facts asked in other words are at rank 1 of {len(items)} items; "
        f"random has {_by_chance(items)}"
    )
    if found >= FEW:
        return Clause(NAME, "pass", detail)
    return Clause(
        NAME,
        "warning",
        detail,
        "look for a fallback of the default installation: embeddings by hash, or a search for the whole sentence",
    )


def _by_chance(items: list[dict[str, Any]]) -> int:
    """Return how many facts `random` has at the first rank, with the seed of the test."""
    baseline = RandomOrder(seed=SEED)
    baseline.ingest([Item(**item) for item in items])
    first = (baseline.query(question, 1, None)[0].content for question in PLANTED.values())
    return sum(content == fact for content, fact in zip(first, PLANTED, strict=True))
