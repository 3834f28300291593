"""Metrics of one run from the events of its trace (specs/agents.md, "Run metrics"; the seed's definitions).

Owns the run columns that a trace gives. Times are milliseconds, costs US dollars; sums of them are correctly rounded, so
the order of events changes none. Everything else is a count.

A total is the sum over the events that state the value. It is None when no event states it, and when a model event (one
whose payload names a model, the one asked or the one that answered) does not, both token counts being one value: a sum that
misses a model's tokens or price would be a number below the truth.
A negative latency counts as not stated. No rate is blank: over 0 steps it is 0, as the loop score is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final

from benchsite.canonical import MAX_INTEGER
from benchsite.tracks.agents.trace.event import Event, microseconds

FAILED: Final = frozenset({"fail", "failed", "error", "timeout", "cancelled", "canceled"})
"""Statuses of a tool result that failed, in lower case."""
COMPLETED: Final = frozenset({"completed", "complete", "success", "succeeded", "ok", "done", "finished"})
LONGEST_NAME: Final = 200
"""Characters of a sender or a recipient that are compared: as long as an actor may be."""
MEDIATORS: Final = frozenset({"", "system", "mediator"})
"""Senders that are no agent, in lower case and without outer spaces."""


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """What the trace of one run says.

    Attributes:
        latency_total: sum of the events' latencies, in ms.
        latency_wall: last end minus first start, in ms; None without both, or where it would be negative.
        tokens_in, tokens_out, cost_total: sums over events.
        steps: events.
        tool_calls: `tool_call` events that are no sends.
        tool_failures: events for which `failed_tool` holds.
        backtracks: events that are `revise` or have `redo` in their payload, each once.
        loop_num, loop_den: the loop score as a ratio. With at least two events that carry a state id: those whose
            state an earlier one carried, over all of them. Otherwise over the n − 1 pairs of consecutive event types:
            pairs that occurred before, over n − 1. 0/0 with fewer than two events.
        verifies: `verify` events.
        communication: directed edges of sends: for each, its distinct recipients without the sender.
        communication_agent_to_agent, communication_system_mediated: those whose sender is an agent, or is not.
        handoffs: changes of actor over consecutive events, those of the system skipped.
        events_without_latency: what `latency_total` could not count.
        model_events_without_tokens, model_events_without_cost: where above 0, the totals are None.
    """

    latency_total: float | None
    latency_wall: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost_total: float | None
    steps: int
    tool_calls: int
    tool_failures: int
    backtracks: int
    loop_num: int
    loop_den: int
    verifies: int
    communication_agent_to_agent: int
    communication_system_mediated: int
    handoffs: int
    events_without_latency: int
    model_events_without_tokens: int
    model_events_without_cost: int

    @property
    def tokens_total(self) -> int | None:
        """Input and output tokens; None where either is, or where no receipt could state their number."""
        if self.tokens_in is None or self.tokens_out is None:
            return None
        total = self.tokens_in + self.tokens_out
        return total if total <= MAX_INTEGER else None

    @property
    def communication(self) -> int:
        """All edges."""
        return self.communication_agent_to_agent + self.communication_system_mediated

    @property
    def backtrack_rate(self) -> float:
        """Backtracks over steps; 0 without steps."""
        return self.backtracks / self.steps if self.steps else 0.0

    @property
    def loop_score(self) -> float:
        """The loop score; 0 where its denominator is."""
        return self.loop_num / self.loop_den if self.loop_den else 0.0

    @property
    def verification_density(self) -> float:
        """Verify events over steps; 0 without steps."""
        return self.verifies / self.steps if self.steps else 0.0


def measure(events: Iterable[Event]) -> RunMetrics:
    """Compute the metrics of one run from its events, which are held while that lasts."""
    held = list(events)
    types = Counter([event.event_type for event in held])
    redone = failures = sent_calls = to_agents = mediated = 0
    for event in held:
        payload, kind = event.payload, event.event_type
        if "redo" in payload and kind != "revise" and stated(payload["redo"]):
            redone += 1
        if kind in ("tool_result", "error") and failed_tool(event):
            failures += 1
        if payload.get("kind") == "send":
            sent_calls += kind == "tool_call"
            reached, by_agent = edges(event)
            if by_agent:
                to_agents += len(reached)
            else:
                mediated += len(reached)
    loop_num, loop_den = _loop(held)
    return RunMetrics(
        **_spent(held),
        latency_wall=_wall(held),
        steps=len(held),
        tool_calls=types["tool_call"] - sent_calls,
        tool_failures=failures,
        backtracks=types["revise"] + redone,
        loop_num=loop_num,
        loop_den=loop_den,
        verifies=types["verify"],
        communication_agent_to_agent=to_agents,
        communication_system_mediated=mediated,
        handoffs=_handoffs(held),
    )


def _spent(held: Sequence[Event]) -> dict[str, Any]:
    """The totals, and what they could not count. One flat loop: this is what metrics of long traces cost."""
    latencies: list[float] = []
    tokens_in: list[int] = []
    tokens_out: list[int] = []
    costs: list[float] = []
    untimed = uncounted = unpriced = 0
    for event in held:
        ms, read, written, usd = event.latency_ms, event.token_in, event.token_out, event.cost_usd
        if ms is not None and ms >= 0:
            latencies.append(ms)
        if read is not None:
            tokens_in.append(read)
        if written is not None:
            tokens_out.append(written)
        if usd is not None:
            costs.append(usd)
        payload = event.payload
        if payload.get("model_requested") is not None or payload.get("model_responded") is not None:
            untimed += ms is None or ms < 0
            uncounted += read is None or written is None
            unpriced += usd is None
    return {
        "latency_total": math.fsum(latencies) if latencies and not untimed else None,
        "tokens_in": sum(tokens_in) if tokens_in and not uncounted else None,
        "tokens_out": sum(tokens_out) if tokens_out and not uncounted else None,
        "cost_total": math.fsum(costs) if costs and not unpriced else None,
        "events_without_latency": len(held) - len(latencies),
        "model_events_without_tokens": uncounted,
        "model_events_without_cost": unpriced,
    }


def completion(metadata: Mapping[str, Any], answer: str | None, events: Iterable[Event]) -> bool:
    """Whether the run ended with a final answer and without an explicit failure; never whether that answer is right.

    The first of these that says something decides:

    1. `metadata.completed`, where it is true or false.
    2. `metadata.terminated`, where it is true or false, or `metadata.truncated`, where it is true: terminated and not
       truncated.
    3. `metadata.error` or `metadata.exception`: no.
    4. `metadata.status`, in lower case: yes for `COMPLETED`, no for `FAILED`.
    5. A final answer that is not only white space: yes.
    6. A `finalize` event: yes. Without one: no.
    """
    if isinstance(completed := metadata.get("completed"), bool):
        return completed
    terminated, truncated = metadata.get("terminated"), metadata.get("truncated") is True
    if isinstance(terminated, bool) or truncated:
        return terminated is True and not truncated
    if stated(metadata.get("error")) or stated(metadata.get("exception")):
        return False
    status = lowered(metadata.get("status"))
    if status in COMPLETED or status in FAILED:
        return status in COMPLETED
    if answer is not None and answer.strip():
        return True
    return any(event.event_type == "finalize" for event in events)


def stated(value: Any) -> bool:
    """Whether a member of a payload says something: present, and not null, false, 0 or empty text."""
    return value not in (None, 0, "")


def lowered(value: Any) -> str:
    """Text in lower case where it is ASCII; empty for everything else, which then equals no known word."""
    return value.lower() if isinstance(value, str) and value.isascii() else ""


def failed_tool(event: Event) -> bool:
    """Whether an event says that a tool failed.

    A `tool_result` whose payload has `error`, `error_code` or `exception`, or a `status` in `FAILED`; or an `error`
    event whose payload has `source: "tool"`.
    """
    payload = event.payload
    if event.event_type == "error":
        return payload.get("source") == "tool"
    return event.event_type == "tool_result" and (
        stated(payload.get("error"))
        or lowered(payload.get("status")) in FAILED
        or stated(payload.get("error_code"))
        or stated(payload.get("exception"))
    )


def is_send(event: Event) -> bool:
    """Whether an event is an agent's or the system's message to agents."""
    return event.payload.get("kind") == "send"


def latency(event: Event) -> float | None:
    """The event's latency in ms; None where it is blank or negative."""
    value = event.latency_ms
    return None if value is None or value < 0 else value


