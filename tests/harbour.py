"""A five-item fixture, and runs on it whose payloads have been held against the schema and the invariants."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from benchsite import canonical
from benchsite.track import Measurement
from benchsite.tracks.retrieval import fixture as fixtures
from benchsite.tracks.retrieval.record.payload import Config, Payload
from benchsite.tracks.retrieval.record.violations import violations
from benchsite.tracks.retrieval.run.programs import program
from benchsite.tracks.retrieval.run.runner import Settings, measure

BUILT_IN = "benchsite.tracks.retrieval.adapters."


def query(name: str, text: str, scope: str, *expected: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "query": text,
        "scope": scope,
        "expected": [{"id": id_, "grade": 1} for id_ in expected],
        **more,
    }


DOCUMENT: dict[str, Any] = {
    "id": "harbour",
    "benchmark": "house",
    "granularity": "turn",
    "items": [
        {"id": "a/answer", "scope": "a", "content": "red boat", "timestamp": "2024-01-01T00:00:00Z"},
        {"id": "a/2", "scope": "a", "content": "blue boat", "metadata": {"said": "by Ann"}},
        {"id": "a/3", "scope": "a", "content": "green car"},
        {"id": "b/1", "scope": "b", "content": "old boat"},
        {"id": "b/2", "scope": "b", "content": "new car"},
    ],
    "queries": [
        query("q1", "boat", "a", "a/2", category="thing", split="seen"),
        query("q2", "car", "a", "a/3", category="thing", when="2024-06-01T00:00:00Z"),
        query("q3", "green", "a", "a/3", "a/answer", category="colour"),
        query("q4", "car", "b", "b/2", category="thing"),
        query("q5", "boat", "b", "b/2", category="thing"),
        query("q6", "plane", "b", answerable=False),
        query("q7", "old", "b"),
    ],
    "license": "CC BY 4.0",
    "source": "written for these tests",
}
FIXTURE = fixtures.parse(json.dumps(DOCUMENT).encode(), where="harbour")


def measured(
    context: Any,
    reference: str | None,
    *,
    command: tuple[str, ...] | None = None,
    options: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Measurement:
    """A run whose payload and configuration have been held against the receipt's schema and invariants."""
    spec = program("subject", reference, command, options)
    chosen = Settings(**{"ks": (1, 2), "seed": 7, "timeout_s": 10.0, **settings})
    measurement = measure(FIXTURE, spec, chosen, context)
    Payload.model_validate(canonical.loads(canonical.dumps(measurement.payload)))
    Config.model_validate(canonical.loads(canonical.dumps(measurement.config)))
    assert violations({**measurement.payload, "config": measurement.config}) == []
    return measurement


def rows(measurement: Measurement) -> dict[str, dict[str, Any]]:
    return {row["queryId"]: row for row in measurement.payload["perQuery"]}


def errors(measurement: Measurement) -> dict[str, str]:
    return {name: row["error"] for name, row in rows(measurement).items() if "error" in row}


def faults(measurement: Measurement) -> dict[str, int]:
    return {name: count for name, count in measurement.payload["faults"].items() if count}
