"""The shared vectors of `tests/vectors`, and third-party ones, in every engine; Python's own tests read the same files."""

from __future__ import annotations

import json
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from parity.engines import Engine

from benchsite.errors import BenchsiteError
from benchsite.log.checkpoint import open_checkpoint
from benchsite.log.entries import decode_entry
from benchsite.log.log import replay
from benchsite.log.segments import place
from benchsite.methodology import parameters

LOG = "log"


def load(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def b64(data: bytes | str) -> str:
    return b64encode(data.encode() if isinstance(data, str) else data).decode()


def expand(segments: list[Any]) -> bytes:
    """Bytes as tests/vectors/json/README.md writes them."""
    return b"".join(
        bytes.fromhex(part) if isinstance(part, str) else bytes.fromhex(part[0]) * part[1]
        for part in segments
    )


def raw(row: Any, name: str) -> str:
    """A note or an entry in base64, however its vector spells it."""
    if isinstance(row, str):
        return b64(row)
    return b64(bytes.fromhex(row[f"{name}Hex"]) if f"{name}Hex" in row else row[name])


def refusal(read: Callable[..., object], *items: str) -> dict[str, str]:
    """The words in which Python refuses, as the probe says JavaScript's."""
    with pytest.raises(BenchsiteError) as caught:
        read(*map(b64decode, items))
    return {"refused": caught.value.message}


def test_json_accepted(engine: Engine, vectors: Path):
    rows = load(vectors / "json", "accept.json") + load(vectors / "json", "canonical.json")["documents"]
    found = engine.ask("json", [b64(expand(row["input"])) for row in rows])
    wrong = [
        row["name"] for row, got in zip(rows, found, strict=True) if got != b64(expand(row["canonical"]))
    ]
    assert (len(rows) > 50, wrong) == (True, [])


@pytest.mark.stories
def test_json_rejected(engine: Engine, vectors: Path):
    rows = load(vectors / "json", "reject.json")
    found = engine.ask("json", [b64(expand(row["input"])) for row in rows])
    wrong = [
        (row["name"], got)
        for row, got in zip(rows, found, strict=True)
        if isinstance(got, str) or got[:2] != [row["reason"], row["offset"]]
    ]
    assert (len(rows) > 50, wrong) == (True, [])


def test_numbers(engine: Engine, vectors: Path):
    rows = load(vectors / "json", "canonical.json")["numbers"]
    bits = b"".join(bytes.fromhex(row["ieee754"]) for row in rows)
    assert len(struct.unpack(f">{len(rows)}d", bits)) > 20
    found = engine.one("doubles", {"bits": b64(bits), "whole": True}).split("\n")
    assert found == [row.get("reason") or row["canonical"] for row in rows]


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_published_jcs_pairs(engine: Engine, shared: Path, name: str):
    folder = shared / "vectors" / "jcs"
    expected = bytes.fromhex((folder / "outhex" / f"{name}.txt").read_text())
    assert engine.one("json", b64((folder / "input" / f"{name}.json").read_bytes())) == b64(expected)


def test_roots(engine: Engine, vectors: Path):
    rows = load(vectors / LOG, "merkle.json")["roots"]
    logs = [[f'{{"n":{place}}}' for place in range(row["size"])] for row in rows]
    assert engine.ask("root", logs) == [row["root"] for row in rows]


@pytest.mark.parametrize("kind", ["inclusion", "consistency"])
def test_proofs(engine: Engine, vectors: Path, kind: str):
    rows = load(vectors / LOG, "merkle.json")[kind]
    assert {row["valid"] for row in rows} == {True, False}
    assert engine.ask(kind, rows) == [row["valid"] for row in rows]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("inclusion", {"leafHash": "leafHash", "index": "leafIdx", "size": "treeSize", "root": "root"}),
        ("consistency", {"oldSize": "size1", "newSize": "size2", "oldRoot": "root1", "newRoot": "root2"}),
    ],
)
def test_third_party_proofs(engine: Engine, shared: Path, kind: str, names: dict[str, str]):
    rows = load(shared / "vectors" / "rfc6962", f"{kind}.json")
    asked = [
        {own: row[theirs] for own, theirs in names.items()} | {"proof": row["proof"] or []} for row in rows
    ]
    assert engine.ask(kind, asked) == [not row["wantErr"] for row in rows]


