"""The files of one run, under the seed's names and with its fields (specs/agents.md, "Artifacts").

Owns `run_<n>.trace.jsonl`, `.answer.txt`, `.metadata.json`, `.eval.json`, `.trace_metrics.json`, `.trajectory.json`, `.trajectory.md`
and `.result.json`, all derived from what the record keeps. JSON is canonical, so that equal runs have equal bytes. Has no
path and no message of a foreign program. content/docs/run-an-experiment.md lists the fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from benchsite import canonical
from benchsite.tracks.agents.benchmarks import Graded
from benchsite.tracks.agents.record.action_log import as_json, read_action
from benchsite.tracks.agents.run.experiment.attempt import Attempt
from benchsite.tracks.agents.run.experiment.unit import Unit
from benchsite.tracks.agents.run.measured import Ended
from benchsite.tracks.agents.scores.failure_tags import tags
from benchsite.tracks.agents.scores.stages import by_stage
from benchsite.tracks.agents.tools import Call
from benchsite.tracks.agents.trace.event import Event, Trace, line
from benchsite.tracks.agents.trace.metrics import is_send

__all__ = ["json_file", "recorded", "run_files", "run_line", "run_result"]

PREVIEW: Final = 400
"""Characters of the answer in `trace_metrics.json`."""
SHOWN: Final = 2_000
"""Characters of a message, an argument or a result in the trajectory."""


def json_file(value: Any) -> bytes:
    """Return a JSON file: canonical, one line."""
    return canonical.dumps(value) + b"\n"


def run_line(attempt: Attempt) -> dict[str, Any]:
    """Return what the record keeps of a run besides its result: what its files and the evidence are derived from."""
    return {
        "trace": _trace(attempt.events).decode(),
        "actions": list(map(as_json, attempt.actions)),
        "answer": attempt.ended.answer,
        "skipped": [dict(one) for one in attempt.graded.skipped],
        "difference": [dict(one) for one in attempt.graded.difference],
        **({} if attempt.graded.evidence_recall is None else {"recall": attempt.graded.evidence_recall}),
    }


def recorded(result: Mapping[str, Any], line: Mapping[str, Any]) -> Attempt:
    """Return a run as the record has it: the inverse of `run_result` and `run_line`, but for words for the terminal."""
    return Attempt(
        tuple(Trace((line["trace"].encode(),), name="record")),
        [read_action(action) for action in line["actions"]],
        Ended(line["answer"], result["error"]),
        Graded(
            result["success"],
            result["score"],
            result["harmful"],
            tuple(line["skipped"]),
            tuple(line["difference"]),
            line.get("recall"),
        ),
        result["outcome"],
        result["limit"],
        result["columns"],
        result["responded"],
        result["tries"],
        "the provider failed" if result["provider_failed"] else "",
    )


def _trace(events: Sequence[Event]) -> bytes:
    return b"".join(map(line, events))


def run_files(unit: Unit, attempt: Attempt, *, benchmark: str, system: str, seed: int) -> dict[str, bytes]:
    """Return the files of a run by kind."""
    outcome = _outcome(attempt)
    runtime = _runtime(unit, attempt, system=system, seed=seed)
    details = {
        "harmful": attempt.graded.harmful,
        "skipped": [dict(one) for one in attempt.graded.skipped],
        "difference": [dict(one) for one in attempt.graded.difference],
    }
    trajectory = list(_trajectory(attempt.events))
    verdict = {"success": attempt.graded.success, "score": attempt.graded.score}
    metrics = {
        "benchmark": benchmark,
        "system": system,
        "task_id": unit.task,
        "run_index": unit.run - 1,
        "final_answer_preview": (attempt.ended.answer or "")[:PREVIEW],
        "metrics": _metrics(attempt, outcome),
        "outcome": outcome,
        "evaluation": {**verdict, "details": {"harmful": attempt.graded.harmful}},
        "failure_tags": [asdict(tag) for tag in tags(attempt.events, success=attempt.graded.success)],
        "stages": {
            stage: {**spent, "verify_density": verify_density(stage, spent["events"])}
            for stage, spent in _stages(attempt.events).items()
        },
        "runtime": {**runtime, "retrieved_docids": _documents(attempt.events)},
        "termination": runtime["termination_decisions"][-1] if runtime["termination_decisions"] else {},
    }
    evaluated = {
        "task_id": unit.task,
        **verdict,
        "completion": outcome["completion"],
        "outcome": outcome,
        "prediction": attempt.ended.answer,
        "details": details,
    }
    said = {"task_id": unit.task, "run_index": unit.run - 1, "steps": trajectory}
    return {
        "trace.jsonl": _trace(attempt.events),
        "answer.txt": (attempt.ended.answer or "").encode(),
        "metadata.json": json_file(runtime),
        "eval.json": json_file(evaluated),
        "trace_metrics.json": json_file(metrics),
        "trajectory.json": json_file(said),
        "trajectory.md": _markdown(unit, trajectory).encode(),
        "result.json": json_file(
            {
                "unit": unit.sha256,
                **run_result(unit, attempt, benchmark=benchmark, system=system),
            }
        ),
    }


def run_result(unit: Unit, attempt: Attempt, *, benchmark: str, system: str) -> dict[str, Any]:
    """Return the compact result of a run: what rollups and a resumed command read of it."""
    return {
        "benchmark": benchmark,
        "system": system,
        "task_id": unit.task,
        "run_index": unit.run - 1,
        "success": attempt.graded.success,
        "score": attempt.graded.score,
        "harmful": attempt.graded.harmful,
        "outcome": attempt.outcome,
        "limit": attempt.limit,
        "error": attempt.ended.error,
        "answered": attempt.ended.answer is not None,
        "columns": dict(attempt.columns),
        "responded": {role: list(names) for role, names in attempt.responded.items()},
        "tries": attempt.tries,
        "provider_failed": bool(attempt.provider_failed),
        "stages": _stages(attempt.events),
        "failure_tags": [tag.tag for tag in tags(attempt.events, success=attempt.graded.success)],
        "metrics": _metrics(attempt, _outcome(attempt)),
    }


def verify_density(stage: str, events: float) -> float:
    """Return the seed's share of a stage's events that verify: all of the stage `verify`, none of another."""
    return 1.0 if stage == "verify" and events else 0.0


def _documents(events: Sequence[Event]) -> list[str]:
    """The documents that tools returned, in their order and each once: values of `docid` in results."""
    found: dict[str, None] = {}

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("docid"), str | int):
                found[str(value["docid"])] = None
            for one in value.values():
                look(one)
        elif isinstance(value, list):
            for one in value:
                look(one)

    for event in events:
        if event.event_type == "tool_result":
            look(event.payload.get("result"))
    return list(found)


def _stages(events: Sequence[Event]) -> dict[str, dict[str, Any]]:
    return {stage: asdict(spent) for stage, spent in by_stage(events).items()}


def _outcome(attempt: Attempt) -> dict[str, Any]:
    answer = attempt.ended.answer
    source = "error" if attempt.ended.error else "final_answer" if answer and answer.strip() else "trace"
    return {
        "success": attempt.graded.success,
        "success_source": "benchmark_evaluation",
        "completion": attempt.columns["completion"],
        "completion_source": source,
        "score": attempt.graded.score,
        "outcome": attempt.outcome,
        "limit": attempt.limit,
    }


def _metrics(attempt: Attempt, outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The run's totals under the seed's names; blank is null."""
    found = attempt.columns
    steps = found["steps"]
    to_agents, mediated = found["agentToAgent"], found["systemMediated"]
    named = ("success", "success_source", "completion", "completion_source", "score")
    return {
        **{name: outcome[name] for name in named},
        "latency_total": found["latencyMs"],
        "latency_wall": found["latencyWallMs"],
        "tokens_total": found["tokens"],
        "cost_total": found["costUsd"],
        "tool_calls_total": found["toolCalls"],
        "tool_fail_total": found["toolFailures"],
        "steps_total": steps,
        "backtrack_rate": found["backtracks"] / steps if steps else 0.0,
        "loop_score": found["loopNum"] / found["loopDen"] if found["loopDen"] else 0.0,
        "verification_density": found["verifies"] / steps if steps else 0.0,
        "communication_count": to_agents + mediated,
        "communication_agent_to_agent_count": to_agents,
        "communication_system_mediated_count": mediated,
        "handoff_count": found["handoffs"],
    }


