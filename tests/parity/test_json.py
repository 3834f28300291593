"""Strict JSON and JCS: every generated document has the same bytes, or the same refusal, in every engine."""

from __future__ import annotations

from base64 import b64encode
from functools import cache

import pytest
from parity.documents import documents
from parity.engines import Engine
from parity.shrinking import shrunk

from benchsite.canonical import JsonError, Reason, dumps, loads
from benchsite.canonical.document import read_document

SEED = 20261122
REACHED = set(Reason) - {Reason.SIZE, Reason.KEY_TYPE, Reason.TYPE}


def answer(data: bytes) -> object:
    """As `json` of tests/js/probe.js."""
    try:
        return b64encode(dumps(loads(data))).decode()
    except JsonError as error:
        found = [str(error.reason), error.offset, error.message]
        return found[:1] if error.offset is None else found


@cache
def answered(count: int) -> list[tuple[bytes, object]]:
    return [(data, answer(data)) for data in documents(SEED, count)]


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.full)])
def test_the_same_bytes_or_the_same_refusal(engine: Engine, count: int):
    def given(data: bytes) -> object:
        return engine.one("json", b64encode(data).decode())

    cases = answered(count)
    answers = engine.ask("json", [b64encode(data).decode() for data, _ in cases])
    for place, ((data, expected), got) in enumerate(zip(cases, answers, strict=True)):
        if got != expected:
            least = shrunk(data, lambda less: given(less) != answer(less))
            said = f"python {answer(least)}, {engine.version} {given(least)}"
            pytest.fail(f"document {place} of seed {SEED}; least {least!r} = hex {least.hex()}: {said}")


def test_the_generator_reaches_every_refusal_and_many_documents_are_good():
    answers = [found for _, found in answered(500)]
    assert {found[0] for found in answers if isinstance(found, list)} == REACHED
    assert sum(isinstance(found, str) for found in answers) > 150


def test_python_s_way_of_reading_receipts_agrees_with_its_reference():
    for data, expected in answered(500):
        try:
            found: object = b64encode(read_document(data).data).decode()
        except JsonError as error:
            found = [str(error.reason), error.offset, error.message][: 1 if error.offset is None else 3]
        assert found == expected, data.hex()