def test_checkpoints(engine: Engine, vectors: Path):
    table = load(vectors / LOG, "checkpoint.json")
    reader = {"origin": table["origin"], "keys": table["keys"]}
    rows = [*table["valid"], *table["invalid"]]
    keys = [b64decode(key) for key in table["keys"]]
    expected = [[row["size"], row["root"]] for row in table["valid"]] + [
        refusal(lambda note: open_checkpoint(note, origin=table["origin"], keys=keys), raw(row, "note"))
        for row in table["invalid"]
    ]
    found = engine.ask("checkpoint", [{"note": raw(row, "note"), **reader} for row in rows])
    assert [
        (row["name"], got) for row, want, got in zip(rows, expected, found, strict=True) if got != want
    ] == []


def test_entries(engine: Engine, vectors: Path):
    table = load(vectors / LOG, "entries.json")
    valid = engine.ask("entry", [b64(row["entry"]) for row in table["valid"]])
    assert valid == [[b64(row["entry"]), row["leafHash"]] for row in table["valid"]]
    found = engine.ask("entry", [raw(row, "entry") for row in table["invalid"]])
    wrong = [
        (row["name"], got, expected)
        for row, got in zip(table["invalid"], found, strict=True)
        if got != (expected := refusal(decode_entry, raw(row, "entry")))
    ]
    assert (len(found) > 20, wrong) == (True, [])


def test_key_events(engine: Engine, vectors: Path):
    table = load(vectors / LOG, "key-events.json")
    rows = [*table["valid"], *table["invalid"]]
    reader = {"origin": table["origin"], "roots": table["roots"]}
    asked = [{"entries": [raw(entry, "entry") for entry in row["entries"]], **reader} for row in rows]
    found = engine.ask("keyring", asked)
    manifests = [json.loads(got) for got in found[: len(table["valid"])]]
    assert manifests == [row["manifest"] for row in table["valid"]]
    wrong = [
        (item["name"], got, expected)
        for item, row, got in zip(
            table["invalid"], asked[len(manifests) :], found[len(manifests) :], strict=True
        )
        if got != (expected := _placed(item["at"], refusal(partial(_replayed, reader), *row["entries"])))
    ]
    assert wrong == []


def _placed(index: int | None, refused: dict[str, str]) -> dict[str, str]:
    """Python names the file and the line of an entry; a browser is served entries by their index."""
    if index is None:
        return refused
    return {"refused": refused["refused"].replace(place(index), f"entry {index}")}


def _replayed(reader: dict[str, Any], *entries: bytes) -> None:
    replay(entries, **reader)


REFUSED_PARAMETERS = {
    "not UTF-8": b"\xff",
    "given twice": b'{"track": "a", "track": "b"}',
    "negative zero": b'{"parameters": {"x": -0}}',
    "too large a number": b'{"parameters": {"x": 9007199254740992}}',
    "a comment": b"# no\n{}",
}


@pytest.mark.parametrize("name", REFUSED_PARAMETERS)
def test_parameters_that_are_not_strict_json_are_refused_at_the_same_byte(engine: Engine, name: str):
    data = b64(REFUSED_PARAMETERS[name])
    expected = refusal(partial(parameters.read, where="parameters.json"), data)
    said = {"refused": expected["refused"].removeprefix("parameters.json: ")}
    assert engine.one("methodology", data) == said


def test_re_scoring(engine: Engine, vectors: Path):
    """The hand-worked document is scored as by hand, and each edit of it is caught for exactly the reasons listed."""
    worked = load(vectors / "retrieval", "worked.json")["document"]
    cases = load(vectors / "retrieval", "invariants.json")["cases"]
    documents = [_edited(worked, case) for case in cases]
    found = engine.ask("rescoring", [b64(json.dumps(document)) for document in [worked, *documents]])
    assert found[0]["rescore"] == "MATCHES"
    assert found[0]["violations"] == []
    wrong = [
        (case["name"], got["violations"])
        for case, got in zip(cases, found[1:], strict=True)
        if _codes(got) != set(case["codes"])
    ]
    assert wrong == []


def _codes(rescoring: dict[str, Any]) -> set[str]:
    """As the vectors count: a number that comes out otherwise is `score-differs`, which a rescoring says apart."""
    return {code for code, _, _ in rescoring["violations"]} | (
        {"score-differs"} if rescoring["differences"] else set()
    )


def _edited(document: Any, case: dict[str, Any]) -> Any:
    """The document with a case's JSON pointers set and removed."""
    changed = json.loads(json.dumps(document))
    for pointer in [*case["set"], *case["remove"]]:
        *way, last = pointer.removeprefix("/").split("/")
        holder = changed
        for step in way:
            holder = holder[int(step) if isinstance(holder, list) else step]
        key = int(last) if isinstance(holder, list) else last
        if pointer in case["set"]:
            holder[key] = case["set"][pointer]
        else:
            del holder[key]
    return changed
