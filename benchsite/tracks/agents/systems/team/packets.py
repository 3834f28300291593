"""Relay packets: what agents send one another, and the message budget (specs/agents.md, "Systems").

Control packets are free. Debate packets use the budget of their sender; above it a packet is dropped, and that is an event.
A packet reaches its recipients when they next read their inbox, each packet once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from benchsite.canonical import Json
from benchsite.tracks.agents.systems.agent.session import Position, Session

__all__ = ["Kind", "Mail", "Packet"]

Kind = Literal[
    "task_package",
    "orchestrator_feedback",
    "specialist_report",
    "peer_summary",
    "root_task_package",
    "manager_task_package",
    "child_report",
    "manager_report",
    "debate_round",
    "group_debate_round",
    "representative_debate_round",
]
DEBATE: Final = frozenset(kind for kind in get_args(Kind) if kind.endswith("debate_round"))
"""Kinds that use the message budget."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One message between agents."""

    message_id: str
    sender: str
    recipients: tuple[str, ...]
    kind: Kind
    phase: str
    round: int
    discussion_index: int
    artifact_id: str
    content: str


@dataclass
class Mail:
    """The packets of one run.

    Args:
        session: the run.
        budget: debate packets that one agent may send.
    """

    session: Session
    budget: int
    sent: int = 0
    dropped: int = 0
    _spent: dict[str, int] = field(default_factory=dict)
    _inboxes: dict[str, list[Packet]] = field(default_factory=dict)

    def send(
        self,
        sender: str,
        recipients: Sequence[str],
        kind: Kind,
        content: str,
        *,
        at: Position,
        artifact: str = "",
    ) -> Packet | None:
        """Deliver a packet and record it; None if the sender's budget is spent or there is no recipient."""
        to = tuple(name for name in recipients if name != sender)
        if not to:
            return None
        number = f"m{self.sent + self.dropped + 1}"
        made = Packet(number, sender, to, kind, at.phase, at.round, at.discussion, artifact, content)
        if kind in DEBATE:
            if self._spent.get(sender, 0) >= self.budget:
                self.dropped += 1
                self._record(made, "drop", budget=self.budget)
                return None
            self._spent[sender] = self._spent.get(sender, 0) + 1
        self.sent += 1
        self._record(made, "send")
        for name in to:
            self._inboxes.setdefault(name, []).append(made)
        return made

    def read(self, agent: str) -> list[Packet]:
        """Return what an agent was sent since it last read, in order."""
        return self._inboxes.pop(agent, [])

    def _record(self, made: Packet, kind: str, **more: int) -> None:
        payload: dict[str, Json] = {
            "message_id": made.message_id,
            "sender": made.sender,
            "recipients": list(made.recipients),
            "packet_kind": made.kind,
            "phase": made.phase,
            "round": made.round,
            "discussion_index": made.discussion_index,
            "artifact_id": made.artifact_id,
            "content": made.content,
            **more,
        }
        actor = {"actor": made.sender} if kind == "send" else {}
        self.session.note(kind, payload, **actor)
