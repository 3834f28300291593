"""Whole receipts, true and forged: the same steps, verdict, failing field, differences and violations everywhere."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from documents import MATERIALS, packaged
from parity.engines import Engine
from parity.findings import found, parted
from parity.forged import Document, forgeries, signed
from rubric_receipts import SIX, Said, draft
from sample_record import SampleRecord, key, make_fixture

from benchsite import canonical, plugins
from benchsite.canonical import loads
from benchsite.history import Verdict, examine

SEED: Final = 1
EVERY: Final = 0
KEY: Final = key(2)
VECTORS: Final = Path(__file__).resolve().parents[1] / "vectors" / "retrieval" / "worked.json"


def sample() -> Document:
    record = SampleRecord(make_fixture(8), [packaged("retrieval", "1.0.0")])
    record.publish("fair", 0.6)
    return json.loads(record.blobs[0].data)


def worked() -> Document:
    """An envelope around the hand-worked numbers: grades, a time-out, an abstention, two categories."""
    return signed({**sample(), **json.loads(VECTORS.read_bytes())["document"]}, KEY)


@cache
def receipts(count: int) -> list[tuple[bytes, dict[str, Any]]]:
    made = [*forgeries(sample(), KEY, SEED), *forgeries(worked(), KEY, SEED + 1)]
    assert len(made) >= 10_000
    chosen = made if count == EVERY else random.Random(SEED).sample(made, count)  # noqa: S311
    return [(data, answer(data)) for data in (forge() for forge in chosen)]


def answer(data: bytes) -> dict[str, Any]:
    return found(
        examine(data, log=None, scorers=plugins.tracks(), materials=MATERIALS, supplied_key=KEY.public)
    )


def compare(engine: Engine, cases: list[tuple[bytes, dict[str, Any]]]) -> None:
    asked = [{"bytes": b64encode(data).decode(), "key": KEY.public.hex()} for data, _ in cases]
    wrong = [
        (data, parted(expected, got))
        for (data, expected), got in zip(cases, engine.ask("receipt", asked), strict=True)
        if got != expected
    ]
    if wrong:
        data, parts = min(wrong, key=lambda one: len(one[0]))
        pytest.fail(
            f"{len(wrong)} of {len(cases)} differ; (part, python, {engine.version}): {parts} for {data!r}"
        )


@pytest.mark.parametrize("count", [200, pytest.param(EVERY, marks=pytest.mark.full)])
@pytest.mark.stories
def test_forged_receipts(engine: Engine, count: int):
    compare(engine, receipts(count))


@pytest.mark.stories
def test_the_forgeries_fail_at_every_step_and_some_are_only_wrong():
    seen = [expected for _, expected in receipts(200)]
    failed = {name for one in seen for name, state, _, _ in one["steps"] if state == "fail"}
    assert {"parse", "schema", "signature", "re-score", "invariants"} <= failed
    verdicts = {one["verdict"] for one in seen}
    assert {Verdict.INVALID, Verdict.UNKNOWN_SIGNER} <= verdicts
    assert verdicts <= {Verdict.INVALID, Verdict.UNKNOWN_SIGNER, Verdict.UNSUPPORTED}
    assert sum(len(one["differences"]) > 0 for one in seen) > 20
    assert sum(one["rescore"] == "MATCHES" for one in seen) > 20


def test_a_receipt_of_schema_0_0_1(engine: Engine, shared: Path):
    path = shared / "data" / "przm_receipt_b12b9a56.json"
    if not path.is_file():
        pytest.skip("RECEIPT OF SCHEMA 0.0.1 NOT COMPARED: it is not in the third-party material")
    document = loads(path.read_bytes())
    assert isinstance(document, dict)
    made = [*forgeries({**document, "perQuery": document["perQuery"][:4]}, KEY, SEED)]  # type: ignore[index,call-overload]
    chosen = random.Random(SEED).sample(made, 150)  # noqa: S311
    compare(engine, [(data, answer(data)) for data in [path.read_bytes(), *(forge() for forge in chosen)]])


def evaluated() -> list[Document]:
    """One sheet with a penalty and an averaged scenario; three sessions of two evaluators, with intervals."""
    averaged = Said(domain=([(5, 4, 4), (2, 2, 1)], (3, 3, 2), (4, 4, 5), (2, 1, 3), (5, 5, 5)))
    return [signed(draft("1.3.0", (averaged,)), KEY), signed(draft("2.0.0", SIX), KEY)]


@cache
def evaluations(count: int) -> list[tuple[bytes, dict[str, Any]]]:
    one, six = evaluated()
    made = [*forgeries(one, KEY, SEED), *forgeries(six, KEY, SEED + 1)]
    chosen = made if count == EVERY else random.Random(SEED).sample(made, count)  # noqa: S311
    honest = [canonical.dumps(document) for document in (one, six)]
    return [(data, answer(data)) for data in (*honest, *(forge() for forge in chosen))]


@pytest.mark.parametrize("count", [150, pytest.param(EVERY, marks=pytest.mark.full)])
@pytest.mark.stories
def test_forged_rubric_receipts(engine: Engine, count: int):
    compare(engine, evaluations(count))


@pytest.mark.stories
def test_the_forged_rubric_receipts_are_of_every_outcome():
    seen = [expected for _, expected in evaluations(150)]
    failed = {name for one in seen for name, state, _, _ in one["steps"] if state == "fail"}
    assert {"parse", "schema", "signature", "re-score", "invariants"} <= failed
    assert [one["rescore"] for one in seen[:2]] == ["MATCHES", "MATCHES"]
    assert any(one["differences"] for one in seen)
