"""`benchsite verify --board`: a leaderboard recomputed from the log, and a file that states another one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Run, run_in
from examples import some

BOARD = "retrieval/three-notebooks-v1"


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Entries: three keys, the methodology, and receipts of BM25 and of two further adapters."""
    folder = tmp_path_factory.mktemp("board")
    call = run_in(folder / "home", folder)
    assert call("init", "bench").code == 0
    root = folder / "bench"
    assert call("keys", "init", "--out", folder / "kept", cwd=root).code == 0
    keys = {
        "BENCHSITE_RECEIPT_KEY_FILE": str(folder / "kept/receipt.pem"),
        "BENCHSITE_LOG_KEY_FILE": str(folder / "kept/log.pem"),
    }
    adapters = [part for name in ("bm25", "sqlite-fts5", "random") for part in ("--adapter", name)]
    ran = call(
        "run", "retrieval", *adapters, "--fixture", "three-notebooks-v1", "--publish", cwd=root, **keys
    )
    assert ran.code == 0, ran.err
    return root


@pytest.fixture
def verify(instance: Path, tmp_path: Path) -> Run:
    run = run_in(tmp_path / "home", instance)
    return lambda *arguments: run("verify", "--board", *arguments)


def stated(verify: Run) -> dict[str, Any]:
    ran = verify(BOARD, "--json")
    assert ran.code == 0, ran.out
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_the_leaderboard_is_recomputed_from_the_log(verify: Run) -> None:
    found = stated(verify)
    assert found["discrepancies"] == []
    rows = {row["name"]: (row["rankFirst"], row["rankLast"]) for row in found["statement"]["rows"]}
    assert rows == {"sqlite-fts5": (1, 1), "bm25": (None, None), "random": (None, None)}


def test_a_saved_page_is_verified_like_the_leaderboard(verify: Run, tmp_path: Path) -> None:
    page = tmp_path / "board.html"
    assert verify(BOARD, "--save", page).code == 0
    assert verify(page).code == 0


def _drop(made: dict[str, Any]) -> str:
    return str(made["rows"].pop()["receiptId"])


def _raise(made: dict[str, Any]) -> str:
    made["rows"][0]["value"] = 0.999
    return "0.999"


def _rename(made: dict[str, Any]) -> str:
    made["rows"][0]["name"] = "ours"
    return "ours"


@pytest.mark.parametrize("forge", some([_drop, _raise, _rename], gate=1))
def test_a_forged_statement_is_refused_and_its_difference_named(
    verify: Run, tmp_path: Path, forge: Callable[[dict[str, Any]], str]
) -> None:
    statement = stated(verify)["statement"]
    named = forge(statement)
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(statement))
    ran = verify(file)
    assert ran.code == 3
    (difference,) = [line for line in ran.out.splitlines() if line.startswith("✗ ")][:1]
    assert named in difference


def test_a_statement_of_fewer_entries_says_how_many_are_later(verify: Run, tmp_path: Path) -> None:
    whole = stated(verify)["statement"]["log"]["size"]
    ran = verify(BOARD, "--at", str(whole - 1), "--json")
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(json.loads(ran.out)["statement"]))
    ran = verify(file)
    assert ran.code == 0
    said = f"No receipt is missing up to entry {whole - 2}. Later entries of the log, not in this leaderboard: 1."
    assert said in ran.out


def test_before_its_first_receipt_there_is_no_leaderboard(verify: Run) -> None:
    ran = verify(BOARD, "--at", "3")
    assert ran.code == 2
    assert f"no receipt on leaderboard {BOARD} among 3 entries" in ran.err


@pytest.mark.parametrize(
    "further", [["--all"], ["--key", "key.pub"], ["--methodology", "."], ["receipt.json"]]
)
def test_options_of_receipts_are_refused(verify: Run, further: list[str]) -> None:
    ran = verify(BOARD, *further)
    assert ran.code == 2
    assert "--board takes no receipts" in ran.err
