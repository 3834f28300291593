"""A real terminal, full disks, closed pipes, signals and a machine without git: what a person then sees."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import FIXTURE, small_fixture
from commands import Run
from examples import some

BENCHSITE = [sys.executable, "-m", "benchsite"]
CONTROL = re.compile(rb"\x1b\[\??([0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


def screen(data: bytes) -> list[str]:
    """What a terminal shows in the end, of the few controls that a progress bar uses (ECMA-48: CUU, EL)."""
    lines, row, column = [""], 0, 0
    for found in CONTROL.finditer(data):
        if found[0] == b"\r":
            column = 0
        elif found[0] == b"\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif found[2] == b"A":
            row -= int(found[1] or b"1")
        elif found[2] == b"K":
            assert found[1] == b"2"
            lines[row] = ""
        elif found[2] is None:
            text = found[0].decode()
            lines[row] = lines[row].ljust(column)[:column] + text + lines[row][column + len(text) :]
            column += len(text)
    return [line.rstrip() for line in lines]


def on_a_terminal(arguments: list[str], folder: Path, home: Path) -> tuple[int, bytes]:
    """Run benchsite with all three streams on one terminal; its exit code and every byte it wrote."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(HOME=str(home), TERM="xterm", COLUMNS="100")
        os.execv(sys.executable, [*BENCHSITE, *arguments])  # noqa: S606 - in the child of a fork
    written = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux: the other side was closed
            break
        if not chunk:
            break
        written += chunk
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), written


@pytest.fixture
def root(new: Path) -> Path:
    """A new instance with one small fixture more."""
    (new / "fixtures" / FIXTURE).mkdir()
    (new / "fixtures" / FIXTURE / "fixture.json").write_text(json.dumps(small_fixture()))
    return new


@pytest.mark.stories
def test_messages_stand_on_lines_of_their_own_beside_the_bar(root: Path, tmp_path: Path) -> None:
    run = ["run", "retrieval", "--adapter", "random", "--adapter", "recency", "--fixture", FIXTURE]
    code, written = on_a_terminal(run, root, tmp_path)
    assert code == 0, written.decode()
    assert b"random on " in written.replace(b"measured  random on ", b""), "the bar was shown at all"
    lines = [line for line in screen(written) if line]
    assert "no keys: drafts in .benchsite/drafts" in lines[:2], "beside who git says the maintainer is"
    messages = [line for line in lines if line.startswith("measured")]
    assert len(messages) == 2, lines
    for line, adapter in zip(messages, ("random", "recency"), strict=True):
        assert re.fullmatch(rf"measured  {adapter} on {FIXTURE}: .*  ->  \.benchsite/drafts/.*\.json", line)


@pytest.mark.stories
def test_a_file_gets_the_messages_and_the_terminal_the_bar(root: Path, tmp_path: Path) -> None:
    terminal, stderr = pty.openpty()
    with (tmp_path / "out").open("wb") as out:
        command = [*BENCHSITE, "run", "retrieval", "--adapter", "random", "--fixture", FIXTURE]
        subprocess.run(command, cwd=root, stdout=out, stderr=stderr, check=True, timeout=60)
    os.close(stderr)
    os.close(terminal)
    assert (tmp_path / "out").read_text().startswith(f"measured  random on {FIXTURE}: ")


