from __future__ import annotations

import json
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
    assert "license: CC BY-NC 4.0" in ran.out
    assert (root / ".benchsite/fixtures/locomo-1-turn/fixture.json").is_file()
    assert not (root / "fixtures/locomo-1-turn").exists()


def test_other_peoples_data_enters_the_repository_only_on_ones_word(benchsite: Run, root: Path) -> None:
    command = ("fixture", "import", "locomo", "../mini.json", "--into-repo", "--json")
    refused = benchsite(*command, cwd=root)
    assert refused.code == 5
    assert "is licensed: CC BY-NC 4.0" in refused.err
    assert "--license-ok" in refused.err
    assert not (root / "fixtures/locomo-1-turn").exists()
    allowed = benchsite(*command, "--licence-ok", cwd=root)
    assert allowed.code == 0, allowed.err
    found = json.loads(allowed.out)
    assert (found["path"], found["license"]) == ("fixtures/locomo-1-turn/fixture.json", "CC BY-NC 4.0")


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
