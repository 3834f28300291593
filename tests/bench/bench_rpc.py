"""Harness overhead over stdio.

A whole trial of an adapter that does next to nothing (`recency` on the project's own fixture) against what the adapter
itself spends on the same queries in this process. The difference is what the harness adds.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time

from benchsite import resources
from benchsite.track import RunContext
from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.baselines.recency import Recency
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.run.programs import program
from benchsite.tracks.retrieval.run.runner import Settings
from benchsite.tracks.retrieval.run.runner import measure as trial
from tests.bench.measurement import Gate, Numbers

UNIT = "queries a trial"
SIZE = 1_000
TINY = 5
ROUNDS = 9
GATES = {"overhead_us": Gate(60)}
FIXTURE = "three-notebooks-v1"


def measure(size: int, rounds: int) -> Numbers:
    """Microseconds of a query: in the median trial, in the adapter, and the difference."""
    data = (resources.folder("fixtures") / FIXTURE / "fixture.json").read_bytes()
    fixture = parse(data, where=FIXTURE)
    spec = program("recency", "benchsite.tracks.retrieval.adapters.baselines.recency:Recency")
    settings = Settings(ks=(1, 5, 10), seed=1, limit=size)
    trials = []
    with tempfile.TemporaryDirectory() as folder:
        context = RunContext(
            now=lambda: "2026-01-01T00:00:00Z",
            perf_counter_ns=time.perf_counter_ns,
            load_average=lambda: round(os.getloadavg()[0], 2),
            cores=os.cpu_count() or 1,
            progress=lambda _done, _total, _label: None,
            temp_dir=folder,
        )
        for _ in range(rounds):
            found = trial(fixture, spec, settings, context)
            trials.append(found.payload["timing"]["latency_p50_ms"] * 1000)
    total, own = statistics.median(trials), _inside(fixture, size)
    return {
        "queries": min(size, len(fixture.queries)),
        "query_us": total,
        "adapter_us": own,
        "overhead_us": total - own,
    }


def _inside(fixture: Fixture, size: int) -> float:
    """Microseconds of the median query in the adapter itself."""
    spent = []
    asked = fixture.queries[:size]
    for scope, items in fixture.items_by_scope.items():
        adapter = Recency()
        adapter.ingest([Item(item.id, item.content, {}, item.timestamp) for item in items])
        for query in (query for query in asked if query.scope == scope):
            start = time.perf_counter_ns()
            adapter.query(query.query, 10, query.when)
            spent.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(spent)
