from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from agent_traces import ALONE, TEAM, event

from benchsite.errors import InputError, PrerequisiteError
from benchsite.tracks.agents.trace.event import Trace, line
from benchsite.tracks.agents.trace.writer import TraceWriter, read_chunks


def test_what_is_appended_is_read_back(tmp_path: Path):
    path = tmp_path / "run_1.trace.jsonl"
    with TraceWriter(path) as writer:
        for one in TEAM:
            writer.append(one)
        assert path.read_bytes() == b"".join(map(line, TEAM)), "before the file is closed"
        assert (writer.events, writer.dropped) == (10, 0)
    writer.close()
    with path.open("rb") as file:
        assert list(Trace(read_chunks(file))) == TEAM


def test_reopening_appends_and_changes_nothing(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    for one in ALONE:
        with TraceWriter(path) as writer:
            writer.append(one)
    assert path.read_bytes() == b"".join(map(line, ALONE))
    assert writer.events == 4


def test_reopening_cuts_off_the_half_line_only_and_says_so(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    whole = b"".join(map(line, ALONE))
    path.write_bytes(whole + line(TEAM[4])[:-1])
    with TraceWriter(path) as writer:
        assert (writer.events, writer.dropped) == (4, len(line(TEAM[4])) - 1)
        assert path.read_bytes() == whole
        writer.append(event(9, "a", "act"))
    assert path.read_bytes() == whole + line(event(9, "a", "act"))


def test_a_file_that_is_no_trace_is_refused_unchanged(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"notes\n" + line(ALONE[0]))
    with pytest.raises(InputError, match=r"t\.jsonl line 1"):
        TraceWriter(path)
    assert path.read_bytes() == b"notes\n" + line(ALONE[0])


def test_an_event_that_cannot_be_written_leaves_nothing(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    with TraceWriter(path) as writer:
        writer.append(ALONE[0])
        with pytest.raises(InputError, match="id occurs twice"):
            writer.append(ALONE[0])
        with pytest.raises(InputError, match="JSON"):
            writer.append(event(2, "a", "act", {"x": object()}))
        writer.append(event(2, "a", "act"))
    assert path.read_bytes() == line(ALONE[0]) + line(event(2, "a", "act"))


def test_one_writer_at_a_time(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    with TraceWriter(path), pytest.raises(PrerequisiteError, match="another process writes"):
        TraceWriter(path)
    TraceWriter(path).close()


def test_a_folder_that_does_not_exist_is_named_without_its_path(tmp_path: Path):
    with pytest.raises(PrerequisiteError, match=r" t\.jsonl: No such"):
        TraceWriter(tmp_path / "nowhere" / "t.jsonl")


CHILD = """
import sys
from pathlib import Path
from benchsite.tracks.agents.trace.event import Event
from benchsite.tracks.agents.trace.writer import TraceWriter
writer = TraceWriter(Path(sys.argv[1]))
for number in range(10**9):
    writer.append(Event(id=f"e{number}", actor="a", event_type="act", payload={"text": "x" * (number * 37 % 5000)}))
    if number == 20:
        print("writing", flush=True)
"""


def test_a_killed_writer_leaves_a_prefix_that_a_new_one_continues(tmp_path: Path, root: Path):
    path = tmp_path / "t.jsonl"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, cwd=root)
    assert child.stdout is not None
    assert child.stdout.readline() == b"writing\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with path.open("rb") as file:
        events = list(Trace(read_chunks(file), drop_half_line=True))
    assert [one.id for one in events] == [f"e{number}" for number in range(len(events))]
    assert len(events) >= 21
    with TraceWriter(path) as writer:
        assert writer.events == len(events)
        writer.append(event(-1, "a", "finalize"))
    with path.open("rb") as file:
        assert list(Trace(read_chunks(file))) == [*events, event(-1, "a", "finalize")]


class _FullDisk:
    """A file on a disk that is full."""

    closed = False

    def write(self, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def fileno(self) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        self.closed = True


def test_a_full_disk_is_an_error_with_its_reason(tmp_path: Path):
    """Proof A9: `run agents` ended in a traceback."""
    writer = TraceWriter(tmp_path / "run_1.trace.jsonl")
    writer._file.close()
    writer._file = _FullDisk()  # type: ignore[assignment]  # what the kernel would say
    for attempt in (lambda: writer.append(event(1, "a", "act")), writer.close):
        with pytest.raises(PrerequisiteError) as caught:
            attempt()
        assert caught.value.message == "cannot write the trace: run_1.trace.jsonl: no space left on device"
        assert caught.value.exit_code == 5
