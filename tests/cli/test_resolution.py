"""`benchsite resolution`: files of results per instance and run files, read from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

from benchsite.errors import InputError
from benchsite.pipeline.workspace.files import bounded_lines

LINES = (
    {"system": "top", "published": 66.7, "outcomes": {f"q{i}": int(i < 20) for i in range(30)}},
    {"system": "next", "published": 60, "outcomes": {f"q{i}": int(i < 18) for i in range(30)}},
    {"system": "last", "published": 40, "outcomes": {f"q{i}": int(i < 3) for i in range(30)}},
    {"system": "unknown", "published": 50, "outcomes": False},
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def test_the_line_the_notes_and_the_table(benchsite: Run, file: Path) -> None:
    ran = benchsite("resolution", file)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    # 20 against 18 of 30, all wins: ψ = d = 1/15: (1.95996 √(1/15) + 0.84162 √(14/225))² × 225 = 115.3.
    assert lines[0] == "1 of 2 adjacent ranks separable; rank 1 against 2 would need 116 instances"
    assert "- published number is the mean × 100: 2 of 3 reproduced" in lines
    assert "- last: published 40, the instances give 10" in lines
    assert "- 1 system not read, no results per instance: unknown" in lines
    assert lines[-4].split() == ["rank", "group", "system", "n", "mean", "difference", "p", "Holm", "needed"]
    assert lines[-3].split() == ["1", "1", "top", "30", "0.6667", "+0.0667", "0.500", "0.500", "116"]
    assert lines[-1].split() == ["3", "2", "last", "30", "0.1000"]


def test_json_has_these_members_and_no_others(benchsite: Run, file: Path) -> None:
    found = json.loads(benchsite("resolution", file, "--json").out)
    assert list(found) == ["systems", "adjacent", "separable", "groups", "pairs", "notes"]
    assert (found["adjacent"], found["separable"]) == (2, 1)
    assert found["groups"] == [["top", "next"], ["last"]]
    assert list(found["pairs"][0]) == [
        "above",
        "below",
        "n",
        "difference",
        "p",
        "holm",
        "separable",
        "needed",
    ]
    assert [one["reproduced"] for one in found["systems"]] == [True, True, False, None]


def test_run_files_of_a_folder(benchsite: Run, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / ".hidden").write_text("no run", encoding="utf-8")
    for name, place in (("good", 3), ("bad", 1)):
        (runs / f"{name}.run").write_text(
            "".join(f"q{i} Q0 {'a' if i % 4 < place else 'b'} 1 1 t\n" for i in range(40)), encoding="utf-8"
        )
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"q{i} 0 a 1\n" for i in range(40)), encoding="utf-8")
    found = json.loads(benchsite("resolution", runs, "--qrels", qrels, "--json").out)
    assert [(one["system"], one["mean"]) for one in found["systems"]] == [("good", 0.75), ("bad", 0.25)]
    assert found["notes"][0] == "metric: ndcg_at_10 of 40 queries"
    each = benchsite(
        "resolution", runs / "good.run", runs / "bad.run", "--qrels", qrels, "--metric", "mrr@5", "--json"
    )
    assert json.loads(each.out)["pairs"] == found["pairs"]


def test_mistakes_end_with_a_sentence(benchsite: Run, file: Path, tmp_path: Path) -> None:
    def said(*arguments: str | Path) -> tuple[int, str]:
        ran = benchsite("resolution", *arguments)
        assert ran.out == ""
        assert "hint: " in ran.err or "available" in ran.err
        return ran.code, ran.err.splitlines()[0]

    (tmp_path / "empty").mkdir()
    assert said(file, file) == (2, "error: several files without --qrels")
    assert said(file, "--metric", "x") == (2, "error: --metric without --qrels")
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 a 1\n", encoding="utf-8")
    assert said(tmp_path / "empty", "--qrels", qrels)[1].endswith("empty has no files")
    assert said(tmp_path / "none")[0] == 4
    assert said(tmp_path)[1].endswith("not a regular file")
    assert said(file, "--qrels", file)[1].startswith("error: results.jsonl line 1: ")
    file.write_text('{"system": "a", "outcomes": {"q1": 1, "q1": 0}}\n', encoding="utf-8")
    assert said(file) == (4, 'error: results.jsonl line 1: "q1" occurs twice')


def test_names_cannot_forge_lines(benchsite: Run, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text(
        '{"system": "a\\n9 of 9 \\ud800\\u202e", "outcomes": {"q": 1}}\n{"system": "b", "outcomes": {"q": 1}}',
        encoding="utf-8",
    )
    ran = benchsite("resolution", path)
    assert ran.code == 0, ran.err
    assert "\n9 of 9" not in ran.out
    assert json.loads(benchsite("resolution", path, "--json").out)["systems"][0]["system"].startswith(
        "a\n9 of 9"
    )


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"12345\n1234567\n")
    with pytest.raises(InputError, match="f line 2: longer than 6 bytes$"):
        list(bounded_lines(path, 6))
    assert list(bounded_lines(path, 8)) == [b"12345\n", b"1234567\n"]
