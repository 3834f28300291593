"""Small agents receipts to build tests from: invented traces and outcomes, and the whole draft around them.

`receipt(runs)` fills in the numbers that follow from its columns, so a test of the numbers themselves never uses it.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import Any

from documents import digest_of

from benchsite.tracks.agents.record import action_log, agreement
from benchsite.tracks.agents.record.columns import Acts, Trajectories, traced_columns
from benchsite.tracks.agents.scores.scoring import score
from benchsite.tracks.agents.trace import archive
from benchsite.tracks.agents.trace.archive import Traced
from benchsite.tracks.agents.trace.event import EVENT_TYPES, Event
from benchsite.tracks.agents.trace.metrics import is_send

DOMAINS = ("calendar", "email", "10", "constructor", "\U0001f600", "ﬁ")


def draft(
    tasks: Mapping[str, Any],
    runs: Mapping[str, Any],
    *,
    evidence: Mapping[str, bytes] | None = None,
    runs_per_task: int = 1,
) -> dict[str, Any]:
    """A whole unsigned receipt of these columns.

    Args:
        tasks: `id`, `domain` and, where the benchmark tells, `needsAction`.
        runs: the run columns.
        evidence: name to the bytes that the receipt pins; traces are mirrored.
    """
    return {
        "schemaVersion": "1.0.0",
        "track": "agents",
        "receiptId": "00000000-0000-4000-8000-000000000001",
        "benchVersion": "0.1.0",
        "ranAt": "2026-11-20T12:00:00Z",
        "ranBy": {"kind": "maintainer", "name": "the maintainers"},
        "origin": "native",
        "methodology": {"id": "agents", "version": "1.0.0", "sha256": digest_of("agents", "1.0.0")},
        "config": {
            "runsPerTask": runs_per_task,
            "seed": 7,
            "limit": None,
            **dict.fromkeys(("isolation", "budget", "concurrency", "prices")),
            "subjectSha256": None,
            "options": {"temperature": 0.5, "tools": True},
            "source": {
                "kind": "workbench",
                "configuration": "invented",
                "files": [{"name": "a.csv", "sha256": "ab" * 32, "size": 3}],
            },
        },
        "environment": {
            "python": "3.11.9",
            "platform": "linux",
            **dict.fromkeys(("cpu", "cores", "loadAverage", "runner", "containerImage", "packages")),
            "git": {"commit": None, "dirty": None, "tag": None},
        },
        **dict.fromkeys(("logHead", "supersedes", "reproduces", "intentId", "derivedFrom")),
        "evidence": [pinned(name, data) for name, data in (evidence or {}).items()],
        "simulated": False,
        "system": {
            "name": "react",
            "version": "1.0.0",
            "kind": "single-agent",
            "models": {"default": {"requested": "gpt-x", "responded": "gpt-x-1"}},
            "sizes": {"agents": 1},
            "prompts": "ef" * 32,
        },
        "benchmark": {
            "id": "invented",
            "sha256": "cd" * 32,
            "tasks": len(tasks["id"]),
            "publish": "full",
        },
        "tasks": dict(tasks),
        "runs": dict(runs),
    }


def scored(document: dict[str, Any], *, resample: bool = False) -> dict[str, Any]:
    """A copy whose numbers follow from its columns; without resampling, its bootstrap intervals are only stated."""
    seed = document["config"]["seed"] if resample else None
    made = document | score(document["tasks"], document["runs"]).sections(seed=seed)
    for table in (made, *made["byDomain"].values()):
        for name in table["scores"].keys() - table["intervals"].keys():
            table["intervals"][name] = {"low": 0.0, "high": 1.0, "method": "bootstrap"}
    return made


def pinned(name: str, data: bytes) -> dict[str, Any]:
    """An entry of the receipt's `evidence`."""
    entry = {
        "name": name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "mediaType": archive.MEDIA_TYPE,
    }
    return entry | ({"mirrored": True} if name == archive.NAME else {})


def listed(count: int, *, needs_action: bool = True) -> dict[str, Any]:
    """The member `tasks` of that many tasks."""
    tasks: dict[str, Any] = {
        "id": [f"task-{i:03}" for i in range(count)],
        "domain": [DOMAINS[i % len(DOMAINS)] for i in range(count)],
    }
    return tasks | ({"needsAction": [i % 3 > 0 for i in range(count)]} if needs_action else {})


def columns(traced: Sequence[Traced], draw: random.Random) -> dict[str, Any]:
    """The run columns of traces, with outcomes drawn; a column that is blank throughout is absent."""
    of_each = [traced_columns(one.events) for one in traced]
    # What an error ended is no success, and only an error ends a run so.
    outcomes = [
        draw.choice(["failure", "limit"] if one["completion"] else ["failure", "limit", "error"])
        if agreement.traced_run(run.events).error is not None
        else draw.choice(["success", "success", "failure"])
        for run, one in zip(traced, of_each, strict=True)
    ]
    found = {
        "taskId": [one.task for one in traced],
        "run": [one.run for one in traced],
        "outcome": outcomes,
        "limit": ["iterations" if outcome == "limit" else None for outcome in outcomes],
        "harmful": [outcome == "failure" and draw.random() < 0.5 for outcome in outcomes],
        "score": [float(outcome == "success") for outcome in outcomes],
    }
    found |= {name: [one[name] for one in of_each] for name in of_each[0]}
    return {name: cells for name, cells in found.items() if any(cell is not None for cell in cells)}


