"""What `benchsite drafts list` costs: processor time for drafts of a thousand queries, which are 0.3 MB each."""

from __future__ import annotations

import json
import sys
import tempfile
import uuid
from pathlib import Path

from snapshots import opened

from benchsite import canonical, resources
from benchsite.layout import SCRATCH
from benchsite.pipeline import init
from benchsite.pipeline.measure import run
from benchsite.pipeline.workspace import Workspace
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import medians, spent
from tests.builders import FIXTURE, commit, retrieval_work

UNIT = "drafts"
SIZE = 150
TINY = 2
ROUNDS = 3
GATES = {"cpu_s": Gate(2)}
DATASET = "limit-small"


def measure(size: int, rounds: int) -> Numbers:
    """The median of each figure of the command, and the bytes of all drafts."""
    with tempfile.TemporaryDirectory() as folder:
        instance = Workspace(
            init.init(Path(folder) / "instance", name="bench", origin="bench.invalid/log").root
        )
        written = _write(instance, size)
        command = [sys.executable, "-m", "benchsite", "drafts", "list"]
        return {
            **medians(spent(command, cwd=instance.root) for _ in range(rounds)),
            "drafts_bytes": written,
        }


def _write(instance: Workspace, drafts: int) -> int:
    """Measure once, and keep the draft under so many ids; return their bytes."""
    data = json.loads((resources.folder("fixtures") / DATASET / "fixture.json").read_bytes())
    commit(instance, {f"fixtures/{FIXTURE}/fixture.json": json.dumps({**data, "id": FIXTURE}).encode()})
    instance = Workspace(instance.root)
    (result,) = run.run(instance, opened(instance), [retrieval_work("recency")])
    assert result.draft is not None, result.reason
    document = json.loads(result.draft.read_bytes())
    result.draft.unlink()
    written = 0
    for _ in range(drafts):
        receipt_id = str(uuid.uuid4())
        path = instance.root / SCRATCH / "drafts" / f"{receipt_id}.json"
        written += path.write_bytes(canonical.dumps({**document, "receiptId": receipt_id}))
    return written
