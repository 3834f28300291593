"""Failure tags of a run: what went wrong, told from its trace alone, the same every time.

Owns the seven tags of specs/agents.md. Beside each is the code of MAST (Cemri et al. 2025, arXiv 2503.13657) that
corresponds, where one does. A tag says what the trace shows; it claims no cause.

The tags of discussions read termination decisions: events whose payload has `kind: "termination"` and the seed's
fields. They are given only to runs that did not succeed: a consensus on the right answer is not premature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from benchsite import canonical
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.metrics import failed_tool, is_send

Tag = Literal[
    "premature_consensus",
    "stalled_discussion",
    "branch_collapse",
    "round_budget_exhausted",
    "aggregation_lock_in",
    "tool_error_cascade",
    "step_repetition",
]
MAST: Final[dict[Tag, str | None]] = {
    "premature_consensus": "FM-3.1",  # premature termination
    "stalled_discussion": None,
    "branch_collapse": None,
    "round_budget_exhausted": "FM-1.5",  # unaware of termination conditions
    "aggregation_lock_in": None,
    "tool_error_cascade": None,
    "step_repetition": "FM-1.3",  # step repetition
}

REPEATED: Final = 3
"""Equal tool calls, or tool failures in a row, from which a tag is given."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A tag, its MAST code and the events that show it.

    Attributes:
        tag: one of `MAST`.
        mast: code of the corresponding failure mode; None where MAST has none.
        events: ids, in order.
    """

    tag: Tag
    mast: str | None
    events: tuple[str, ...]


def tags(events: Sequence[Event], *, success: bool) -> list[Tagged]:
    """The tags of one run, in the order of `MAST`.

    - `premature_consensus`: not a success, and a decision has the reason `consensus_reached`.
    - `stalled_discussion`: not a success, and a decision has the reason `no_meaningful_change`.
    - `branch_collapse`: a decision has the reason `invalid_or_failed_branch`, in any run.
    - `round_budget_exhausted`: not a success, and a decision has the reason `max_rounds_reached`.
    - `aggregation_lock_in`: not a success, and the first and the last of at least two decisions have the same `winner`
      (text, not empty), though a `revise` event is between them.
    - `tool_error_cascade`: at least 3 tool failures without a successful `tool_result` between them, in any run. The
      events are those of the longest such row, the first of equal ones.
    - `step_repetition`: one actor makes at least 3 tool calls, sends excluded, with the same `tool` and `input`, in any
      run. The events are the calls of the first such group.

    Raises:
        JsonError: an input is nothing that JSON can hold.
    """
    decisions = [event for event in events if event.payload.get("kind") == "termination"]
    found: dict[Tag, list[Event]] = {
        "branch_collapse": _stopped(decisions, "invalid_or_failed_branch"),
        "tool_error_cascade": _cascade(events),
        "step_repetition": _repetition(events),
    }
    if not success:
        found["premature_consensus"] = _stopped(decisions, "consensus_reached")
        found["stalled_discussion"] = _stopped(decisions, "no_meaningful_change")
        found["round_budget_exhausted"] = _stopped(decisions, "max_rounds_reached")
        found["aggregation_lock_in"] = _lock_in(events, decisions)
    return [
        Tagged(tag, code, tuple(event.id for event in shown))
        for tag, code in MAST.items()
        if (shown := found.get(tag))
    ]


def _stopped(decisions: Sequence[Event], reason: str) -> list[Event]:
    return [event for event in decisions if event.payload.get("reason") == reason]


def _lock_in(events: Sequence[Event], decisions: Sequence[Event]) -> list[Event]:
    if len(decisions) < 2:
        return []
    first, last = decisions[0], decisions[-1]
    winner = first.payload.get("winner")
    if not isinstance(winner, str) or not winner or last.payload.get("winner") != winner:
        return []
    between = events[events.index(first) : events.index(last)]
    return [first, last] if any(event.event_type == "revise" for event in between) else []


def _cascade(events: Sequence[Event]) -> list[Event]:
    longest: list[Event] = []
    row: list[Event] = []
    for event in events:
        if failed_tool(event):
            row.append(event)
        elif event.event_type == "tool_result":
            row = []
        if len(row) > len(longest):
            longest = row
    return longest if len(longest) >= REPEATED else []


def _repetition(events: Sequence[Event]) -> list[Event]:
    groups: dict[tuple[str, bytes], list[Event]] = {}
    for event in events:
        if event.event_type == "tool_call" and not is_send(event):
            call = canonical.dumps([event.payload.get("tool"), event.payload.get("input")])
            groups.setdefault((event.actor, call), []).append(event)
    return next((group for group in groups.values() if len(group) >= REPEATED), [])
