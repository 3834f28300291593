"""`benchsite export` from the command line: what it writes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run


def test_an_empty_record_is_a_table_without_rows(benchsite: Run, begun: Path) -> None:
    ran = benchsite("export", "--csv", "all.csv", "--jsonl", "all.jsonl", cwd=begun)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "wrote all.csv: 0 rows from 0 receipts, log size 3\n"
        "wrote all.jsonl: 0 rows from 0 receipts, log size 3\n"
    )
    assert (begun / "all.csv").read_text().startswith("receiptId,track,target,")
    assert (begun / "all.jsonl").read_bytes() == b""
    told = json.loads(benchsite("export", "--at", "2", "--csv", "two.csv", "--json", cwd=begun).out)
    assert (told["files"], told["receipts"], told["excluded"], told["size"]) == (
        [{"path": "two.csv", "rows": 0, "receipts": 0}],
        0,
        0,
        2,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to write"),
        (("--at", "3"), "nothing to write"),
        (("--trec", "x.run"), "--trec, --qrels, --longmemeval, --atif and --otel need a receipt"),
        (
            ("0f1e2d3c", "--csv", "x.csv"),
            "RECEIPT goes with --trec, --qrels, --longmemeval, --atif and --otel only",
        ),
        (
            ("0f1e2d3c", "--trec", "x.run", "--csv", "x.csv"),
            "RECEIPT goes with --trec, --qrels, --longmemeval, --atif and --otel only",
        ),
        (("--csv", "x.csv", "--at", "0"), "--at"),
        (("--csv", "x.csv", "--at", "99"), "the log has 3 entries: no size 99"),
    ],
)
def test_what_does_not_go_together_is_refused(
    benchsite: Run, begun: Path, arguments: tuple[str, ...], said: str
) -> None:
    ran = benchsite("export", *arguments, cwd=begun)
    assert ran.code == 2
    assert said in ran.err
    assert not (begun / "x.csv").exists()


def test_outside_an_instance_there_is_no_record_to_export(benchsite: Run, tmp_path: Path) -> None:
    ran = benchsite("export", "--csv", "x.csv", cwd=tmp_path)
    assert ran.code == 5
    assert not (tmp_path / "x.csv").exists()
