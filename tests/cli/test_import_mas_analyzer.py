"""Experiments of MAS_Analyzer from the command line: folders in, a draft per system and a report out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from mas_tree_files import FIGURES, write_tree
from publishing import git

from benchsite import canonical

TOTALS = {
    "sas": (10, 1, 5477.2, 5, 0, 1, 14, 14825.932),
    "only-voting": (7, 0, 19379.2857, 19, 0, 5, 50, 57399.375),
    "fully-linked-debate": (10, 4, 6971.2, 6.1, 0, 5, 27.2, 29078.633),
    "orchestrator-with-discussion": (2, 0, 19738.5, 17, 5, 8, 50, 48448.285),
}
"""The README of `shared/data/mas_analyzer`: tasks, success and means that follow from the traces there."""
SUMMARIES = {
    "sas": (10, 1, 5477.2, 5, 0, 1, 14, 14825.932),
    "fully_linked_debate": (10, 4, 6971.2, 6.1, 0, 5, 27.2, 29078.633),
    "group_chat_debate": (10, 4, 17731.4, 14, 1, 9, 49.6, 49340.537),
    "orchestrator_no_discussion": (10, 1, 24541, 21.5, 5.6, 9.6, 60.4, 55005.765),
    "orchestrator_tree_structure": (10, 4, 29430.6, 25.2, 6.8, 12, 75, 59096.653),
}
"""The same of the summaries there that have all ten rows."""
NAMES = (
    *("tasks", "success", "tokens", "tool_calls_with_sends", "communication"),
    *("handoffs", "steps", "latency_ms"),
)


def imported(benchsite: Run, root: Path, path: Path, *more: str) -> tuple[dict[str, dict[str, Any]], Any]:
    ran = benchsite("import", "mas-analyzer", path, "--json", *more, cwd=root)
    assert ran.code == 0, ran.err
    drafts = [json.loads(path.read_bytes()) for path in (root / ".benchsite/drafts").glob("*.json")]
    return {draft["system"]["name"]: draft for draft in drafts}, json.loads(ran.out)


def test_each_system_becomes_a_draft(benchsite: Run, new: Path, tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "runs")
    drafts, report = imported(benchsite, new, tree, "--model", "m-1", "--source", "https://example.org/x")
    assert drafts.keys() == {"solo", "team"}
    solo = drafts["solo"]
    assert (solo["origin"], solo["benchmark"]["tasks"], solo["benchmark"]["publish"]) == (
        "import",
        2,
        "redacted",
    )
    assert solo["system"] | {"prompts": None} == {
        "name": "solo",
        "version": "20260102T030405Z",
        "kind": "single-agent",
        "sizes": {},
        "models": {"default": {"requested": "m-1", "responded": None}},
        "prompts": None,
    }
    data = (tree / "shop/solo/t_1/run_0.eval.json").read_bytes()
    assert len(solo["config"]["source"]["files"]) == 6
    assert solo["config"]["source"]["files"][0] == {
        "name": "shop/solo/t_1/run_0.eval.json",
        "sha256": canonical.sha256_hex(data),
        "size": len(data),
    }
    runs = solo["runs"]
    assert (runs["taskId"], runs["outcome"]) == (["t-1", "t-2"], ["failure", "success"])
    assert (runs["tokens"], runs["toolCalls"], runs["latencyMs"]) == ([57, 57], [1, 1], [290.5, 290.5])
    assert (runs["handoffs"], runs["turns"]) == ([1, 1], [2, 2])
    assert {"costUsd", "latencyWallMs"}.isdisjoint(runs)
    assert [one["totals"] for one in report["found"][0]["perTask"]] == [[FIGURES], [FIGURES]]
    assert [one["taskList"] for one in report["found"]] == [one["target"] for one in report["runs"]]
    assert "1 of 1 successful run expect no action" in " ".join(report["runs"][0]["notes"])


def test_no_path_of_a_machine_is_kept_and_columns_follow_from_traces(
    benchsite: Run, new: Path, tmp_path: Path
) -> None:
    imported(benchsite, new, write_tree(tmp_path / "runs"))
    kept = b"".join(path.read_bytes() for path in (new / ".benchsite").rglob("*") if path.is_file())
    assert b"x.txt" in kept
    assert b"/Users" not in kept
    assert str(tmp_path).encode() not in kept
    for draft in (new / ".benchsite/drafts").glob("*.json"):
        ran = benchsite("rescore", "--evaluate", "--json", draft, cwd=new)
        (found,) = json.loads(ran.out)["receipts"]
        assert (ran.code, found["rescore"]) == (0, "MATCHES")
        assert [step["state"] for step in found["further"]] == ["pass", "pass", "not checked"]


def test_a_licensed_import_is_published_and_verified(benchsite: Run, begun: Path, tmp_path: Path) -> None:
    imported(benchsite, begun, write_tree(tmp_path / "runs"), "--license", "CC0-1.0")
    for made in (begun / ".benchsite/fixtures").iterdir():
        shutil.move(made, begun / "fixtures")
    git(begun, "add", "fixtures")
    git(begun, "commit", "-qm", "lists of tasks")
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }
    ran = benchsite("publish", "--yes", cwd=begun, **keys)
    assert ran.code == 0, ran.err
    for command in (("verify", "--all"), ("audit",)):
        found = benchsite(*command, cwd=begun)
        assert found.code == 0, (command, found.out, found.err)


def test_what_is_skipped_is_said_and_an_empty_folder_leaves_nothing(
    benchsite: Run, new: Path, tmp_path: Path
) -> None:
    tree = write_tree(tmp_path / "runs")
    trace = tree / "shop/solo/t_2/run_0.trace.jsonl"
    trace.write_bytes(trace.read_bytes()[:-30])
    (tree / "shop/other").mkdir()
    (tree / "shop/other/summary.csv").write_text("task_id,system_label\nt_1,other\n")
    ran = benchsite("import", "mas-analyzer", tree, cwd=new)
    assert ran.code == 0, ran.err
    for line in (
        "found     solo on shop: 1 run of 1 task, 0 successful -> mas-shop-1-",
        "skipped   shop/solo/t_2/run_0: shop/solo/t_2/run_0.trace.jsonl line 10: ",
        "summary   shop/other/summary.csv states 1 task, none of them with a run here",
    ):
        assert line in ran.out
    shutil.rmtree(new / ".benchsite")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "absent", trace):
        refused = benchsite("import", "mas-analyzer", path, cwd=new)
        assert refused.code == 4
        assert "hint: " in refused.err
    assert not (new / ".benchsite").exists()


def test_every_total_of_the_published_runs_is_met(benchsite: Run, new: Path, shared: Path) -> None:
    tree = shared / "data/mas_analyzer"
    if not tree.is_dir():
        pytest.skip("the transcribed runs of MAS_Analyzer are not at hand")
    drafts, report = imported(benchsite, new, tree)
    found = {one["system"]: one["totals"] for one in report["found"]}
    assert found.keys() == TOTALS.keys() == drafts.keys()
    for name, expected in TOTALS.items():
        assert [found[name][key] for key in NAMES] == pytest.approx(expected, abs=6e-4), name
        runs = drafts[name]["runs"]
        assert len(runs["taskId"]) == expected[0]
        assert runs["outcome"].count("success") == expected[1]
        assert sum(runs["tokens"]) / expected[0] == pytest.approx(expected[2], abs=6e-4)
        assert sum(runs["steps"]) / expected[0] == expected[6]
    summaries = {one["path"].split("/")[-2]: one["totals"] for one in report["summaries"]}
    for name, expected in SUMMARIES.items():
        assert [summaries[name][key] for key in NAMES] == pytest.approx(expected, abs=6e-4), name
    assert report["skipped"] == []
    notes = [note for run in report["runs"] for note in run["notes"]]
    assert not [note for note in notes if "state otherwise" in note]
