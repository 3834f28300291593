"""Metrics of a long trace, and reading it: events a second of each, in one process.

Measured are the events of one run that were read beforehand. Reading starts from the bytes of the file, in chunks of
64 KB; writing gives those bytes. Processor time: nothing here waits for anything.
"""

from __future__ import annotations

import statistics
import time

from benchsite.tracks.agents.trace.event import Event, Trace, line, timestamp
from benchsite.tracks.agents.trace.metrics import measure as measure_run
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import alternated

UNIT = "events"
SIZE = 100_000
TINY = 40
ROUNDS = 7
GATES = {"metrics_events_per_s": Gate(200_000, least=True)}
CHUNK = 64 * 1024
ROUND = ("plan", "tool_call", "tool_result", "act", "verify", "revise", "tool_call", "finalize")
"""The event types of one round of three agents, the second tool call a send."""


def synthetic(size: int) -> list[Event]:
    """Rounds of three agents with sends, a failing tool now and then, and states that recur."""
    found = []
    for number in range(size):
        place = number % len(ROUND)
        model = place in (0, 3, 4, 5, 7)
        payloads = {
            1: {"tool": "search", "input": f"query {number}"},
            2: {"status": "failed" if number % 10 == 0 else "ok", "output": "x" * 100},
            6: {"kind": "send", "recipients": ["critic", "planner", "worker"]},
        }
        found.append(
            Event(
                id=f"e{number}",
                actor=("planner", "worker", "worker", "worker", "critic", "worker", "worker", "planner")[
                    place
                ],
                event_type=ROUND[place],
                payload=payloads.get(place, {"model_requested": "m", "model_responded": "m-1"}),
                timestamp_start=timestamp(number * 1000),
                timestamp_end=timestamp(number * 1000 + 900),
                token_in=number % 700 if model else None,
                token_out=number % 90 if model else None,
                latency_ms=0.9 + number % 5,
                cost_usd=0.00025 if model else None,
                state_id=f"s{number % 1000}" if model else None,
            )
        )
    return found


def measure(size: int, rounds: int) -> Numbers:
    """Events a second of the metrics, of reading and of writing."""
    events = synthetic(size)
    data = b"".join(map(line, events))
    chunks = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
    assert measure_run(events) == measure_run(Trace(chunks))
    seconds = alternated(
        rounds,
        clock=time.process_time,
        metrics=lambda: measure_run(events),
        read=lambda: sum(1 for _ in Trace(chunks)),
        written=lambda: list(map(line, events)),
    )
    return {f"{name}_events_per_s": size / statistics.median(spent) for name, spent in seconds.items()}
