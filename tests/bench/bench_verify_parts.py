"""What each step of verifying one 10 KB receipt costs, in microseconds: `python tests/bench/bench_verify_parts.py`.

Prints the best of several repeats on one core; asserts nothing.
"""

from __future__ import annotations

import json
import timeit
from collections.abc import Callable

import rfc8785

from benchsite import canonical, signing
from benchsite.canonical._scanner import scan
from benchsite.signing._verify import _engine_key

UNSIGNED = frozenset({"signature"})
HEX = "0123456789abcdef" * 4


def receipt(queries: int = 32) -> dict[str, canonical.Json]:
    """A receipt's shape without meaning: 32 queries with 10 retrieved ids make about 10 KB."""
    per_query: list[canonical.Json] = [
        {
            "queryId": f"q{n:04d}",
            "scope": "conv-1",
            "category": "temporal",
            "answerable": True,
            "expected": [{"id": f"D{n}:1", "grade": 1}, {"id": f"D{n}:2", "grade": 1}],
            "retrieved": [f"D{n * 7 % 31}:{rank * 13 % 41}" for rank in range(10)],
            "foreign": [],
            "hit": n % 3 == 0,
            "rank": n % 10 or None,
            "latencyMs": (n * 37 % 101 + 1) / 7,
        }
        for n in range(queries)
    ]
    return {
        "schemaVersion": "1.0.0",
        "track": "retrieval",
        "receiptId": "b12b9a56-ea15-4f73-a6c8-89552129fd54",
        "ranAt": "2026-01-01T00:00:00Z",
        "methodology": {"id": "retrieval", "version": "1.0.0", "sha256": HEX},
        "config": {"k": [1, 5, 10], "seed": 0, "limit": None, "subjectSha256": HEX},
        "environment": {"python": "3.11.2", "cores": 2, "loadAverage": 0.25, "packages": HEX, "git": None},
        "scores": {f"nDCG@{k}": k / 11 for k in (1, 5, 10)},
        "perQuery": per_query,
        "signature": {"algorithm": "Ed25519", "publicKeyFingerprint": f"sha256:{HEX}", "value": "A" * 86},
    }


def report(name: str, step: Callable[[], object], number: int = 40) -> float:
    cost = min(timeit.repeat(step, number=number, repeat=9)) / number * 1e6
    print(f"{cost:10.1f} µs  {name}")
    return cost


def main() -> None:
    data = canonical.dumps(receipt())
    value = canonical.loads(data)
    document = canonical.document(data)
    parts = document.members()
    unsigned = canonical.join(parts, without=UNSIGNED)
    key = signing.PrivateKey.generate()
    signature = key.sign(unsigned)
    receipt_steps: dict[str, Callable[[], object]] = {
        "canonical.document": lambda: canonical.document(data),
        "Document.members": document.members,
        "canonical.join, unsigned": lambda: canonical.join(parts, without=UNSIGNED),
        "canonical.sha256_hex": lambda: canonical.sha256_hex(data),
        "signing.verify, known key": lambda: signing.verify(key.public, unsigned, signature),
    }
    other_steps: dict[str, Callable[[], object]] = {
        "canonical.loads": lambda: canonical.loads(data),
        "canonical.dumps": lambda: canonical.dumps(value),
        "the scanner": lambda: scan(data, max_bytes=canonical.MAX_BYTES),
        "signing.verify, new key": lambda: (
            _engine_key.cache_clear(),
            signing.verify(key.public, unsigned, signature),
        ),
        "json.loads, for scale": lambda: json.loads(data),
        "rfc8785.dumps, for scale": lambda: rfc8785.dumps(value),
    }
    print(f"receipt of {len(data)} bytes, verified:")
    total = sum(report(name, step) for name, step in receipt_steps.items())
    print(f"{total:10.1f} µs  together: {1e6 / total:,.0f} receipts a second\nand beside it:")
    for name, step in other_steps.items():
        report(name, step)


if __name__ == "__main__":
    main()
