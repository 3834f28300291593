"""A receipt of imported runs on a task list: the same three levels, in the same words, in every engine."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents_receipts import context, document
from documents import MATERIALS, packaged
from mas_tree_files import write_tree
from parity.engines import Engine
from parity.findings import found
from parity.forged import signed
from parity.test_receipts import KEY, sample
from readable import Held
from sample_record import invented_envelope

from benchsite import canonical, plugins
from benchsite.history import examine
from benchsite.track import Resolved
from benchsite.tracks.agents import results
from benchsite.tracks.agents.run import runner

FURTHER = ("traces", "agreement", "evaluation")
EVALUATOR = "a person, by hand"
LISTED = {
    "track": "agents",
    "kind": "task-list",
    "id": "mine",
    "evaluator": EVALUATOR,
    "license": "CC0-1.0",
    "source": "here",
    "tasks": [{"id": "a"}, {"id": "b"}],
}
RUNS: list[dict[str, Any]] = [
    {"task": "a", "run": 1, "score": 0.5, "tokens": 12, "costUsd": 0.25, "latencyMs": 10.5, "toolCalls": 3},
    {
        "task": "a",
        "run": 2,
        "success": True,
        "messages": [{"role": "assistant", "content": "Done."}],
        "tokens": 5,
    },
    {"task": "b", "run": 1, "outcome": "limit", "limit": "tokens", "error": "x" * 20_000},
    {
        "task": "b",
        "run": 2,
        "success": True,
        "messages": [
            {"role": "assistant", "content": None, "calls": [{"tool": "t", "arguments": {"n": 1.5}}]},
            {"role": "tool", "content": "ok"},
        ],
    },
]


@pytest.mark.parametrize("altered", ["nothing", "tokens", "toolCalls"])
def test_every_engine_re_scores_imported_runs(engine: Engine, altered: str) -> None:
    data = b"".join(json.dumps(run).encode() + b"\n" for run in RUNS)
    options: dict[str, Any] = {"kind": "single-agent", "model": None, "source": ("https://example.org",)}
    made = results.formats["runs"].work(
        Held("runs.jsonl", data), benchmark="mine", system="x", version="1", **options
    )
    require_same(engine, made, json.dumps(LISTED).encode(), EVALUATOR, altered)


@pytest.mark.parametrize("altered", ["nothing", "handoffs"])
def test_every_engine_re_scores_an_imported_tree(engine: Engine, altered: str, tmp_path: Path) -> None:
    tree = write_tree(tmp_path)
    files = {path.relative_to(tree).as_posix(): path.read_bytes() for path in tree.rglob("*.json*")}
    options: dict[str, Any] = {"version": None, "model": "m", "license_text": "MIT", "source": ()}
    works = results.formats["mas-analyzer"].work(files, "x", **options).works
    evaluator = "MAS_Analyzer's own evaluation of shop, as stated in run_N.eval.json"
    for work in works:
        require_same(engine, work, work.offered, evaluator, altered)


def require_same(engine: Engine, made: Any, listed: bytes, evaluator: str, altered: str) -> None:
    """Measure imported work, and compare what each engine says of its receipt; `altered` names a column that is changed."""
    measured = runner.run(made, Resolved(None, {}, listed), context())  # type: ignore[arg-type]
    rules = packaged("agents", "1.0.0")
    envelope = {name: value for name, value in sample().items() if name in ("receiptId", "ranAt", "logHead")}
    whole = {**invented_envelope(), **envelope, **document(measured), "track": "agents"}
    whole |= {"receiptId": envelope["receiptId"], "methodology": rules.reference}
    if altered != "nothing":
        whole["runs"][altered][0] += 1
    data_of_receipt = canonical.dumps(signed(whole, KEY))
    held = {canonical.sha256_hex(item.data): item.data for item in measured.evidence}
    shallow, deep = (
        found(
            examine(
                data_of_receipt,
                log=None,
                scorers=plugins.tracks(),
                materials=replace(MATERIALS, evidence=held.get),
                supplied_key=KEY.public,
                deep=is_deep,
            )
        )
        for is_deep in (False, True)
    )
    given = [base64.b64encode(one).decode() for one in held.values()]
    asked = {"bytes": base64.b64encode(data_of_receipt).decode(), "key": KEY.public.hex(), "given": given}
    said = engine.one("receipt", asked)
    further = [step for step in deep["steps"] if step[0] in FURTHER]
    told = [step for step in (*shallow["steps"], *further) if step[0] != "re-score"]
    assert [step for step in said["steps"] if step[0] != "re-score"] == told
    assert (said["verdict"], said["rescore"], said["violations"]) == (
        "UNKNOWN SIGNER",
        "MATCHES" if altered == "nothing" else "DIFFERS",
        [],
    )
    assert [step[:2] for step in further] == [
        ["traces", "pass" if altered == "nothing" else "fail"],
        ["agreement", "pass"],
        ["evaluation", "not checked"],
    ]
    assert further[2][3] == (
        f"outcomes are as stated by the imported file; declared evaluator, not run here: {evaluator}"
    )
