"""The table of what the specifications demand has every clause, and names tests that exist."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("MUSTS.md").read_text(encoding="utf-8")
ROWS = [row.strip("| ").split(" | ") for row in TABLE.splitlines() if row.startswith("| ")][1:]
NAMED = sorted(set(re.findall(r"`(tests/[^`:]+)::([^`]+)`", TABLE)))

DEMANDED = {
    # v1.0.0 with the reserved type 0x06; b3a911e of 2026-04-23
    "signed-note": {"Note": 1, "Format": 5, "Signatures": 3, "Signature types": 1, "Verifier keys": 2},
    # v1.0.0 with another recommended algorithm; c0d0289 of 2026-07-11. One is written "MUST not".
    "tlog-checkpoint": {"Note text": 3, "Signatures": 2},
    # v1.1.0-rc.1 and later wording; 01194db of 2026-06-03
    "tlog-cosignature": {
        "Format": 4,
        "Ed25519 signed message": 6,
        "ML-DSA-44 signed message": 4,
        "Additional statements": 2,
    },
    # after v0.1.0, with pruning; 1cd32db of 2026-02-05
    "tlog-tiles": {
        "Checkpoints": 2,
        "Merkle Tree": 4,
        "Partial Tiles": 4,
        "Log entries": 4,
        "Pruning": 1,
        "Retention Policies": 4,
    },
    # v1, without a tag; ab17a74 of 2026-05-22
    "tlog-proof": {"Format": 3},
}
"""How many MUST, MUST NOT, SHALL, SHALL NOT and REQUIRED a section has, its conventions left out (C2SP at 5ba5ee8)."""
WITHOUT_THE_WORD = {
    ("tlog-checkpoint", "Note text"),
    ("tlog-checkpoint", "Signatures"),
    ("tlog-tiles", "Checkpoints"),
    ("tlog-tiles", "Log entries"),
    ("tlog-proof", "Format"),
    ("tlog-proof", "Verifying a tlog proof"),
    ("RFC 6962", "2.1"),
    ("specs/log.md", "sizes"),
}


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_exists(path: str, name: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert (f"\ndef {name}(" if path.endswith(".py") else f'\ntest("{name}",') in text


def test_every_clause_has_its_row_and_no_row_is_of_another() -> None:
    clauses = {
        (document, f"{section} {number}")
        for document, sections in DEMANDED.items()
        for section, count in sections.items()
        for number in range(1, count + 1)
    }
    assert Counter((row[0], row[1]) for row in ROWS) == Counter(clauses | WITHOUT_THE_WORD)


def test_every_row_has_its_test_or_says_why_not() -> None:
    assert [row for row in ROWS if len(row) != 4 or not re.match(r"`tests/|none: .{10}", row[3])] == []
