"""The fields of the seed's artifacts, as its own repository has them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.run.experiment.artifacts import run_files
from benchsite.tracks.agents.run.experiment.unit import Unit
from benchsite.tracks.agents.trace.event import Event

from .test_experiment import measured

SEED_SUMMARY = [
    "C1_latency_p95",
    "C2_tokens_total",
    "C3_cost_total",
    "C4_tool_calls_total",
    "D1_tool_error_rate",
    "D2_communication_count",
    "D3_handoff_count",
    "P1_steps_total",
    "P2_backtrack_rate",
    "P3_loop_score",
    "P4_verification_density",
    "Q1_success_rate",
    "Q2_completion_rate",
    "R1_success_var",
    "R2_latency_var",
    "R3_tokens_var",
    "agents",
    "benchmark",
    "eval_avg_score",
    "eval_completion_rate",
    "eval_success_rate",
    "runs",
    "system_label",
    "task_dir",
    "task_id",
    "topology",
]
"""Columns of the seed repository's own `summary.csv`, besides those of stages."""
SEED_METRICS = {
    "": "benchmark evaluation final_answer_preview metrics outcome run_index runtime stages task_id termination",
    "metrics": "backtrack_rate communication_count completion completion_source cost_total handoff_count latency_total loop_score "
    "score steps_total success success_source tokens_total tool_calls_total tool_fail_total verification_density",
    "outcome": "completion completion_source score success success_source",
    "runtime": "error final_reason function_calls messages_sent_by_agent messages_sent_total retrieved_docids run_index seed task_id "
    "tool_call_counts tool_calls_total topology turns_executed vote_tally",
}
"""Members of the seed repository's own `run_N.trace_metrics.json`."""


def test_the_seeds_fields_are_all_there(tmp_path: Path) -> None:
    measured(tmp_path, "spam-tools")
    folder = tmp_path / "e/workbench/spam-tools"
    with (folder / "summary.csv").open(newline="") as file:
        row = next(csv.DictReader(file))
    stages = [
        f"stage_{stage}_{name}"
        for stage in ("act", "finalize", "plan", "retrieve", "revise", "verify")
        for name in ("events", "latency_ms", "tokens", "tool_errors", "verify_density")
    ]
    assert set(SEED_SUMMARY) | set(stages) <= row.keys()
    assert row["task_dir"] == f"workbench/spam-tools/{row['task_id']}"
    assert (row["topology"], row["system_label"]) == ("spam-tools", "spam-tools")
    found = json.loads((folder / row["task_id"] / "run_1.trace_metrics.json").read_bytes())
    for place, names in SEED_METRICS.items():
        assert set(names.split()) <= (found[place] if place else found).keys(), place
    assert set(found["stages"]["verify"]) >= {
        "events",
        "latency_ms",
        "tokens",
        "tool_errors",
        "verify_density",
    }


def test_the_documents_that_tools_returned_and_the_last_decision_are_in_the_metrics() -> None:
    def event(number: int, kind: Any, payload: dict[str, Any]) -> Event:
        return Event(id=f"e{number}", actor="a", event_type=kind, payload=payload)

    events = [
        event(1, "tool_result", {"result": [{"docid": "d2", "text": "x"}, {"docid": 7}]}),
        event(2, "tool_result", {"result": {"hits": [{"docid": "d2"}]}}),
        event(3, "verify", {"kind": "termination", "reason": "more"}),
        event(4, "verify", {"kind": "termination", "reason": "consensus_reached"}),
    ]
    graded = SimpleNamespace(success=False, score=None, harmful=False, skipped=(), difference=())
    attempt: Any = SimpleNamespace(
        events=events,
        actions=[],
        ended=SimpleNamespace(answer="x", error=""),
        graded=graded,
        outcome="failure",
        limit=None,
        columns=traced_columns(events) | {"completion": True},
        responded={},
        tries=1,
        provider_failed="",
    )
    files = run_files(Unit(0, "t", 1, "ab" * 32), attempt, benchmark="b", system="s", seed=1)
    found = json.loads(files["trace_metrics.json"])
    assert found["runtime"]["retrieved_docids"] == ["d2", "7"]
    assert found["termination"] == {"kind": "termination", "reason": "consensus_reached"}
    densities = {stage: spent["verify_density"] for stage, spent in found["stages"].items()}
    assert densities == {"plan": 0, "retrieve": 0, "act": 0, "verify": 1, "revise": 0, "finalize": 0}
