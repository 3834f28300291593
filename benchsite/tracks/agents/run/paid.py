"""Completions that were paid for in a run that did not end: the next attempt of the run gets them again.

While a run goes on, its events are written one by one. After a kill, or a failure of the provider, the model events of that
unfinished trace answer the same requests of the next attempt, each once. Their latency is blank then: nothing was waited for.
A model that is recorded (`models.recording`) does this by itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchsite.tracks.agents.models import Completion, Usage
from benchsite.tracks.agents.tools import Call
from benchsite.tracks.agents.trace.event import Event

__all__ = ["Paid"]


class Paid:
    """The completions of unfinished attempts, by model and digest of the request.

    Args:
        attempts: the events of each attempt; of one request, the attempt that answered it most often is used.
    """

    def __init__(self, attempts: Iterable[Iterable[Event]] = ()) -> None:
        self._held: dict[tuple[str, str], list[Completion]] = {}
        for events in attempts:
            found: dict[tuple[str, str], list[Completion]] = {}
            for event in events:
                request, requested = event.payload.get("request"), event.payload.get("model_requested")
                if isinstance(request, str) and isinstance(requested, str):
                    found.setdefault((requested, request), []).append(_completion(event))
            for key, some in found.items():
                if len(some) > len(self._held.get(key, ())):
                    self._held[key] = some

    def take(self, requested: str, request: str | None) -> Completion | None:
        """Return the next completion of a request, once; None if none is left."""
        held = self._held.get((requested, request)) if request is not None else None
        return held.pop(0) if held else None


def _completion(event: Event) -> Completion:
    """Return the completion that a model event records."""
    payload = event.payload
    return Completion(
        payload.get("text"),
        tuple(Call(call["tool"], call["arguments"]) for call in payload.get("calls", ())),
        payload.get("finish_reason", "stop"),
        payload.get("model_responded", ""),
        Usage(event.token_in, event.token_out, payload.get("tokens_cached"), payload.get("tokens_reasoning")),
        event.cost_usd,
    )