def consistent(tasks: Mapping[str, Any], traced: Sequence[Traced], outcomes: Sequence[str]) -> dict[str, Any]:
    """The member `tasks` with the columns that follow from traces."""
    trajectories = Trajectories()
    for run, outcome in zip(traced, outcomes, strict=True):
        if outcome == "success":
            trajectories.add(run.task, run.run, Acts.of(run.events))
    found = trajectories.columns(tasks["id"])
    return dict(tasks) | {name: cells for name, cells in found.items() if cells != [None] * len(cells)}


def invented(draw: random.Random, tasks: int, repeats: int = 1, *, most: int = 8) -> list[Traced]:
    """Traces of every kind of event, up to so many a run, run by run."""
    return [
        Traced(f"task-{task:03}", number, tuple(_events(draw, most)))
        for task in range(tasks)
        for number in range(1, repeats + 1)
    ]


def receipt_and_records(
    draw: random.Random, tasks: int, repeats: int = 1, *, most: int = 8
) -> tuple[dict[str, Any], bytes, bytes]:
    """A receipt of invented runs whose numbers follow, the traces and the action records that it pins."""
    traced = invented(draw, tasks, repeats, most=most)
    traces, records = archive.packed(traced), action_log.written(map(_acted, traced))
    evidence = {archive.NAME: traces, action_log.NAME: records}
    runs = columns(traced, draw)
    of_tasks = consistent(listed(tasks), traced, runs["outcome"])
    document = draft(of_tasks, runs, evidence=evidence, runs_per_task=repeats)
    # No harness of ours writes such traces.
    return scored(document | {"origin": "import"}), traces, records


def receipt(
    draw: random.Random, tasks: int, repeats: int = 1, *, most: int = 8
) -> tuple[dict[str, Any], bytes]:
    """A receipt of invented runs whose numbers follow, and the traces that it pins."""
    document, traces, _ = receipt_and_records(draw, tasks, repeats, most=most)
    return document, traces


def _acted(run: Traced) -> action_log.Acted:
    """The action record of a trace."""
    listed_actions = tuple(
        event.payload["action"]
        for event in run.events
        if event.event_type == "tool_call" and "action" in event.payload and not is_send(event)
    )
    error = agreement.traced_run(run.events).error
    return action_log.Acted(
        task=run.task, run=run.run, actions=listed_actions, error=error, skipped=(), difference=()
    )


def _events(draw: random.Random, most: int) -> list[Event]:
    clock = 1_795_000_000
    found = []
    for number in range(draw.randint(0, most)):
        clock += draw.randrange(3)
        has_model = draw.random() < 0.4
        found.append(
            Event(
                id=f"e{number}",
                actor=draw.choice(["planner", "worker", "critic", "system", " System ", "", "ünï"]),
                event_type=draw.choice(EVENT_TYPES),
                payload=_payload(draw, has_model=has_model),
                timestamp_start=_moment(draw, clock),
                timestamp_end=_moment(draw, clock + 1),
                token_in=draw.randrange(5_000) if has_model or draw.random() < 0.2 else None,
                token_out=draw.randrange(500) if has_model or draw.random() < 0.2 else None,
                latency_ms=draw.choice([None, -1.0, 0.1, draw.uniform(0, 3_000)]),
                cost_usd=draw.uniform(0, 0.01) if has_model and draw.random() < 0.95 else None,
                state_id=draw.choice([None, "r1:a", "r1:b", "r2:a"]),
                parent=None if number == 0 else "e0",
            )
        )
    return found


def _moment(draw: random.Random, second: int) -> str | None:
    day = 1 + second % 28
    return (
        None
        if draw.random() < 0.2
        else f"2026-11-{day:02}T12:{second % 60:02}:00.{draw.randrange(10**6):06}Z"
    )


def _payload(draw: random.Random, *, has_model: bool) -> dict[str, Any]:
    """What metrics read, said in every way."""
    found: dict[str, Any] = {"model_responded": "m-1"} if has_model else {}
    odd = [
        None,
        False,
        0,
        "",
        "x",
        True,
        [],
        {},
        ["worker", "worker", 3, "system"],
        "tool",
        "TIMEOUT",
        "İerror",
    ]
    for name in (
        "redo",
        "status",
        "error",
        "error_code",
        "exception",
        "source",
        "recipients",
        "sender",
        "answer",
        "model_requested",
        "confidence",
        "tool",
        "artifact",
    ):
        if draw.random() < 0.15:
            found[name] = draw.choice(odd)
    if draw.random() < 0.3:
        found["judged"] = (True, False, "yes", None)[len(found) % 4]
        found["confidence"] = draw.choice([0, 1, 0.5, draw.random(), -0.1, 1.5])
    if draw.random() < 0.3:
        found["tool"] = draw.choice(["search", "add", "\U0001f600" * 201, "\U0001f600" * 202])
    if draw.random() < 0.4:
        said = " ".join(draw.choices(["Paris,", "paris", "ÜNÏ", "ünï", "7", "\U0001f600", "x_y", "İ"], k=3))
        found["artifact"] = draw.choice(
            [said, {"answer_artifact": said}, {}, ["x"], "z" * 6_001, "z" * 6_002]
        )
    if draw.random() < 0.5:
        found["action"] = draw.choice(["x()", "y(1)", "\U0001f600"])
    if draw.random() < 0.2:
        found["text"] = draw.choice(["gone", "error code 5", "\U0001f600" * 250])
    if draw.random() < 0.2:
        found |= {"kind": "send", "recipients": draw.choices(["planner", "worker", "critic", ""], k=3)}
    return found
