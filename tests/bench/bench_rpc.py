"""Harness overhead over stdio: `python -m tests.bench rpc`. Not a test.

A whole trial of an adapter that does next to nothing (`recency` on the project's own fixture, many times over) against
what the adapter itself spends on the same queries in this process. The difference is what the harness adds.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from benchsite.track import RunContext
from benchsite.tracks.retrieval.adapters import Item
from benchsite.tracks.retrieval.adapters.recency import Recency
from benchsite.tracks.retrieval.fixture import parse
from benchsite.tracks.retrieval.runner import AdapterSpec, Settings, run

ROUNDS = 9
FIXTURE = Path(__file__).parents[2] / "fixtures" / "three-notebooks-v1" / "fixture.json"


def main() -> None:
    """Measure, print, and end with one JSON line."""
    fixture = parse(FIXTURE.read_bytes(), where="three-notebooks-v1")
    spec = AdapterSpec("recency", "benchsite.tracks.retrieval.adapters.recency:Recency", None, {})
    latencies: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        context = RunContext(
            now=lambda: "2026-01-01T00:00:00Z",
            perf_counter_ns=time.perf_counter_ns,
            load_average=lambda: round(os.getloadavg()[0], 2),
            cores=os.cpu_count() or 1,
            progress=lambda _done, _total, _label: None,
            temp_dir=folder,
        )
        for _ in range(ROUNDS):
            measured = run(fixture, fixture.sha256, spec, Settings(ks=(1, 5, 10), seed=1), context)
            latencies.append(measured.payload["timing"]["latency_p50_ms"] * 1000)
    inside: list[float] = []
    for scope, items in fixture.items_by_scope.items():
        adapter = Recency()
        adapter.ingest([Item(item.id, item.content, {}, item.timestamp) for item in items])
        for query in (query for query in fixture.queries if query.scope == scope):
            start = time.perf_counter_ns()
            adapter.query(query.query, 10, query.when)
            inside.append((time.perf_counter_ns() - start) / 1000)
    total, own = statistics.median(latencies), statistics.median(inside)
    print(f"median query over stdio JSON-RPC: {total:.0f} µs, of which the adapter itself {own:.0f} µs")
    print(f"harness overhead: {total - own:.0f} µs a query (gate: 60)")
    print(json.dumps({"medianMicroseconds": round(total), "overheadMicroseconds": round(total - own)}))


if __name__ == "__main__":
    main()
