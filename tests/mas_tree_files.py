"""A small tree of MAS_Analyzer's layout, written by hand: every text and number in it is invented.

`EVENTS` is one run of a team of two. As the source counts it: 10 steps; 21 + 34 + 2 = 57 tokens; 250.5 + 40 ms of two completions
and eight placeholders of 1 ms; 2 tool calls, one of them a send to one other agent; actors a, a, b, judge, descriptor, so 3
handoffs; 4 `verify` of 10 steps. As benchsite counts it: 290.5 ms, 1 tool call, 1 handoff, no verification.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HOME = "/Users/ann/lab"


def event(actor: str, kind: str, payload: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "actor": actor,
        "cost_usd": 0.0,
        "event_type": kind,
        "latency_ms": 1.0,
        "payload": dict(payload),
        "state_id": f"{actor}-{kind}-{len(payload)}",
        "timestamp_end": 1700000000.5,
        "timestamp_start": 1700000000.25,
        "token_in": 0,
        "token_out": 0,
        **more,
    }


EVENTS: list[dict[str, Any]] = [
    event("system", "plan", {"node": "init", "rounds": 1}),
    event(
        "a", "verify", {"node": "n", "prompt_messages": [{"role": "user", "content": f"See {HOME}/x.txt"}]}
    ),
    event("a", "tool_call", {"arguments": {"q": "tea"}, "node": "n", "tool_name": "shop.find"}),
    event(
        "system", "tool_result", {"output_preview": "none", "status": "completed", "tool_name": "shop.find"}
    ),
    event(
        "a", "act", {"node": "n", "response_preview": "no tea"}, latency_ms=250.5, token_in=15, token_out=6
    ),
    event("b", "tool_call", {"kind": "report", "to": ["a"], "tool_name": "inter_agent_send"}),
    event(
        "system",
        "verify",
        {"node": "check", "termination": {"reason": "consensus_reached", "confidence": 0.5}},
        latency_ms=40.0,
        token_in=30,
        token_out=4,
    ),
    event("judge", "verify", {"vote_tally": {"a": 1}}),
    event("descriptor", "verify", {"phase": "n", "record": {}}),
    event("system", "finalize", {"final_answer": "no tea", "status": "completed"}, token_out=2),
]
FIGURES = {
    "steps_total": 10,
    "tokens_total": 57,
    "latency_total": 298.5,
    "cost_total": 0.0,
    "tool_calls_total": 2,
    "tool_fail_total": 0,
    "communication_count": 1,
    "handoff_count": 3,
    "backtrack_rate": 0.0,
    "loop_score": 0.0,
    "verification_density": 0.4,
}
"""Totals of `EVENTS` as the source counts them."""


def trace(events: list[dict[str, Any]] = EVENTS) -> str:
    return "".join(json.dumps(one) + "\n" for one in events)


def evaluation(task: str, *, success: bool, **more: Any) -> dict[str, Any]:
    details = {"ground_truth": [] if success else ["buy()"], "query": f"Is there tea? {task}", "error": ""}
    details["run_metadata_path"] = (
        f"{HOME}/full_experiment/20260102T030405Z/shop/team/{task}/run_0.metadata.json"
    )
    return {
        "completion": True,
        "details": details,
        "prediction": "no tea",
        "score": float(success),
        "success": success,
        "task_id": task,
        **more,
    }


def metrics(task: str, *, success: bool, topology: str = "voting", **more: Any) -> dict[str, Any]:
    return {
        "benchmark": "shop",
        "metrics": {**FIGURES, "success": success, "completion": True},
        "outcome": {"completion": True, "score": float(success), "success": success},
        "runtime": {"error": "", "topology": topology},
        "task_id": task,
        **more,
    }


def write_run(
    folder: Path, task: str, *, success: bool = False, number: int = 0, topology: str = "voting"
) -> Path:
    """Write the three files of a run, and return the beginning of their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"run_{number}.trace.jsonl").write_text(trace())
    (folder / f"run_{number}.eval.json").write_text(json.dumps(evaluation(task, success=success), indent=2))
    told = metrics(task, success=success, topology=topology)
    (folder / f"run_{number}.trace_metrics.json").write_text(json.dumps(told, indent=2))
    return folder / f"run_{number}"


def write_tree(root: Path) -> Path:
    """Write `shop/solo` with the tasks t_1 and t_2, `shop/team` with t_1 alone, and return the root."""
    for system, topology, tasks in (("solo", "sas", ("t_1", "t_2")), ("team", "voting", ("t_1",))):
        for task in tasks:
            write_run(root / "shop" / system / task, task, success=task == "t_2", topology=topology)
    return root
