"""A long log: appending one entry, opening, and proving one entry from tiles.

The append is timed from the opened log to the bytes of every file that changes, beside git's own work on the same
commit. A log is opened in a process of its own, imports left out: without a cache, and where nothing changed since.
The proof is made as a client makes it, from tiles in a folder, each proof with a reader of its own.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from snapshots import opened

from benchsite import log as logs
from benchsite.layout import SCRATCH, receipt_path
from benchsite.log import Log, ReceiptEntry, TileReader
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository
from benchsite.repo.head import resolve_head
from tests.bench import synthetic
from tests.bench.measurement import Gate, Numbers

UNIT = "entries"
SIZE = 100_000
TINY = 300
ROUNDS = 9
GATES = {"append_ms": Gate(50), "open_unchanged_ms": Gate(150), "proof_ms": Gate(5)}
PROOFS = 20
"""Proofs a round."""


def entry(number: int) -> ReceiptEntry:
    """A receipt entry that no other number has."""
    name = str(uuid.UUID(bytes=sha256(b"%d" % number).digest()[:16], version=4))
    return ReceiptEntry(path=receipt_path(name), sha256=f"{number:064x}", size=10_000)


def measure(size: int, rounds: int) -> Numbers:
    """Milliseconds of each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = synthetic.begin(folder / "instance")
        new = NewEntries(begun.log)
        new.append(*map(entry, range(size - begun.log.size)))
        synthetic.commit(begun.instance, new.writes(begun.secrets["log"], (begun.log.size,)).items())
        begun.instance.repository.close()
        return {
            **_opening(begun.instance.root, rounds),
            **_appending(new.grown, begun, folder, rounds),
            "proof_ms": _proving(new.grown, folder / "tiles", rounds),
        }


def _opening(root: Path, rounds: int) -> dict[str, float]:
    cold, unchanged = [], []
    for _ in range(rounds):
        shutil.rmtree(root / SCRATCH / "cache", ignore_errors=True)
        cold.append(_opened(root))
        unchanged.append(_opened(root))
    return {"open_cold_ms": statistics.median(cold), "open_unchanged_ms": statistics.median(unchanged)}


def _opened(root: Path) -> float:
    child = [sys.executable, "-m", "tests.bench.bench_log", str(root)]
    return float(subprocess.run(child, stdout=subprocess.PIPE, check=True).stdout)


def _appending(log: Log, begun: synthetic.Begun, folder: Path, rounds: int) -> dict[str, float]:
    key, repository = begun.secrets["log"], Repository.create(folder / "repository")
    _commit(repository, log.segments())
    written: dict[str, bytes] = {}

    def append(number: int) -> None:
        new = NewEntries(log)
        new.append(entry(log.size + number))
        written.clear()
        written.update(new.writes(key, (log.size,)))

    found = {
        "append_ms": _median_ms(append, rounds),
        "append_git_ms": _median_ms(lambda _: _commit(repository, written), rounds),
        "append_files": len(written),
    }
    repository.close()
    return found


def _commit(repository: Repository, writes: dict[str, bytes]) -> None:
    """One commit of these files, as `publish` makes it."""
    parent = resolve_head(repository)
    made = repository.build_commit(writes, parent=parent, message="bench")
    repository.advance(made, expected=parent)
    repository.materialise(writes, "HEAD")


def _proving(log: Log, folder: Path, rounds: int) -> float:
    for tile, data in log.tiles():
        path = folder / tile.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    top, size = log.root(), log.size

    def prove(number: int) -> None:
        index = number * 7_919 % size
        reader = TileReader(size, lambda path: (folder / path).read_bytes())
        proof = reader.inclusion_proof(index)
        assert logs.verify_inclusion(logs.leaf_hash(log.entry_bytes(index)), index, size, proof, top)

    return _median_ms(prove, rounds * PROOFS)


def _median_ms(work: Callable[[int], object], rounds: int) -> float:
    seconds = []
    for number in range(rounds):
        start = time.perf_counter()
        work(number)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) * 1000


def _open(root: Path) -> float:
    """Milliseconds from the instance to its opened log, in this process."""
    start = time.perf_counter()
    assert opened(Workspace(root)).log is not None
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    print(_open(Path(sys.argv[1])))
