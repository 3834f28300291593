"""CPU of a trivial sample: ours beside Inspect AI's mockllm, in turns on one machine.

A sample is one completion of a simulated model, graded and recorded. Inspect AI runs `generate()` and `match()` in its own
process and writes its log. Ours are `one`, a system of a dozen lines with that one completion, and `sas`, the single agent
of LangGraph with its tool loop; both run in a process of their own, and the harness counts, traces and records each run.
Counted is the CPU of all processes for the samples up to the receipt or log, without the import of either package: of ours
that includes the start of the system, the digest of its source and the summaries, some two seconds.

Inspect AI is no dependency. Without it only ours is measured:

    python3 -m venv /tmp/inspect && /tmp/inspect/bin/pip install inspect_ai
    INSPECT_PYTHON=/tmp/inspect/bin/python python -m tests.bench inspect

It asks the network for an encoding of tiktoken, also for a mock model: `tiktoken.get_encoding` is replaced before the import.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchsite import plugins, resources
from benchsite.track import Resolved, RunContext, Work
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.run import runner
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import ratio

UNIT = "samples"
SIZE = 1_000
TINY = 4
ROUNDS = 3
PYTHON: Final = os.environ.get("INSPECT_PYTHON", "/tmp/inspect/bin/python")  # noqa: S108 - a path that people make
GATES = {"inspect_to_one_ratio": Gate(10, least=True)} if Path(PYTHON).is_file() else {}
BENCHMARK: Final = "arithmetic-tools"
TASKS: Final = 40

_INSPECT: Final = """
import resource, sys, tempfile, tiktoken

class Encoding:
    def encode(self, text, **_): return text.split()

tiktoken.get_encoding = lambda _: Encoding()
from inspect_ai import Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

samples = [Sample(input=f"What is {n} + 1?", target="42", id=n) for n in range(1, int(sys.argv[1]) + 1)]
def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
with tempfile.TemporaryDirectory() as folder:
    before = spent()
    task = Task(dataset=samples, solver=generate(), scorer=match())
    (log,) = evaluate(task, model=get_model("mockllm/model"), log_dir=folder, display="none")
    after = spent()
assert log.status == "success" and log.results.completed_samples == len(samples)
print(after - before)
"""


class One:
    """A system with one completion, what Inspect AI's `generate()` is."""

    name, version, author = "one", "1", "benchsite"

    def describe(self) -> dict[str, Any]:
        """Return its only role."""
        return {"roles": ["worker"]}

    def solve(self, task: Any, _tools: Any, models: Any, _trace: Any) -> str | None:
        """Ask once."""
        found = models["worker"].complete([{"role": "user", "content": task.query}])
        return str(found.text)


def measure(size: int, rounds: int) -> Numbers:
    """Milliseconds of CPU of a sample in each, and how many of ours one of Inspect AI's takes."""
    sas = plugins.reference(TRACK.groups["system"], "sas")
    spent: dict[str, list[float]] = {"one": [], "sas": [], "inspect": []}
    for _ in range(rounds):
        spent["one"].append(_ours("one", f"{__name__}:One", size))
        spent["sas"].append(_ours("sas", sas, size))
        if GATES:
            command = [PYTHON, "-c", _INSPECT, str(size)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            spent["inspect"].append(float(done.stdout.split()[-1]) * 1000 / size)
    found = {f"{name}_cpu_ms": statistics.median(values) for name, values in spent.items() if values}
    if not GATES:
        print(f"inspect_ai is not measured: {PYTHON} does not exist; see {__name__}", file=sys.stderr)
        return found
    return found | {
        f"inspect_to_{name}_ratio": ratio(spent["inspect"], spent[name]) for name in ("one", "sas")
    }


def _ours(name: str, reference: str, size: int) -> float:
    """Milliseconds of CPU of a run, those of the system's process included."""
    data = (resources.folder("fixtures") / BENCHMARK / "fixture.json").read_bytes()
    tasks = min(TASKS, size)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.json"
        script.write_text(json.dumps([{"text": '{"answer_artifact": "42"}', "tokensIn": 90, "tokensOut": 9}]))
        context = RunContext(
            now=lambda: "2026-01-01T00:00:00Z",
            perf_counter_ns=time.perf_counter_ns,
            load_average=lambda: None,
            cores=1,
            progress=lambda _done, _total, _label: None,
            temp_dir=folder,
        )
        request = {
            "runs_per_task": size // tasks,
            "limit": tasks,
            "seed": 1,
            "budget": {"toolCalls": 20, "messages": None, "tokens": None, "seconds": 60.0},
            "models": {"worker": f"simulated:{script}"},
            "experiment": {"root": f"{folder}/out", "name": "bench", "workers": 1, "packed": True},
        }
        before = _cpu()
        resolved: Any = Resolved(None, {"system": reference}, data)  # type: ignore[arg-type]
        runner.run(Work("agents", name, BENCHMARK, "", request), resolved, context)
        return (_cpu() - before) * 1000 / (size // tasks * tasks)


def _cpu() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)
