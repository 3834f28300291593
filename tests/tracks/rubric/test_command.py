from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import rubric_sheets

from benchsite.errors import InputError, UsageError
from benchsite.tracks.rubric import command


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.yaml"
    found.write_text(rubric_sheets.text())
    return found


def test_all_sheets_of_a_call_are_one_piece_of_work(path: Path) -> None:
    other = path.with_name("b.yaml")
    other.write_text(rubric_sheets.text(number=2))
    [work] = command.works(sheets=(path, other))
    assert (work.track, work.subject, work.target) == ("rubric", "Helper", "customer-service")
    assert work.methodology == "1.3.0"
    assert [(item.path, item.data) for item in work.request["sheets"]] == [
        (item, item.read_bytes()) for item in (path, other)
    ]


@pytest.mark.parametrize("stands", [".", "content", "../elsewhere"])
def test_a_suite_names_sheets_as_seen_from_the_instance(
    path: Path, monkeypatch: pytest.MonkeyPatch, stands: str
) -> None:
    place = path.parent / stands
    place.mkdir(exist_ok=True)
    monkeypatch.chdir(place)
    for name in ("a.yaml", str(path)):
        work = command.suite({"track": "rubric", "sheets": [name]}, str(path.parent))
        [item] = work.request["sheets"]
        assert item.data == path.read_bytes()
        assert item.path.resolve() == path.resolve()
        assert (str(item.path) == "a.yaml") == (stands == ".")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({}, "sheets: is missing"),
        ({"sheets": []}, "sheets: "),
        ({"sheets": [1]}, r"sheets\.0: "),
        ({"sheets": ["a.yaml"], "fixture": "x"}, "fixture: .*a field"),
        ({"sheets": ["nowhere.yaml"]}, "sheet nowhere.yaml"),
    ],
)
def test_a_suite_entry_that_names_none_is_refused(entry: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        command.suite({"track": "rubric", **entry}, "")


def test_what_is_no_version_is_said_with_every_other_fault(path: Path) -> None:
    path.write_text(rubric_sheets.text().replace("1.3.0", "9.0").replace("score: 4", "score: 0", 1))
    with pytest.raises(InputError, match=r"line 1: methodology: .*\n.*, line \d+: universal\.U1\.score"):
        command.works(sheets=(path,))


def test_no_machine_evaluates_again() -> None:
    with pytest.raises(UsageError, match="cannot be re-run") as caught:
        command.work_of({"receiptId": "x"})
    assert "new sheets" in caught.value.hint