@pytest.mark.stories
def test_a_full_disk_is_no_bug(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_bytes(b"{}")
    for arguments in (
        ["verify", "empty.json"],
        ["verify", "--json", "empty.json"],
        ["canonicalize", "empty.json"],
        ["--help"],
    ):
        with Path("/dev/full").open("wb") as full:
            ran = subprocess.run(
                [*BENCHSITE, *arguments], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert ran.returncode == 4, ran.stderr.decode()
        assert ran.stderr.decode() == (
            "error: cannot write to standard output: No space left on device\n  hint: check free disk space\n"
        )


def test_a_reader_that_went_away_is_no_bug(tmp_path: Path) -> None:
    """128 + SIGPIPE (13), as a shell says of a program that the signal ended."""
    (tmp_path / "empty.json").write_bytes(b"{}")
    for arguments in (["verify", "empty.json"], ["--help"]):
        read, write = os.pipe()
        os.close(read)
        ran = subprocess.run(
            [*BENCHSITE, *arguments], cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, check=False
        )
        os.close(write)
        assert (ran.returncode, ran.stderr) == (141, b"")


@pytest.mark.stories
@pytest.mark.parametrize(
    "number", some([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], gate=1), ids=lambda one: one.name
)
def test_a_signal_ends_the_adapter_and_leaves_nothing(
    root: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """128 + the signal's number: 143, 130 and 129."""
    scratch, mark = tmp_path / "scratch", tmp_path / "adapter.pid"
    scratch.mkdir()
    adapter = tmp_path / "adapter"
    adapter.write_text(f"#!/bin/sh\necho $$ > {mark}.new; mv {mark}.new {mark}; exec sleep 100\n")
    adapter.chmod(0o755)
    ran = subprocess.Popen(
        [*BENCHSITE, "run", "retrieval", "--adapter", f"command:{adapter}", "--fixture", FIXTURE],
        cwd=root,
        env={**os.environ, "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        # A test run under nohup, or in the background of a script, ignores signals, and its children would too.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    )
    for _ in range(600):
        if mark.exists():
            break
        time.sleep(0.05)
    ran.send_signal(number)
    _, said = ran.communicate(timeout=60)
    assert ran.returncode == 128 + number, said.decode()
    assert said.decode().split("\n")[-2] == "stopped"
    # The adapter's own number is that of its namespace: it is looked for by its name.
    assert [line for line in command_lines() if str(adapter) in line] == []
    assert list(scratch.iterdir()) == []


def command_lines() -> list[str]:
    """The command line of every process of this machine."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


def test_without_git_there_is_one_sentence(benchsite: Run, tmp_path: Path) -> None:
    for arguments in (("status",), ("init", "new"), ("build",)):
        ran = benchsite(*arguments, PATH=str(tmp_path))
        assert ran.code == 5
        assert ran.err.splitlines()[0] == "error: git is not installed"


def test_a_folder_that_cannot_be_written_is_named(benchsite: Run, root: Path) -> None:
    """A file stands where the folder for drafts belongs; permissions would not stop a test run by root."""
    (root / ".benchsite").write_text("")
    ran = benchsite("run", "retrieval", "--adapter", "random", "--fixture", FIXTURE, cwd=root)
    assert ran.code == 4
    assert ".benchsite" in ran.err.splitlines()[-2]
    assert ran.err.splitlines()[-1].strip().startswith("hint: ")


@pytest.mark.stories
def test_configurations_are_told_apart_and_lacking_keys_are_named(
    benchsite: Run, root: Path, tmp_path: Path
) -> None:
    git = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "a small fixture"], check=True)
    run = ("run", "retrieval", "--adapter", "sqlite-fts5", "--fixture", FIXTURE, "--stopwords")
    assert benchsite(*run, cwd=root).out.startswith(f"measured  sqlite-fts5 (stopwords) on {FIXTURE}: ")
    keys = tmp_path / "keys"
    assert benchsite("keys", "init", "--out", keys, cwd=root).code == 0
    status = json.loads(benchsite("status", "--json", cwd=root).out)
    assert "sqlite-fts5 (stopwords) on three-notebooks-v1" in status["stale"]
    refused = benchsite("publish", "--yes", cwd=root)
    assert refused.code == 5
    assert "export BENCHSITE_RECEIPT_KEY_FILE=" in refused.err
    assert "export BENCHSITE_LOG_KEY_FILE=" in refused.err
    given = {f"BENCHSITE_{role}_KEY_FILE": str(keys / f"{role.lower()}.pem") for role in ("RECEIPT", "LOG")}
    published = benchsite("publish", "--yes", "--no-push", cwd=root, **given)
    named = rf"sqlite-fts5 \S+ \(stopwords\) on {FIXTURE}$"
    assert re.search(named, published.out, re.MULTILINE)
    assert re.search(rf"LOGGED  \S+  {named}", benchsite("verify", "--all", cwd=root).out, re.MULTILINE)


def test_a_demonstration_wants_a_folder_of_its_own(benchsite: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").write_text("")
    ran = benchsite("demo", "--output", "taken")
    assert ran.code == 4
    assert "remove it, or choose another with --output" in ran.err
