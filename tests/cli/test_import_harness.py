"""Results of other harnesses from the command line: one file in, a task list and a draft out, or nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from commands import Run

from benchsite import canonical

NAMED = ("--system", "my-agent", "--version", "2.1")
LIST = ".benchsite/fixtures/tau2-retail/fixture.json"


def results(*rewards: float) -> bytes:
    info = {"num_trials": 1, "agent_info": {"llm": "m"}, "environment_info": {"domain_name": "retail"}}
    tasks = [{"id": str(number)} for number in range(len(rewards))]
    runs = [
        {
            "task_id": str(number),
            "trial": 0,
            "termination_reason": "user_stop",
            "reward_info": {"reward": reward},
            "messages": [{"role": "assistant", "content": "In /home/ann/x with sk-" + "a1b2c3d4" * 4}],
        }
        for number, reward in enumerate(rewards)
    ]
    return json.dumps({"info": info, "tasks": tasks, "simulations": runs}).encode()


def imported(benchsite: Run, root: Path, data: bytes, *more: str) -> Any:
    (root.parent / "r.json").write_bytes(data)
    return benchsite("import", "tau2", "../r.json", *NAMED, *more, cwd=root)


def test_a_file_becomes_a_task_list_and_a_draft(benchsite: Run, new: Path) -> None:
    data = results(1.0, 0.0)
    ran = imported(benchsite, new, data)
    assert ran.code == 0, ran.err
    assert "replaced in texts: 2 keys, 2 absolute paths" in ran.out + ran.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    assert document["origin"] == "import"
    assert document["config"]["source"]["files"] == [
        {"name": "r.json", "sha256": canonical.sha256_hex(data), "size": len(data)}
    ]
    assert document["scores"]["success"] == 0.5
    assert document["system"]["models"]["default"]["responded"] == "m"
    assert json.loads((new / LIST).read_bytes())["evaluator"] == document["benchmark"]["evaluator"]
    kept = [draft, *(new / ".benchsite/attachments").iterdir()]
    assert not any(b"/home/ann" in path.read_bytes() or b"sk-a1" in path.read_bytes() for path in kept)
    again = imported(benchsite, new, results(1.0, 1.0))
    assert again.code == 0, again.err
    other = imported(benchsite, new, data, "--evaluator", "a person")
    assert other.code == 4
    assert "r.json: evaluator 'a person', but tau2-retail declares" in other.err
    assert (new / LIST).is_file()


def test_a_file_that_cannot_be_imported_leaves_nothing(benchsite: Run, new: Path) -> None:
    for data, said in (
        (results(1.0)[:-30], "r.json: the file ends early"),
        (b"PK\x03\x04", "r.json: must be a JSON object"),
        (results(1.0, 5.0), "r.json simulation 2: reward: must be a number from 0 to 1"),
    ):
        ran = imported(benchsite, new, data)
        assert (ran.code, said in ran.err) == (4, True), ran.err
        assert not list(new.glob(".benchsite/drafts/*"))
        assert not list(new.glob(".benchsite/fixtures/*"))
    missing = benchsite("import", "tau2", "../none.json", *NAMED, cwd=new)
    assert missing.code == 4
    assert "cannot read ../none.json" in missing.err


def test_spans_that_cannot_be_imported_leave_nothing(
    benchsite: Run, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert imported(benchsite, new, results(1.0, 0.0)).code == 0
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    assert benchsite("export", str(draft), "--otel", "../spans.jsonl", cwd=new).code == 0
    before = {path for path in new.rglob("*") if path.is_file()}
    whole = (new.parent / "spans.jsonl").read_bytes()
    for data, most, said in (
        (whole[:-20], 256_000_000, "spans.jsonl line 2: no JSON"),
        (whole, 1, "the traces of a receipt have more than 1 bytes: spans.jsonl line"),
    ):
        (new.parent / "spans.jsonl").write_bytes(data)
        monkeypatch.setattr("benchsite.tracks.agents.importers.runs.LARGEST_EVIDENCE", most)
        ran = benchsite("import", "otel", "../spans.jsonl", *NAMED, "--benchmark", "again", cwd=new)
        assert (ran.code, said in ran.err) == (4, True), ran.err
        assert {path for path in new.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("kind", "target"), [("atif", "job"), ("otel", "spans.jsonl")])
def test_what_is_exported_is_imported_with_the_same_scores(
    benchsite: Run, new: Path, kind: str, target: str
) -> None:
    assert imported(benchsite, new, results(1.0, 0.0)).code == 0
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    ran = benchsite("export", str(draft), f"--{kind}", f"../{target}", cwd=new)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"wrote ../{target}{': 4 files' if kind == 'atif' else ''}\n"
    again = benchsite("export", str(draft), f"--{kind}", f"../{target}", cwd=new)
    assert (again.code, "exists" in again.err) == (4, True)
    back = benchsite("import", kind, f"../{target}", *NAMED, "--benchmark", "again", cwd=new)
    assert back.code == 0, back.err
    first, second = (
        json.loads(path.read_bytes())
        for path in sorted(new.glob(".benchsite/drafts/*.json"), key=os.path.getmtime)
    )
    for name in ("scores", "runs"):
        assert first[name] == second[name]
    traces = [
        next(one["sha256"] for one in made["evidence"] if one["name"] == "traces.jsonl")
        for made in (first, second)
    ]
    assert traces[0] == traces[1]


def test_the_files_of_a_receipt_as_json_and_none_if_one_is_refused(benchsite: Run, new: Path) -> None:
    imported(benchsite, new, results(1.0))
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    ran = benchsite("export", str(draft), "--otel", "../x.jsonl", "--trec", "../x.run", cwd=new)
    assert (ran.code, "no export 'trec'" in ran.err) == (2, True)
    assert not (new.parent / "x.jsonl").exists()
    told = benchsite("export", str(draft), "--otel", "../x.jsonl", "--json", cwd=new)
    assert json.loads(told.out) == {"files": [{"path": "../x.jsonl", "files": 1}]}


def test_evidence_that_is_not_here_is_named(benchsite: Run, new: Path) -> None:
    imported(benchsite, new, results(1.0))
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    for path in (new / ".benchsite/attachments").iterdir():
        path.write_bytes(b"other")
    ran = benchsite("export", str(draft), "--otel", "../x.jsonl", cwd=new)
    assert (ran.code, "its content does not have this SHA-256" in ran.err) == (5, True)
    assert not (new.parent / "x.jsonl").exists()
