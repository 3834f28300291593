"""The repository's own public record stays whole: nothing altered, every receipt genuine, every number re-scored.

Commands read the record in a clone, so that none of them touches the checkout.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run, run_in
from publishing import git

PER_TRACK = 2
"""Receipts of each track that the usual suite re-scores from their evidence; `make test-full` re-scores all."""


@pytest.fixture(scope="module")
def record(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (root / ".git").exists():
        pytest.skip("no git checkout, so no record")
    folder = tmp_path_factory.mktemp("record")
    git(folder, "clone", "-q", str(root), "clone")
    return folder / "clone"


@pytest.fixture(scope="module")
def command(record: Path) -> Run:
    return run_in(record.parent / "home", record)


def test_nothing_in_the_record_was_altered(command: Run) -> None:
    audited = command("audit")
    assert (audited.code, audited.err) == (0, "")
    assert "no alteration found" in audited.out


@pytest.mark.full
def test_every_receipt_of_the_record_is_genuine(command: Run, record: Path) -> None:
    verified = command("verify", "--all", "--json")
    assert verified.code == 0, verified.out
    receipts = json.loads(verified.out)["receipts"]
    assert len(receipts) == len(list((record / "results/published").glob("*/*.json")))
    assert {one["verdict"] for one in receipts} <= {"LOGGED", "SUPERSEDED", "DISPUTED"}


@pytest.mark.parametrize("track", ["retrieval", "agents", "rubric"])
@pytest.mark.parametrize("count", [PER_TRACK, pytest.param(None, marks=pytest.mark.full)])
def test_numbers_of_the_record_follow_from_its_evidence(
    command: Run, record: Path, track: str, count: int | None
) -> None:
    paths = sorted((record / "results/published").glob("*/*.json"))
    ids = [path.stem for path in paths if json.loads(path.read_bytes())["track"] == track][:count]
    rescored = command("rescore", "--json", *ids)
    assert rescored.code == 0, rescored.out
    assert {one["rescore"] for one in json.loads(rescored.out)["receipts"]} == {"MATCHES"}
