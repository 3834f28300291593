from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import Run

from benchsite.cli import start


@pytest.mark.parametrize(
    ("folder", "origin"),
    [
        ("été", "localhost/ete/log"),
        ("日本", "localhost/site/log"),
        ("My Bench (2)", "localhost/my-bench-2/log"),
        ("a" * 250, f"localhost/{'a' * 80}/log"),
    ],
    ids=["accents", "no letters of ASCII", "punctuation", "long"],
)
def test_the_default_origin_is_one_that_is_accepted(
    benchsite: Run, tmp_path: Path, folder: str, origin: str
) -> None:
    ran = benchsite("init", folder)
    assert ran.code == 0, ran.err
    config = (tmp_path / folder / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall("origin: (.*)", config) == [origin]
    assert f'site_name: "{folder[:120]}"' in config


def test_a_bad_origin_is_explained_in_words(benchsite: Run) -> None:
    for origin in ("https://example.org/log", "Example.org/log", "été/log"):
        ran = benchsite("init", "new", "--origin", origin)
        assert ran.code == 4
        assert f"--origin {origin!r} must be a URL prefix without a scheme" in ran.err
        assert "hint: choose another with --origin" in ran.err
        assert "mkdocs.yml" not in ran.err, "there is no such file yet"
        assert "[a-z" not in ran.err


@pytest.mark.parametrize(
    ("program", "path", "here", "inside"),
    [
        (".venv/bin/benchsite", "/nowhere", ".venv/bin/benchsite", "../.venv/bin/benchsite"),
        (".venv/bin/benchsite", ".venv/bin", "benchsite", "benchsite"),
        ("a b/benchsite", "/nowhere", "'a b/benchsite'", "'../a b/benchsite'"),
    ],
    ids=["not on PATH", "on PATH", "a space"],
)
def test_the_program_is_named_so_that_the_line_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, path: str, here: str, inside: str
) -> None:
    file = tmp_path / program
    file.parent.mkdir(parents=True)
    file.write_text("")
    file.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / path))
    monkeypatch.setattr("sys.argv", [program, "demo"])
    assert start._program(Path()) == here
    assert start._program(Path("demo")) == inside
