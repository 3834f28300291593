"""`adapter install`, `adapter list` and runs of systems that are not installed; nothing is downloaded."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import Run


def test_the_list_says_what_is_installed(benchsite: Run, new: Path) -> None:
    told = json.loads(benchsite("adapter", "list", "--json", cwd=new).out)["adapters"]
    rows = {one["name"]: one for one in told}
    assert (rows["bm25"]["state"], rows["bm25"]["group"]) == ("built in", "")
    assert (rows["tantivy"]["state"], rows["tantivy"]["group"]) == ("not installed", "lexical")
    assert rows["faiss"]["backend"] == "minilm"
    made = new / ".benchsite/environments/lexical"
    (made / "bin").mkdir(parents=True)
    (made / "bin/python").write_text("")
    stated = {"python": [3, 11, 2], "sqliteExtensions": True, "requirements": ["tantivy==0.1"]}
    (made / "environment.json").write_text(json.dumps(stated))
    printed = benchsite("adapter", "list", cwd=new).out
    assert re.search(r"^tantivy +other versions +lexical ", printed, re.MULTILINE)


def test_a_system_that_is_not_installed_is_named_with_the_command_that_installs_it(
    benchsite: Run, new: Path
) -> None:
    ran = benchsite("run", "retrieval", "--adapter", "tantivy", "--fixture", "three-notebooks-v1", cwd=new)
    assert ran.code == 5, ran.err
    assert "adapter tantivy: not installed" in ran.out + ran.err
    assert "benchsite adapter install tantivy" in ran.out + ran.err
    ran = benchsite("adapter", "check", "tantivy", cwd=new)
    assert (ran.code, "benchsite adapter install tantivy" in ran.err) == (5, True)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("tantivi",), 2, "did you mean 'tantivy'?"),
        (("bm25",), 2, "no system and no group named 'bm25'"),
        (("tantivy", "--python", "/no/such/python"), 5, "/no/such/python: not a Python"),
    ],
)
def test_what_cannot_be_installed_leaves_nothing(
    benchsite: Run, new: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    ran = benchsite("adapter", "install", *arguments, cwd=new)
    assert (ran.code, message in ran.err) == (code, True), ran.err
    assert not (new / ".benchsite/environments").exists()


def test_a_failed_download_leaves_nothing(benchsite: Run, new: Path) -> None:
    ran = benchsite("adapter", "install", "tantivy", cwd=new, PIP_NO_INDEX="1")
    assert ran.code == 5
    assert "lexical: not installed: No matching distribution found for" in ran.err
    assert list((new / ".benchsite/environments").iterdir()) == []


def test_an_environment_needs_an_instance(benchsite: Run, tmp_path: Path) -> None:
    ran = benchsite("adapter", "install", "tantivy", cwd=tmp_path)
    assert ran.code == 5
    assert "hint" in ran.err


def test_nothing_is_written_through_a_link(benchsite: Run, new: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/kept").write_text("mine")
    (new / ".benchsite/environments").mkdir(parents=True)
    (new / ".benchsite/environments/lexical").symlink_to(tmp_path / "elsewhere")
    ran = benchsite("adapter", "install", "tantivy", cwd=new)
    assert ran.code == 4
    assert ".benchsite/environments/lexical is a symbolic link" in ran.err
    assert (tmp_path / "elsewhere/kept").read_text() == "mine"
