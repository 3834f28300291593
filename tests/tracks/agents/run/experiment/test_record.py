"""The record on disk: what makes a unit done, what does not, and what a disk can do to it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from benchsite import canonical
from benchsite.errors import InputError, PrerequisiteError
from benchsite.tracks.agents.run.experiment import record as module
from benchsite.tracks.agents.run.experiment.record import Record
from benchsite.tracks.agents.run.experiment.unit import Unit

UNIT = Unit(0, "task-1", 1, "1" * 64)
FILES = {"trace.jsonl": b"{}\n", "answer.txt": b"42"}
RESULT = {"outcome": "success"}
CONFIGURATION: dict[str, Any] = {"config": {"seed": 7}}


@pytest.fixture
def record(tmp_path: Path) -> Record:
    made = Record(tmp_path / "exp", "quiz", "sas", ("sk-planted-key-000",))
    with made.opened(CONFIGURATION, {"receiptId": "r"}, 1):
        pass
    return made


def test_a_unit_is_done_if_its_files_are_those_that_its_result_pins(record: Record) -> None:
    assert record.kept(UNIT) is None
    record.commit(UNIT, FILES, RESULT)
    kept = record.kept(UNIT)
    assert kept is not None
    assert kept.result["outcome"] == "success"
    assert kept.read("answer.txt") == b"42"
    assert not list(record.folder.rglob(".run_*")), "no temporary file is left"


@pytest.mark.parametrize("kind", [*FILES, "result.json"])
def test_a_unit_with_a_changed_or_missing_file_is_not_done(record: Record, kind: str) -> None:
    record.commit(UNIT, FILES, RESULT)
    path = record.folder / "task-1" / f"run_1.{kind}"
    data = path.read_bytes()
    path.write_bytes(data[:-2])
    assert record.kept(UNIT) is None
    path.unlink()
    assert record.kept(UNIT) is None


def test_a_stale_attempt_of_another_unit_is_not_taken_for_it(record: Record) -> None:
    stale = Unit(0, "task-1", 1, "2" * 64)
    record.commit(stale, FILES, {"outcome": "failure"})
    assert record.kept(UNIT) is None
    record.commit(UNIT, FILES, RESULT)
    assert record.kept(stale) is None, "an attempt of the unit replaced it"


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"unit": 3}', b"\xff", b'{"unit":"%s"}' % (b"1" * 64)])
def test_a_planted_result_changes_nothing(record: Record, data: bytes) -> None:
    (record.folder / "task-1").mkdir()
    (record.folder / "task-1" / "run_1.result.json").write_bytes(data)
    assert record.kept(UNIT) is None


def test_a_planted_result_that_pins_files_elsewhere_reads_none(record: Record, tmp_path: Path) -> None:
    (tmp_path / "exp/secret").write_bytes(b"x")
    pinned = {"/../../../secret": canonical.sha256_hex(b"x")}
    (record.folder / "task-1").mkdir()
    (record.folder / "task-1/run_1.result.json").write_bytes(
        canonical.dumps({"unit": UNIT.sha256, "files": pinned})
    )
    assert record.kept(UNIT) is None


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


def test_one_command_writes_at_a_time(record: Record) -> None:
    with (
        record.opened(CONFIGURATION, {}, 1),
        pytest.raises(PrerequisiteError, match="another command works on this experiment"),
        record.opened(CONFIGURATION, {}, 1),
    ):
        pass


@pytest.mark.parametrize("failing", range(6))
@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_write_that_fails_leaves_no_half_unit_and_the_next_command_replaces_it(
    record: Record, monkeypatch: pytest.MonkeyPatch, step: str, failing: int
) -> None:
    """Two files and the result: at each of them, the disk is full."""
    whole, calls = getattr(Path, step), []

    def full(self: Path, *arguments: Any) -> Any:
        calls.append(self)
        if len(calls) == failing + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return whole(self, *arguments)

    monkeypatch.setattr(Path, step, full)
    if failing < 3:
        with pytest.raises(PrerequisiteError, match=r"cannot write the artifacts: run_1\..*no space left"):
            record.commit(UNIT, FILES, RESULT)
        assert record.kept(UNIT) is None
        assert not list(record.folder.rglob(".run_*"))
    monkeypatch.undo()
    record.commit(UNIT, FILES, RESULT)
    assert record.kept(UNIT) is not None


def test_a_folder_that_cannot_be_made_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with (
        pytest.raises(PrerequisiteError, match="cannot write the artifacts"),
        Record(tmp_path / "file", "quiz", "sas").opened(CONFIGURATION, {}, 1),
    ):
        pass


def test_no_file_has_a_secret(record: Record) -> None:
    said = b"key sk-planted-key-000 and more"
    record.commit(UNIT, {"answer.txt": said}, {"error": said.decode()})
    record.write("note.json", said)
    for path in record.experiment.rglob("*"):
        assert path.is_dir() or b"sk-planted" not in path.read_bytes()
    assert record.kept(UNIT) is not None, "it pins what was written"


def test_experiments_are_no_change_of_a_repository(record: Record) -> None:
    assert (record.experiment / module.MARK).read_bytes().endswith(b"\n*\n")
