"""The record of one run: trace events with the harness's own times, each written before the next is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from benchsite.dates import posix_seconds
from benchsite.isolation.requests import RefusedError
from benchsite.track import RunContext
from benchsite.tracks.agents.models import Completion
from benchsite.tracks.agents.redaction import redacted
from benchsite.tracks.agents.trace.event import Event, EventType, timestamp

__all__ = ["Clock", "Recorder"]


class Clock:
    """Microseconds since 1970, from the wall clock once and the steady clock from there on."""

    def __init__(self, context: RunContext) -> None:
        self._start = posix_seconds(context.now()) * 1_000_000
        self._first = context.perf_counter_ns()
        self.counter = context.perf_counter_ns

    def now(self) -> int:
        """Return the time."""
        return self._start + (self.counter() - self._first) // 1000


class Recorder:
    """The events of one run, in order.

    Args:
        clock: gives the times.
        actor: who acts if an event names nobody.
        write: keeps an event on disk.
        secrets: texts that no event may have.
    """

    def __init__(
        self, clock: Clock, actor: str, write: Callable[[Event], None], secrets: Sequence[str] = ()
    ) -> None:
        self.clock = clock
        self.actor = actor
        self.events: list[Event] = []
        self._write = write
        self._secrets = secrets

    def add(
        self,
        kind: EventType,
        payload: Mapping[str, Any],
        start: int,
        end: int,
        *,
        actor: str = "",
        state_id: str = "",
        parent: str | None = None,
        completion: Completion | None = None,
    ) -> Event:
        """Record an event between two times, in microseconds; tokens and cost are those of a completion.

        The latency of a completion that an earlier attempt waited for (`resumed`) is blank.

        Raises:
            RefusedError: the actor's name cannot be recorded.
        """
        usage = completion.usage if completion is not None else None
        try:
            event = Event(
                id=f"e{len(self.events) + 1}",
                actor=redacted(actor or self.actor, self._secrets),
                event_type=kind,
                payload=redacted(dict(payload), self._secrets),
                timestamp_start=timestamp(start),
                timestamp_end=timestamp(end),
                latency_ms=None if payload.get("resumed") else (end - start) / 1000,
                token_in=usage.tokens_in if usage else None,
                token_out=usage.tokens_out if usage else None,
                cost_usd=completion.cost_usd if completion is not None else None,
                state_id=state_id or None,
                parent=parent,
            )
        except ValidationError:
            raise RefusedError("actor: at most 200 characters without control characters") from None
        self.events.append(event)
        self._write(event)
        return event
