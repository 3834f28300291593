"""The measurements of tests/bench run: at their smallest size, and for nothing they print in seconds."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

BENCH = Path(__file__).with_name("bench")
MEASUREMENTS = sorted(path.stem for path in BENCH.glob("bench_*.py"))


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_every_measurement_imports(name: str) -> None:
    assert callable(importlib.import_module(f"tests.bench.{name}").main)


def test_publishing_more_drafts_starts_no_more_git_and_verifies_no_more_signatures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bench = importlib.import_module("tests.bench.bench_publish")
    bench.main([1, 3], rounds=1)
    table = capsys.readouterr().out.splitlines()
    rows = {(row["drafts"], row["from"], row["remote"]): row for row in json.loads(table[-1])}
    assert len(rows) == len(table) - 2 == 8
    for place in ("own", "inbox"):
        for remote in (False, True):
            one, three = rows[1, place, remote], rows[3, place, remote]
            assert 0 < one["git"] == three["git"]
            assert three["signatures"] - one["signatures"] == 2, (
                "each new receipt's signature is verified once"
            )
