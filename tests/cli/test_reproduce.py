from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import pytest
from commands import Run

ADAPTER = """\
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    method, result = request["method"], None
    if method == "initialize":
        result = {"name": "stranger", "version": "1.0", "author": "tests"}
    if method == "ingest":
        known = [item["id"] for item in request["params"]["items"]]
    if method == "query":
        start = int(open(ANSWER).read())
        result = {"hits": [[name, 1.0, "x"] for name in known[start : start + 10]]}
    print(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": result}), flush=True)
    if method == "shutdown":
        break
"""
SEEDS = {
    f"BENCHSITE_{role}_KEY": base64.b64encode(bytes([place + 1]) * 32).decode()
    for place, role in enumerate(("ROOT", "RECEIPT", "LOG"))
}
ONE = ("--fixture", "three-notebooks-v1", "--limit", "25")


@pytest.fixture
def root(benchsite: Run, new: Path) -> Path:
    assert benchsite("keys", "init", cwd=new, **SEEDS).code == 0
    return new


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    """The place, in its scope, of the first of ten items that the adapter answers every question with."""
    path = tmp_path / "answer.txt"
    path.write_text("0")
    return path


@pytest.fixture
def adapter(tmp_path: Path, answer: Path) -> str:
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER.replace("ANSWER", repr(str(answer))))
    return f"command:{sys.executable} {path}"


@pytest.mark.stories
def test_reproduce_ends_with_0_where_all_is_the_same_and_with_3_where_it_is_not(
    benchsite: Run, root: Path, adapter: str, answer: Path
) -> None:
    ran = benchsite("run", "retrieval", "--adapter", adapter, *ONE, "--publish", "--json", cwd=root, **SEEDS)
    assert ran.code == 0, ran.err
    (receipt,) = json.loads(ran.out)["published"]
    same = benchsite("reproduce", receipt, "--adapter", adapter, cwd=root)
    assert (same.code, same.err) == (0, "")
    assert same.out.startswith("identical: all ")
    answer.write_text("10")
    other = benchsite("reproduce", receipt, "--adapter", adapter, cwd=root)
    assert other.code == 3
    assert "different results: 25 queries" in other.out
    assert "  and 5 more" in other.out
    as_json = benchsite("reproduce", receipt, "--adapter", adapter, "--publish", "--json", cwd=root, **SEEDS)
    assert as_json.code == 3
    row = json.loads(as_json.out)
    assert (row["receiptId"], row["identical"]) == (receipt, False)
    assert (row["queries"]["count"], len(row["queries"]["first"])) == (25, 20)
    assert row["published"] == [row["reproduction"]]
    assert {item["field"] for item in row["differences"]} <= {
        f"scores.{name}" for name in _scores(root, receipt)
    }


def test_an_unknown_receipt_is_a_usage_error(benchsite: Run, root: Path) -> None:
    ran = benchsite("reproduce", "0f8fad5b", cwd=root)
    assert ran.code == 2
    assert "no receipt named '0f8fad5b'" in ran.err


@pytest.mark.stories
def test_register_says_where_the_announcement_stands(benchsite: Run, root: Path) -> None:
    command = ("run", "retrieval", "--adapter", "random", *ONE, "--register")
    missing = benchsite(*command, cwd=root)
    assert missing.code == 5
    assert "no log key" in missing.err
    dry = benchsite(*command, "--dry-run", cwd=root)
    assert (dry.code, json.loads(benchsite("log", "head", "--json", cwd=root).out)["size"]) == (0, 3)
    assert benchsite(*command, "--due", "3", "--dry-run", cwd=root).code == 2, "3 entries are there already"
    assert benchsite(*command, "--due", "4", "--dry-run", cwd=root).code == 0
    said = benchsite(*command, cwd=root, BENCHSITE_LOG_KEY=SEEDS["BENCHSITE_LOG_KEY"])
    assert said.code == 0, said.err
    assert (
        "registered random on three-notebooks-v1: entry 3 of the log, not public: "
        "readers cannot verify that it precedes the run" in said.out
    )
    row = json.loads(benchsite(*command, "--json", cwd=root, **SEEDS).out)["runs"][0]
    assert (row["intent"]["index"], row["intent"]["public"]) == (4, False)


def _scores(root: Path, receipt: str) -> dict[str, float]:
    path = root / f"results/published/{receipt[:2]}/{receipt}.json"
    scores: dict[str, float] = json.loads(path.read_bytes())["scores"]
    return scores
