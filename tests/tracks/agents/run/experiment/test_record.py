"""The record on disk: what makes a unit done, what does not, and what a disk can do to it."""

from __future__ import annotations

import errno
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchsite.errors import InputError, PrerequisiteError
from benchsite.tracks.agents.record.columns import traced_columns
from benchsite.tracks.agents.run.experiment import record as module
from benchsite.tracks.agents.run.experiment.export import records
from benchsite.tracks.agents.run.experiment.record import Record
from benchsite.tracks.agents.run.experiment.unit import Unit
from benchsite.tracks.agents.scores.stages import by_stage

UNIT = Unit(0, "task-1", 1, "1" * 64)
OTHER = Unit(1, "task-2", 1, "2" * 64)
RESULT: dict[str, Any] = {
    "benchmark": "quiz",
    "system": "sas",
    "success": True,
    "score": 1.0,
    "harmful": None,
    "outcome": "success",
    "limit": None,
    "error": "",
    "columns": traced_columns(()),
    "responded": {},
    "tries": 1,
    "provider_failed": False,
    "stages": {stage: asdict(spent) for stage, spent in by_stage(()).items()},
    "failure_tags": [],
    "metrics": {},
}
BODY: dict[str, Any] = {"trace": "{}\n", "answer": "42", "actions": [], "skipped": [], "difference": []}
CONFIGURATION: dict[str, Any] = {"config": {"seed": 7}}


@pytest.fixture
def record(tmp_path: Path) -> Record:
    made = Record(tmp_path / "exp", "quiz", "sas", ("sk-planted-key-000",))
    with made.opened(CONFIGURATION, {"receiptId": "r"}, 1):
        pass
    return made


def again(record: Record) -> Record:
    """The same record, as the next command reads it."""
    return Record(record.experiment, "quiz", "sas", ("sk-planted-key-000",))


def test_a_unit_is_done_once_its_line_is_whole(record: Record) -> None:
    assert again(record).kept(UNIT) is None
    record.commit(UNIT, RESULT, BODY)
    kept = again(record).kept(UNIT)
    assert kept is not None
    assert kept.result["outcome"] == "success"
    assert kept.line()["answer"] == "42"


def test_the_last_line_of_a_unit_counts(record: Record) -> None:
    record.commit(UNIT, {**RESULT, "outcome": "error"}, BODY)
    record.commit(OTHER, RESULT, BODY)
    record.commit(UNIT, RESULT, {**BODY, "answer": "43"})
    kept = again(record).kept(UNIT)
    assert kept is not None
    assert (kept.result["outcome"], kept.line()["answer"]) == ("success", "43")


@given(cut=st.integers(1, 200))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_a_kill_left_of_a_line_is_cut_off_by_the_next_writer(record: Record, cut: int) -> None:
    path = record.folder / "runs.jsonl"
    path.unlink(missing_ok=True)
    record.commit(OTHER, RESULT, BODY)
    whole = path.stat().st_size
    record.commit(UNIT, RESULT, BODY)
    path.write_bytes(path.read_bytes()[: max(whole, path.stat().st_size - cut)])
    assert again(record).kept(UNIT) is None
    assert again(record).kept(OTHER) is not None
    record.commit(UNIT, RESULT, BODY)
    assert again(record).kept(UNIT) is not None
    assert again(record).kept(OTHER) is not None


@pytest.mark.parametrize(
    "data",
    [b"", b"[]\n", b"{\n", b'{"unit": 3}\n', b"\xff\n", b'{"unit":"%s"}\n' % (b"1" * 64), b"half"],
)
def test_a_planted_line_changes_nothing(record: Record, data: bytes) -> None:
    record.commit(OTHER, RESULT, BODY)
    with (record.folder / "runs.jsonl").open("ab") as file:
        file.write(data)
    assert again(record).kept(UNIT) is None
    assert again(record).kept(OTHER) is not None
    record.commit(UNIT, RESULT, BODY)
    assert again(record).kept(UNIT) is not None


@pytest.mark.parametrize("name", [*RESULT, *BODY])
@pytest.mark.parametrize("value", [None, object])
def test_a_line_that_lacks_a_member_or_has_another_type_is_no_unit(
    record: Record, name: str, value: object
) -> None:
    """As a line of another release: its run is made again, and nothing is read that is not there."""
    result, body = dict(RESULT), dict(BODY)
    changed = result if name in result else body
    if value is None:
        del changed[name]
    else:
        changed[name] = {"not": "this"} if not isinstance(changed[name], dict) else []
    record.commit(UNIT, result, body)
    assert again(record).kept(UNIT) is None


