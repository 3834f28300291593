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
    nothing = benchsite("export", str(draft), cwd=new)
    assert (nothing.code, "nothing to write" in nothing.err) == (2, True)