def edges(event: Event) -> tuple[frozenset[str], bool]:
    """Whom a send reaches, the sender not counted, and whether an agent is its sender."""
    sender = event.payload.get("sender")
    sender = (sender if isinstance(sender, str) else event.actor)[:LONGEST_NAME]
    named = event.payload.get("recipients")
    names = named if isinstance(named, list) else ()
    reached = {name[:LONGEST_NAME] for name in names if isinstance(name, str)}
    return frozenset(reached - {sender}), is_agent(sender)


def is_agent(name: str) -> bool:
    """Whether a name is an agent's: not empty, `system` or `mediator`."""
    return name.strip(" ").lower() not in MEDIATORS


def _wall(held: Sequence[Event]) -> float | None:
    starts = [text for text in map(attrgetter("timestamp_start"), held) if text is not None]
    ends = [text for text in map(attrgetter("timestamp_end"), held) if text is not None]
    if not starts or not ends or max(ends) < min(starts):
        return None
    return (microseconds(max(ends)) - microseconds(min(starts))) / 1000


def _loop(held: Sequence[Event]) -> tuple[int, int]:
    states = [state for state in map(attrgetter("state_id"), held) if state is not None]
    if len(states) >= 2:
        return len(states) - len(set(states)), len(states)
    if len(held) < 2:
        return 0, 0
    pairs = list(pairwise([event.event_type for event in held]))
    return len(pairs) - len(set(pairs)), len(pairs)


def _handoffs(held: Sequence[Event]) -> int:
    known: dict[str, bool] = {}
    actors = []
    for name in map(attrgetter("actor"), held):
        if name not in known:
            known[name] = is_agent(name)
        if known[name]:
            actors.append(name)
    return sum(one != other for one, other in pairwise(actors))
