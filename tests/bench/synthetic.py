"""A record of many synthetic, signed, logged receipts, written in one go: for measurements only.

The receipts are real in every check (schema, signature, log, re-score) and stand on a board like any other; their
numbers come from a seeded generator, so they live in temporary folders only and are never published.
"""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from snapshots import log_of

from benchsite import canonical, executors
from benchsite.environment import ROLES, Credentials, cores
from benchsite.layout import CONFIG, receipt_path
from benchsite.log import Entry, FixtureEntry, Log, MethodologyEntry, ReceiptEntry
from benchsite.pipeline import init
from benchsite.pipeline.publish import keys
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import compose, seal
from benchsite.signing import PrivateKey, encode_base64url
from benchsite.stats import below, word
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.scores.scoring import Query

FIXTURE = "three-notebooks-v1"
ADDED = "added"
QUERIES = 20
"""Queries a receipt: this many rows of ten results make a file of about 10 KB."""
DEPTH = 10
SUBJECTS = 40
VARIANTS = 400
"""Different outcomes, a multiple of the subjects: bootstrapping each of ten thousand would measure the bootstrap."""
UNSIGNED = encode_base64url(bytes(64))


def document(variant: int, *, fixture: dict[str, Any], methodology: dict[str, str]) -> dict[str, Any]:
    """A receipt document without signature, deterministic in its variant; its numbers follow from its rows."""
    rows, sections = _scored(variant)
    config = {
        "k": [1, 5, 10],
        "seed": 7,
        "limit": None,
        "repeats": 1,
        "isolation": "process",
        "timeoutSeconds": 60,
        "subjectSha256": None,
        "options": {"variant": variant % SUBJECTS},
        "importer": None,
    }
    latency = {f"latency_{name}_ms": 1.5 for name in ("p50", "p95", "p99", "min", "max")}
    return {
        "schemaVersion": "1.0.0",
        "track": "retrieval",
        "receiptId": _receipt_id(variant),
        "benchVersion": "0.1.0",
        "ranAt": "2026-11-21T12:00:00Z",
        "ranBy": {"kind": "maintainer", "name": "bench"},
        "origin": "native",
        "methodology": methodology,
        "config": config,
        "environment": {
            "python": "3.11.7",
            "platform": "linux/x86_64",
            "cpu": None,
            "cores": 2,
            "loadAverage": 0.5,
            "runner": None,
            "containerImage": None,
            "git": {"commit": None, "dirty": False, "tag": None},
            "packages": None,
        },
        "logHead": None,
        "supersedes": None,
        "reproduces": None,
        "intentId": None,
        "derivedFrom": None,
        "evidence": [],
        "simulated": False,
        "adapter": {
            "name": f"synthetic-{variant % SUBJECTS}",
            "version": "1.0.0",
            "author": "bench",
            "hosted": False,
            "network": False,
            "networkAccess": "off",
        },
        "fixture": fixture,
        **sections,
        "timing": {
            **latency,
            "percentileMethod": "nearest-rank",
            "n": QUERIES,
            "first_query_ms": 2.0,
            "ingest_throughput_items_per_sec": 1000.0,
            "ingestedBytes": 1000,
            "peakRssBytes": None,
            "noopRpcMs": 0.05,
            "flags": [],
        },
        "perQuery": rows,
        "determinism": None,
        "faults": {
            "duplicates": 0,
            "foreignIds": 0,
            "badScores": 0,
            "overK": 0,
            "failed": 0,
            "timedOut": 0,
        },
    }


def _scored(variant: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows = [_row(query, word(variant, query)) for query in range(QUERIES)]
    return rows, metrics.score([Query.from_row(row) for row in rows], (1, 5, 10)).sections(seed=7)


def _row(query: int, drawn: int) -> dict[str, Any]:
    """A row whose expected item stands at a rank drawn from 1 to 14, that is, sometimes beyond the cut."""
    rank = 1 + below(drawn, 14)
    retrieved = [f"i{query:03}-{place:02}" for place in range(1, DEPTH + 1)]
    found = rank <= DEPTH
    return {
        "queryId": f"q{query:03}",
        "scope": "s",
        "answerable": True,
        "expected": [{"id": f"i{query:03}-{rank:02}", "grade": 1}],
        "retrieved": retrieved,
        "foreign": [],
        "hit": found,
        "rank": rank if found else None,
        "latencyMs": 1.5,
    }


@dataclass(frozen=True, slots=True)
class Begun:
    """An instance whose log holds its first key events, and the keys that sign what comes next."""

    instance: Workspace
    secrets: Mapping[str, PrivateKey]

    @property
    def log(self) -> Log:
        """The log at HEAD."""
        return log_of(self.instance)

    @property
    def rules(self) -> dict[str, str]:
        """The methodology of every receipt."""
        return self.instance.methodologies.read("retrieval", "1.0.0").reference

    @property
    def fixture(self) -> dict[str, Any]:
        """What every receipt says of its fixture."""
        sha256 = self.instance.fixture_digest(FIXTURE)
        said = {"id": FIXTURE, "sha256": sha256, "n": 272, "queries": QUERIES}
        return said | {"scopes": 3, "smallestScope": 68, "granularity": "turn"}

    def pins(self) -> list[Entry]:
        """The entries that come before the first receipt."""
        rules, fixture = self.rules, self.fixture
        return [
            MethodologyEntry(track=rules["id"], version=rules["version"], sha256=rules["sha256"]),
            FixtureEntry(id=fixture["id"], sha256=fixture["sha256"]),
        ]

    def receipts(self, count: int) -> Iterator[tuple[ReceiptEntry, bytes]]:
        """So many signed receipts with their entries. Only the variants are composed; the others differ in id and signature."""
        key, variants = self.secrets["receipt"], range(min(count, VARIANTS))
        shared = (self.fixture, self.rules, key.fingerprint)
        if count > executors.CHUNK:
            made = [*executors.processes(_composed, shared, variants, workers=cores())]
        else:
            made = _composed(shared, variants)
        for number in range(count):
            signed, sealed = (part.replace(*_ids(number)) for part in made[number % VARIANTS])
            data = sealed.replace(UNSIGNED.encode(), encode_base64url(key.sign(signed)).encode())
            path = receipt_path(_receipt_id(number))
            yield ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)), data