def _runtime(unit: Unit, attempt: Attempt, *, system: str, seed: int) -> dict[str, Any]:
    """What the run did, under the seed's names, and every termination decision."""
    sent = Counter(_sender(event) for event in attempt.events if is_send(event))
    decisions = [dict(event.payload) for event in attempt.events if _kind(event) == "termination"]
    votes = [event.payload for event in attempt.events if isinstance(event.payload.get("vote_tally"), dict)]
    return {
        "task_id": unit.task,
        "run_index": unit.run - 1,
        "seed": seed,
        "topology": system,
        "error": attempt.ended.error,
        "final_reason": str(decisions[-1].get("reason", "")) if decisions else attempt.outcome,
        "function_calls": list(map(as_json, attempt.actions)),
        "tool_call_counts": dict(
            Counter(action.tool for action in attempt.actions if isinstance(action, Call))
        ),
        "tool_calls_total": len(attempt.actions),
        "messages_sent_by_agent": dict(sent),
        "messages_sent_total": sum(sent.values()),
        "turns_executed": sum("model_requested" in event.payload for event in attempt.events),
        "termination_decisions": decisions,
        "vote_tally": dict(votes[-1]["vote_tally"]) if votes else {},
        "models_responded": {role: list(names) for role, names in attempt.responded.items()},
        "tries": attempt.tries,
    }


