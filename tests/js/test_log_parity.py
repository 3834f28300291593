"""Python and JavaScript read the same notes, proof files, cosignatures, keys and entries, and refuse the same others.

Each case is a good text of its kind with a few of its bytes or pieces changed; one node process answers them all.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchsite.errors import BenchsiteError
from benchsite.log import Checkpoint, Note, NoteSignature, Proof, Witness
from benchsite.log.cosignature import decode_cosignatures
from benchsite.log.entries import decode_entry
from benchsite.signing import load_public_pem, public_pem

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")

FOLDER = Path(__file__).parent
EACH = 3_000
KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
PIECES = [
    piece.encode()
    for piece in (
        *(
            "",
            " ",
            "  ",
            "\n",
            "\n\n",
            "\r",
            "\t",
            "\x00",
            "\x1f",
            "\x7f",
            "\x85",
            "\u00a0",
            "\u2028",
            "\u3000",
        ),
        *(
            "\ufeff",
            "é",
            "😀",
            "—",
            "-",
            "— ",
            "+",
            "=",
            "==",
            "A",
            "AAAAAAA=",
            "AAAAAAB=",
            "/",
            "_",
            '"',
            "\\",
            "\\u0041",
        ),
        *(
            "0",
            "1",
            "01",
            "-1",
            "1.0",
            "1e0",
            "9007199254740991",
            "9007199254740992",
            "9" * 40,
            "null",
            "true",
            "[]",
        ),
        *(
            "{}",
            ",",
            ":",
            '"v":1,',
            '"z":1,',
            "__proto__",
            "index ",
            "extra ",
            "root",
            "log",
            "receipt",
            "a.example",
        ),
    )
] + [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]


def line(found: NoteSignature) -> list[str]:
    return [found.name, found.key_id.hex(), found.signature.hex()]


def read_note(data: bytes) -> object:
    note = Note.parse(data)
    return [note.text, [line(found) for found in note.signatures]]


def read_checkpoint(data: bytes) -> object:
    found = Checkpoint.parse(lossless(data))
    return [found.origin, found.size, found.root.hex()]


def read_cosignatures(data: bytes) -> object:
    return [[found.size, line(found.line)] for found in decode_cosignatures(data)]


def read_witness(data: bytes) -> object:
    found = Witness.parse(lossless(data))
    return [found.name, found.public_key.hex(), found.key_id.hex()]


def read_proof(data: bytes) -> object:
    proof = Proof.parse(data)
    return [
        proof.index,
        proof.extra.hex(),
        [found.hex() for found in proof.hashes],
        str(proof.checkpoint),
        str(proof).encode() == data,
    ]


def read_entry(data: bytes) -> object:
    return decode_entry(data).type


def read_pem(data: bytes) -> object:
    return load_public_pem(lossless(data)).hex()


def lossless(data: bytes) -> str:
    """A text, or nothing, which every parser of texts refuses."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""


READERS: dict[str, Callable[[bytes], object]] = {
    "note": read_note,
    "checkpoint": read_checkpoint,
    "cosignatures": read_cosignatures,
    "witness": read_witness,
    "proof": read_proof,
    "entry": read_entry,
    "pem": read_pem,
}


def judged(kind: str, data: bytes) -> object:
    try:
        return READERS[kind](data)
    except BenchsiteError:
        return None


@pytest.fixture(scope="module")
def samples(vectors: Path) -> dict[str, list[bytes]]:
    def load(name: str) -> dict[str, Any]:
        return json.loads((vectors / "log" / name).read_text(encoding="ascii"))

    checkpoints = load("checkpoint.json")["valid"]
    entries = {case["entry"] for case in load("entries.json")["valid"]}
    entries |= {entry for case in load("key-events.json")["valid"] for entry in case["entries"]}
    notes = [case["note"].encode() for case in checkpoints]
    one = notes[0].split(b"\n\n")[1]
    hashes = b"A" * 43 + b"=\n" + b"/" * 42 + b"8=\n"
    return {
        "note": notes,
        "checkpoint": [note.rpartition(b"\n\n")[0] + b"\n" for note in notes],
        "cosignatures": [b"70 " + one, b"1 " + one + b"9007199254740991 " + one],
        "witness": [str(Witness(name, KEY)).encode() for name in ("a.example/w", "é", "w")],
        "proof": [
            b"c2sp.org/tlog-proof@v1\n%sindex %d\n" % ((b"", b"extra QUI=\n")[n % 2], n)
            + hashes
            + b"\n"
            + note
            for n, note in enumerate(notes)
        ],
        "entry": [entry.encode() for entry in sorted(entries)],
        "pem": [public_pem(KEY).encode(), b"\r\n" + public_pem(KEY).replace("\n", "\r\n").encode()],
    }


def mutants(good: list[bytes], random: Random) -> Iterator[bytes]:
    yield from good
    for _ in range(EACH):
        data = random.choice(good)
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            start = random.randrange(len(data) + 1)
            end = min(len(data), start + random.choice((0, 0, 1, 1, 2, 5, 20)))
            piece = random.choice(
                (random.choice(PIECES), bytes([random.randrange(256)]), data[start:end] * 2)
            )
            data = data[:start] + piece + data[end:]
        yield data


@pytest.mark.parametrize("kind", READERS)
def test_both_read_and_refuse_the_same(kind: str, samples: dict[str, list[bytes]]) -> None:
    random = Random(kind)  # noqa: S311 - cases to look at, nothing secret
    cases = list(mutants(samples[kind], random))
    asked = "".join(json.dumps([kind, data.hex()]) + "\n" for data in cases)
    run = subprocess.run(
        ["node", "log-judge.js"], cwd=FOLDER, input=asked, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    found = [json.loads(answer) for answer in run.stdout.split("\n")[:-1]]
    wanted = [judged(kind, data) for data in cases]
    assert None in wanted
    assert sum(answer is not None for answer in wanted) >= len(samples[kind])
    for data, ours, theirs in zip(cases, wanted, found, strict=True):
        assert theirs == ours, data
