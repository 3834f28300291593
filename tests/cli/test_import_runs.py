"""Runs of a researcher's own from the command line: a file and a list of tasks in, a receipt out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from publishing import git

from benchsite import canonical
from benchsite.tracks.agents.scores.scoring import score

EVALUATOR = "unit tests, run by the authors"
LIST = {
    "id": "mine",
    "evaluator": EVALUATOR,
    "license": "CC0-1.0",
    "source": "https://example.org/mine",
    "tasks": ["a", {"id": "Repo__b", "domain": "repo"}],
}
RUNS: list[dict[str, Any]] = [
    {
        "task": "a",
        "run": 1,
        "success": True,
        "tokens": 1200,
        "costUsd": 0.25,
        "toolCalls": 4,
        "latencyMs": 10,
    },
    {"task": "a", "run": 2, "score": 0.5, "error": "gave up in /home/ann/lab/x.py"},
    {"task": "Repo__b", "run": 1, "outcome": "limit", "limit": "tokens", "tokens": 9000},
    {
        "task": "repo-b",
        "run": 2,
        "outcome": "success",
        "messages": [
            {"role": "user", "content": "Fix it with sk-" + "a1b2c3d4" * 4},
            {
                "role": "assistant",
                "content": None,
                "calls": [{"tool": "edit", "arguments": {"path": "/home/ann/x.py"}}],
            },
            {"role": "tool", "content": "ok"},
            {"role": "assistant", "content": "Done."},
        ],
    },
]
NAMED = ("--benchmark", "mine", "--system", "my-agent", "--version", "2.1")


def lines(*runs: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(run).encode() + b"\n" for run in runs)


def prepared(benchsite: Run, root: Path, runs: bytes = lines(*RUNS)) -> Path:
    (root.parent / "list.json").write_text(json.dumps(LIST))
    (root.parent / "runs.jsonl").write_bytes(runs)
    made = benchsite("benchmark", "import", "task-list", "../list.json", cwd=root)
    assert made.code == 0, made.err
    return root


def imported(benchsite: Run, root: Path, *more: str) -> tuple[Path, dict[str, Any], str]:
    ran = benchsite("import", "runs", "../runs.jsonl", *NAMED, *more, cwd=root)
    assert ran.code == 0, ran.err
    (draft,) = (root / ".benchsite/drafts").glob("*.json")
    return draft, json.loads(draft.read_bytes()), ran.out + ran.err


def test_a_task_list_is_described_with_its_evaluator(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new)
    shown = benchsite("benchmark", "info", "mine", cwd=new).out
    assert f"evaluator: {EVALUATOR} (declared, not run here)" in shown
    refused = benchsite("run", "agents", "--benchmark", "mine", "--system", "null", cwd=new)
    assert refused.code == 2
    assert "benchmark mine is a task list without tools: no system can be run on it" in refused.err


def test_runs_become_a_draft_that_states_who_evaluated(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new)
    draft, document, said = imported(
        benchsite, new, "--source", "https://ann:pass9word@example.org/paper", "--model", "/home/ann/m-1"
    )
    assert document["origin"] == "import"
    assert document["benchmark"]["evaluator"] == EVALUATOR
    data = lines(*RUNS)
    assert document["config"]["source"] == {
        "kind": "runs",
        "configuration": "my-agent",
        "files": [{"name": "runs.jsonl", "sha256": canonical.sha256_hex(data), "size": len(data)}],
        "references": ["https://[redacted]@example.org/paper"],
    }
    assert document["system"]["models"] == {
        "default": {
            "requested": None,
            "responded": f"[path]/m-1-{canonical.sha256_hex(b'/home/ann/m-1')[:8]}",
        },
    }
    runs = document["runs"]
    assert runs["taskId"] == ["a", "a", "repo-b", "repo-b"]
    assert runs["outcome"] == ["success", "failure", "limit", "success"]
    assert runs["score"] == [None, 0.5, None, None]
    assert runs["completion"] == [True, False, False, True]
    assert runs["tokens"] == [1200, None, 9000, None]
    assert runs["costUsd"] == [0.25, None, None, None]
    assert runs["latencyMs"] == [10, None, None, None]
    assert runs["toolCalls"] == [4, None, None, 1]
    assert runs["steps"] == [None, None, None, 3]
    assert document["scores"]["success"] == 0.5
    assert document["denominators"]["success"] == {"den": 2, "excluded": 0}
    assert (
        f"outcomes are as the file states them, not evaluated here; declared evaluator: {EVALUATOR}" in said
    )
    assert "replaced in texts: 1 key, 2 absolute paths" in said
    kept = draft.read_bytes() + b"".join(
        path.read_bytes() for path in (new / ".benchsite/attachments").iterdir()
    )
    assert b"/home/ann" not in kept
    assert b"sk-a1b2" not in kept
    assert b"[redacted]" in kept


def test_columns_are_checked_and_outcomes_are_said_not_to_be(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new)
    draft, document, _ = imported(benchsite, new)
    for arguments in (("--evaluate",), ()):
        ran = benchsite("rescore", *arguments, "--json", draft, cwd=new)
        (found,) = json.loads(ran.out)["receipts"]
        assert (ran.code, found["rescore"]) == (0, "MATCHES")
        assert [(step["name"], step["state"]) for step in found["further"]] == [
            ("traces", "pass"),
            ("agreement", "pass"),
            ("evaluation", "not checked"),
        ]
        assert found["further"][2]["detail"] == (
            f"outcomes are as stated by the imported file; declared evaluator, not run here: {EVALUATOR}"
        )
    document["runs"]["tokens"][0] = 1
    document |= score(document["tasks"], document["runs"]).sections(seed=document["config"]["seed"])
    draft.write_bytes(canonical.dumps(document))
    altered = benchsite("rescore", draft, cwd=new)
    assert altered.code == 3
    assert "1 of 80 values differ from the traces; first runs.tokens[0]" in altered.out


def keys(folder: Path) -> dict[str, str]:
    return {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(folder / f"kept/{role}.pem") for role in ("receipt", "log")
    }


@pytest.mark.full
def test_a_receipt_with_a_declared_evaluator_is_published(
    benchsite: Run, begun: Path, tmp_path: Path
) -> None:
    prepared(benchsite, begun)
    made = benchsite("benchmark", "import", "task-list", "../list.json", "--into-repo", cwd=begun)
    assert made.code == 5, "the license must be confirmed"
    (begun / ".benchsite/fixtures/mine").rename(begun / "fixtures/mine")
    git(begun, "add", "fixtures")
    git(begun, "commit", "-qm", "a list of tasks")
    imported(benchsite, begun)
    ran = benchsite("publish", "--yes", cwd=begun, **keys(tmp_path))
    assert ran.code == 0, ran.err
    for command in (("verify", "--all"), ("audit",), ("status",), ("build",)):
        found = benchsite(*command, cwd=begun)
        assert found.code == 0, (command, found.out, found.err)
    (receipt,) = (begun / "results/published").rglob("*.json")
    (page,) = (begun / "site").glob(f"receipts/*/{receipt.stem}/index.html")
    shown = page.read_text()
    assert "Neither run nor evaluated here." in shown
    assert f"{EVALUATOR}; declared, not run here" in shown
    assert "Graded here" not in shown


@pytest.mark.parametrize("evaluator", [None, "somebody else"])
def test_another_evaluator_than_the_list_declares_is_not_signed(
    benchsite: Run, begun: Path, tmp_path: Path, evaluator: str | None
) -> None:
    prepared(benchsite, begun)
    draft, document, _ = imported(benchsite, begun)
    document["benchmark"] |= {"evaluator": evaluator}
    draft.write_bytes(canonical.dumps(document))
    refused = benchsite("publish", "--yes", cwd=begun, **keys(tmp_path))
    assert refused.code != 0
    assert not list((begun / "results/published").rglob("*.json"))


def test_runs_of_an_installed_benchmark_are_graded_here_and_published(
    benchsite: Run, begun: Path, tmp_path: Path
) -> None:
    tasks = json.loads((begun / "fixtures/arithmetic-tools/fixture.json").read_bytes())["tasks"]
    answers = [{"task": task["id"], "success": True, "answer": task["expected"]["answer"]} for task in tasks]
    answers[0]["answer"] = "no idea"
    (tmp_path / "runs.jsonl").write_bytes(lines(*answers))
    named = ("--benchmark", "arithmetic-tools", *NAMED[2:])
    ran = benchsite("import", "runs", "../runs.jsonl", *named, cwd=begun)
    assert ran.code == 0, ran.err
    assert "1 run graded other than the file states:" in ran.err
    assert "runs.jsonl line 1: success stated, no success here" in ran.err
    (draft,) = (begun / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    assert document["denominators"]["success"]["num"] == len(tasks) - 1
    assert "evaluator" not in document["benchmark"]
    found = json.loads(benchsite("rescore", "--evaluate", "--json", draft, cwd=begun).out)["receipts"][0]
    assert [step["state"] for step in found["further"]] == ["pass", "pass", "pass"]
    assert benchsite("publish", "--yes", cwd=begun, **keys(tmp_path)).code == 0


def test_a_file_that_is_refused_leaves_no_draft(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new, lines(*RUNS[:3]))
    for arguments, code, said in (
        (("../runs.jsonl", *NAMED), 4, "task repo-b has 1 run (1), but every task needs the runs 1 to 2"),
        (("../none.jsonl", *NAMED), 4, "none.jsonl"),
        (("../runs.jsonl", "--benchmark", "absent", *NAMED[2:]), 2, "no benchmark named 'absent'"),
        (
            ("../runs.jsonl", *NAMED[:2], "--system", "My Agent", "--version", "1"),
            4,
            "--system 'My Agent'",
        ),
        (("../runs.jsonl", *NAMED, "--source", "a\nb"), 4, "--source 'a\\nb': 1 to 200 characters"),
        (("../runs.jsonl", *NAMED, "--version", ""), 4, "--version '': 1 to 200 characters"),
        (("../list.json", *NAMED), 4, "list.json line 1: "),
    ):
        ran = benchsite("import", "runs", *arguments, cwd=new)
        assert (ran.code, said in ran.err) == (code, True), (arguments, ran.err)
        assert "hint: " in ran.err or "\n          " in ran.err, ran.err
    assert not list((new / ".benchsite").glob("drafts/*.json"))


def test_an_import_stops_at_the_run_that_goes_beyond_what_a_receipt_holds(
    benchsite: Run, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(benchsite, new)
    before = {path for path in new.rglob("*") if path.is_file()}
    monkeypatch.setattr("benchsite.tracks.agents.importers.runs.LARGEST_EVIDENCE", 600)
    ran = benchsite("import", "runs", "../runs.jsonl", *NAMED, cwd=new)
    assert ran.code == 4
    assert "the traces of a receipt have more than 600 bytes: runs.jsonl line 3" in ran.err
    assert "import fewer runs of each task, or the results in several parts" in " ".join(ran.err.split())
    assert {path for path in new.rglob("*") if path.is_file()} == before