def test_so_is_one_whose_columns_or_stages_are_not_those_of_a_run(record: Record) -> None:
    columns, stages = dict(RESULT["columns"]), dict(RESULT["stages"])
    for changed in (
        {"columns": {**columns, "tokens": "many"}},
        {"columns": {name: value for name, value in columns.items() if name != "turns"}},
        {"stages": {**stages, "plan": {}}},
        {"stages": {}},
    ):
        record.commit(UNIT, {**RESULT, **changed}, BODY)
        assert again(record).kept(UNIT) is None, changed
    record.commit(UNIT, RESULT, BODY)
    assert again(record).kept(UNIT) is not None


def test_another_configuration_is_refused_by_the_first_member_that_differs(record: Record) -> None:
    with (
        pytest.raises(InputError, match=r"config\.seed was 7, is 8"),
        record.opened({"config": {"seed": 8}}, {}, 1),
    ):
        pass
    with record.opened(CONFIGURATION, {"receiptId": "another"}, 4) as manifest:
        assert manifest["receiptId"] == "r", "the receipt that was begun"
        assert manifest["concurrency"] == 4, "the most of all commands"


def test_a_damaged_manifest_begins_the_folder_again(record: Record) -> None:
    (record.folder / "configuration.json").write_bytes(b'{"configuration"')
    with record.opened(CONFIGURATION, {"receiptId": "new"}, 1) as manifest:
        assert manifest["receiptId"] == "new"


@pytest.mark.parametrize(
    "data", [b'{"configuration"', b"{}", b'{"configuration": {"config": 1}, "tasks": 2}']
)
def test_summaries_name_a_damaged_manifest_and_what_helps(record: Record, data: bytes) -> None:
    (record.folder / "configuration.json").write_bytes(data)
    with pytest.raises(InputError, match=r"configuration\.json is damaged") as refused:
        records(record.experiment)
    assert "keeps the recorded runs" in refused.value.hint


def test_one_command_writes_at_a_time(record: Record) -> None:
    with (
        record.opened(CONFIGURATION, {}, 1),
        pytest.raises(PrerequisiteError, match="another command works on this experiment"),
        record.opened(CONFIGURATION, {}, 1),
    ):
        pass


@pytest.mark.parametrize("written", [0, 1, 40])
def test_a_full_disk_leaves_no_half_line_and_the_next_command_goes_on(
    record: Record, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    """The disk takes so many bytes of the line, and then none."""
    record.commit(OTHER, RESULT, BODY)
    before = (record.folder / "runs.jsonl").read_bytes()
    pwrite, calls = os.pwrite, list[int]()

    def full(descriptor: int, data: Any, place: int) -> int:
        calls.append(place)
        if len(calls) > 1 or not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return pwrite(descriptor, data[:written], place)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(PrerequisiteError, match=r"cannot write the artifacts: runs\.jsonl: no space left"):
        record.commit(UNIT, RESULT, BODY)
    assert (record.folder / "runs.jsonl").read_bytes() == before
    monkeypatch.undo()
    record.commit(UNIT, RESULT, BODY)
    assert again(record).kept(UNIT) is not None


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_file_that_cannot_be_written_is_one_error_and_no_half_file(
    record: Record, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    record.write_files(UNIT, {"answer.txt": b"old"})

    def full(self: Path, *_: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    monkeypatch.setattr(Path, step, full)
    with pytest.raises(
        PrerequisiteError, match=r"cannot write the artifacts: run_1\.answer\.txt: no space left"
    ):
        record.write_files(UNIT, {"answer.txt": b"new"})
    monkeypatch.undo()
    assert (record.folder / "task-1/run_1.answer.txt").read_bytes() == b"old"
    assert [path.name for path in (record.folder / "task-1").iterdir()] == ["run_1.answer.txt"]


def test_a_folder_that_cannot_be_made_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with (
        pytest.raises(PrerequisiteError, match="cannot write the artifacts"),
        Record(tmp_path / "file", "quiz", "sas").opened(CONFIGURATION, {}, 1),
    ):
        pass


def test_no_file_has_a_secret(record: Record) -> None:
    said = "key sk-planted-key-000 and more"
    record.commit(UNIT, {**RESULT, "error": said}, {**BODY, "answer": said})
    record.write_files(UNIT, {"answer.txt": said.encode()})
    for path in record.experiment.rglob("*"):
        assert path.is_dir() or b"sk-planted" not in path.read_bytes()
    assert again(record).kept(UNIT) is not None


def test_experiments_are_no_change_of_a_repository(record: Record) -> None:
    assert (record.experiment / module.MARK).read_bytes().endswith(b"\n*\n")
