"""A record of many synthetic, signed, logged receipts, written in one go: for measurements only.

The receipts are real in every check (schema, signature, log, re-score) and stand on a board like any other; their
numbers come from a seeded generator, so they live in temporary folders only and are never published.
"""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchsite import canonical
from benchsite.environment import ROLES, Credentials
from benchsite.layout import receipt_path
from benchsite.log import Entry, FixtureEntry, MethodologyEntry, ReceiptEntry
from benchsite.pipeline import init
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import keys
from benchsite.pipeline.record import require_log
from benchsite.pipeline.record.new_entries import NewEntries
from benchsite.receipt import compose, seal
from benchsite.signing import PrivateKey, encode_base64url
from benchsite.stats import below, word
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.scoring import Query

QUERIES = 20
"""Queries a receipt: this many rows of ten results make a file of about 10 KB."""
DEPTH = 10
SUBJECTS = 40
VARIANTS = 400
"""Different outcomes: bootstrapping each of ten thousand would measure the bootstrap."""


def documents(
    count: int, *, fixture: dict[str, Any], methodology: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Receipt documents without signature, deterministic in their order number."""
    for number in range(count):
        yield document(number, fixture=fixture, methodology=methodology)


def document(number: int, *, fixture: dict[str, Any], methodology: dict[str, str]) -> dict[str, Any]:
    """One receipt document whose numbers follow from its rows."""
    rows, sections = _scored(number % VARIANTS)
    config = {
        "k": [1, 5, 10],
        "seed": 7,
        "limit": None,
        "repeats": 1,
        "isolation": "process",
        "timeoutSeconds": 60,
        "subjectSha256": None,
        "options": {"variant": number % SUBJECTS},
        "importer": None,
    }
    latency = {f"latency_{name}_ms": 1.5 for name in ("p50", "p95", "p99", "min", "max")}
    return {
        "schemaVersion": "1.0.0",
        "track": "retrieval",
        "receiptId": str(
            uuid.UUID(int=(number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128), version=4)
        ),
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
            "name": f"synthetic-{number % SUBJECTS}",
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


@cache
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


def record(folder: Path, count: int) -> Instance:
    """An instance whose log holds `count` synthetic receipts in one commit."""
    made = init.init(folder, name="synthetic", origin="synthetic.invalid/log")
    secrets = {role: PrivateKey.generate() for role in ROLES}
    keys.init(Instance(made.root), Credentials.of(**secrets), folder=None)
    instance = Instance(made.root)
    log = require_log(instance)
    rules = instance.methodologies.read("retrieval", "1.0.0").reference
    sha256 = instance.fixture_digest("three-notebooks-v1")
    fixture = {
        "id": "three-notebooks-v1",
        "sha256": sha256,
        "n": 272,
        "queries": QUERIES,
        "scopes": 3,
        "smallestScope": 68,
        "granularity": "turn",
    }
    entries: list[Entry] = [
        MethodologyEntry(track=rules["id"], version=rules["version"], sha256=rules["sha256"]),
        FixtureEntry(id=fixture["id"], sha256=sha256),
    ]
    writes: dict[str, bytes] = {}
    for made_document in documents(count, fixture=fixture, methodology=rules):
        draft = compose(made_document)
        value = encode_base64url(secrets["receipt"].sign(draft.signed_bytes()))
        data = seal(draft, fingerprint=secrets["receipt"].fingerprint, value=value).file_bytes()
        path = receipt_path(draft.receipt_id)
        entries.append(ReceiptEntry(path=path, sha256=canonical.sha256_hex(data), size=len(data)))
        writes[path] = data
    new = NewEntries(log)
    new.append(*entries)
    writes.update(new.writes(secrets["log"], (log.size,)))
    _import(instance.root, writes)
    return instance


def _import(root: Path, writes: dict[str, bytes]) -> None:
    """One commit through `git fast-import`, which takes ten thousand files in a second."""
    parts = [
        b"commit refs/heads/main\ncommitter bench <bench@localhost> 1700000000 +0000\ndata 9\nsynthetic\n",
        b"from refs/heads/main^0\n",
    ]
    for path, data in writes.items():
        parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
    subprocess.run(["git", "-C", str(root), "fast-import", "--quiet"], input=b"".join(parts), check=True)


if __name__ == "__main__":
    record(Path(sys.argv[1]), int(sys.argv[2]))
