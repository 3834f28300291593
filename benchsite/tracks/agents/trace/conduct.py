"""Conduct of the agents of one run, from the events of its trace: turns, actions, artifacts, confidence.

Owns what a turn, an action and an artifact are, and how similar artifacts are (methodology agents, section 4; after Kim et al.
2025, arXiv 2512.08296, whose similarity is of embeddings and not of words). Counts and quotients of counts only, and no rule
that depends on a version of Unicode: `theme/verify/agents-conduct.js` gives the same bits. None is a blank.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Final

from benchsite.stats import exact_mean
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import LONGEST_NAME, is_agent, is_send

MOST_AGENTS: Final = 50
"""Agents of a run up to which artifacts are compared: the work grows with their square."""
LONGEST_ARTIFACT: Final = 6_000
"""Characters of an artifact that are compared."""

_GAPS: Final = re.compile(r"[\x00-/:-@\[-`{-\x7f]+")
_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def turns(events: Iterable[Event]) -> int | None:
    """Return the number of completions of a model: events that name one; None where none does."""
    return sum(map(names_model, events)) or None


def names_model(event: Event) -> bool:
    """Return whether an event names the model that was requested or that responded."""
    payload = event.payload
    return payload.get("model_requested") is not None or payload.get("model_responded") is not None


def actions(events: Iterable[Event]) -> tuple[str, ...]:
    """Return what a run did, in order: `tool:NAME` for a tool call, `send` for a message, otherwise the event type.

    A `tool_result` is what an action brought about, and is skipped.
    """
    return tuple(_action(event) for event in events if event.event_type != "tool_result")


def _action(event: Event) -> str:
    if is_send(event):
        return "send"
    if event.event_type != "tool_call":
        return event.event_type
    tool = event.payload.get("tool")
    name = tool[:LONGEST_NAME] if isinstance(tool, str) else ""
    return sys.intern(f"tool:{name}")  # once for all runs


def confidence(events: Sequence[Event]) -> float | None:
    """Return the `confidence` of the last `finalize` event that has one as a number in [0, 1]."""
    for event in reversed(events):
        value = event.payload.get("confidence")
        if (
            event.event_type == "finalize"
            and isinstance(value, int | float)
            and not isinstance(value, bool)
            and 0 <= value <= 1
        ):
            return float(value)
    return None


def judged(events: Sequence[Event]) -> bool | None:
    """Return the `judged` of the last `finalize` event that has one as a boolean: the verdict of a judge elsewhere."""
    for event in reversed(events):
        value = event.payload.get("judged")
        if event.event_type == "finalize" and isinstance(value, bool):
            return value
    return None


def redundancy(events: Iterable[Event]) -> float | None:
    """Return the mean similarity over pairs of agents of their last artifacts; None with fewer than two, or over 50.

    An artifact is the member `artifact` of a payload: text, or an object whose `answer_artifact` is text.
    """
    artifacts: dict[str, str] = {}
    for event in events:
        if "artifact" in event.payload and is_agent(event.actor):
            text = _text(event.payload["artifact"])
            if text is not None:
                artifacts[event.actor] = text
    if not 2 <= len(artifacts) <= MOST_AGENTS:
        return None
    held = [words(text) for text in artifacts.values()]
    return exact_mean([similarity(a, b) for a, b in combinations(held, 2)])


def _text(artifact: Any) -> str | None:
    found = artifact.get("answer_artifact") if isinstance(artifact, dict) else artifact
    return found if isinstance(found, str) else None


def similarity(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets of words: words of both ÷ words of either; 1 where neither has one."""
    return len(a & b) / len(a | b) if a or b else 1.0


def words(text: str) -> frozenset[str]:
    """Return the distinct words of the first 6,000 characters: runs of ASCII letters and digits and of all above ASCII.

    ASCII letters are compared in lower case; other characters as they are.
    """
    return frozenset(_GAPS.sub(" ", text[:LONGEST_ARTIFACT].translate(_LOWER)).split(" ")) - {""}
