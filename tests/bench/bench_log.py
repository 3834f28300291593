"""A log of 100,000 entries: appending one, and proving one from tiles: `python -m tests.bench log`. Not a test.

The append is timed from the opened log to the bytes of every file that changes, beside git's own work on the same
commit. Opening the log (reading, hashing and replaying every entry) happens once a command and is told apart. The
proof is made as a client makes it, from tiles in a folder, each proof with a reader of its own.
"""

from __future__ import annotations

import base64
import json
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from benchsite import log as logs
from benchsite.layout import receipt_path
from benchsite.log import Log, ReceiptEntry, TileReader, encode_entry, make_key_event
from benchsite.pipeline.record.new_entries import NewEntries, record_files
from benchsite.repo import Repository
from benchsite.signing import PrivateKey

ENTRIES = 100_000
ROUNDS = 9
PROOFS = 200
ORIGIN = "bench.invalid/log"


def entry(number: int) -> ReceiptEntry:
    """A receipt entry that no other number has."""
    name = str(uuid.UUID(bytes=sha256(b"%d" % number).digest()[:16], version=4))
    return ReceiptEntry(path=receipt_path(name), sha256=f"{number:064x}", size=10_000)


def main() -> None:
    """Measure, print, and end with one JSON line."""
    key = PrivateKey.from_text(base64.b64encode(bytes(range(32))).decode(), "bench")
    root = PrivateKey.from_text(base64.b64encode(bytes(32)).decode(), "bench")
    founding = [
        encode_entry(
            make_key_event("key-add", root=root, origin=ORIGIN, seq=seq, role=role, public_key=owner.public)
        )
        for seq, (role, owner) in enumerate((("root", root), ("log", key)))
    ]
    entries = [*founding, *(encode_entry(entry(number)) for number in range(ENTRIES - len(founding)))]
    with tempfile.TemporaryDirectory() as name:
        report(Path(name), entries, key, root)


def report(folder: Path, entries: list[bytes], key: PrivateKey, root: PrivateKey) -> None:
    """Write the log to a repository and its tiles to a folder, and time both."""
    log = Log.of(entries, origin=ORIGIN, roots=[root.fingerprint])
    repository = Repository.create(folder / "repository")
    commit(repository, record_files(log, key, since=0, keys=True, sizes=()))
    segments = list(log.segments().values())
    note = logs.sign_checkpoint(log.checkpoint(), key)
    opening = timed(lambda _: logs.open_log(segments, note, origin=ORIGIN, roots=[root.fingerprint]), 3)
    written: dict[str, bytes] = {}

    def append(number: int) -> None:
        new = NewEntries(log)
        new.append(entry(ENTRIES + number))
        written.clear()
        written.update(new.writes(key, (ENTRIES,)))

    appending = timed(append, ROUNDS)
    committing = timed(lambda _: commit(repository, written), ROUNDS)
    for tile, data in log.tiles():
        path = folder / "tiles" / tile.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    top = log.root()

    def prove(number: int) -> None:
        index = number * 7_919 % ENTRIES
        reader = TileReader(ENTRIES, lambda path: (folder / "tiles" / path).read_bytes())
        proof = reader.inclusion_proof(index)
        assert logs.verify_inclusion(logs.leaf_hash(entries[index]), index, ENTRIES, proof, top)

    proving = timed(prove, PROOFS)
    print(f"a log of {ENTRIES:,} entries, medians of {ROUNDS} rounds ({PROOFS} proofs)")
    print(f"append one entry, to the bytes of {len(written)} files: {appending:.1f} ms (gate: 50)")
    print(f"git's own part, from those bytes to the commit in the working tree: {committing:.1f} ms")
    print(f"opening the log, once a command: {opening:,.0f} ms")
    print(f"inclusion proof from tiles, made and verified: {proving:.2f} ms (gate: 5)")
    print(
        json.dumps(
            {
                "appendMs": round(appending, 1),
                "gitMs": round(committing, 1),
                "openMs": round(opening),
                "proofMs": round(proving, 2),
            }
        )
    )


def commit(repository: Repository, writes: dict[str, bytes]) -> None:
    """One commit of these files, as `publish` makes it."""
    parent = repository.head()
    made = repository.build_commit(writes, parent=parent, message="bench")
    repository.advance(made, expected=parent)
    repository.materialise(writes)


def timed(work: Callable[[int], object], rounds: int) -> float:
    """The median of some rounds, in milliseconds."""
    seconds = []
    for number in range(rounds):
        start = time.perf_counter()
        work(number)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) * 1000


if __name__ == "__main__":
    main()
