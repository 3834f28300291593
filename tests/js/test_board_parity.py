"""Python and JavaScript state the same leaderboard of the same history, and name the same forgeries, in the same words.

One node process verifies all histories of a test. Each is a file that carries the log and every receipt.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from histories import Drawn, forged
from sample_record import of_other_queries

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


@pytest.mark.parametrize("count", [25, pytest.param(1_000, marks=pytest.mark.full)])
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
    assert sum(ways.values()) >= count // 10, ways
    assert len(reasons) >= 8, reasons


def carrying(number: int) -> dict[str, Any]:
    """A page that carries a true statement."""
    drawn = Drawn(number)
    drawn.size = len(drawn.record.entries)
    return drawn.trust(drawn.statement())


def repacked(packed: str, change: Callable[[list[bytes]], list[bytes]]) -> str:
    lines = gzip.decompress(base64.b64decode(packed)).split(b"\n")
    return base64.b64encode(gzip.compress(b"\n".join(change(lines)), mtime=0)).decode()


def test_submissions_of_other_queries_are_excluded_however_many_they_are() -> None:
    drawn = Drawn(0)
    for name in ("ann", "ben", "cara", "dora", "emil", "fee"):
        of_other_queries(drawn.record, name, ranBy={"kind": "submitted", "name": name})
    drawn.size = len(drawn.record.entries)
    computed = drawn.statement()
    assert (
        sum("it shares no queries with the other receipts" in one["reasons"] for one in computed["notRanked"])
        == 6
    )
    (said,) = answers([{"trust": drawn.trust(computed), "at": None}])
    assert (said["state"], said["discrepancies"]) == ("whole", [])


def test_a_file_whose_log_or_receipts_were_altered_shows_nothing() -> None:
    """What is missing from the file could belong on the leaderboard, so nothing is said of its rows."""
    without, other, shorter, rooted, larger = (carrying(4) for _ in range(5))
    without["board"]["receipts"] = repacked(without["board"]["receipts"], lambda lines: lines[1:])
    other["board"]["receipts"] = repacked(
        other["board"]["receipts"], lambda lines: [lines[0].replace(b"maintainer", b"Maintainer"), *lines[1:]]
    )
    shorter["board"]["entries"] = repacked(shorter["board"]["entries"], lambda lines: lines[:-1])
    rooted["board"]["statement"]["log"]["root"] = "A" * 43 + "="
    larger["board"]["statement"]["log"]["size"] += 1
    said = answers([{"trust": one, "at": None} for one in (without, other, shorter, rooted, larger)])
    assert [(one["state"], one["statement"]) for one in said] == [
        *[("broken", None)] * 4,
        ("not checked", None),
    ]
    assert "was not found, so what it says cannot be shown" in said[0]["sentence"]
    assert "was not found" in said[1]["sentence"]
    assert "not those under its signed checkpoint" in said[2]["sentence"]
    assert "names root AAAA" in said[3]["sentence"]
    assert "the leaderboard is of" in said[4]["sentence"]


def test_an_earlier_size_is_recomputed_without_later_entries() -> None:
    """A receipt that is retracted later is ranked before."""
    drawn = Drawn(4)
    held = drawn.trust(drawn.statement())
    sizes = [len(drawn.record.entries) - 2, len(drawn.record.entries)]
    for size, said in zip(sizes, answers([{"trust": held, "at": size} for size in sizes]), strict=True):
        drawn.size = size
        assert said["statement"]["log"]["size"] == size
        assert canonical.digest(said["statement"]) == canonical.digest(drawn.statement())
