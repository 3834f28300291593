"""The measurements of tests/bench run, at their smallest size, and what they count is right; no second is judged here."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium_program
from hypothesis import given
from hypothesis import strategies as st

from tests.bench import __main__ as command
from tests.bench import history, measurement
from tests.bench.history import HistoryError, Line
from tests.bench.measurement import Measured, flat
from tests.bench.report import table
from tests.bench.spending import medians, ratio, spent

UNITS = ("_s", "_ms", "_us", "_mb", "_per_s", "_bytes", "_ratio")
COUNTS = {"queries", "receipt_pages", "files", "hugo_files", "append_files", "git_processes", "signatures"}
WITHOUT_UNIT = {*COUNTS, "largest_difference"}

WAYS = ("own", "own_pushed", "inbox", "inbox_pushed")

COUNTED: dict[str, Callable[[dict[str, float]], bool]] = {
    "build": lambda found: found["receipt_pages"] == 4 and found["files"] == found["hugo_files"],
    "log": lambda found: (
        found["append_files"] < 4
    ),  # the last segment and the checkpoint, however long the log
    "publish": lambda found: all(found[f"{way}.git_processes"] > 0 for way in WAYS),
    "rpc": lambda found: found["queries"] == 5,
    "scoring": lambda found: found["largest_difference"] < 1e-12,
}
"""What no machine changes: of three receipts and one added, of five queries, of the same numbers as pytrec_eval's."""


def checked(name: str, size: int | str = measurement.TINY) -> dict[str, float]:
    """The numbers of a measurement, which has the shape of all."""
    found = measurement.run(name, size, 1)
    assert found is not None, "it said why on standard error"
    numbers = dict(flat(found.numbers))
    assert (found.name, found.rounds) == (name, 1)
    assert 0 < found.size <= found.gated_size
    assert {*found.gates} <= {*numbers}
    for full, number in numbers.items():
        last = full.rpartition(".")[2]
        assert isinstance(number, int | float), full
        assert math.isfinite(number), full
        assert (last in WITHOUT_UNIT) is not last.endswith(UNITS), full
        assert isinstance(number, int) or last not in COUNTS, full
    return numbers


@pytest.mark.full
@pytest.mark.parametrize("name", sorted({*measurement.known()} - {"browser"}))
def test_a_measurement_runs_and_names_its_numbers(name: str) -> None:
    assert COUNTED.get(name, bool)(checked(name))


@pytest.mark.full
@pytest.mark.browser
def test_the_measurement_in_a_browser_runs_at_its_tiny_size() -> None:
    chromium_program()
    assert {"chromium.agents_drop_to_verdict_ms", "chromium.agents_traces_engine_ms"} < {*checked("browser")}


@pytest.mark.full
@pytest.mark.browser
def test_the_measurement_in_browsers_runs_in_each_that_is_installed() -> None:
    chromium_program()
    assert {"chromium.small_drop_to_verdict_ms", "chromium.large_engine_ms"} < {*checked("browser", 12)}


@pytest.mark.full
@pytest.mark.stories
def test_publishing_more_drafts_starts_no_more_git_and_verifies_no_more_signatures() -> None:
    one, three = checked("publish", 1), checked("publish", 3)
    for way in WAYS:
        assert 0 < one[f"{way}.git_processes"] == three[f"{way}.git_processes"]
        assert three[f"{way}.signatures"] - one[f"{way}.signatures"] == 2, "each new receipt's, once"


def test_the_memory_of_a_command_is_that_of_its_processes_together(tmp_path: Path) -> None:
    held = "import subprocess, sys, time; held = bytearray(b'x') * (64 << 20); "
    child = f"{held}time.sleep(0.7)"
    found = spent(
        [sys.executable, "-c", f"{held}subprocess.run([sys.executable, '-c', {child!r}], check=True)"],
        cwd=tmp_path,
    )
    assert found["peak_mb"] > 2 * 64 > found["largest_mb"] > 64


def test_a_command_runs_on_as_many_cores_as_asked_and_its_failure_is_one(tmp_path: Path) -> None:
    alone = "import os, sys; sys.exit(len(os.sched_getaffinity(0)) != 1)"
    assert spent([sys.executable, "-c", alone], cwd=tmp_path, cores=1)["wall_s"] > 0
    with pytest.raises(subprocess.CalledProcessError):
        spent([sys.executable, "-c", "raise SystemExit(3)"], cwd=tmp_path)


def test_medians_and_ratios_are_those_of_a_hand_computation() -> None:
    assert medians([{"a": 1.0, "b": 9}, {"a": 5.0, "b": 7}, {"a": 2.0, "b": 8}]) == {"a": 2.0, "b": 8}
    assert ratio([2, 9, 8], [1, 3, 2]) == 3  # of 2, 3 and 4; the ratio of the medians would be 4


FOUND = Measured(
    "build", "receipts", 100, 3, {"cold": {"wall_s": 20.5}, "files": 7}, {"files": "at most 9"}, 10_000
)
LINE = Line(
    "0.1.0",
    "0123456789abcdef" * 2 + "01234567",
    "2026-11-01T00:00:00Z",
    {"cpu": "x", "cores": 2},
    [{"name": "build", "size": 100, "rounds": 3, "numbers": {"cold": {"wall_s": 10.25}}}],
)


