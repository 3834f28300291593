from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from subjects import of_folder

from benchsite.isolation import sandbox
from benchsite.isolation.process import ChildProcess, Fault, Reply
from benchsite.isolation.sandbox import network_cut
from benchsite.track import NOTHING, Grant

pytestmark = pytest.mark.usefixtures("hostile")

Start = Callable[..., ChildProcess]


@pytest.fixture
def start(tmp_path: Path, hostile: Callable[[str], Path]) -> Iterator[Start]:
    """Start a hosted class (`module:Class`) or a command; every process is ended with the test."""
    running = []

    def begin(what: str | list[str], grant: Grant = NOTHING) -> ChildProcess:
        search = (str(hostile("")), str(Path(__file__).parents[2]), *sys.path)
        process = ChildProcess(
            what if isinstance(what, list) else worker(what),
            grant=grant,
            folder=tmp_path,
            clock_ns=time.perf_counter_ns,
            search_path=[path for path in search if path],
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()


def worker(reference: str) -> list[str]:
    return [sys.executable, "-P", "-m", "benchsite.tracks.retrieval.run.worker", reference]


def initialize(process: ChildProcess, **options: Any) -> Reply:
    return process.call("initialize", {"options": options, "seed": 0, "protocolVersion": 1}, timeout_s=30)


def query(process: ChildProcess, text: str = "boat", timeout_s: float = 10) -> Reply:
    return process.call("query", {"query": text, "k": 5, "when": None}, timeout_s=timeout_s)


def fault(reply: Reply) -> Fault:
    assert reply.fault is not None
    return reply.fault


def test_a_call_and_its_time(start: Start) -> None:
    with start("honest:Honest") as process:
        reply = initialize(process)
        assert reply.fault is None
        assert reply.result["name"] == "honest"
        assert reply.elapsed_ns > 0
        assert process.peak_memory() > 1_000_000
    assert not process.alive


def test_raised_leaves_it_alive(start: Start) -> None:
    process = start("raises:Raises")
    initialize(process)
    assert fault(query(process)).kind == "raised"
    assert fault(query(process)).detail == "RuntimeError: no boats\nplease"
    assert query(process, "cars").result == {"hits": []}


def test_a_missed_deadline_kills_even_what_ignores_signals(start: Start) -> None:
    process = start("hangs:Hangs")
    initialize(process)
    assert query(process, "cars").fault is None
    reply = query(process, timeout_s=0.3)
    assert fault(reply) == Fault("timeout", "no response within 0.3 s")
    assert 0.3e9 <= reply.elapsed_ns < 5e9
    assert not process.alive
    assert fault(query(process)).kind == "crashed"


def test_the_whole_process_group_is_killed(start: Start, tmp_path: Path) -> None:
    process = start("hangs:HangsWithChild")
    initialize(process)
    assert fault(query(process, timeout_s=2)).kind == "timeout"
    assert process.last_words.startswith("child ")
    assert of_folder(tmp_path) == []


def test_death_is_noticed_with_its_status(start: Start) -> None:
    process = start("dies:Dies")
    initialize(process)
    seen = fault(query(process))
    assert seen.kind == "crashed"
    assert not process.alive


def test_last_words_are_the_last_line_of_stderr(start: Start) -> None:
    process = start("dies:DiesLoudly")
    initialize(process)
    assert fault(query(process)).kind == "crashed"
    assert process.last_words == "out of memory"


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        (
            "  throw err;\n\nError: Cannot find module 'left-pad-xyz'\nRequire stack:\n    at x\n}\n\nNode.js v20.20.2\n",
            "Error: Cannot find module 'left-pad-xyz'",
        ),
        (
            "ReferenceError: x is not defined\n    at ingest\n\nNode.js v20.20.2\n",
            "ReferenceError: x is not defined",
        ),
        ("killed\n\nNode.js v20.20.2\n", "killed"),
        ("Node.js v20.20.2\n", "Node.js v20.20.2"),
        ("Error: retried\nout of memory\n", "out of memory"),
    ],
)
def test_the_version_that_node_ends_with_is_not_its_reason(start: Start, printed: str, words: str) -> None:
    process = start(["sh", "-c", 'printf %s "$1" >&2; exit 1', "sh", printed])
    assert fault(initialize(process)).kind == "crashed"
    assert process.last_words == words


