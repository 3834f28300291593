"""What publishing costs: `python -m tests.bench publish`, or `python -m tests.bench.bench_publish DRAFTS ...`. Not a test.

Counted, not timed, are git processes and verified signatures: neither may grow with the number of drafts. Own drafts
and submitted ones (in results/inbox), without a remote and pushed to a bare one on this machine. Times are medians.
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

from benchsite import canonical, signing
from benchsite.environment import ROLES, Credentials
from benchsite.layout import INBOX, SCRATCH
from benchsite.pipeline import init, publish
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import keys
from benchsite.signing import PrivateKey
from tests.builders import FIXTURE, commit, retrieval_work, small_fixture

SIZES: Final = (1, 100)
ROUNDS: Final = 3
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
) -> tuple[Instance, Credentials, list[Path]]:
    """An instance with an empty log and so many drafts, which differ in their ids."""
    made = init.init(folder / "instance", name="bench", origin="bench.invalid/log")
    secrets = {role: PrivateKey.generate() for role in ROLES}
    fixture = json.dumps(small_fixture()).encode()
    commit(Instance(made.root), {f"fixtures/{FIXTURE}/fixture.json": fixture})
    keys.init(Instance(made.root), Credentials.of(**secrets), folder=None)
    instance = Instance(made.root)
    place = made.root / (INBOX if sent else f"{SCRATCH}/drafts")
    place.mkdir(parents=True, exist_ok=True)
    (result,) = run.run(instance, [retrieval_work("recency")])
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
    return Instance(made.root), Credentials.of(**secrets), paths


def main(sizes: list[int], *, rounds: int = ROUNDS) -> None:
    """Measure, print a table, and end with one JSON line."""
    counted, rows = Counted(), []
    print(
        f"{'drafts':>6}  {'from':5}  {'remote':6}  {'git':>4}  {'signatures':>10}  seconds (median of {rounds})"
    )
    for drafts in sizes:
        for sent in (False, True):
            for remote in (False, True):
                row = measured(counted, drafts, rounds, sent=sent, remote=remote)
                rows.append(row)
                print(
                    f"{drafts:>6}  {row['from']:5}  {'yes' if remote else 'no':6}  {row['git']:>4}"
                    f"  {row['signatures']:>10}  {row['seconds']:.2f}",
                    flush=True,
                )
    print(json.dumps(rows))


def measured(counted: Counted, drafts: int, rounds: int, *, sent: bool, remote: bool) -> dict[str, Any]:
    """One row: the counts of the last round and the median time of all."""
    seconds = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            instance, credentials, paths = prepared(Path(folder), drafts, sent=sent, remote=remote)
            counted.counts.clear()
            counted.on, start = True, time.perf_counter()
            outcome = publish.publish(instance, paths, credentials, push=remote)
            counted.on = False
            seconds.append(time.perf_counter() - start)
            assert (len(outcome.receipts), outcome.left) == (drafts, {})
            instance.repository.close()
    return {
        "drafts": drafts,
        "from": "inbox" if sent else "own",
        "remote": remote,
        "git": counted.counts["git"],
        "signatures": counted.counts["signatures"],
        "seconds": round(statistics.median(seconds), 3),
    }


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(SIZES))
