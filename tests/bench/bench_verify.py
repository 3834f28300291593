"""Verification speed on one core: `python -m tests.bench verify`. Not a test.

Receipts of about 10 KB. Timed apart: what the gate names (parse, canonical form, schema, signature), and the whole
examination that `verify` and `build` make of every receipt (log position and re-score too).
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path

from documents import MATERIALS

from benchsite import plugins, signing
from benchsite.history import Verdict, examine
from benchsite.pipeline.record import Record
from benchsite.receipt import parse
from tests.bench.synthetic import record

RECEIPTS = 400
ROUNDS = 7


def main() -> None:
    """Measure, print, and end with one JSON line."""
    with tempfile.TemporaryDirectory() as folder:
        instance = record(Path(folder) / "instance", RECEIPTS)
        log = Record.at(instance).log
        assert log is not None
        blobs = [
            (item.path, instance.repository.blob(item.blob_id)) for item in Record.at(instance).published
        ]
    judges = plugins.tracks()
    judge = judges["retrieval"]
    key = log.keyring.in_force("receipt")
    assert key is not None

    def gate() -> None:
        for _, data in blobs:
            receipt = parse(data)
            judge.check(receipt.document)
            signature = receipt.signature or {}
            value = signing.decode_base64url(signature["value"])
            assert receipt.is_canonical
            assert signing.verify(key.public_key, receipt.signed_bytes(), value)

    def whole() -> None:
        for path, data in blobs:
            assert (
                examine(data, log=log, judges=judges, materials=MATERIALS, path=path).verdict
                is Verdict.LOGGED
            )

    seconds: dict[str, list[float]] = {"gate": [], "whole": []}
    for _ in range(ROUNDS):
        for name, work in (("gate", gate), ("whole", whole)):
            start = time.process_time()
            work()
            seconds[name].append(time.process_time() - start)
    size = statistics.mean(len(data) for _, data in blobs)
    rates = {name: len(blobs) / statistics.median(times) for name, times in seconds.items()}
    print(f"{len(blobs)} receipts of {size:,.0f} bytes, medians of {ROUNDS} rounds, one core (process time)")
    print(f"parse, canonical form, schema, signature: {rates['gate']:,.0f} receipts a second (gate: 1,500)")
    print(f"the whole examination, re-score included: {rates['whole']:,.0f} receipts a second")
    print(json.dumps({"bytes": round(size), **{name: round(rate) for name, rate in rates.items()}}))


if __name__ == "__main__":
    main()