def test_death_is_noticed_when_a_child_holds_the_pipes(start: Start) -> None:
    process = start("dies:ForksAndDies")
    initialize(process)
    assert fault(query(process)) == Fault("crashed", "the program ended (exit code 0)")


def test_standard_streams_are_not_the_protocol(start: Start) -> None:
    process = start("talks:Prints")
    initialize(process)
    assert query(process).result == {"hits": []}
    assert "stdout" in process.last_words
    reader = start("talks:Reads")
    initialize(reader)
    assert query(reader).fault is None


def test_a_flood_on_stderr_neither_blocks_nor_fills_memory(start: Start) -> None:
    process = start("talks:Floods")
    initialize(process)
    assert query(process).fault is None
    process.kill()
    assert process.last_words == "the last word"
    assert len(process._stderr) <= 8 * 1024


def test_a_frame_above_the_limit_is_a_fault(start: Start) -> None:
    process = start("answers:Huge")
    initialize(process)
    assert fault(query(process)) == Fault("protocol", "a frame is larger than 8 MiB")
    assert not process.alive


def test_large_frames_pass_both_ways(start: Start) -> None:
    items = [
        {"id": f"d{n}", "content": "boat " + "x" * 10_000, "metadata": {}, "timestamp": None}
        for n in range(500)
    ]
    process = start("honest:Honest")
    initialize(process)
    assert process.call("ingest", {"items": items}, timeout_s=30).fault is None
    reply = process.call("query", {"query": "boat", "k": 500, "when": None}, timeout_s=30)
    assert len(reply.result["hits"]) == 500
    assert reply.result["hits"][499] == ["d499", 1.0, items[499]["content"]]


@pytest.mark.parametrize(
    ("habit", "detail"),
    [
        ("garbage", "is not JSON"),
        ("latin", "is not JSON"),
        ("deep", "is not JSON"),
        ("number", "is not JSON"),
        ("array", "is not a JSON-RPC 2.0 object"),
        ("version", "is not a JSON-RPC 2.0 object"),
        ("id", "a response to another request"),
        ("neither", "neither result nor error"),
        ("twice", "more than one frame"),
        ("prints", "is not JSON (is the program printing?)"),
    ],
)
def test_breaches_of_the_protocol(
    start: Start, hostile: Callable[[str], Path], habit: str, detail: str
) -> None:
    process = start([sys.executable, str(hostile("program.py")), habit])
    assert initialize(process).result == {"name": "program", "version": "2.1.0", "author": "tests"}
    seen = fault(query(process))
    assert seen.kind == "protocol"
    assert detail in seen.detail
    assert not process.alive


def test_an_answer_in_many_small_writes(start: Start, hostile: Callable[[str], Path]) -> None:
    process = start([sys.executable, str(hostile("program.py")), "slow"])
    initialize(process)
    assert query(process).result == {"hits": [["d0001", 0.5, "text"]]}


def test_a_closed_stdout_is_an_end(start: Start, hostile: Callable[[str], Path]) -> None:
    """Where the program is sealed, what waits for its end holds the pipe too, so that only the deadline tells."""
    process = start([sys.executable, str(hostile("program.py")), "closes"])
    initialize(process)
    kind = "timeout" if sandbox.level() == "sealed" else "crashed"
    assert fault(query(process, timeout_s=0.5)).kind == kind


def test_a_closed_stdin_is_found_out(start: Start, hostile: Callable[[str], Path]) -> None:
    process = start([sys.executable, str(hostile("program.py")), "deaf"])
    initialize(process)
    assert query(process).fault is None
    assert fault(query(process, timeout_s=0.3)).kind == "timeout"


