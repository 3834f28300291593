"""Agents: single- and multi-agent systems on tasks with an evaluator, from traces to descriptors (specs/agents.md).

`TRACK` is light: scoring, benchmarks and pages are imported when first asked for.
"""

from __future__ import annotations

from benchsite.track import Metric, Track

__all__ = ["TRACK"]

TRACK = Track(
    "agents",
    "Agents",
    __name__,
    groups={
        "system": "benchsite.agents.systems",
        "benchmark": "benchsite.agents.benchmarks",
        "model": "benchsite.agents.models",
        "searcher": "benchsite.retrieval.adapters",
    },
    granted="systems",
    metrics={
        "success": Metric("Success", percent=True),
        "success_valid": Metric("Success, errors excluded", percent=True),
        "success_needs_action": Metric("Success, action needed", percent=True),
        "harmful": Metric("Harmful", percent=True),
        "completion": Metric("Completion", percent=True),
        "pass_at_k": Metric("pass@k"),
        "pass_hat_3": Metric("pass^3"),
        "pass_hat_5": Metric("pass^5"),
        "pass_hat_8": Metric("pass^8"),
        "pass_hat_3_valid": Metric("pass^3, errors excluded"),
        "pass_hat_5_valid": Metric("pass^5, errors excluded"),
        "pass_hat_8_valid": Metric("pass^8, errors excluded"),
        "stability": Metric("Stability"),
        "eval_avg_score": Metric("Evaluator's score"),
        "latency_p95": Metric("Latency p95", 3, " ms"),
        "latency_var": Metric("Latency variance", 0, " ms²"),
        "latency_cv": Metric("CV of latency"),
        "tokens_var": Metric("Tokens variance", 0),
        "success_var": Metric("Success variance"),
        "communication_count": Metric("Messages per run", 2),
        "agent_to_agent_communication_count": Metric("Agent to agent", 2),
        "system_mediated_communication_count": Metric("System-mediated", 2),
        "handoff_count": Metric("Handoffs per run", 2),
        "tokens_total": Metric("Tokens per run", 0),
        "cost_total": Metric("Cost per run", 4, " USD"),
        "cost_per_success": Metric("Tokens per success", 0),
        "tokens_cv": Metric("CV of tokens"),
        "action_consistency": Metric("Action consistency"),
        "sequence_consistency": Metric("Sequence consistency"),
        "brier_score": Metric("Brier score"),
        "turns_total": Metric("Turns per run", 2),
        "redundancy": Metric("Redundancy"),
        "tool_calls_total": Metric("Tool calls per run", 2),
        "tool_error_rate": Metric("Tool error rate"),
        "steps_total": Metric("Steps per run", 2),
        "backtrack_rate": Metric("Backtrack rate"),
        "loop_score": Metric("Loop score"),
        "verification_density": Metric("Verification density"),
    },
    limited="limited run: only the first {limit} tasks were run",
    commands={
        "model": "Add, download, list and serve local models.",
        "system": "List and draw systems that work on tasks.",
        "experiment": "Summarize experiments, and compare systems, from their artifacts.",
    },
)