def _ids(number: int) -> tuple[bytes, bytes]:
    """The id of a receipt's variant, and its own."""
    return _receipt_id(number % VARIANTS).encode(), _receipt_id(number).encode()


def _receipt_id(number: int) -> str:
    return str(uuid.UUID(int=(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128), version=4))


def begin(folder: Path) -> Begun:
    """An instance with keys and no receipt."""
    made = init.init(folder, name="synthetic", origin="synthetic.invalid/log")
    settings = made.root / CONFIG
    settings.write_text(
        settings.read_text().replace('banner: ""', 'banner: ""\n    site_size_limit_mb: 100000')
    )
    git = ["git", "-C", str(made.root), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    subprocess.run([*git, "commit", "-qam", "a site of any size"], check=True)
    secrets = {role: PrivateKey.generate() for role in ROLES}
    keys.init(Workspace(made.root), Credentials.of(**secrets), folder=None)
    return Begun(Workspace(made.root), secrets)


def record(folder: Path, count: int) -> Workspace:
    """An instance whose log holds `count` synthetic receipts in one commit; the branch `ADDED` has one more."""
    begun = begin(folder)
    new, receipts = NewEntries(begun.log), begun.receipts(count + 1)
    past = [begun.log.size]
    commit(begun.instance, _growing(new, begun, begun.pins(), islice(receipts, count), past))
    past.append(new.grown.size)
    commit(begun.instance, _growing(NewEntries(new.grown), begun, [], receipts, past), branch=ADDED)
    return begun.instance


def _growing(
    new: NewEntries,
    begun: Begun,
    entries: list[Entry],
    receipts: Iterable[tuple[ReceiptEntry, bytes]],
    past: Sequence[int],
) -> Iterator[tuple[str, bytes]]:
    """The files of a commit that adds receipts, the log's own last."""
    for entry, data in receipts:
        entries.append(entry)
        yield entry.path, data
    new.append(*entries)
    yield from new.writes(begun.secrets["log"], past).items()


def commit(instance: Workspace, files: Iterable[tuple[str, bytes]], *, branch: str = "main") -> None:
    """One commit on top of main, through `git fast-import`, which takes ten thousand files in a second."""
    fast_import(
        instance,
        chain(
            [
                b"commit refs/heads/%s\n" % branch.encode(),
                b"committer bench <bench@localhost> 1700000000 +0000\ndata 9\nsynthetic\n",
                b"from refs/heads/main^0\n",
            ],
            (file_change(path, data) for path, data in files),
        ),
    )


def file_change(path: str, data: bytes) -> bytes:
    """What `git fast-import` reads of a file in a commit."""
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)


def fast_import(instance: Workspace, parts: Iterable[bytes]) -> None:
    """Hand a stream to `git fast-import`."""
    command = ["git", "-C", str(instance.root), "fast-import", "--quiet"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        importer.stdin.writelines(parts)
    assert importer.returncode == 0


def _composed(shared: Any, variants: Sequence[int]) -> list[tuple[bytes, bytes]]:
    """Of each variant the bytes that are signed, and those of the file with `UNSIGNED` for a signature."""
    fixture, rules, fingerprint = shared
    drafts = [compose(document(variant, fixture=fixture, methodology=rules)) for variant in variants]
    return [
        (draft.signed_bytes(), seal(draft, fingerprint=fingerprint, value=UNSIGNED).file_bytes())
        for draft in drafts
    ]


if __name__ == "__main__":
    record(Path(sys.argv[1]), int(sys.argv[2]))
