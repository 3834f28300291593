"""Arguments that are too long to name a file, or hold a NUL, get a sentence: the conftest refuses tracebacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run

LONG = "a" * 300  # no file system we know takes a name of more than 255 bytes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("verify", LONG), 2),
        (("verify", f"{LONG}.json"), 4),
        (("rescore", LONG), 2),
        (("verify", "--key", LONG, "x.json"), 4),
        (("canonicalize", LONG), 4),
        (("fixture", "validate", LONG), 2),
        (("fixture", "hash", LONG), 2),
        (("init", LONG), 4),
        (("demo", "--output", LONG), 4),
        (("serve", "--dir", LONG), 5),
    ],
    ids=lambda value: " ".join(value).replace(LONG, "LONG") if isinstance(value, tuple) else "",
)
def test_long_names(benchsite: Run, arguments: tuple[str, ...], code: int) -> None:
    ran = benchsite(*arguments)
    assert ran.code == code, ran.err
    assert ran.err.startswith("error: ")


def test_long_names_inside_an_instance(benchsite: Run, new: Path) -> None:
    for arguments in (
        ("verify", LONG),
        ("rescore", LONG),
        ("publish", LONG),
        ("fixture", "validate", LONG),
        ("fixture", "hash", LONG),
        ("fixture", "import", "locomo", LONG),
        ("build", "--output", LONG),
        ("run", "retrieval", "--adapter", "bm25", "--fixture", LONG),
        ("run", "retrieval", "--adapter", LONG, "--fixture", "three-notebooks-v1"),
        ("run", "retrieval", "--adapter", f"command:{LONG}", "--fixture", "three-notebooks-v1"),
        ("run", "retrieval", "--adapter", f"command:cat {LONG}", "--fixture", "three-notebooks-v1"),
    ):
        ran = benchsite(*arguments, cwd=new)
        assert ran.code in (2, 4), (arguments, ran.code, ran.err)


def test_one_name_that_is_too_long_does_not_stop_the_others(benchsite: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_bytes(b"[]")
    ran = benchsite("verify", LONG, "empty.json")
    assert ran.code == 3
    assert ran.out.startswith("INVALID  empty.json")


def test_a_nul_in_an_adapters_arguments(benchsite: Run, new: Path) -> None:
    config = new / "mkdocs.yml"
    entry = '{track: retrieval, adapter: "command:cat a\\0b", fixture: three-notebooks-v1}'
    config.write_text(config.read_text().split("    suite:")[0] + f"    suite:\n      - {entry}\n")
    ran = benchsite("run", cwd=new)
    assert ran.code == 4
    assert "cannot start: embedded null byte" in ran.err
