"""`benchsite methodology` as a person meets it."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

import pytest
from commands import Run

SEEDS = {
    f"BENCHSITE_{role}_KEY": base64.b64encode(bytes([place + 1]) * 32).decode()
    for place, role in enumerate(("ROOT", "RECEIPT", "LOG"))
}


@pytest.fixture
def root(benchsite: Run, new: Path) -> Path:
    """An instance with a log, and the rules of retrieval."""
    assert benchsite("keys", "init", cwd=new, **SEEDS).code == 0
    return new


def test_list_check_and_publish_tell_one_story(benchsite: Run, root: Path) -> None:
    before = {row["version"]: row for row in _retrieval(benchsite, root)}
    assert [before[version]["status"] for version in ("0.0.1", "1.0.0")] == ["superseded", "current"]
    assert {row["entry"] for row in before.values()} == {None}
    checked = benchsite("methodology", "check", cwd=root)
    assert (checked.code, checked.err) == (0, "")
    assert f"valid  retrieval 1.0.0  {before['1.0.0']['sha256']}" in checked.out
    refused = benchsite("methodology", "publish", "retrieval", "0.0.1", cwd=root, **SEEDS)
    assert (refused.code, "--yes" in refused.err) == (5, True)
    assert "first version of its track in the log" in refused.out
    done = benchsite("methodology", "publish", "retrieval", "0.0.1", "--yes", "--no-push", cwd=root, **SEEDS)
    assert done.code == 0
    assert "published retrieval 0.0.1 in commit" in done.out
    after = {row["version"]: row for row in _retrieval(benchsite, root)}
    assert [after[version]["status"] for version in ("0.0.1", "1.0.0")] == ["current", "proposed"]
    again = benchsite("methodology", "publish", "retrieval", "0.0.1", "--yes", cwd=root)
    assert (again.code, again.err) == (0, "")
    assert f"already published: entry {after['0.0.1']['entry']} of the log" in again.out
    asked = benchsite("methodology", "publish", "retrieval", "1.0.0", cwd=root, **SEEDS)
    assert "supersedes 0.0.1; receipt" in asked.out
    last = benchsite("methodology", "publish", "retrieval", "1.0.0", "--yes", "--json", cwd=root, **SEEDS)
    assert json.loads(last.out)["entry"] == after["0.0.1"]["entry"] + 1
    _edit_and_check(benchsite, root)


def _retrieval(benchsite: Run, root: Path) -> list[dict[str, str]]:
    found = json.loads(benchsite("methodology", "list", "--json", cwd=root).out)["methodologies"]
    return [row for row in found if row["track"] == "retrieval"]


def _edit_and_check(benchsite: Run, root: Path) -> None:
    """A published version that was edited: exit code 3 from check and publish."""
    text = root / "methodology/retrieval/1.0.0/text.md"
    text.write_bytes(text.read_bytes() + b"\nOne more thing.\n")
    assert {row["version"]: row["edited"] for row in _retrieval(benchsite, root)} == {
        "0.0.1": False,
        "1.0.0": True,
    }
    assert "edited since, run benchsite methodology check" in benchsite("methodology", "list", cwd=root).out
    checked = benchsite("methodology", "check", cwd=root)
    assert checked.code == 3
    assert "methodology/retrieval/1.0.0 was edited after it was published" in checked.err
    assert benchsite("methodology", "publish", "retrieval", "1.0.0", "--yes", cwd=root, **SEEDS).code == 3


def test_a_malformed_version_is_exit_code_4_with_its_place(benchsite: Run, root: Path) -> None:
    new = root / "methodology/retrieval/1.1.0"
    shutil.copytree(root / "methodology/retrieval/1.0.0", new)
    ran = benchsite("methodology", "check", "methodology/retrieval/1.1.0", cwd=root)
    assert ran.code == 4
    assert "methodology/retrieval/1.1.0: parameters.json declares retrieval/1.0.0" in ran.err
    assert benchsite("methodology", "check", "methodology/retrieval/9.0.0", cwd=root).code == 2


def test_uncommitted_rules_and_a_missing_log_are_prerequisites(benchsite: Run, new: Path) -> None:
    ran = benchsite("methodology", "publish", "retrieval", "1.0.0", "--yes", cwd=new, **SEEDS)
    assert (ran.code, "log not initialized" in ran.err) == (5, True)
    assert benchsite("methodology", "list", cwd=new).code == 0


def test_a_new_sheet_goes_to_stdout_or_to_a_file_that_is_not_there(benchsite: Run, root: Path) -> None:
    printed = benchsite("methodology", "new-sheet", "1.3.0", "customer-service", cwd=root)
    assert printed.code == 0, printed.err
    assert "U4" in printed.out
    command = ("methodology", "new-sheet", "1.3.0", "customer-service", "--output", "sheet.yaml")
    assert benchsite(*command, cwd=root).code == 0
    assert (root / "sheet.yaml").read_text(encoding="utf-8") == printed.out
    assert benchsite(*command, cwd=root).code == 2
    unknown = benchsite("methodology", "new-sheet", "1.3.0", "poetry", cwd=root)
    assert (unknown.code, "customer-service" in unknown.err) == (2, True)
    assert benchsite("methodology", "new-sheet", "1.3.0", "x", "--track", "retrieval", cwd=root).code == 2


def test_control_characters_of_a_document_do_not_reach_the_terminal(benchsite: Run, root: Path) -> None:
    path = root / "methodology/retrieval/1.0.0/parameters.json"
    path.write_bytes(path.read_bytes().replace(b'"maxCuts":', b'"x\\u001b[31m": 1, "maxCuts":'))
    ran = benchsite("methodology", "check", cwd=root)
    assert ran.code == 4
    assert "\x1b[31m" not in ran.err
    assert "is not a field that is known here" in ran.err
