"""Python and JavaScript state the same leaderboard of the same history, and name the same forgeries, in the same words.

One node process verifies all histories of a test. Each is a file that carries the log and every receipt.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from histories import Drawn, forged

from benchsite import canonical
from benchsite.board.discrepancies import discrepancies
from benchsite.history import differences

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="PARITY NOT RUN: node is not installed")

FOLDER = Path(__file__).parent


def answers(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    run = subprocess.run(
        ["node", "board-proof.js"], cwd=FOLDER, input=lines, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("count", [16, pytest.param(1_000, marks=pytest.mark.full)])
def test_both_state_the_same_and_name_the_same_forgeries(count: int) -> None:
    asked, expected, ways, reasons = [], [], Counter(), set()
    for number in range(count):
        drawn = Drawn(number)
        computed = drawn.statement()
        way, stated = forged(computed, random.Random(number)) if number % 2 else ("none", computed)  # noqa: S311
        found = discrepancies(stated, computed)
        assert (found == []) == (stated == computed), (number, way)
        ways[way] += stated != computed
        reasons |= {reason.split(" ")[0] for one in computed["notRanked"] for reason in one["reasons"]}
        asked.append({"trust": drawn.trust(stated), "at": None})
        expected.append((number, way, computed, found))
    for (number, way, computed, found), said in zip(expected, answers(asked), strict=True):
        assert said["statement"] is not None, (number, way, said["sentence"])
        assert [*differences(said["statement"], computed, "")] == [], (number, way)
        assert canonical.digest(said["statement"]) == canonical.digest(computed), (number, way)
        there = [
            (one["kind"], one["receiptId"], one["field"], one["message"]) for one in said["discrepancies"]
        ]
        assert there == [(one.kind, one.receipt_id, one.field, one.message) for one in found], (number, way)
        assert said["state"] == ("different" if found else "whole"), (number, way)
    # A sample without forgeries and exclusions would show nothing.
    assert sum(ways.values()) >= count // 8, ways
    assert len(reasons) >= 4, reasons
