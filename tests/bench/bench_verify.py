"""Verification speed: in one process, and as the command `verify --all` on one core and on all.

Receipts of about 10 KB. In the process, apart and in processor time: what the gate names (parse, canonical form, schema,
signature), and the whole examination that `verify` and `build` make of every receipt (log position and re-score too).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from documents import MATERIALS
from snapshots import snapshot

from benchsite import plugins, signing
from benchsite.history import Verdict, examine
from benchsite.log import Log
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import parse
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import EVERY_CORE, alternated, medians, spent

UNIT = "receipts"
SIZE = 2_000
TINY = 5
ROUNDS = 5
GATES = {"checks_per_s": Gate(1_500, least=True)}
SAMPLE = 400
"""Receipts that are verified within the process."""


def measure(size: int, rounds: int) -> Numbers:
    """Receipts a second, and what the command takes."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "instance"
        # In a process of its own, which gives its memory back.
        subprocess.run([sys.executable, "-m", "tests.bench.synthetic", str(root), str(size)], check=True)
        command = [sys.executable, "-m", "benchsite", "verify", "--all"]
        one, every = [], []
        for _ in range(rounds):
            one.append(spent(command, cwd=root, cores=1))
            every.append(spent(command, cwd=root, cores=EVERY_CORE))
        return {
            **_inside(Workspace(root), rounds),
            "one_core": _rated(medians(one), size),
            "every_core": _rated(medians(every), size),
        }


def _rated(found: dict[str, float], size: int) -> dict[str, float]:
    return {**found, "receipts_per_s": size / found["wall_s"]}


def _inside(instance: Workspace, rounds: int) -> dict[str, float]:
    record = snapshot(instance)
    log = record.log
    assert log is not None
    read = instance.repository.blob
    blobs = [(item.path, read(item.blob_id)) for item in record.published[:SAMPLE]]
    scorers = plugins.tracks()
    seconds = alternated(
        rounds,
        clock=time.process_time,
        checks=lambda: _checks(blobs, log, scorers["retrieval"]),
        examination=lambda: _examination(blobs, log, scorers),
    )
    instance.repository.close()
    rates = {f"{name}_per_s": len(blobs) / statistics.median(times) for name, times in seconds.items()}
    return {"receipt_bytes": round(statistics.mean(len(data) for _, data in blobs)), **rates}


def _checks(blobs: list[tuple[str, bytes]], log: Log, judge: Any) -> None:
    key = log.keyring.in_force("receipt")
    assert key is not None
    for _, data in blobs:
        receipt = parse(data)
        judge.check(receipt.document)
        value = signing.decode_base64url((receipt.signature or {})["value"])
        assert receipt.is_canonical
        assert signing.verify(key.public_key, receipt.signed_bytes(), value)


def _examination(blobs: list[tuple[str, bytes]], log: Log, scorers: Any) -> None:
    for path, data in blobs:
        found = examine(data, log=log, scorers=scorers, materials=MATERIALS, path=path)
        assert found.verdict is Verdict.LOGGED
