"""A small record, signed and logged for real, with made-up answers: what the site's tests and screenshots show.

Every receipt passes the same verification as a published one. The systems, their answers and the questions are
invented; the generator is seeded, so the record is the same every time.
"""

from __future__ import annotations

import json
import random
import uuid
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from documents import PARAMETERS, known

from benchsite import canonical
from benchsite.history import Blob, Filed, History, verify_record
from benchsite.layout import receipt_path
from benchsite.log import Log, decode_entry, encode_entry, make_key_event, sign_checkpoint, validate_entry
from benchsite.methodology import (
    DATA_FILE,
    PARAMETERS_FILE,
    TEXT_FILE,
    Methodology,
    MethodologyData,
    digest,
    parameters,
)
from benchsite.receipt import compose, seal
from benchsite.signing import PrivateKey, encode_base64url
from benchsite.track import Library
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.pages.board import BASELINES
from benchsite.tracks.retrieval.scores.scoring import Query

ORIGIN = "sample.invalid/benchsite/log"
CATEGORIES = ("knowledge-update", "multi-session", "paraphrase", "temporal")


def key(number: int) -> PrivateKey:
    """A key from a public test seed."""
    return PrivateKey.from_text(b64encode(bytes([number]) * 32).decode(), "sample key")


@dataclass
class SampleRecord:
    """A log with its receipts, grown entry by entry."""

    fixture: dict[str, Any]
    methodologies: list[Methodology]
    show_texts: bool = True
    entries: list[bytes] = field(default_factory=list)
    blobs: list[Blob] = field(default_factory=list)
    bodies: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    scorers: Mapping[str, Any] = field(default_factory=lambda: {"retrieval": TRACK})

    def __post_init__(self) -> None:
        self.root, self.signer, self.log_key = key(1), key(2), key(3)
        for seq, (role, public) in enumerate(
            (("root", self.root), ("receipt", self.signer), ("log", self.log_key))
        ):
            event = make_key_event(
                "key-add", root=self.root, origin=ORIGIN, seq=seq, role=role, public_key=public.public
            )
            self.entries.append(encode_entry(event))
        for rules in self.methodologies:
            self.add(
                {
                    "type": "methodology",
                    "track": rules.data.track,
                    "version": rules.data.version,
                    "sha256": rules.sha256,
                }
            )
        self.add({"type": "fixture", "id": self.fixture["id"], "sha256": canonical.digest(self.fixture)})

    def add(self, value: dict[str, Any]) -> None:
        self.entries.append(encode_entry(validate_entry({"v": 1, **value})))

    @property
    def log(self) -> Log:
        return Log.of(self.entries, origin=ORIGIN, roots=[self.root.fingerprint])

    @property
    def checkpoint(self) -> bytes:
        return sign_checkpoint(self.log.checkpoint(), self.log_key).encode()

    @property
    def library(self) -> Library:
        known = (self.fixture["id"], canonical.digest(self.fixture))

        def find(fixture_id: str, sha256: str) -> Mapping[str, Any] | None:
            return self.fixture if self.show_texts and known == (fixture_id, sha256) else None

        return Library(self.methodologies, find)

    def history(self) -> History:
        return verify(self, self.blobs)

    def body(self, receipt_id: str) -> Mapping[str, Any]:
        return self.bodies[receipt_id]

    def publish(
        self, name: str, skill: float, *, version: str = "1.0.0", label: bool = False, **changes: Any
    ) -> str:
        """Sign and log a run of an invented system that finds the right item with this probability."""
        number = len(self.blobs) + 1
        return self.add_receipt(draft_of(self, name, skill, number, version=version, label=label) | changes)

    def envelope(self, number: int = 0) -> dict[str, Any]:
        """What differs between the receipts of a record, of the next one or of this number: id, date, the log's head."""
        log, number = self.log, number or len(self.blobs) + 1
        return {
            "receiptId": str(uuid.UUID(int=random.Random(number).getrandbits(128), version=4)),  # noqa: S311
            "ranAt": f"2026-11-{number % 28 + 1:02d}T21:20:03Z",
            "logHead": {"origin": ORIGIN, "size": log.size, "root": b64encode(log.root()).decode()},
        }

    def add_receipt(self, draft: Mapping[str, Any]) -> str:
        """Sign and log a draft; return its id."""
        composed = compose(dict(draft))
        value = encode_base64url(self.signer.sign(composed.signed_bytes()))
        receipt = seal(composed, fingerprint=self.signer.fingerprint, value=value)
        data, path = receipt.file_bytes(), receipt_path(receipt.receipt_id)
        sha256 = canonical.sha256_hex(data)
        self.add({"type": "receipt", "path": path, "sha256": sha256, "size": len(data)})
        self.blobs.append(Blob(path, sha256[:40], data))
        self.bodies[receipt.receipt_id] = receipt.document
        return receipt.receipt_id


