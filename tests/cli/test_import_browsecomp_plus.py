"""Run files and verdicts of BrowseComp-Plus from the command line: two evaluations in a receipt, and no text in it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from publishing import git

from benchsite import canonical

CORPUS = [
    {
        "docid": "11",
        "text": "The heliometer of Tessimoor was built by Olm Hartig.",
        "url": "https://a.invalid",
    },
    {"docid": "12", "text": "Olm Hartig was born in Wexholm.", "url": "https://b.invalid"},
    {"docid": "13", "text": "A quince tart from Wexholm.", "url": "https://c.invalid"},
]
ROWS = [
    {
        "query_id": name,
        "query": f"Where was the builder of the heliometer of Tessimoor born, part {name}?",
        "answer": "Wexholm",
        "gold_docs": [CORPUS[1]],
        "evidence_docs": CORPUS[:2],
    }
    for name in ("1", "2", "3")
]
PLANTED = ("Tessimoor", "Hartig", "Wexholm", "heliometer", "quince tart", "zebra")
"""Words of queries, answers, documents, transcripts and the judge."""
BENCHMARK = "browsecomp-plus-bm25"
NAMED = ("--benchmark", BENCHMARK, "--system", "mine", "--version", "2")
RUNS = (
    # Exact; both evidence documents.
    ("1", "completed", ["11", "12", "13"], "Exact Answer: Wexholm\nConfidence: 75%"),
    # Not exact, and accepted by the judge; one of two evidence documents.
    ("2", "completed", ["12"], "Zebra zebra.\nExact Answer: the village Wexholm\nConfidence: 50%"),
    # Incomplete.
    ("3", "stopped at the zebra", ["13"], "Exact Answer: Wexholm\nConfidence: 100%"),
)
VERDICTS = ({"query_id": "1", "correct": "yes"}, {"query_id": "2", "correct": True, "reasoning": "zebra"})


def jsonl(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def prepared(benchsite: Run, root: Path) -> Path:
    """An instance with the benchmark, the folder of run files and the verdicts."""
    folder = root.parent
    (folder / "set").mkdir()
    (folder / "set/corpus.jsonl").write_text(jsonl(*CORPUS))
    (folder / "set/rows.jsonl").write_text(jsonl(*ROWS))
    made = benchsite("benchmark", "import", "browsecomp-plus", "../set", "--searcher", "bm25", cwd=root)
    assert made.code == 0, made.err
    shutil.rmtree(folder / "set")
    (folder / "runs").mkdir()
    for query, status, ids, output in RUNS:
        result = [
            {"type": "tool_call", "output": CORPUS[0]["text"]},
            {"type": "output_text", "output": output},
        ]
        run = {
            "query_id": query,
            "tool_call_counts": {"zebra search": 2},
            "status": status,
            "retrieved_docids": ids,
            "result": result,
        }
        (folder / f"runs/zebra {query}.json").write_text(json.dumps(run))
    (folder / "zebra.jsonl").write_text(jsonl(*VERDICTS))
    return root


def test_exact_success_and_the_judge_are_two_evaluations(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new)
    ran = benchsite(
        "import", "browsecomp-plus-results", "../runs", *NAMED, "--judged", "../zebra.jsonl", cwd=new
    )
    assert ran.code == 0, ran.err
    assert "success 33.3%" in ran.out
    assert "judge not named by its files: accepts 2 of 3 runs; shown, not ranked" in ran.err
    assert "success is the exact evaluation, which leaderboards rank" in ran.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    runs = document["runs"]
    assert runs["outcome"] == ["success", "failure", "failure"]
    assert runs["completion"] == [True, True, False]
    assert runs["judged"] == [True, True, None]
    assert runs["confidence"] == [0.75, 0.5, None]
    assert runs["evidenceRecall"] == [1, 0.5, 0]
    assert runs["toolCalls"] == [2, 2, 2]
    assert document["scores"]["success"] == 1 / 3
    assert document["answers"] == {
        "judgeSuccess": 2 / 3,
        "judgeVerdicts": 2,
        "judgeCalibrationError": None,
        "exactCalibrationError": None,
        "evidenceRecall": 0.5,
    }
    source = document["config"]["source"]
    assert [one["name"] for one in source["files"]] == [
        "3 run files, SHA-256 of their hashes",
        "1 file of verdicts, SHA-256 of their hashes",
    ]
    assert source["references"] == ["verdicts: judge not named by its files"]


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B"),
        ("/home/zebra/models/Qwen3-32B", r"\[path\]/Qwen3-32B-[0-9a-f]{8}"),
        ("sk-abcdefghijklmnopqrstuvwx1234567890", r"\[redacted\]-[0-9a-f]{8}"),
    ],
)
def test_the_name_of_a_judge_has_no_path_and_no_key(
    benchsite: Run, new: Path, model: str, named: str
) -> None:
    prepared(benchsite, new)
    lines = [{**one, "model_info": {"judge_model": model}} for one in VERDICTS]
    (new.parent / "zebra.jsonl").write_text(jsonl(*lines))
    sources = [part for place in range(25) for part in ("--source", f"https://example.org/{place}")]
    given = (*NAMED, "--judged", "../zebra.jsonl", *sources)
    ran = benchsite("import", "browsecomp-plus-results", "../runs", *given, cwd=new)
    assert ran.code == 0, ran.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    references = json.loads(draft.read_bytes())["config"]["source"]["references"]
    assert re.fullmatch(f"verdicts: judge {named}", references[0])
    assert re.search(f"judge {named}: accepts 2 of 3 runs", ran.err)


def test_every_number_follows_and_altered_ones_are_found(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new)
    given = (*NAMED, "--judged", "../zebra.jsonl")
    assert benchsite("import", "browsecomp-plus-results", "../runs", *given, cwd=new).code == 0
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    ran = benchsite("rescore", "--evaluate", "--json", draft, cwd=new)
    (found,) = json.loads(ran.out)["receipts"]
    assert (ran.code, found["rescore"]) == (0, "MATCHES")
    assert [step["state"] for step in found["further"]] == ["pass", "pass", "pass"]
    honest = json.loads(draft.read_bytes())
    for section, name, value, field in (
        ("answers", "judgeSuccess", 1, "answers.judgeSuccess"),
        ("answers", "evidenceRecall", 1, "answers.evidenceRecall"),
        ("runs", "judged", [True, True, True], "runs.judged[2]"),
        ("runs", "evidenceRecall", [1, 1, 0], "runs.evidenceRecall[1]"),
    ):
        draft.write_bytes(canonical.dumps({**honest, section: {**honest[section], name: value}}))
        altered = benchsite("rescore", "--evaluate", "--json", draft, cwd=new)
        (found,) = json.loads(altered.out)["receipts"]
        assert (altered.code, found["rescore"]) == (3, "DIFFERS")
        assert field in json.dumps(found)


def test_no_text_of_the_sealed_set_leaves_the_machine(benchsite: Run, begun: Path, tmp_path: Path) -> None:
    """Published: receipt, log, commit messages, evidence and every page of the site."""
    prepared(benchsite, begun)
    given = (*NAMED, "--judged", "../zebra.jsonl")
    assert benchsite("import", "browsecomp-plus-results", "../runs", *given, cwd=begun).code == 0
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }
    assert benchsite("publish", "--yes", cwd=begun, **keys).code == 0
    for command in (("verify", "--all"), ("audit",), ("build",)):
        ran = benchsite(*command, cwd=begun)
        assert ran.code == 0, (command, ran.err)
    (receipt,) = (begun / "results/published").rglob("*.json")
    (page,) = (begun / "site").glob(f"receipts/*/{receipt.stem}/index.html")
    text = page.read_text()
    assert "Judge success 66.7%" in text
    assert "Evidence recall 50.0%" in text
    assert "Success, by the benchmark's evaluator, is ranked; these figures aren't." in text
    shown = [path for name in ("site", "results") for path in (begun / name).rglob("*") if path.is_file()]
    held = b"".join(path.read_bytes() for path in shown) + git(begun, "log", "-p", "HEAD").encode()
    for word in PLANTED:
        assert word.encode() not in held, word
    attached = b"".join(path.read_bytes() for path in (begun / ".benchsite/attachments").iterdir())
    assert b"Wexholm" in attached, "the evidence stays on this machine"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        (lambda at: cut(at / "runs/zebra 1.json"), (), "zebra 1.json: no JSON"),
        (lambda at: (at / "runs/zebra 1.json").unlink(), (), "run files: 1 task of browsecomp-plus-bm25 without a run: 1"),
        (
            lambda at: (at / "runs/x.json").write_text(
                '{"query_id": "99", "status": "completed", "result": [{"type": "output_text", "output": "x"}]}'
            ),
            (),
            "x.json: task: browsecomp-plus-bm25 has no task '99'",
        ),
        (lambda at: shutil.copy(at / "runs/zebra 1.json", at / "runs/zebra 9.json"), (), "query 1 occurs twice"),
        (lambda at: cut(at / "zebra.jsonl"), ("--judged", "../zebra.jsonl"), "zebra.jsonl line 2: no JSON"),
        (
            lambda at: (at / "zebra.jsonl").write_text(jsonl(VERDICTS[0])),
            ("--judged", "../zebra.jsonl"),
            "1 completed run without a verdict: 2",
        ),
        (
            lambda at: (at / "zebra.jsonl").write_text(jsonl(*VERDICTS, {"query_id": "7", "correct": "no"})),
            ("--judged", "../zebra.jsonl"),
            "zebra.jsonl line 3: 1 verdict without a run: 7",
        ),
        (lambda _: None, ("--judged", "../absent.jsonl"), "absent.jsonl"),
        (lambda at: (at / "none").mkdir(), ("--judged", "../none"), "--judged: no file with verdicts"),
    ],
)  # fmt: skip
def test_a_bad_file_is_exit_code_4_and_leaves_no_draft(
    benchsite: Run, new: Path, change: Any, more: tuple[str, ...], message: str
) -> None:
    prepared(benchsite, new)
    change(new.parent)
    ran = benchsite("import", "browsecomp-plus-results", "../runs", *NAMED, *more, cwd=new)
    assert ran.code == 4, ran.err
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert not list((new / ".benchsite").glob("drafts/*.json"))
    assert not list((new / ".benchsite").glob("attachments/*"))


def test_missing_runs_may_be_recorded_as_errors(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new)
    (new.parent / "runs/zebra 2.json").unlink()
    ran = benchsite("import", "browsecomp-plus-results", "../runs", *NAMED, "--allow-missing", cwd=new)
    assert ran.code == 0, ran.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    assert document["runs"]["outcome"] == ["success", "error", "failure"]
    assert document["runs"]["evidenceRecall"] == [1, 0, 0]
    assert "judged" not in document["runs"]
    assert document["answers"]["judgeSuccess"] is None
    assert benchsite("rescore", "--evaluate", draft, cwd=new).code == 0


def test_only_the_sealed_benchmark_takes_run_files(benchsite: Run, new: Path) -> None:
    prepared(benchsite, new)
    named = ("--benchmark", "arithmetic-tools", *NAMED[2:])
    ran = benchsite("import", "browsecomp-plus-results", "../runs", *named, cwd=new)
    assert ran.code == 4
    assert "benchmark arithmetic-tools is not BrowseComp-Plus" in ran.err
