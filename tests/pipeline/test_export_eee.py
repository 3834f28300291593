"""A record in the format of Every Eval Ever: valid by its schemas, and by its own validator if that is installed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from builders import small_fixture
from snapshots import opened

from benchsite.environment import Credentials
from benchsite.pipeline.export import ExportedRecord, write
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture
def exported(published: Workspace, tmp_path: Path) -> Path:
    return write(ExportedRecord.of(opened(published)), "eee", tmp_path / "eee").path


def validator(root: Path, name: str) -> Any:
    return jsonschema.Draft7Validator(json.loads((root / "tests/golden/every_eval_ever" / name).read_bytes()))


def logs(folder: Path) -> dict[str, dict[str, Any]]:
    """The logs by the name of their model."""
    found = [json.loads(path.read_bytes()) for path in folder.rglob("*.json")]
    return {one["model_info"]["name"]: one for one in found}


def samples(folder: Path, log: Mapping[str, Any]) -> list[dict[str, Any]]:
    lines = (folder / log["detailed_evaluation_results"]["file_path"]).read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def test_every_file_is_valid_by_the_schemas_of_the_format(root: Path, exported: Path) -> None:
    aggregate, instance = (
        validator(root, "eval.schema.json"),
        validator(root, "instance_level_eval.schema.json"),
    )
    found = logs(exported)
    assert found.keys() == {"bm25", "sqlite-fts5", "recency", "random"}
    for log in found.values():
        aggregate.validate(log)
        for sample in samples(exported, log):
            instance.validate(sample)


def test_a_log_has_the_score_with_its_interval_and_names_the_receipt(
    published: Workspace, exported: Path
) -> None:
    for header in opened(published).history():
        assert header.summary is not None
        log = logs(exported)[header.summary.subject.name]
        (result,) = log["evaluation_results"]
        assert result["score_details"]["score"] == header.summary.headline.value
        interval = result["score_details"]["uncertainty"]["confidence_interval"]
        assert (interval["lower"], interval["upper"]) == (
            header.summary.headline.low,
            header.summary.headline.high,
        )
        named = log["source_metadata"]["additional_details"]
        assert (named["receipt_id"], named["receipt_sha256"]) == (header.receipt_id, header.sha256)


def test_samples_have_the_question_the_reference_and_the_ranking(exported: Path) -> None:
    log = logs(exported)["bm25"]
    found = {one["sample_id"]: one for one in samples(exported, log)}
    asked = {query["id"]: query for query in small_fixture()["queries"]}
    # The query without an answer isn't scored, so it has no sample.
    assert found.keys() == {name for name, query in asked.items() if query["answerable"]}
    for name, one in found.items():
        assert one["input"]["raw"] == asked[name]["query"]
        assert one["input"]["reference"] == [item["id"] for item in asked[name]["expected"]]
        assert one["evaluation_id"] == log["evaluation_id"]
    first = found["q2"]  # "which animal barks": the only text with a dog
    assert first["output"]["raw"][0] == "a1"
    assert first["evaluation"] == {"score": 1.0, "is_correct": True}
    text = json.dumps(
        {"raw": "which animal barks", "reference": ["a1"]}, sort_keys=True, separators=(",", ":")
    )
    assert first["sample_hash"] == hashlib.sha256(text.encode()).hexdigest()


def test_the_checksum_is_that_of_the_samples(exported: Path) -> None:
    for log in logs(exported).values():
        about = log["detailed_evaluation_results"]
        data = (exported / about["file_path"]).read_bytes()
        assert about["checksum"] == hashlib.sha256(data).hexdigest()
        assert about["total_rows"] == len(data.splitlines()) == 7


def test_a_receipt_that_is_not_ranked_is_not_passed_on(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    header = next(one for one in opened(published).history() if one.summary is not None)
    assert header.summary is not None
    events.announce(published, credentials, events.retraction(header.receipt_id, "wrong"), push=False)
    done = write(ExportedRecord.of(opened(published)), "eee", tmp_path / "eee")
    assert done.receipts == 3
    assert header.summary.subject.name not in logs(done.path)


def test_its_own_validator_accepts_every_file(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = pytest.importorskip("every_eval_ever.validator.validate", reason="pip install every-eval-ever")
    monkeypatch.chdir(exported)
    paths = [path.relative_to(exported).as_posix() for path in exported.rglob("*.json*")]
    assert theirs.main(paths) == 0
