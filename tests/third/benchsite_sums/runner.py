"""Ask a system every sum of a fixture, in a process of its own."""

import json
import subprocess
import sys
from typing import Any

from benchsite import canonical
from benchsite.track import Evidence, Measurement, Plan, Resolved, RunContext, Work
from benchsite_sums.engines import tolerance
from benchsite_sums.metrics import score

_ASK = """
import importlib, json, sys
module, _, name = sys.argv[1].partition(":")
add = getattr(importlib.import_module(module), name)
for line in sys.stdin:
    task = json.loads(line)
    print(json.dumps({**task, "answer": add(task["a"], task["b"])}, sort_keys=True))
"""


def _config(work: Work, resolved: Resolved) -> dict[str, Any]:
    source = canonical.digest(resolved.references["system"])
    return {"seed": 0, "limit": work.request["limit"], "subjectSha256": source}


def _fixture(resolved: Resolved) -> tuple[dict[str, Any], str]:
    value: Any = canonical.loads(resolved.target)
    return value, canonical.digest(value)


def plan(work: Work, resolved: Resolved, context: RunContext) -> Plan:
    config = _config(work, resolved)
    fixture, sha256 = _fixture(resolved)
    row = canonical.digest({"name": work.subject, "version": "0.1.0"})
    identity = canonical.digest({"row": row, "config": config})
    return Plan(
        identity, (work.subject, "0.1.0"), config, (fixture["id"], sha256), f"{len(fixture['tasks'])} sums"
    )


def run(work: Work, resolved: Resolved, context: RunContext) -> Measurement:
    fixture, sha256 = _fixture(resolved)
    tasks = fixture["tasks"][: work.request["limit"]]
    asked = "".join(json.dumps(task) + "\n" for task in tasks)
    command = [sys.executable, "-c", _ASK, resolved.references["system"]]
    answered = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in answered.splitlines()]
    payload = {
        "system": {"name": work.subject, "version": "0.1.0"},
        "fixture": {"id": fixture["id"], "sha256": sha256},
        **score(answers, tolerance(resolved.rules)),
    }
    evidence = Evidence("answers.jsonl", "application/jsonl", answered.encode())
    return Measurement(_config(work, resolved), payload, evidence=(evidence,))