def test_a_table_shows_each_number_beside_the_last_one_of_the_same_size() -> None:
    other = replace(LINE, measurements=[{**LINE.measurements[0], "size": 1000}])
    assert [*table(FOUND, [LINE, other], {"cpu": "x", "cores": 2})] == [
        "build: 100 receipts, rounds: 3",
        "  last: 0.1.0, 2026-11-01, 0123456789ab",
        "  cold.wall_s        20.5   last      10.25   2.00 x",
        "  files                 7   gate at 10,000: at most 9",
    ]
    assert "on another machine" in [*table(FOUND, [LINE], {"cpu": "y", "cores": 2})][1]
    assert not any("last" in row for row in table(FOUND, [other], {}))


NUMBERS = st.dictionaries(
    st.text(),
    st.integers() | st.floats(allow_nan=False) | st.dictionaries(st.text(), st.integers(), max_size=2),
    max_size=3,
)
LINES = st.builds(
    Line,
    release=st.text(),
    commit=st.text(),
    date=st.text(),
    machine=st.just({"cpu": "x\u2028", "cores": 2}),
    measurements=st.lists(
        st.fixed_dictionaries(
            {"name": st.text(), "size": st.integers(), "rounds": st.integers(), "numbers": NUMBERS}
        ),
        max_size=2,
    ),
)


@given(st.lists(LINES, max_size=3))
def test_a_history_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Line]
) -> None:
    path = tmp_path_factory.mktemp("history") / "history.jsonl"
    for line in lines:
        history.append(line, path)
    assert history.read(path) == lines


@pytest.mark.parametrize(
    "bad",
    [
        b'{"release": "0.1',
        b"[]",
        b"\xff",
        b"",
        LINE.encoded().replace("10.25", '"10.25"').encode(),
        LINE.encoded().replace("10.25", '{"deeper": 1}').encode(),
        LINE.encoded().replace('"size"', '"length"').encode(),
        LINE.encoded().replace('"release"', '"host"').encode(),
    ],
)
def test_a_line_that_is_no_measurement_is_named(bad: bytes, tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(LINE.encoded().encode() + bad.rstrip(b"\n") + b"\n")
    with pytest.raises(HistoryError, match="line 2"):
        history.read(path)


def test_the_recorded_lines_can_be_read_and_tell_no_machine_by_name() -> None:
    for line in history.read():
        assert {*line.machine} == {"cpu", "cores"}
        assert "-dirty" not in line.commit


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty history, and measurements that answer at once; the one of the log fails."""
    path = tmp_path / "history.jsonl"
    monkeypatch.setattr(history.read, "__defaults__", (path,))
    monkeypatch.setattr(history.append, "__defaults__", (path,))

    def run(name: str, size: Any, rounds: Any) -> Measured | None:
        return replace(FOUND, name=name, size=size, gates={}) if name != "log" else None

    monkeypatch.setattr(measurement, "run", run)
    monkeypatch.setattr(history, "uncommitted", list)
    return path


def test_what_could_be_measured_is_recorded_and_the_rest_is_named(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["build", "log", "--size", "7", "--size", "9", "--record"]) == 1
    assert capsys.readouterr().err == "failed: log, log\n"
    (line,) = history.read(recorded)
    assert [(one["name"], one["size"]) for one in line.measurements] == [("build", 7), ("build", 9)]
    assert command.main(["build", "--size", "9", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["measurements"][0]["numbers"] == FOUND.numbers
    assert len(history.read(recorded)) == 1


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], ["--tiny", "--record"], ["--size", "0"], ["--size", "x"], ["--tiny", "--size", "1"]],
)
def test_a_wrong_command_line_measures_nothing(arguments: list[str], recorded: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(arguments)
    assert stopped.value.code == 2
    assert not recorded.exists()


def test_a_history_that_cannot_be_read_is_said_before_anything_is_measured(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.write_text("no line\n")
    with pytest.raises(SystemExit):
        command.main(["build", "--size", "1", "--record"])
    assert "history.jsonl line 1" in capsys.readouterr().err
    assert recorded.read_text() == "no line\n"


def test_a_tree_with_uncommitted_changes_records_nothing_and_measures_nothing(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(history, "uncommitted", lambda: ["Makefile", "benchsite/api.py"])
    with pytest.raises(SystemExit) as stopped:
        command.main(["build", "--size", "1", "--record"])
    said = capsys.readouterr()
    assert (stopped.value.code, said.out) == (2, "")
    assert "not committed: Makefile, benchsite/api.py; hint: commit or stash" in said.err
    assert not recorded.exists()
    assert command.main(["build", "--size", "1"]) == 0, "only a record needs a commit"


def test_uncommitted_is_every_changed_file_but_untracked_ones_and_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tests/history.jsonl"
    file.parent.mkdir()
    monkeypatch.setattr(history, "ROOT", tmp_path)
    monkeypatch.setattr(history, "FILE", file)
    for path in (file, tmp_path / "a b.py", tmp_path / "deleted.py"):
        path.write_text("x\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        who = ["-c", "user.name=t", "-c", "user.email=t@t.invalid"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True)
    file.write_text("x\ny\n")
    (tmp_path / "untracked.py").write_text("")
    assert history.uncommitted() == []
    assert re.fullmatch("[0-9a-f]{40}", history.line_of([]).commit)
    (tmp_path / "a b.py").write_text("y\n")
    (tmp_path / "deleted.py").unlink()
    assert history.uncommitted() == ["a b.py", "deleted.py"]
    assert history.line_of([]).commit.endswith("-dirty")
