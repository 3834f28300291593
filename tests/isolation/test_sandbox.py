from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from subjects import of_folder

from benchsite.errors import PrerequisiteError
from benchsite.isolation import hidden_paths, sandbox
from benchsite.isolation.hidden_paths import Private
from benchsite.isolation.process import ChildProcess, Reply
from benchsite.track import NOTHING, Grant

pytestmark = pytest.mark.usefixtures("hostile")

ROOT = Path(__file__).parents[2]
sealed_here = pytest.mark.skipif(
    sandbox.level() != "sealed", reason="user, mount and process namespaces are not permitted here"
)
Start = Callable[..., ChildProcess]


@pytest.fixture
def start(tmp_path: Path, hostile: Callable[[str], Path]) -> Iterator[Start]:
    """Start a hosted class with options; `temp` of the test's folder holds its private folders."""
    running = []

    def begin(reference: str, *, grant: Grant = NOTHING, own: str = "temp", **more: Any) -> ChildProcess:
        (tmp_path / own).mkdir(parents=True, exist_ok=True)
        process = ChildProcess(
            [sys.executable, "-P", "-m", "benchsite.tracks.retrieval.run.worker", reference],
            grant=grant,
            folder=tmp_path / own,
            clock_ns=time.perf_counter_ns,
            search_path=[str(hostile("")), str(ROOT), *(path for path in sys.path if path)],
            sealed=more.pop("sealed", ()),
            private=Private(more.pop("keys", ())),
        )
        running.append(process)
        params = {"options": more, "seed": 0, "protocolVersion": 1}
        assert process.call("initialize", params, timeout_s=30).fault is None, process.last_words
        return process

    yield begin
    for process in running:
        process.kill()


def query(process: ChildProcess, timeout_s: float = 20) -> Reply:
    return process.call("query", {"query": "boat", "k": 5, "when": None}, timeout_s=timeout_s)


def said(reply: Reply) -> str:
    assert reply.fault is None, reply.fault
    return str(reply.result["hits"][0][2])