def _kind(event: Event) -> object:
    return event.payload.get("kind")


def _sender(event: Event) -> str:
    sender = event.payload.get("sender")
    return sender if isinstance(sender, str) else event.actor


def _trajectory(events: Sequence[Event]) -> Iterator[dict[str, Any]]:
    """Who said or did what, in order: messages, tool calls with their results, answers of models, the end."""
    for event in events:
        payload = event.payload
        step: dict[str, Any] = {"id": event.id, "actor": event.actor, "type": event.event_type}
        if is_send(event):
            step |= {"kind": "message", "from": _sender(event), "to": payload.get("recipients", [])}
            step["text"] = _text(payload.get("content"))
        elif event.event_type == "tool_call":
            step |= {"kind": "tool_call", "tool": payload.get("tool"), "text": _text(payload.get("input"))}
        elif event.event_type == "tool_result":
            step |= {"kind": "tool_result", "failed": payload.get("error") is True}
            step["text"] = _text(payload.get("result"))
        elif "model_requested" in payload:
            step |= {"kind": "model", "role": payload.get("role"), "text": _text(payload.get("text"))}
            step["calls"] = [call["tool"] for call in payload.get("calls", ())]
        elif _kind(event) == "termination":
            step |= {"kind": "termination", "text": _text(payload.get("reason"))}
        elif event.event_type in ("finalize", "error"):
            step |= {"kind": event.event_type, "text": _text(payload.get("output", payload.get("text")))}
        else:
            continue
        yield step


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else canonical.dumps(value).decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _markdown(unit: Unit, steps: Sequence[Mapping[str, Any]]) -> str:
    """The trajectory for people: one block a step, its text indented, so that no text makes a heading."""
    lines = [f"# {unit.task}, run {unit.run}", ""]
    for number, step in enumerate(steps, 1):
        to = f" → {', '.join(map(str, step['to']))}" if "to" in step else ""
        tool = f" {step['tool']}" if step.get("tool") else ""
        lines += [f"{number}. {step['actor'] or 'system'}: {step['kind']}{tool}{to}", ""]
        if step["text"]:
            lines += [f"       {part}" for part in step["text"].splitlines()] + [""]
    return "\n".join(lines)
