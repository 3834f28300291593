"""The library's front door gives the answers of the command line, whatever it is handed."""

from __future__ import annotations

import json
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest
from publishing import commit

import benchsite
from benchsite import canonical
from benchsite.errors import InputError, IntegrityError, PrerequisiteError
from benchsite.history import Rescore, Verdict
from benchsite.pipeline.workspace import Workspace


@pytest.fixture
def record(published: Workspace) -> benchsite.Record:
    return benchsite.Record.open(published.root)


def files(published: Workspace) -> list[Path]:
    return sorted((published.root / "results/published").glob("*/*.json"))


def test_iterating_examines_every_receipt(published: Workspace, record: benchsite.Record) -> None:
    found = list(record)
    assert sorted(str(seen.receipt_id) for seen in found) == [path.stem for path in files(published)]
    assert {(seen.verdict, seen.rescore) for seen in found} == {(Verdict.LOGGED, Rescore.MATCHES)}
    assert record.size == len((published.root / "results/log/entries/000000.jsonl").read_bytes().splitlines())


def test_one_receipt_with_the_record_without_it_and_with_a_key(
    published: Workspace, record: benchsite.Record
) -> None:
    data = files(published)[0].read_bytes()
    assert benchsite.verify(data, record=record) == record.verify(data)
    assert benchsite.verify(data, record=record).verdict is Verdict.LOGGED
    assert benchsite.verify(data).verdict is Verdict.UNKNOWN_SIGNER
    key = (published.root / "keys/receipt-signing.pub").read_text()
    seen = benchsite.verify(data, public_key=key)
    assert (seen.signature_checked, seen.exit_code, seen.index) == (True, 0, None)


@pytest.mark.parametrize("data", [b"", b"\xff", b"{}", b"[" * 100_000, b'{"schemaVersion":"9.0.0"}'])
def test_what_is_no_receipt_is_an_answer(record: benchsite.Record, data: bytes) -> None:
    seen = benchsite.verify(data, record=record)
    assert seen.verdict in (Verdict.INVALID, Verdict.UNSUPPORTED)
    assert seen.exit_code in (3, 5)
    assert seen.receipt_id is None


def test_a_forged_number_is_named(published: Workspace, record: benchsite.Record) -> None:
    document = json.loads(files(published)[0].read_bytes())
    document["scores"]["success_at_10"] = 0.123
    seen = benchsite.verify(canonical.dumps(document), record=record)
    assert (seen.verdict, seen.failed and seen.failed.name) == (Verdict.INVALID, "signature")


def test_a_draft_is_refused_as_one(published: Workspace, record: benchsite.Record) -> None:
    document = json.loads(files(published)[0].read_bytes())
    del document["signature"]
    document["receiptId"] = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(PrerequisiteError, match="not signed"):
        benchsite.verify(canonical.dumps(document), record=record)


def test_a_damaged_record_ends_the_iteration(published: Workspace) -> None:
    commit(published, {"results/published/stray.txt": b"x"})
    with pytest.raises(IntegrityError, match=r"stray\.txt"):
        list(benchsite.Record.open(published.root))


def test_a_missing_receipt_is_an_answer(published: Workspace) -> None:
    commit(published, {}, removes=(files(published)[0].relative_to(published.root).as_posix(),))
    found = list(benchsite.Record.open(published.root))
    assert [seen.receipt for seen in found if seen.verdict is Verdict.INVALID] == [None]


def test_a_folder_that_is_no_instance_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError):
        benchsite.Record.open(tmp_path)


def test_importing_the_package_imports_neither_git_nor_the_pipeline() -> None:
    said = "import sys, benchsite; print([m for m in ('git', 'benchsite.pipeline', 'pydantic') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = benchsite.nothing


@pytest.mark.parametrize(
    ("data", "given", "says"),
    [
        ("receipt.json", {}, "as bytes, .*str"),
        (Path("receipt.json"), {}, "as bytes, .*PosixPath"),
        (b"{}", {"record": "."}, r"benchsite\.Record, not str"),
        (b"{}", {"public_key": b"-----BEGIN"}, "public_key .*not bytes"),
        (b"{}", {"methodologies": None}, "list of folders, not NoneType"),
        (b"{}", {"methodologies": "methodology/rubric/2.0.0"}, "list of folders, not str"),
        (b"{}", {"methodologies": [None]}, "not by NoneType"),
        (b"{}", {"methodologies": [b"methodology"]}, "not by bytes"),
        (b"{}", {"methodologies": ["/no/such/folder"]}, "no such folder: /no/such/folder"),
    ],
)
def test_an_argument_of_another_type_is_named(data: object, given: dict[str, object], says: str) -> None:
    """The likely first mistakes of somebody who has not read the page."""
    with pytest.raises(InputError, match=says) as found:
        benchsite.verify(data, **given)  # type: ignore[arg-type]
    assert found.value.hint


@pytest.mark.parametrize("path", [None, 3, b"."])
def test_a_record_is_named_by_a_path(path: object) -> None:
    with pytest.raises(InputError, match="by its path"):
        benchsite.Record.open(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["a\0b", "/no/such/folder", "x" * 10_000])
def test_a_record_is_in_a_folder_that_is_there(path: str) -> None:
    with pytest.raises(InputError, match="open: no such folder") as found:
        benchsite.Record.open(path)
    assert len(found.value.message) < 300


def test_help_shows_the_two_names() -> None:
    shown = pydoc.plain(pydoc.render_doc(benchsite))
    assert "class Record" in shown
    assert "verify(data: 'bytes'" in shown