def verify(record: SampleRecord, blobs: Sequence[Blob | None]) -> History:
    """The record verified over these files, one a receipt entry of the log; None where the file is gone."""
    files = [
        Filed(
            own.path,
            blob and blob.blob_id,
            record.log.receipts[own.path.rpartition("/")[2].removesuffix(".json")],
        )
        for own, blob in zip(record.blobs, blobs, strict=True)
    ]
    data = {blob.blob_id: blob.data for blob in blobs if blob is not None}
    return verify_record(
        record.log,
        files,
        record.scorers,
        lambda ids: map(data.__getitem__, ids),
        materials=known(record.methodologies),
    )


def make_fixture(queries: int = 100, items: int = 200, fixture_id: str = "sample-notes-v1") -> dict[str, Any]:
    """An invented fixture: every query expects one or two items; every tenth expects silence."""
    subjects = ("the spare key", "Maren's new flat", "the dentist", "the blue bicycle", "the tax letter")
    asks = (
        "Where is {0} now",
        "When did we last talk about {0}",
        "What changed about {0}",
        "Who looks after {0}",
    )
    return {
        "id": fixture_id,
        "benchmark": "sample notes",
        "description": "Invented notes for the site's tests.",
        "granularity": "turn",
        "items": [
            {
                "id": f"n{i:04d}",
                "scope": f"s{i % 4}",
                "content": f"note {i}",
                "timestamp": None,
                "metadata": {},
            }
            for i in range(items)
        ],
        "queries": [
            {
                "id": f"q{i:04d}",
                "query": f"{asks[i % 4].format(subjects[i % 5])}, and since when, as far as note {i} goes?",
                "scope": f"s{i % 4}",
                "expected": []
                if i % 10 == 9
                else [{"id": f"n{(i * 7 + j * 4) % items:04d}", "grade": 1} for j in range(1 + i % 2)],
                "answerable": i % 10 != 9,
                "category": CATEGORIES[i % 4],
                "split": "seen" if i % 2 else "reserved",
            }
            for i in range(queries)
        ],
        "license": "CC-BY-4.0",
        "source": "written for these tests",
        "notes": "",
    }


def answers(fixture: Mapping[str, Any], skill: float, seed: int, k: int = 10) -> list[dict[str, Any]]:
    """Invented answers: the first expected item stands at a place drawn by skill, the rest is filler."""
    draw = random.Random(seed)  # noqa: S311
    rows = []
    for query in fixture["queries"]:
        expected = [entry["id"] for entry in query["expected"]]
        filler = [f"n{draw.randrange(len(fixture['items'])):04d}" for _ in range(3 * k)]
        found = [item for item in dict.fromkeys(filler) if item not in expected][:k]
        for item in expected:
            if draw.random() < skill:
                found.insert(min(int(draw.expovariate(0.7)), k - 1), item)
        found = found[:k]
        rank = next((place for place, item in enumerate(found, 1) if item in expected), None)
        rows.append(
            {
                "queryId": query["id"],
                "scope": query["scope"],
                "category": query["category"],
                "split": query["split"],
                "answerable": query["answerable"],
                "expected": query["expected"],
                "retrieved": found,
                "foreign": [],
                "hit": rank is not None,
                "rank": rank,
                "latencyMs": round(1.5 + draw.random() * 3, 3),
            }
        )
    return rows


def draft_of(
    record: SampleRecord, name: str, skill: float, number: int, *, version: str, label: bool
) -> dict[str, Any]:
    rules = next(item for item in record.methodologies if item.data.version == version)
    rows = answers(record.fixture, skill, number)
    return {
        **invented_envelope(),
        "track": "retrieval",
        "methodology": rules.reference,
        "config": config(seed=7, label=label),
        **record.envelope(number),
        **payload(record.fixture, name, rows),
    }


