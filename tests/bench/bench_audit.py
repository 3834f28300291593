"""Audit of a long history against the `git log` it is built on: `python -m tests.bench audit [COMMITS]`. Not a test.

Makes a history that publishes one synthetic receipt a commit, each with its signed checkpoint. Timed in turns, so that
a busy machine slows all: the bare `git log`; the audit's pass over the past, with every rule and every past checkpoint
(the gate: twice the bare `git log`); the whole command in a fresh process, which also opens the log and hashes every
receipt at HEAD.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchsite import canonical
from benchsite.environment import ROLES, Credentials
from benchsite.layout import CHECKPOINT_PATH, SIZES_PATH, receipt_path, segment_path
from benchsite.log import (
    SEGMENT,
    Checkpoint,
    FixtureEntry,
    Log,
    MethodologyEntry,
    ReceiptEntry,
    encode_entry,
    encode_segment,
    encode_sizes,
    sign_checkpoint,
)
from benchsite.pipeline import audit as auditing
from benchsite.pipeline import init
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import keys
from benchsite.pipeline.record import Record
from benchsite.receipt import compose, seal
from benchsite.repo import Past
from benchsite.repo._walk import WALK
from benchsite.signing import PrivateKey, encode_base64url
from tests.bench.synthetic import QUERIES, documents

COMMITS = 10_000
ROUNDS = 7
FIXTURE = "three-notebooks-v1"


def history(root: Path, count: int) -> Instance:
    """An instance that published `count` receipts, one a commit."""
    init.init(root, name="synthetic", origin="synthetic.invalid/log")
    secrets = {role: PrivateKey.generate() for role in ROLES}
    keys.init(Instance(root), Credentials.of(**secrets), folder=None)
    instance = Instance(root)
    begun = Record.at(instance).log
    assert begun is not None
    rules, sha256 = (
        instance.methodologies.read("retrieval", "1.0.0").reference,
        instance.fixture_digest(FIXTURE),
    )
    fixture = {"id": FIXTURE, "sha256": sha256, "n": 272, "queries": QUERIES}
    fixture |= {"scopes": 3, "smallestScope": 68, "granularity": "turn"}
    named = MethodologyEntry(track=rules["id"], version=rules["version"], sha256=rules["sha256"])
    entries = [encode_entry(named), encode_entry(FixtureEntry(id=FIXTURE, sha256=sha256))]
    files = []
    for document in documents(count, fixture=fixture, methodology=rules):
        draft = compose(document)
        value = encode_base64url(secrets["receipt"].sign(draft.signed_bytes()))
        data = seal(draft, fingerprint=secrets["receipt"].fingerprint, value=value).file_bytes()
        path = receipt_path(draft.receipt_id)
        entries.append(
            encode_entry(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))
        )
        files.append((path, data))
    with subprocess.Popen(
        ["git", "-C", str(root), "fast-import", "--quiet"], stdin=subprocess.PIPE
    ) as importer:
        assert importer.stdin is not None
        importer.stdin.writelines(_commits(begun.extended(entries), files, secrets["log"]))
    assert importer.returncode == 0
    subprocess.run(["git", "-C", str(root), "gc", "--quiet"], check=True)
    return instance


def _commits(log: Log, files: list[tuple[str, bytes]], key: PrivateKey) -> Iterator[bytes]:
    """What `git fast-import` reads: a receipt, the grown segment and the new checkpoint a commit."""
    parent = b"from refs/heads/main^0\n"
    sizes = encode_sizes([len(ROLES)])
    for place, (path, data) in enumerate(files):
        size = log.size - len(files) + place + 1
        number = (size - 1) // SEGMENT
        segment = encode_segment([log.entry_bytes(index) for index in range(number * SEGMENT, size)])
        note = sign_checkpoint(Checkpoint(log.origin, size, log.root(size)), key).encode()
        stamp = 1_800_000_000 + place
        yield b"commit refs/heads/main\ncommitter bench <bench@localhost> %d +0000\ndata 2\nx\n" % stamp
        yield parent
        parent = b""
        sizes += encode_sizes([size])
        grown = {segment_path(number): segment, CHECKPOINT_PATH: note, SIZES_PATH: sizes}
        for name, body in {path: data, **grown}.items():
            yield b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(body), body)


def bare(root: Path) -> None:
    """The `git log` that the pass is built on."""
    command = ["git", *WALK, "HEAD", "--", *auditing.PROTECTED]
    subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=True)


def past_alone(instance: Instance, checkpoints: int) -> float:
    """Seconds of the pass over the past, on a log that is open; segments are learnt within."""
    past = Past(instance.root)
    case = auditing._Case(instance, past, instance.repository.head() or "")
    case.open()
    known, case.growth._known = case.growth._known, {}
    case.growth._learnt.clear()
    start = time.perf_counter()
    with past.walk(auditing.PROTECTED) as revisions:
        for item in case.state.files:
            if item.path in known:
                case.growth.learn(item.path, item.blob_id)
        case.over(revisions, lambda _done, _total, _label: None)
    case.heads_of_the_past()
    spent = time.perf_counter() - start
    assert not case.findings
    assert case.heads is not None
    assert case.heads.count == checkpoints
    return spent


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def whole(root: Path) -> None:
    """The command as a person calls it."""
    subprocess.run(
        [sys.executable, "-m", "benchsite", "audit"], cwd=root, stdout=subprocess.DEVNULL, check=True
    )


def main(count: int) -> None:
    """Measure, print, and end with one JSON line."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "instance"
        instance = history(root, count)
        rounds = [
            (timed(lambda: bare(root)), past_alone(instance, count + 1), timed(lambda: whole(root)))
            for _ in range(ROUNDS)
        ]
        instance.repository.close()
    log, past, command = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(pass_ / log_ for log_, pass_, _ in rounds)
    total = statistics.median(command_ / log_ for log_, _, command_ in rounds)
    print(f"{count + 2:,} commits, {count:,} receipts, medians of {ROUNDS} rounds")
    print(f"  bare git log               {log:6.2f} s")
    print(f"  audit's pass over the past {past:6.2f} s   {ratio:.2f} times as long (gate: 2)")
    print(f"  the whole command          {command:6.2f} s   {total:.2f} times as long")
    summary = {"commits": count + 2, "gitLogSeconds": round(log, 3), "passSeconds": round(past, 3)}
    print(json.dumps({**summary, "wholeSeconds": round(command, 3), "ratio": round(ratio, 2)}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else COMMITS)
