"""Terminals of other encodings: no traceback, ASCII signs, and JSON that is JSON everywhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from commands import Run
from examples import some

from benchsite.cli import output
from benchsite.site.marks import STATES

LATIN = {"PYTHONIOENCODING": "latin-1"}
ASCII = {"PYTHONIOENCODING": "ascii"}
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
STRICT = {"PYTHONIOENCODING": "utf-8:strict"}


@pytest.mark.parametrize("variables", some([LATIN, ASCII, C_LOCALE], gate=1), ids=["latin-1", "ascii", "C"])
def test_signs_are_ascii_where_the_terminal_has_no_others(
    benchsite: Run, tmp_path: Path, variables: dict[str, str]
) -> None:
    (tmp_path / "empty.json").write_bytes(b"[]")
    ran = benchsite("verify", "empty.json", **variables)
    assert ran.code == 3
    assert "  x Parse: " in ran.out
    assert ran.out.isascii()


def test_signs_are_those_of_the_pages() -> None:
    assert {state: signs[0] for state, signs in output._MARKS.items()} == {
        state: mark.glyph for state, mark in STATES.items()
    }


def test_signs_are_unicode_elsewhere(benchsite: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_bytes(b"[]")
    assert "  ✗ Parse: " in benchsite("verify", "empty.json", **STRICT).out


@pytest.mark.parametrize("variables", some([LATIN, ASCII, STRICT], gate=1), ids=["latin-1", "ascii", "utf-8"])
@pytest.mark.stories
def test_json_holds_any_name(benchsite: Run, tmp_path: Path, variables: dict[str, str]) -> None:
    for name in ("日本.json", "été 😀.json", os.fsdecode(b"\xff.json")):
        (tmp_path / name).write_bytes(b"[]")
        ran = benchsite("verify", "--json", name, **variables)
        assert ran.code == 3
        assert json.loads(ran.out)["receipts"][0]["path"] == name


def test_a_long_run_in_a_pipe_prints_lines_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 4, 10, 12 and 25 seconds: not before ten have passed, then ten later."""
    seconds = iter([0, 4, 10, 12, 25])
    monkeypatch.setattr(output, "perf_counter_ns", lambda: next(seconds) * 1_000_000_000)
    with output.progress("measuring", is_logged=True) as progress:
        for done in (25, 50, 75):
            progress(done, 1500, "bm25 on notes: conv-1")
        progress(100, 0, "")
    printed = capsys.readouterr()
    assert (printed.out, printed.err.splitlines()) == (
        "",
        ["bm25 on notes: conv-1: 50 of 1,500", "measuring: 100"],
    )


def test_text_that_cannot_be_encoded_is_escaped(benchsite: Run, tmp_path: Path) -> None:
    (tmp_path / "日本.json").write_bytes(b"[]")
    ran = benchsite("verify", "日本.json", **LATIN)
    assert ran.code == 3
    assert "\\u65e5\\u672c.json" in ran.out
