"""A record as files: every query has a row, nothing unverified is in it, and every format says the same."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from altering import data_of
from builders import FIXTURE, commit, small_fixture
from publishing import measure
from snapshots import log_of, opened

from benchsite.environment import Credentials
from benchsite.errors import InputError, PrerequisiteError, UsageError
from benchsite.pipeline import publish
from benchsite.pipeline.export import FORMATS, ExportedRecord, write
from benchsite.pipeline.publish import events
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import Repository

Rows = list[dict[str, Any]]


def exported(instance: Workspace, kind: str, folder: Path, size: int | None = None) -> Path:
    record = ExportedRecord.of(opened(instance), size)
    return write(record, kind, folder / f"{kind}-{size}").path


def lines(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def table(path: Path, name: str) -> Rows:
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(f'SELECT * FROM "{name}"')]  # noqa: S608 - our own names


def cells(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_query_of_each_receipt_has_a_row_and_their_mean_is_the_receipts_score(
    published: Workspace, tmp_path: Path
) -> None:
    path = exported(published, "sqlite", tmp_path)
    values = defaultdict(list)
    for row in table(path, "items"):
        values[row["receiptId"]].append(row["value"])
    receipts = table(path, "receipts")
    assert len(receipts) == len(values) == 4
    for receipt in receipts:
        found = values[receipt["receiptId"]]
        assert len(found) == 8
        scored = [value for value in found if value is not None]
        assert len(scored) == 7, "one query has no answer"
        assert sum(scored) / 7 == pytest.approx(receipt["value"], abs=1e-12)


def test_every_format_has_the_same_rows(published: Workspace, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    exact = lines(exported(published, "jsonl", tmp_path))
    assert len(exact) == 32
    assert parquet.read_table(exported(published, "parquet", tmp_path)).to_pylist() == [
        {name: row[name] for name in sorted(row, key=list(columns(published)).index)} for row in exact
    ]

    def stored(value: Any) -> Any:
        return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else value

    database = table(exported(published, "sqlite", tmp_path), "items")
    assert database == [{name: stored(row[name]) for name in columns(published)} for row in exact]

    def cell(value: Any) -> str:
        text = stored(value)
        return "" if text is None else text if isinstance(text, str) else json.dumps(text)

    def plain(text: str) -> str:
        return text.removesuffix(".0")

    assert [
        {name: plain(text) for name, text in row.items()}
        for row in cells(exported(published, "csv", tmp_path))
    ] == [{name: plain(cell(row[name])) for name in columns(published)} for row in exact]


def columns(instance: Workspace) -> Sequence[str]:
    return [column.name for column in ExportedRecord.of(opened(instance)).columns]


def test_a_receipt_that_fails_verification_is_excluded_and_counted(
    published: Workspace, tmp_path: Path
) -> None:
    path = opened(published).published[0].path
    commit(published, {path: data_of(published, path).replace(b'"hit":true', b'"hit":false', 1)})
    record = ExportedRecord.of(opened(published))
    assert (len(record.headers), record.excluded) == (3, 1)
    rows = lines(write(record, "jsonl", tmp_path / "rows").path)
    named = path.rsplit("/", 1)[1].removesuffix(".json")
    assert len(rows) == 24
    assert named not in {row["receiptId"] for row in rows}
    about = {
        row["key"]: row["value"] for row in table(write(record, "sqlite", tmp_path / "db").path, "record")
    }
    assert (about["receipts"], about["excluded"]) == ("3", "1")


def test_at_a_size_the_record_is_as_it_was_then(
    published: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    before = exported(published, "jsonl", tmp_path).read_bytes()
    size = log_of(published).size
    gone = opened(published).history().headers[0].receipt_id
    events.announce(published, credentials, events.retraction(gone, "wrong"), push=False)
    now = lines(exported(published, "jsonl", tmp_path / ".."))
    assert {row["verdict"] for row in now if row["receiptId"] == gone} == {"RETRACTED"}
    assert {row["ranked"] for row in now if row["receiptId"] == gone} == {False}
    assert exported(published, "jsonl", tmp_path, size).read_bytes() == before
    # The entry of the last receipt is the last but one.
    without = lines(exported(published, "jsonl", tmp_path, size - 1))
    assert len({row["receiptId"] for row in without}) == 3


@pytest.mark.parametrize("size", [0, 99])
def test_a_size_that_the_log_does_not_have_is_refused(published: Workspace, size: int) -> None:
    with pytest.raises(UsageError, match=f"no size {size}"):
        ExportedRecord.of(opened(published), size)


def test_text_that_a_spreadsheet_would_run_is_marked_in_csv_alone(
    begun: Workspace, credentials: Credentials, tmp_path: Path
) -> None:
    fixture = small_fixture()
    fixture["queries"][0]["category"] = "=HYPERLINK(1)"
    commit(begun, {f"fixtures/{FIXTURE}/fixture.json": json.dumps(fixture).encode()})
    begun.repository.materialise([f"fixtures/{FIXTURE}/fixture.json"], "HEAD")
    draft = measure(begun, "bm25")
    publish.publish(begun, opened(begun), [draft], credentials, push=False)
    assert cells(exported(begun, "csv", tmp_path))[0]["category"] == "'=HYPERLINK(1)"
    assert lines(exported(begun, "jsonl", tmp_path))[0]["category"] == "=HYPERLINK(1)"


def test_the_dictionary_describes_every_column_of_every_table(published: Workspace, tmp_path: Path) -> None:
    path = exported(published, "sqlite", tmp_path)
    described = {(row["table"], row["column"]): row["description"] for row in table(path, "dictionary")}
    held = {(name, column) for name in ("receipts", "scores", "items") for column in table(path, name)[0]}
    assert set(described) == held
    assert all(text.endswith(".") for text in described.values())


def test_without_pyarrow_the_error_says_what_to_install(
    published: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(PrerequisiteError, match="no package pyarrow, which Parquet files need") as caught:
        exported(published, "parquet", tmp_path)
    assert "pip install 'benchsite[parquet]'" in caught.value.hint
    assert list(tmp_path.glob("parquet*")) == []


def test_a_file_that_exists_is_kept(published: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("mine")
    record = ExportedRecord.of(opened(published))
    for kind in FORMATS:
        with pytest.raises(InputError, match="exists"):
            write(record, kind, path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("kind", ["csv", "jsonl", "sqlite"])
def test_no_receipt_is_read_before_the_one_before_it_is_written(
    published: Workspace, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, read, seen = ExportedRecord.of(opened(published)), [0], []
    blobs = Repository.blobs

    def counted(self: Repository, ids: Sequence[str]) -> Iterator[bytes]:
        for data in blobs(self, ids):
            read[0] += 1
            yield data

    monkeypatch.setattr(Repository, "blobs", counted)
    write(record, kind, tmp_path / kind, lambda done, _total, _label: seen.append((done, read[0])))
    assert seen == [(1, 1), (2, 2), (3, 3), (4, 4)]
