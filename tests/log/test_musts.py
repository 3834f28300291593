"""The table of what the specifications demand names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("MUSTS.md").read_text(encoding="utf-8")
ROWS = [row.strip("| ").split(" | ") for row in TABLE.splitlines() if row.startswith("| ")][1:]
NAMED = sorted(set(re.findall(r"`(tests/[^`:]+)::([^`]+)`", TABLE)))


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_exists(path: str, name: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert (f"\ndef {name}(" if path.endswith(".py") else f'\ntest("{name}",') in text


def test_every_row_has_its_test_or_says_why_not() -> None:
    assert len(ROWS) > 25
    assert [row for row in ROWS if len(row) != 3 or not re.match(r"`tests/|none: ", row[2])] == []
