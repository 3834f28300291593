from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import Run

# One conversation of one turn and one question, in the shape of locomo10.json.
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "session_1_date_time": "12:30 pm on 1 January, 2023",
            "session_1": [{"dia_id": "D1:1", "speaker": "Eve", "text": "Hello."}],
        },
        "qa": [{"question": "What did Eve say?", "category": 4, "evidence": ["D1:1"], "answer": "Hello"}],
    }
]


@pytest.fixture
def root(new: Path, tmp_path: Path) -> Path:
    (tmp_path / "mini.json").write_text(json.dumps(LOCOMO))
    return new


def test_an_import_prints_the_licence_and_stays_private(benchsite: Run, root: Path) -> None:
    ran = benchsite("fixture", "import", "locomo", "../mini.json", cwd=root)
    assert ran.code == 0, ran.err
    assert "license: unknown" in ran.out
    assert (root / ".benchsite/fixtures/altered-locomo-1-turn/fixture.json").is_file()
    assert not (root / "fixtures/altered-locomo-1-turn").exists()


def test_other_peoples_data_enters_the_repository_only_on_ones_word(benchsite: Run, root: Path) -> None:
    command = ("fixture", "import", "locomo", "../mini.json", "--into-repo", "--json")
    refused = benchsite(*command, cwd=root)
    assert refused.code == 5
    assert "is licensed: unknown" in refused.err
    assert "--license-ok" in refused.err
    assert not (root / "fixtures/altered-locomo-1-turn").exists()
    allowed = benchsite(*command, "--licence-ok", cwd=root)
    assert allowed.code == 0, allowed.err
    found = json.loads(allowed.out)
    assert (found["path"], found["license"]) == ("fixtures/altered-locomo-1-turn/fixture.json", "unknown")


def test_an_import_says_what_is_wrong_with_the_labels_and_needs_its_options(
    benchsite: Run, new: Path
) -> None:
    (new / "items.csv").write_text("id,text\na,hello\nb,x\n")
    (new / "queries.csv").write_text("id,text,expected\nq,hello,zzz\n")
    files = ("--id", "mine", "--items", "items.csv", "--queries", "queries.csv")
    ran = benchsite("fixture", "import", "csv", *files, "--source", "a test", cwd=new)
    assert (ran.code, "missing option '--license'" in ran.err) == (2, True), ran.err
    ran = benchsite("fixture", "import", "csv", *files, "--license", "CC0", "--source", "a test", cwd=new)
    assert ran.code == 0, ran.err
    assert "dropped labels of unknown documents: 1 (zzz; the first in queries.csv line 2)" in ran.out
    assert "! no query is scored: a receipt on this dataset has no score" in ran.out
    (new / "items.csv").write_text("id,text,timestamp\na,hello,yesterday\n")
    files = ("--id", "other", *files[2:], "--license", "CC0", "--source", "a test")
    ran = benchsite("fixture", "import", "csv", *files, cwd=new)
    assert (ran.code, "correct the imported files or the options, then repeat the import" in ran.err) == (
        4,
        True,
    )


def test_a_valid_dataset_that_a_pull_request_could_not_bring_is_said_to_leave_a_question_open(
    benchsite: Run, new: Path
) -> None:
    folder = new / "fixtures/boats"
    folder.mkdir()
    boats = {
        "id": "boats",
        "benchmark": "boats",
        "license": "CC0-1.0",
        "source": "written for this test",
        "granularity": "document",
        "items": [{"id": "a", "scope": "s", "content": "a boat"}],
        "queries": [{"id": "q", "query": "boat?", "scope": "s", "expected": [{"id": "a", "grade": 1}]}],
    }
    (folder / "fixture.json").write_text(json.dumps(boats))
    open_ = benchsite("fixture", "validate", "boats", cwd=new)
    assert (open_.code, "! notes leaves a question open" in open_.err) == (0, True)
    assert "! description is missing" in open_.err
    (folder / "fixture.json").write_text(
        json.dumps({**boats, "description": "Boats.", "notes": "Labeled by hand; published after 2026."})
    )
    answered = benchsite("fixture", "validate", "boats", cwd=new)
    assert (answered.code, answered.err) == (0, "")


def test_labels_that_score_nothing_are_named_by_validate_run_and_publish(
    benchsite: Run, root: Path, shared: Path
) -> None:
    """shared/cases/labels-that-score-nothing; trec_eval averages over queries with a relevant document: there are none."""
    shutil.copytree(shared / "cases/labels-that-score-nothing/score-nothing", root / "fixtures/score-nothing")
    found = benchsite("fixture", "validate", "score-nothing", cwd=root)
    assert found.code == 0
    assert "2 of 2 answerable queries have no relevant item: excluded from the scores" in found.err
    assert "no query is scored: a receipt on this dataset has no score" in found.err
    ran = benchsite("run", "retrieval", "--adapter", "bm25", "--fixture", "score-nothing", cwd=root)
    assert "will not be ranked: no score: ndcg_at_10 is blank" in ran.out + ran.err
    listed = benchsite("drafts", "list", cwd=root)
    assert "will not be ranked: no score: ndcg_at_10 is blank" in listed.out
