"""The shared vectors of strict JSON and JCS; the same files are read by tests/js."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from benchsite.canonical import MAX_BYTES, JsonError, Reason, dumps, loads
from benchsite.canonical._reader import _read_good
from benchsite.canonical._scanner import scan

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "json"


def cases(name: str, part: str | None = None) -> list[Any]:
    rows = json.loads((VECTORS / name).read_text())
    rows = rows if part is None else rows[part]
    return [pytest.param(row, id=row.get("name") or f"{row['ieee754']}") for row in rows]


def expand(segments: list[Any]) -> bytes:
    return b"".join(
        bytes.fromhex(part) if isinstance(part, str) else bytes.fromhex(part[0]) * part[1]
        for part in segments
    )


@pytest.mark.parametrize("row", [*cases("accept.json"), *cases("canonical.json", "documents")])
def test_accepted_documents_have_this_canonical_form(row):
    document, canonical = expand(row["input"]), expand(row["canonical"])
    value = scan(document, max_bytes=MAX_BYTES)
    assert dumps(value) == canonical
    assert repr(_read_good(document)) == repr(value)
    assert dumps(loads(canonical)) == canonical


@pytest.mark.parametrize("row", cases("reject.json"))
def test_rejected_documents_fail_for_this_reason_at_this_byte(row):
    with pytest.raises(JsonError) as caught:
        loads(expand(row["input"]))
    assert (caught.value.reason, caught.value.offset) == (row["reason"], row["offset"])
    if row["reason"] != Reason.SIZE:
        with pytest.raises((ValueError, RecursionError)):
            _read_good(expand(row["input"]))


@pytest.mark.parametrize("row", cases("canonical.json", "numbers"))
def test_doubles_are_written_as_ecmascript_does_or_refused(row):
    (number,) = struct.unpack(">d", bytes.fromhex(row["ieee754"]))
    if "reason" in row:
        with pytest.raises(JsonError) as caught:
            dumps(number)
        assert caught.value.reason == row["reason"]
    else:
        assert dumps(number) == row["canonical"].encode()
        assert float(loads(dumps(number))) == number


def test_every_reason_a_document_can_be_refused_for_has_a_vector():
    only_in_values = {Reason.FLOAT_RANGE, Reason.KEY_TYPE, Reason.TYPE}
    seen = {row["reason"] for row in json.loads((VECTORS / "reject.json").read_text())}
    assert seen == set(Reason) - only_in_values


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_published_jcs_pairs(shared, name):
    folder = shared / "vectors" / "jcs"
    value = loads((folder / "input" / f"{name}.json").read_bytes())
    assert dumps(value) == bytes.fromhex((folder / "outhex" / f"{name}.txt").read_text())
    assert dumps(value) == (folder / "output" / f"{name}.json").read_bytes()