def of_other_queries(record: SampleRecord, name: str, keep: int = 0, **changes: Any) -> str:
    """Publish a run of the same dataset whose queries, but for the first `keep`, have other ids and categories."""
    number = len(record.blobs) + 1
    rows = answers(record.fixture, 0.9, number)
    for row in rows[keep:]:
        row["queryId"] = f"other-{row['queryId']}"
        row["category"] = "other"
    draft = draft_of(record, name, 0.9, number, version="1.0.0", label=False)
    return record.add_receipt(draft | payload(record.fixture, name, rows) | changes)


def invented_envelope(tag: str | None = "v0.1.0") -> dict[str, Any]:
    """The members that the receipts of every track have, but for track, methodology, configuration, id, date and head."""
    return {
        "schemaVersion": "1.0.0",
        "benchVersion": "0.1.0",
        "ranBy": {"kind": "maintainer", "name": "sample maintainer"},
        "origin": "native",
        "environment": {
            "python": "3.11.2",
            "platform": "linux/x86_64",
            "cpu": "invented",
            "cores": 2,
            "loadAverage": 0.4,
            "runner": None,
            "containerImage": None,
            "git": {"commit": "5e" * 20, "dirty": False, "tag": tag},
            "packages": "ab" * 32,
        },
        "supersedes": None,
        "reproduces": None,
        "intentId": None,
        "derivedFrom": None,
        "evidence": [],
        "simulated": False,
    }


def config(*, seed: int, label: bool) -> dict[str, Any]:
    return {
        "k": [1, 5, 10],
        "seed": seed,
        "limit": None,
        "repeats": 1,
        "isolation": "process",
        "timeoutSeconds": 60,
        "subjectSha256": None,
        "options": {"stopwords": True} if label else {},
        "importer": None,
    }


def payload(fixture: Mapping[str, Any], name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "adapter": {
            "name": name,
            "version": "1.2.0",
            "author": "benchsite" if name in BASELINES else "sample author",
            "hosted": False,
            "network": False,
            "networkAccess": "off",
        },
        "fixture": {
            "id": fixture["id"],
            "sha256": canonical.digest(fixture),
            "n": len(fixture["items"]),
            "queries": len(fixture["queries"]),
            "scopes": 4,
            "smallestScope": 68,
            "granularity": "turn",
        },
        **score([Query.from_row(row) for row in rows], (1, 5, 10)).sections(seed=7),
        "timing": {
            "latency_p50_ms": 2.9,
            "latency_p95_ms": 4.4,
            "latency_p99_ms": 4.5,
            "latency_min_ms": 1.5,
            "latency_max_ms": 4.6,
            "percentileMethod": "nearest-rank",
            "n": len(rows),
            "first_query_ms": 9.1,
            "ingest_throughput_items_per_sec": 51234.5,
            "ingestedBytes": 12000,
            "peakRssBytes": 40_000_000,
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


def make_methodology(version: str, text: str, published: str = "2026-11-01", **changes: Any) -> Methodology:
    """A short methodology document."""
    data = {
        "track": "retrieval",
        "version": version,
        "title": f"Retrieval methodology {version}",
        "published": published,
        "summary": "How a system that finds passages is scored.",
        "receiptSchema": "1.0.0",
        "measures": [
            {
                "name": "ndcg_at_k",
                "label": "nDCG@k",
                "formula": "DCG@k / ideal DCG@k",
                "words": "How near the top of the first k answers the right items stand.",
                "denominator": "queries with at least one expected item",
                "interval": "bootstrap",
                "cut": "every k",
            }
        ],
        "engine": "retrieval/1",
        "parameters": PARAMETERS,
        "changes": [{"type": "added", "text": "First version."}],
        "references": [],
        **changes,
    }
    words = "".join(f"{key}: {json.dumps(data[key])}\n" for key in data if key not in parameters.KEYS)
    members = {key: data[key] for key in parameters.KEYS}
    files = {
        DATA_FILE: words.encode(),
        PARAMETERS_FILE: json.dumps(members).encode(),
        TEXT_FILE: text.encode(),
    }
    return Methodology(MethodologyData.model_validate(data), text, digest(files), files)


def log_lines(record: SampleRecord) -> list[Any]:
    """The decoded entries, for tests that look at them."""
    return [decode_entry(entry) for entry in record.entries]
