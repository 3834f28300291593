"""What publishing costs: own drafts and submitted ones (in results/inbox), without a remote and pushed to a bare one here.

Counted, not timed, are git processes and verified signatures: neither may grow with the number of drafts, except for the
one signature of each receipt.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any, Final

from snapshots import opened

from benchsite import canonical, signing
from benchsite.environment import ROLES, Credentials
from benchsite.layout import INBOX, SCRATCH
from benchsite.pipeline import init, publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import keys
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey
from tests.bench.measurement import Gate, Numbers
from tests.builders import FIXTURE, commit, retrieval_work, small_fixture

UNIT = "drafts"
SIZE = 100
TINY = 1
ROUNDS = 3
GATES: Final[dict[str, Gate]] = {}  # its gate is the counts, which tests/test_bench.py holds
GIT: Final = ("git", "-c", "user.name=bench", "-c", "user.email=bench@bench.invalid")


class Counted:
    """Git processes and signature verifications of this process; counts only while `on`."""

    def __init__(self) -> None:
        self.on = False
        self.counts: Counter[str] = Counter()
        sys.addaudithook(self._started)
        verify = signing.verify

        def counting(*arguments: Any) -> bool:
            self.counts["signatures"] += self.on
            return verify(*arguments)

        for name, module in list(sys.modules.items()):
            if name.split(".")[0] == "benchsite" and getattr(module, "verify", None) is verify:
                module.verify = counting  # type: ignore[attr-defined]  # every name it was imported under

    def _started(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.on and event == "subprocess.Popen":
            self.counts["git"] += "git" in Path(str(arguments[1][0])).name


def prepared(
    folder: Path, drafts: int, *, sent: bool, remote: bool
) -> tuple[Workspace, Credentials, list[Path]]:
    """An instance with an empty log and so many drafts, which differ in their ids."""
    made = init.init(folder / "instance", name="bench", origin="bench.invalid/log")
    secrets = {role: PrivateKey.generate() for role in ROLES}
    fixture = json.dumps(small_fixture()).encode()
    commit(Workspace(made.root), {f"fixtures/{FIXTURE}/fixture.json": fixture})
    keys.init(Workspace(made.root), Credentials.of(**secrets), folder=None)
    instance = Workspace(made.root)
    place = made.root / (INBOX if sent else f"{SCRATCH}/drafts")
    place.mkdir(parents=True, exist_ok=True)
    (result,) = run.run(instance, opened(instance), [retrieval_work("recency")])
    assert result.draft is not None, result.reason
    document = json.loads(result.draft.read_bytes())
    result.draft.unlink()
    paths = []
    for _ in range(drafts):
        receipt_id = str(uuid.uuid4())
        paths.append(place / f"{receipt_id}.json")
        paths[-1].write_bytes(canonical.dumps({**document, "receiptId": receipt_id}))
    if sent:
        commit(instance, {f"{INBOX}/{path.name}": path.read_bytes() for path in paths})
    if remote:
        bare = folder / "origin.git"
        subprocess.run([*GIT, "init", "-q", "--bare", "-b", "main", str(bare)], check=True)
        subprocess.run([*GIT, "remote", "add", "origin", str(bare)], cwd=made.root, check=True)
        subprocess.run([*GIT, "push", "-q", "-u", "origin", "main"], cwd=made.root, check=True)
    return Workspace(made.root), Credentials.of(**secrets), paths


def measure(size: int, rounds: int) -> Numbers:
    """Of each way the counts of the last round and the median time of all."""
    counted = Counted()
    return {
        name: _measured(counted, size, rounds, sent=sent, remote=remote)
        for name, sent, remote in (
            ("own", False, False),
            ("own_pushed", False, True),
            ("inbox", True, False),
            ("inbox_pushed", True, True),
        )
    }


def _measured(counted: Counted, drafts: int, rounds: int, *, sent: bool, remote: bool) -> dict[str, float]:
    seconds = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            instance, credentials, paths = prepared(Path(folder), drafts, sent=sent, remote=remote)
            counted.counts.clear()
            counted.on, start = True, time.perf_counter()
            outcome = publish.publish(instance, opened(instance), paths, credentials, push=remote)
            counted.on = False
            seconds.append(time.perf_counter() - start)
            assert (len(outcome.receipts), outcome.left) == (drafts, {})
            instance.repository.close()
    return {
        "wall_s": statistics.median(seconds),
        "git_processes": counted.counts["git"],
        "signatures": counted.counts["signatures"],
    }
