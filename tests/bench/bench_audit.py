"""The command `audit` of a long history against the `git log` of specs/log.md, "Git audit".

The audit's own walk compares whole trees, which is faster and shows the same (`tests/repo/test_walk_property.py`); the ratio to
it is measured too, and the gate is on the ratio to the specified command.

The history publishes one synthetic receipt a commit, each with its signed checkpoint. The command walks it with every rule
and every past checkpoint, opens the log, and hashes every receipt at HEAD.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchsite.environment import ROLES
from benchsite.layout import CHECKPOINT_PATH, SIZES_PATH, segment_path
from benchsite.log import SEGMENT, Checkpoint, encode_entry, encode_segment, encode_sizes, sign_checkpoint
from benchsite.pipeline.audit import PROTECTED
from benchsite.repo._walk import WALK
from tests.bench import synthetic
from tests.bench.measurement import Gate, Numbers
from tests.bench.spending import medians, ratio, spent
from tests.reference_walk import SPECIFIED

UNIT = "commits that publish a receipt"
SIZE = 10_000
TINY = 5
ROUNDS = 5
GATES = {"command_ratio": Gate(2)}


def history(root: Path, count: int) -> None:
    """An instance that published `count` receipts, one a commit."""
    begun = synthetic.begin(root)
    synthetic.fast_import(begun.instance, _commits(begun, count))
    begun.instance.repository.close()
    subprocess.run(["git", "-C", str(root), "gc", "--quiet"], check=True)


def _commits(begun: synthetic.Begun, count: int) -> Iterator[bytes]:
    """What `git fast-import` reads: a receipt, the grown segment and the new checkpoint a commit."""
    receipts, key, before = list(begun.receipts(count)), begun.secrets["log"], begun.log
    pins = begun.pins()
    log = before.extended(map(encode_entry, [*pins, *(entry for entry, _ in receipts)]))
    parent = b"from refs/heads/main^0\n"
    sizes = encode_sizes([len(ROLES)])
    for size, (entry, data) in enumerate(receipts, start=before.size + len(pins) + 1):
        number = (size - 1) // SEGMENT
        segment = encode_segment([log.entry_bytes(index) for index in range(number * SEGMENT, size)])
        note = sign_checkpoint(Checkpoint(log.origin, size, log.root(size)), key).encode()
        stamp = 1_800_000_000 + size
        yield b"commit refs/heads/main\ncommitter bench <bench@localhost> %d +0000\ndata 2\nx\n" % stamp
        yield parent
        parent = b""
        sizes += encode_sizes([size])
        for path, body in (
            (entry.path, data),
            (segment_path(number), segment),
            (CHECKPOINT_PATH, note),
            (SIZES_PATH, sizes),
        ):
            yield synthetic.file_change(path, body)


def measure(size: int, rounds: int) -> Numbers:
    """Time and memory of the command and of both ways to walk, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "instance"
        history(root, size)
        bare, walk, command = [], [], []
        for _ in range(rounds):
            bare.append(spent(["git", *SPECIFIED, "HEAD", "--", *PROTECTED], cwd=root))
            walk.append(spent(["git", *WALK, "HEAD"], cwd=root))
            command.append(spent([sys.executable, "-m", "benchsite", "audit"], cwd=root))
    return {
        "git_log": medians(bare),
        "walk": medians(walk),
        "command": medians(command),
        "command_ratio": ratio([one["wall_s"] for one in command], [one["wall_s"] for one in bare]),
        "walk_ratio": ratio([one["wall_s"] for one in command], [one["wall_s"] for one in walk]),
        "receipts_per_s": size / statistics.median(one["wall_s"] for one in command),
    }
