"""Threats against the evidence of agents receipts: each row of the threat table that concerns traces and action records."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import tiny_workbench
from builders import commit
from cli.conftest import benchsite, made_once  # noqa: F401 - fixtures are found by their names here
from commands import Run

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.pipeline.workspace import Workspace
from benchsite.tracks.agents.benchmarks.workbench import literals
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.scores.scoring import score
from benchsite.tracks.agents.trace.event import Event

ATTACHMENTS = ".benchsite/attachments"


@pytest.fixture
def begun(made_once: Path, tmp_path: Path) -> Path:  # noqa: F811 - the fixture imported above
    """An instance whose log holds its three keys; they lie beside it, in `kept`."""
    shutil.copytree(made_once / "kept", tmp_path / "kept")
    return Path(shutil.copytree(made_once / "begun", tmp_path / "begun", symlinks=True))


@pytest.fixture
def draft(benchsite: Run, begun: Path, tmp_path: Path) -> Path:  # noqa: F811
    """A draft of an imported configuration that succeeds on every task, in an instance with the benchmark's data."""
    files = {"data": tiny_workbench.published(), "results": tiny_workbench.results("gpt-9_all")}
    for folder, held in files.items():
        for name, data in held.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=begun).code == 0
    made = benchsite("import", "workbench-results", "../results", "--configuration", "gpt-9_all", cwd=begun)
    assert made.code == 0, made.err
    (path,) = (begun / ".benchsite/drafts").iterdir()
    return path


def evidence(root: Path, document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    entry = next(item for item in document["evidence"] if item["name"] == name)
    lines = (root / ATTACHMENTS / entry["sha256"]).read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def pin(root: Path, document: dict[str, Any], name: str, lines: list[dict[str, Any]]) -> None:
    """Write a piece of evidence and let the draft pin it."""
    data = b"".join(canonical.dumps(line) + b"\n" for line in lines)
    entry = next(item for item in document["evidence"] if item["name"] == name)
    entry.update(sha256=canonical.sha256_hex(data), size=len(data))
    (root / ATTACHMENTS / entry["sha256"]).write_bytes(data)


def under_another_transcript(root: Path, document: dict[str, Any]) -> None:
    """Every run's trace becomes that of an agent that called no tool and met an error; the columns follow from it."""
    events = [
        Event(id="e1", actor="agent", event_type="finalize", payload={"output": "I called no tool."}),
        Event(id="e2", actor="system", event_type="error", payload={"text": "Error code: 500"}),
    ]
    heads = [line for line in evidence(root, document, "traces.jsonl") if "event_type" not in line]
    pin(root, document, "traces.jsonl", [line for head in heads for line in (head, *map(dict, events))])
    columns = traced_columns(events)
    document["runs"].update(
        {name: [value] * len(heads) for name, value in columns.items() if name in document["runs"]}
    )
    document |= score(document["tasks"], document["runs"]).sections(seed=document["config"]["seed"])


@pytest.mark.parametrize("way", ["draft", "inbox"])
def test_a_trace_that_contradicts_its_actions(
    benchsite: Run,  # noqa: F811
    begun: Path,
    draft: Path,
    tmp_path: Path,
    way: str,
):
    """Row "two pieces of evidence for one fact contradict each other": neither signed nor ranked, by either way in."""
    document = json.loads(draft.read_bytes())
    under_another_transcript(begun, document)
    data = canonical.dumps(document)
    if way == "inbox":
        commit(Workspace(begun), {f"results/inbox/{draft.name}": data})
        draft.unlink()
    else:
        draft.write_bytes(data)
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }
    where = f"results/inbox/{draft.name}" if way == "inbox" else f".benchsite/drafts/{draft.name}"
    rescored = benchsite("rescore", "--evaluate", where, cwd=begun)
    assert rescored.code == 3
    assert "MATCHES" not in rescored.out
    untrusted = ("--untrusted",) if way == "inbox" else ()
    published = benchsite("publish", *untrusted, "--yes", cwd=begun, **keys)
    assert "runs.outcome[0] recorded 'success', recomputed 'not success'" in published.out + published.err
    assert list((begun / "results/published").rglob("*.json")) == []
    if way == "inbox":
        assert benchsite("check", "--no-build", cwd=begun).code == 3


def test_actions_whose_parsing_is_not_linear(monkeypatch: pytest.MonkeyPatch):
    """Row "input whose cost is not linear in its length": f-strings are never parsed, and long records are refused."""
    benchmark = tiny_workbench.benchmark()
    monkeypatch.setattr(literals.ast, "parse", lambda *_args, **_kwargs: pytest.fail("parsed"))
    graded = benchmark.grade("calendar-002", ["f'" + "{1}" * 66_300 + "'"] * 10, None, "")
    assert [item["reason"] for item in graded.skipped] == ["a text that is computed"] * 10
    line = {"task": "a", "run": 1, "answer": None, "error": None, "skipped": [], "difference": []}
    data = canonical.dumps({**line, "actions": ["x" * 199_000] * 6}) + b"\n"
    with pytest.raises(InputError, match=r"more than 1,000,000 characters: actions\.jsonl line 1"):
        list(action_log.read(data))