@pytest.fixture
def open_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that permits no namespaces."""
    monkeypatch.setattr(sandbox, "level", lambda: "open")


def test_a_child_in_a_session_of_its_own_ends_with_the_process(start: Start, tmp_path: Path) -> None:
    for end in ("kill", "shut_down"):
        process = start("escapes:Daemon")
        assert query(process).fault is None
        assert len(of_folder(tmp_path)) >= 2
        getattr(process, end)()
        assert of_folder(tmp_path) == []


@pytest.mark.usefixtures("open_level")
def test_without_namespaces_orphans_are_adopted_and_ended(start: Start, tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        process = start("escapes:Daemon")
        neighbor = start("honest:Honest")
        assert query(process).fault is None
        process.kill()
        assert len(of_folder(tmp_path)) == 1, "only the neighbor is left"
        assert query(neighbor).fault is None
        assert other.poll() is None, "a child that was there before is not the adapter's"
        neighbor.kill()
        assert of_folder(tmp_path) == []
    finally:
        other.kill()
        other.wait()


@sealed_here
def test_nothing_outlives_a_harness_that_is_killed(tmp_path: Path, hostile: Callable[[str], Path]) -> None:
    program = (
        "import sys, time; from pathlib import Path\n"
        "from benchsite.track import NOTHING; from benchsite.isolation.process import ChildProcess\n"
        f"worker = [{sys.executable!r}, '-P', '-m', 'benchsite.tracks.retrieval.run.worker', 'escapes:Daemon']\n"
        "process = ChildProcess(worker, grant=NOTHING, folder=Path(sys.argv[1]),\n"
        "    clock_ns=time.perf_counter_ns, search_path=sys.argv[2:])\n"
        "process.call('initialize', {'options': {}, 'seed': 0}, timeout_s=30)\n"
        "process.call('query', {'query': '', 'k': 1, 'when': None}, timeout_s=30)\n"
        "print('ready', flush=True); time.sleep(60)\n"
    )
    search = [str(hostile("")), str(ROOT), *(path for path in sys.path if path)]
    harness = subprocess.Popen(
        [sys.executable, "-c", program, f"{tmp_path}", *search], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert harness.stdout is not None
    assert harness.stdout.readline() == b"ready\n"
    harness.kill()
    harness.communicate()
    deadline = time.monotonic() + 10
    while of_folder(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@sealed_here
@pytest.mark.parametrize("own", ["temp", "repo/inside/temp"])
def test_sealed_folders_cannot_be_written_to(start: Start, tmp_path: Path, own: str) -> None:
    """Nor after umount, remount, or with the privileges of a namespace of its own; its own folder stays writable."""
    target = tmp_path / "repo" / "draft.json"
    target.parent.mkdir()
    target.write_text("honest")
    process = start("escapes:Writes", own=own, sealed=[str(target.parent)], path=str(target))
    assert said(query(process)) == ", ".join(["Read-only file system"] * 4)
    assert target.read_text() == "honest"


@sealed_here
@pytest.mark.parametrize("folder", [sys.prefix, sys.base_prefix, str(ROOT / "benchsite")])
def test_the_python_that_publishes_cannot_be_written_to(start: Start, folder: str) -> None:
    """An adapter that rewrites benchsite or a package of its Python would run with the signing key at the next `publish`."""
    if not os.access(folder, os.W_OK):
        pytest.skip(f"{folder} is read-only for this user")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".test-") as inside:
        target = Path(inside) / "module"
        target.write_text("honest")
        answer = said(query(start("escapes:Writes", path=str(target))))
        assert answer == ", ".join(["Read-only file system"] * 4)
        assert target.read_text() == "honest"


@sealed_here
def test_what_is_mounted_below_a_sealed_folder_is_sealed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repo" / "a volume").mkdir(parents=True)
    own = tmp_path / "own"
    own.mkdir()
    points = ("/", f"{tmp_path}/repo/a\\040volume")
    lines = "".join(f"1 1 0:1 / {point} rw - tmpfs none rw\n" for point in points)
    read = Path.read_text

    def mounted(path: Path, *rest: Any) -> str:
        return lines if str(path) == "/proc/self/mountinfo" else read(path, *rest)

    monkeypatch.setattr(Path, "read_text", mounted)
    command = sandbox.command(["true"], network=False, sealed=[str(tmp_path / "repo")], own=own)
    sealed = [command[place + 1] for place, word in enumerate(command) if word == "seal"]
    sealed = [path for path in sealed if path.startswith(str(tmp_path))]
    assert sealed == [str(tmp_path / "repo"), str(tmp_path / "repo" / "a volume")]


@pytest.mark.skipif(not sandbox.network_cut(), reason="no namespace is permitted here")
@pytest.mark.parametrize("level", ["sealed", "offline"])
def test_there_is_no_way_back_to_the_network(
    start: Start, monkeypatch: pytest.MonkeyPatch, level: sandbox.Level
) -> None:
    if level == "sealed" != sandbox.level():
        pytest.skip("only the network can be cut here")
    monkeypatch.setattr(sandbox, "level", lambda: level)
    assert said(query(start("escapes:Returns"))) == "inside"


@sealed_here
def test_a_granted_network_leaves_the_other_walls(start: Start, tmp_path: Path) -> None:
    if not any(name != "lo" for _, name in socket.if_nameindex()):
        pytest.skip("this machine has no network to grant")
    assert said(query(start("escapes:Returns", grant=Grant(network=True)))) == "outside"
    target = tmp_path / "draft.json"
    target.write_text("honest")
    (tmp_path / "elsewhere").mkdir()
    process = start(
        "escapes:WritesQuietly", grant=Grant(network=True), sealed=[str(tmp_path)], path=str(target)
    )
    assert query(process).fault is None
    assert target.read_text() == "honest"


@pytest.mark.parametrize("habit", ["Nests", "Locks"])
def test_folders_that_are_hard_to_remove_are_removed(start: Start, tmp_path: Path, habit: str) -> None:
    process = start(f"escapes:{habit}")
    assert query(process).fault is None
    process.kill()
    assert list((tmp_path / "temp").iterdir()) == []


@pytest.mark.parametrize("level", ["sealed", "open"])
def test_too_much_memory_is_a_fault(start: Start, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    if level == "sealed" != sandbox.level():
        pytest.skip("namespaces are not permitted here")
    monkeypatch.setattr(sandbox, "level", lambda: level)
    process = start("escapes:Fills", grant=Grant(memory_mb=200))
    seen = query(process).fault
    assert seen is not None
    assert (seen.kind, seen.detail) == ("crashed", "the program uses more than 200 MB of memory")
    assert not process.alive


def test_peak_memory_is_that_of_the_program(start: Start) -> None:
    """A Python process holds more than 5 MB; the shell and `unshare` around it hold less than 3."""
    process = start("honest:Honest")
    assert (process.peak_memory() or 0) > 5_000_000
    process.kill()
    assert (process.peak_memory() or 0) > 5_000_000


def test_signals_and_statuses_are_told_apart(start: Start) -> None:
    for reference, how in (("dies:DiesLoudly", "signal 6"), ("breaks:DiesOfLength", "exit code 9")):
        process = start(reference)
        params = {"query": "x" * 1001, "k": 1, "when": None}
        seen = process.call("query", params, timeout_s=20).fault
        assert seen is not None
        assert seen.detail == f"the program ended ({how})"


@sealed_here
def test_key_files_and_sockets_of_services_are_out_of_reach(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, keys = tmp_path / "home", tmp_path / "keys"
    planted = [home / ".config/benchsite/a.example/receipt.pem", home / ".ssh/id_ed25519", keys / "log.pem"]
    for path in planted:
        path.parent.mkdir(parents=True)
        path.write_text("planted key")
    keys.chmod(0o700)
    (keys / "root.pem").write_text("planted key")
    monkeypatch.setenv("HOME", str(home))
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, serving(Path(folder) / "x.sock") as address:
        process = start(
            "escapes:Looks",
            files=" ".join(map(str, (*planted, keys / "root.pem"))),
            sockets=str(address),
            keys=[str(keys / "log.pem")],
        )
        seen = json.loads(said(query(process)))
    assert seen["files"] == ["No such file or directory"] * 8
    assert seen["sockets"] == ["Connection refused"] * 2
    if not sandbox.is_root():
        assert (seen["user"], seen["group"]) == (1000, 1000)


@contextlib.contextmanager
def serving(address: Path) -> Iterator[Path]:
    """A service that tells everybody who connects its secret; a socket's path has at most 107 bytes."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(address))
        server.listen()

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.send(b"reached")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(address))
            assert client.recv(100) == b"reached", "the harness can reach it"
        yield address
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


