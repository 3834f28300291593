"""Runs of the single agent with a scripted model, recorded with all that their artifacts are made of, over all processors.

Measured is a packed experiment on a shipped benchmark: `runs_per_s` from the first recorded run to the last one, so without
the start of the workers and of LangGraph in each; `whole_per_s` with both, the descriptors, the summaries and the receipt;
`exported_per_s` is how fast the eight files of each run are written afterwards.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from benchsite import plugins, resources
from benchsite.track import Resolved, RunContext, Work
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.run import runner
from benchsite.tracks.agents.run.experiment.export import export
from tests.bench.measurement import Gate, Numbers

UNIT = "runs"
SIZE = 2_000
TINY = 4
ROUNDS = 3
GATES = {"runs_per_s": Gate(500, least=True)}
BENCHMARK = "arithmetic-tools"
MOST_REPEATS = 300


def measure(size: int, rounds: int) -> Numbers:
    """Runs a second of the median experiment, and files a run."""
    data = (resources.folder("fixtures") / BENCHMARK / "fixture.json").read_bytes()
    tasks = min(40, size)
    repeats = min(MOST_REPEATS, max(1, size // tasks))
    steady, whole, exported = [], [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.json"
            script.write_text(
                json.dumps([{"text": '{"answer_artifact": "42"}', "tokensIn": 90, "tokensOut": 9}])
            )
            seen: list[tuple[float, int]] = []
            context = RunContext(
                now=lambda: "2026-01-01T00:00:00Z",
                perf_counter_ns=time.perf_counter_ns,
                load_average=lambda: None,
                cores=(os.cpu_count() or 1) if size > TINY else 1,
                progress=lambda done, _total, _label: seen.append((time.perf_counter(), done)),  # noqa: B023
                temp_dir=folder,
            )
            request = {
                "runs_per_task": repeats,
                "limit": tasks,
                "seed": 1,
                "budget": {"toolCalls": 20, "messages": None, "tokens": None, "seconds": 60.0},
                "models": {"default": f"simulated:{script}"},
                "experiment": {
                    "root": f"{folder}/out",
                    "name": "bench",
                    "workers": context.cores,
                    "packed": True,
                },
            }
            work = Work("agents", "sas", BENCHMARK, "", request)
            resolved = Resolved(None, {"system": plugins.reference(TRACK.groups["system"], "sas")}, data)  # type: ignore[arg-type]
            started = time.perf_counter()
            runner.run(work, resolved, context)
            whole.append(tasks * repeats / (time.perf_counter() - started))
            first = next(one for one in seen if one[1] > 0)
            spent = seen[-1][0] - first[0]
            steady.append((seen[-1][1] - first[1]) / spent if spent else whole[-1])
            started = time.perf_counter()
            export(Path(folder) / "out/bench")
            exported.append(tasks * repeats / (time.perf_counter() - started))
    return {
        "runs_per_s": statistics.median(steady),
        "whole_per_s": statistics.median(whole),
        "exported_per_s": statistics.median(exported),
    }
