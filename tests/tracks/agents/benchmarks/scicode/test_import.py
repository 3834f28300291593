"""The import of SciCode names what is missing, of another version, or malformed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from scicode_set import PROBLEMS, converted, write

from benchsite.errors import InputError
from benchsite.isolation import sandbox
from benchsite.tracks.agents.benchmarks.scicode import importer
from benchsite.tracks.agents.benchmarks.scicode.document import parse

sealed_here = pytest.mark.skipif(sandbox.level() != "sealed", reason="no sandbox is permitted here")


@sealed_here
def test_the_document_names_split_version_and_targets(tmp_path: Path) -> None:
    made = converted(write(tmp_path))
    document = json.loads(made.data)
    assert made.report["steps"] == 3
    assert document["id"] == "scicode-dev"
    assert document["edition"] == "dev split, not of commit 89fccc3"
    assert [step["number"] for step in document["problems"][1]["steps"]] == ["8.1", "8.2", "8.3"]
    assert document["problems"][1]["steps"][1]["given"] == (
        "def norm(x):\n    return sqrt(float(np.sum(x * x)))"
    )
    assert made.report["large"] == [document["targets"]["sha256"]]
    assert "solution" not in made.data.decode()


def changed(place: int, **members: Any) -> list[dict[str, Any]]:
    problems = copy.deepcopy(PROBLEMS)
    problems[1]["sub_steps"][place].update(members)
    return problems


@sealed_here
@pytest.mark.parametrize(
    ("problems", "message"),
    [
        (changed(0, test_cases=[]), "line 2: step 8.1 has no tests, and no file 8.1.txt defines center"),
        (
            changed(0, test_cases=["assert target"] * 2),
            "test_data.h5: step 8.1 has targets of 1 test, the problem has 2",
        ),
        (changed(1, test_cases=["assert target"]), "test_data.h5: step 8.2 has no targets"),
        (changed(2, step_number="8.9"), "problem 8: step 8.9 is in the place of 8.3"),
        (changed(0, function_header="center"), "line 2: step 8.1: its header defines no function or class"),
        (changed(0, step_number=8.1), "line 2: sub_steps.0.step_number"),
        ([PROBLEMS[0], PROBLEMS[0]], "problem 7 occurs twice"),
    ],
)
def test_problems_that_cannot_be_evaluated_are_refused(
    problems: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        converted(write(tmp_path, problems))
    assert message in caught.value.message


@sealed_here
def test_missing_and_damaged_files_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path)
    with pytest.raises(InputError, match=r"no file with problems of the test split \(problems_all.jsonl or"):
        converted(folder, "test")
    targets = folder / "eval/data/test_data.h5"
    targets.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(InputError, match=r"targets test_data.h5: cannot be read"):
        converted(folder)
    targets.unlink()
    with pytest.raises(InputError, match=r"no file with targets \(\.h5\)") as caught:
        converted(folder)
    assert "download test_data.h5" in caught.value.hint


def test_published_problems_are_known_by_their_hash() -> None:
    assert sorted(importer.PUBLISHED.values()) == ["problems_all.jsonl", "problems_dev.jsonl"]


def test_a_document_of_another_shape_is_refused() -> None:
    with pytest.raises(InputError, match="SciCode x: "):
        parse(b'{"id": "scicode-verified"}', "x")