def test_a_program_that_never_reads_cannot_hold_us(start: Start) -> None:
    process = start(["sleep", "60"])
    huge = {"items": ["x" * 1_000_000]}
    assert fault(process.call("ingest", huge, timeout_s=0.3)).kind == "timeout"


def test_a_program_that_ends_at_once(start: Start) -> None:
    process = start(["sh", "-c", "echo no such file >&2; exit 7"])
    assert fault(initialize(process)).kind == "crashed"
    assert process.last_words == "no such file"


def test_a_program_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChildProcess(
        ["/no-such-program"], grant=NOTHING, folder=tmp_path, clock_ns=time.perf_counter_ns
    ) as process:
        assert fault(initialize(process)).kind == "crashed"
        assert "no-such-program" in process.last_words
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(sandbox, "level", lambda: "open")
    with pytest.raises(OSError, match="no-such-program"):
        ChildProcess(
            ["/no-such-program"],
            grant=Grant(network=True),
            folder=tmp_path,
            clock_ns=time.perf_counter_ns,
        )
    assert list(tmp_path.iterdir()) == []


def dump(process: ChildProcess) -> dict[str, Any]:
    initialize(process)
    return json.loads(query(process).result["hits"][0][2])


def test_the_environment_is_an_allow_list(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("BENCHSITE_RECEIPT_KEY", "BENCHSITE_ROOT_KEY_FILE", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "secret")
    seen = dump(start("wants:Dumps"))
    environment = seen["environment"]
    assert "secret" not in environment.values()
    assert {
        name: environment.pop(name) for name in ("LANG", "LC_ALL", "PYTHONHASHSEED", "HF_HUB_OFFLINE")
    } == {
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "HF_HUB_OFFLINE": "1",
    }
    assert environment.pop("PYTHONDONTWRITEBYTECODE") == "1"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        assert environment.pop(name) == "1"
    assert set(environment) == {"PATH", "HOME", "TMPDIR", "PYTHONPATH"}
    assert Path(environment["HOME"]).is_relative_to(tmp_path)
    assert Path(environment["TMPDIR"]).is_relative_to(tmp_path)
    assert (seen["home"], seen["cwd"]) == ([], [])


def test_only_granted_variables_that_exist_are_passed_and_never_ours(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANTED_TOKEN", "granted")
    monkeypatch.setenv("BENCHSITE_LOG_KEY", "secret")
    names = ("WANTED_TOKEN", "NOT_SET_ANYWHERE", "BENCHSITE_LOG_KEY", "HOME", "A=B", "PYTHONHASHSEED")
    environment = dump(start("wants:Dumps", Grant(environment=names)))["environment"]
    assert "granted" in environment.values()
    assert "secret" not in environment.values()
    assert "NOT_SET_ANYWHERE" not in environment
    assert environment["HOME"] != os.environ.get("HOME")
    assert environment["PYTHONHASHSEED"] == "0"


def test_no_network_unless_granted(start: Start) -> None:
    if not network_cut():
        pytest.skip("unshare -n is not permitted here: the network cannot be cut")
    assert dump(start("wants:Dumps"))["network"] is False


def test_folders_go_with_the_process(start: Start, tmp_path: Path) -> None:
    process = start("honest:Honest")
    assert len(list(tmp_path.iterdir())) == 1
    process.kill()
    process.kill()
    assert list(tmp_path.iterdir()) == []


def test_shut_down_lets_it_close(start: Start, tmp_path: Path) -> None:
    process = start("wants:Closes")
    initialize(process)
    assert process.call("flush", {}, timeout_s=5).fault is None
    process.shut_down()
    assert not process.alive
    assert "FLUSHED" in process.last_words
    assert (tmp_path / "closed").read_text() == "yes"


def test_a_signal_is_named(start: Start) -> None:
    process = start(["sh", "-c", "sleep 60 & kill -9 $$"])
    assert fault(initialize(process)).detail == f"the program ended (signal {int(signal.SIGKILL)})"
