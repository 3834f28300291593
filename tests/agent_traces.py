"""Three small traces of the agents track: with clocks and tokens, with sends and faults, and with neither clock nor tokens."""

from __future__ import annotations

from typing import Any

from benchsite.tracks.agents.trace.event import Event, timestamp

MODEL = {"model_requested": "m", "model_responded": "m-1"}
NOON = 1_795_000_000_000_000


def at(second: float) -> str:
    return timestamp(NOON + round(second * 1_000_000))


def event(number: int, actor: str, event_type: Any, payload: Any = None, **rest: Any) -> Event:
    return Event(id=f"e{number}", actor=actor, event_type=event_type, payload=payload or {}, **rest)


def timed(start: float, end: float, *tokens: int, usd: float | None = None) -> dict[str, Any]:
    """Clock, latency and, of a model event, tokens and price."""
    found: dict[str, Any] = {
        "timestamp_start": at(start),
        "timestamp_end": at(end),
        "latency_ms": (end - start) * 1000,
        "cost_usd": usd,
    }
    return found | dict(zip(("token_in", "token_out"), tokens, strict=False))


ALONE = [
    event(1, "agent", "plan", MODEL, state_id="r1:a", **timed(0, 0.25, 100, 20, usd=0.25)),
    event(2, "agent", "tool_call", {"tool": "search", "input": "x"}, **timed(0.25, 0.25)),
    event(3, "agent", "tool_result", {"status": "ok"}, **timed(0.25, 0.5)),
    event(4, "agent", "finalize", MODEL, state_id="r1:a", **timed(0.5, 1, 150, 30, usd=0.5)),
]
"""One agent, one tool call, one state seen twice: 1,000 ms, 250 + 50 tokens, 0.75 dollars."""

TEAM = [
    event(1, "planner", "plan", MODEL, **timed(0, 1, 100, 100, usd=0.5)),
    event(
        2,
        "planner",
        "tool_call",
        {"kind": "send", "recipients": ["worker", "worker", "planner", "critic"]},
        **timed(1, 1),
    ),
    event(3, "worker", "tool_call", {"tool": "calculator", "input": "1+"}, **timed(1, 1)),
    event(4, "worker", "tool_result", {"status": "TIMEOUT"}, **timed(1, 3)),
    event(5, "worker", "error", {"source": "tool"}, **timed(3, 3)),
    event(6, "worker", "act", {**MODEL, "redo": True}, **timed(3, 3.5, 200, 50, usd=0.25)),
    event(7, "worker", "revise", {**MODEL, "redo": True}, **timed(3, 3.5, 100, 50, usd=0.25)),
    event(8, "system", "tool_call", {"kind": "send", "recipients": ["worker"]}, **timed(3.5, 3.5)),
    event(9, "critic", "verify", MODEL, **timed(3.5, 3.75, 50, 50, usd=0.125)),
    event(10, "worker", "finalize", MODEL, **timed(3.75, 4.5, 100, 0, usd=0.125)),
]
"""Three agents, two sends, two tool failures, two of its steps in parallel: 5,000 ms in 4,500, 550 + 250 tokens."""

IMPORTED = [
    event(1, "agent", "tool_call", {"tool": "email.search", "input": {"q": "a"}}),
    event(2, "agent", "tool_result", {"output": "none"}),
    event(3, "agent", "tool_call", {"tool": "email.delete", "input": {}}),
    event(4, "agent", "tool_result", {"error": "missing id"}),
    event(5, "agent", "finalize"),
]
"""A published transcript: neither clock nor token counts."""
