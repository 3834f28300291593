"""External runs from the command line: a receipt written as a run file, and a run file as a receipt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

ONE = ("--fixture", "three-notebooks-v1")


@pytest.fixture
def exported(benchsite: Run, new: Path) -> tuple[Path, dict[str, object]]:
    """The run file of a draft of ours, and the draft."""
    ran = benchsite("run", "retrieval", "--adapter", "bm25", *ONE, cwd=new)
    assert ran.code == 0, ran.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    wrote = benchsite("export", str(draft), "--trec", "bm25.run", "--qrels", "labels.txt", cwd=new)
    assert (wrote.code, wrote.err) == (0, ""), wrote.err
    document = json.loads(draft.read_bytes())
    draft.unlink()
    return new / "bm25.run", document


def test_a_run_that_was_exported_and_imported_has_the_same_scores(
    benchsite: Run, new: Path, exported: tuple[Path, dict[str, object]]
) -> None:
    run, native = exported
    made = benchsite(
        "import",
        "trec-run",
        str(run),
        *ONE,
        "--system",
        "bm25",
        "--version",
        "9",
        "--option",
        "b=0.75",
        cwd=new,
    )
    assert made.code == 0, made.err
    assert "will not be ranked: origin external-run: measured elsewhere, scored here" in made.out + made.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    assert document["origin"] == "external-run"
    for name in ("scores", "denominators", "intervals", "byCategory", "fixture"):
        assert document[name] == native[name], name
    assert document["config"]["options"] == {"b": 0.75}
    assert document["config"]["source"]["name"] == "bm25.run"
    assert document["adapter"]["author"] == "bm25"
    rescored = benchsite("rescore", str(draft), cwd=new)
    assert (rescored.code, rescored.out.split()[0]) == (0, "MATCHES"), rescored.err


def test_what_the_dataset_lacks_is_counted_and_what_the_run_lacks_is_scored_0(
    benchsite: Run, new: Path, exported: tuple[Path, dict[str, object]]
) -> None:
    run, native = exported
    lines = run.read_text().splitlines()
    answerable = {row["queryId"] for row in native["perQuery"] if row["answerable"] and row["retrieved"]}  # type: ignore[attr-defined]
    dropped = next(line.split()[0] for line in lines if line.split()[0] in answerable)
    kept = [line for line in lines if line.split()[0] != dropped]
    run.write_text("\n".join([*kept, "elsewhere Q0 d9 1 1 x", f"{kept[0].split()[0]} Q0 unheard-of 0 99 x"]))
    made = benchsite("import", "trec-run", str(run), *ONE, "--system", "bm25", "--version", "9", cwd=new)
    assert made.code == 0, made.err
    said = made.out + made.err
    assert "not in dataset three-notebooks-v1, ignored: 1 query of the run" in said
    assert "not in dataset three-notebooks-v1, not relevant: 1 document of the run" in said
    assert "not in the run, scored 0: 1 answerable query" in said
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    row = next(row for row in document["perQuery"] if row["queryId"] == dropped)
    assert (row["retrieved"], row["hit"]) == ([], False)
    first = next(row for row in document["perQuery"] if row["queryId"] == kept[0].split()[0])
    assert first["retrieved"][0].startswith("?")
    assert document["faults"]["foreignIds"] == 1


def test_ids_may_be_written_raw_or_percent_encoded(benchsite: Run, new: Path) -> None:
    (new / "items.csv").write_text("id,text\n50%,half\na%20b,encoded\nc d,blank\n")
    (new / "queries.csv").write_text("id,text,expected\nq%1,which?,50%\nq%2,which?,a%20b\nq 3,which?,c d\n")
    stated = ("--license", "CC0", "--source", "a test", "--items", "items.csv", "--queries", "queries.csv")
    made = benchsite("fixture", "import", "csv", "--id", "signs", *stated, cwd=new)
    assert made.code == 0, made.err
    (new / "raw.run").write_text("q%1 Q0 50% 1 1 x\nq%252 Q0 a%20b 1 1 x\nq%203 Q0 c%20d 1 1 x\n")
    given = ("--fixture", "signs", "--system", "mine", "--version", "1")
    made = benchsite("import", "trec-run", "raw.run", *given, cwd=new)
    assert made.code == 0, made.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    assert [row["retrieved"] for row in document["perQuery"]] == [["50%"], ["a%20b"], ["c d"]]
    assert document["scores"]["ndcg_at_1"] == 1
    (new / "twice.run").write_text("q%1 Q0 50% 1 1 x\nq%251 Q0 50% 1 1 x\n")
    refused = benchsite("import", "trec-run", "twice.run", *given, cwd=new)
    assert refused.code == 4
    assert "query q%1 is there twice, as it is and percent-encoded" in refused.err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("--version", ""), "--version '' is not one line of 1 to 200 characters"),
        (("--version", "1\n2"), "--version '1\\n2' is not one line"),
        (("--author", "a" * 201), "is not one line of 1 to 200 characters"),
        (("--option", "k=1", "--option", "k=2"), "--option k occurs twice"),
    ],
)
def test_what_is_stated_of_a_run_is_checked_before_a_receipt_is_made(
    benchsite: Run, new: Path, changes: tuple[str, ...], said: str
) -> None:
    (new / "mine.run").write_text("q1 Q0 d1 1 1 x\n")
    given = (*ONE, "--system", "mine", "--version", "1", *changes)
    made = benchsite("import", "trec-run", "mine.run", *given, cwd=new)
    assert (made.code, said in made.err) == (2, True), made.err


def test_a_run_of_another_dataset_leaves_no_draft(benchsite: Run, new: Path) -> None:
    (new / "other.run").write_text("17 Q0 doc-1 1 3.5 mine\n")
    made = benchsite("import", "trec-run", "other.run", *ONE, "--system", "mine", "--version", "1", cwd=new)
    assert made.code == 4
    assert "other.run: none of its 1 query is in dataset three-notebooks-v1" in made.err
    assert not list((new / ".benchsite/drafts").glob("*.json"))


def test_an_export_replaces_no_file(
    benchsite: Run, new: Path, exported: tuple[Path, dict[str, object]]
) -> None:
    run, _ = exported
    before = run.read_bytes()
    made = benchsite("import", "trec-run", str(run), *ONE, "--system", "bm25", "--version", "9", cwd=new)
    assert made.code == 0, made.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    again = benchsite("export", str(draft), "--trec", "bm25.run", cwd=new)
    assert (again.code, run.read_bytes()) == (4, before)
    assert "bm25.run exists" in again.err
    both = benchsite("export", str(draft), "--qrels", "new.txt", "--trec", "bm25.run", cwd=new)
    assert (both.code, (new / "new.txt").exists()) == (4, False)
    same = benchsite("export", str(draft), "--qrels", "one.txt", "--trec", "one.txt", cwd=new)
    assert (same.code, "two files have one name" in same.err, (new / "one.txt").exists()) == (2, True, False)
    nothing = benchsite("export", str(draft), cwd=new)
    assert (nothing.code, "nothing to write" in nothing.err) == (2, True)


def test_a_report_of_precisionmembench_becomes_an_external_run(benchsite: Run, new: Path) -> None:
    beliefs = [
        {"_id": name, "user_id": "test-user", "canonical_name": name, "content": f"About {name}."}
        for name in ("tea", "rain", "ink")
    ]
    expect = {
        "drink": ["tea"],
        "write": ["ink"],
        "fly": [],
    }
    (new / "pmb").mkdir()
    (new / "pmb/beliefs.seed.json").write_text(json.dumps(beliefs))
    (new / "pmb/retrieval.cases.json").write_text(
        json.dumps(
            [
                {
                    "caseId": name,
                    "category": "Alias",
                    "query": name,
                    "expect": {"relevantBeliefs": {"shouldOnlyInclude": ids}},
                }
                for name, ids in expect.items()
            ]
        )
    )
    made = benchsite("fixture", "import", "precisionmembench", "pmb", "--id", "pmb", cwd=new)
    assert made.code == 0, made.err
    rows = [
        ("drink", ["rain", "tea"], 0.5, 1),
        ("write", ["rain", "gone"], 0, 1),
        ("fly", [], None, None),
        ("unknown", [], None, None),
    ]
    keys = ("caseId", "relevantBeliefs", "retrievalPrecision", "retrievalRecall")
    cases = [dict(zip(keys, row, strict=True)) for row in rows]
    summary = {"meanPrecision": 0.25, "meanRecall": 1, "totalPassed": 1}
    (new / "mem.json").write_text(json.dumps({"provider": "mem", "retrieval": summary, "cases": cases}))
    given = ("--system", "mem", "--version", "1", "--fixture")
    made = benchsite("import", "precisionmembench-results", "mem.json", *given, "pmb", cwd=new)
    assert made.code == 0, made.err
    said = made.out + made.err
    assert "the file states: mean precision 0.25, mean recall 1, 1 of 4 cases passed" in said
    assert "recall in the file is not that of its rankings: 1 case" in said
    assert "not in dataset pmb, ignored: 1 query" in said
    assert "not in dataset pmb, not relevant: 1 document" in said
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    assert (document["origin"], document["adapter"]["author"]) == ("external-run", "mem")
    assert document["config"]["source"]["kind"] == "precisionmembench-results"
    # Of two queries one finds its item, at rank 2; the third must return nothing, which no metric counts.
    assert document["scores"]["recall_at_10"] == 0.5
    assert document["scores"]["mrr_at_10"] == 0.25
    assert document["denominators"]["recall_at_10"] == {"den": 2, "excluded": 1}
    rescored = benchsite("rescore", str(draft), cwd=new)
    assert (rescored.code, rescored.out.split()[0]) == (0, "MATCHES"), rescored.err
    made = benchsite("import", "precisionmembench-results", "mem.json", *given, "three-notebooks-v1", cwd=new)
    assert (made.code, "none of its 4 cases is in dataset three-notebooks-v1" in made.err) == (4, True)


def test_longmemevals_own_metrics_are_exported_from_a_receipt_of_its_dataset(
    benchsite: Run, new: Path
) -> None:
    """The answer is at rank 2 of `recency`, which LongMemEval discounts by nothing."""
    sessions = [
        [{"role": "user", "content": "I moved.", "has_answer": True}],
        [{"role": "user", "content": "Rain.", "has_answer": False}],
    ]
    question = {
        "question_id": "a1",
        "question_type": "temporal-reasoning",
        "question": "When did I move?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["answer_1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_sessions": sessions,
        "answer_session_ids": ["answer_1"],
    }
    (new / "s.json").write_text(json.dumps([question, {**question, "question_id": "a2_abs"}]))
    made = benchsite("fixture", "import", "longmemeval", "s.json", "--edition", "v2", "--id", "lme", cwd=new)
    assert made.code == 0, made.err
    ran = benchsite("run", "retrieval", "--adapter", "recency", "--fixture", "lme", cwd=new)
    assert ran.code == 0, ran.err
    (draft,) = (new / ".benchsite/drafts").glob("*.json")
    wrote = benchsite("export", str(draft), "--longmemeval", "lme.json", cwd=new)
    assert (wrote.code, wrote.out) == (0, "wrote lme.json\n"), wrote.err
    exported = json.loads((new / "lme.json").read_bytes())
    assert (exported["questions"], exported["skipped"]["abstention"]) == (1, 1)
    assert exported["metrics"]["ndcg_longmemeval_at_10"] == 1
    assert json.loads(draft.read_bytes())["scores"]["ndcg_at_10"] == pytest.approx(0.6309, abs=1e-4)