@sealed_here
def test_a_program_is_not_started_if_some_sockets_would_stay_reachable(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        hidden_paths, "_sockets", lambda: [f"{tmp_path}/{number}.sock" for number in range(257)]
    )
    with pytest.raises(PrerequisiteError, match=r"257 Unix sockets of services: at most 256 can be hidden"):
        start("honest:Honest")
    assert list((tmp_path / "temp").iterdir()) == []


@sealed_here
def test_a_key_folder_that_holds_what_is_needed_is_not_hidden(start: Start, tmp_path: Path) -> None:
    (tmp_path / "keys" / "temp").mkdir(parents=True)
    (tmp_path / "keys").chmod(0o700)
    (tmp_path / "keys" / "log.pem").write_text("planted key")
    key = str(tmp_path / "keys" / "log.pem")
    seen = json.loads(said(query(start("escapes:Looks", own="keys/temp", files=key, keys=[key]))))
    assert seen["files"] == ["", ""], "the file alone is hidden"


@sealed_here
def test_answers_are_hidden_although_they_are_sealed_and_keys_although_a_program_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of keys contains the program's own folder: the rest of it is hidden part by part."""
    monkeypatch.setenv("HOME", str(tmp_path))
    root, keys = tmp_path / "repo", tmp_path / ".config/benchsite"
    for path in (root / ".git/objects", keys / "own", keys / "a.example"):
        path.mkdir(parents=True)
    key, answer = keys / "a.example/receipt.pem", root / "fixture.json"
    key.write_text("planted key")
    answer.write_text("{}")
    command = sandbox.command(
        ["cat", str(key), str(answer), str(root / ".git/objects")],
        network=False,
        sealed=[str(root), str(root / ".git")],
        own=keys / "own",
        private=Private(answers=[str(root / ".git"), str(answer)]),
    )
    hidden = [command[place + 1] for place, word in enumerate(command) if word == "hide"]
    assert [path for path in hidden if path.startswith(str(tmp_path))] == [
        str(keys / "a.example"),
        str(root / ".git"),
        str(answer),
    ]


@pytest.mark.parametrize("level", ["sealed", "open"])
def test_peak_memory_counts_what_the_program_starts(
    start: Start, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    if level == "sealed" != sandbox.level():
        pytest.skip("namespaces are not permitted here")
    monkeypatch.setattr(sandbox, "level", lambda: level)
    process = start("escapes:Grows")
    assert query(process).fault is None
    assert 150_000_000 < (process.peak_memory() or 0) < 400_000_000
