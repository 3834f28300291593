"""Foreign source is tried where it can reach nothing: whatever it does, it gives values or none, and leaves no trace."""

from __future__ import annotations

import ast
import os
import select
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchsite.errors import PrerequisiteError
from benchsite.isolation import sandbox, trial
from benchsite.isolation.trial import Limits, Tried

pytestmark = pytest.mark.skipif(
    sandbox.level() != "sealed", reason="user, mount and process namespaces are not permitted here"
)


def tried(body: str, calls: list[list[Any]] | None = None, **limits: Any) -> Tried:
    """Source whose function `f` has a body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return trial.call(f"def f(x):\n{lines}\n", "f", calls or [[1]], limits=Limits(**limits))


def raised(found: Tried) -> str:
    return str(found.results[0]["raised"])


def test_values_come_back_with_marks_and_arguments_as_they_are_afterwards() -> None:
    found = tried("x.append(2)\nreturn (x, {'a': 1.5}, {3}, f, None)", [[[1]], [[]]])
    assert found.ended == "whole"
    assert found.results[0] == {
        "value": {"tuple": [[1, 2], {"dict": {"a": 1.5}}, {"set": [3]}, {"other": "function"}, None]},
        "after": [[1, 2]],
    }
    assert found.results[1]["after"] == [[2]]


def test_calls_of_one_trial_share_a_process_and_trials_share_nothing() -> None:
    body = "import builtins\nbuiltins.seen = getattr(builtins, 'seen', 0) + 1\nopen('/tmp/left', 'a').write('x')\nreturn [builtins.seen, len(open('/tmp/left').read())]"
    for _ in range(2):
        assert [one["value"] for one in tried(body, [[1], [1]]).results.values()] == [[1, 1], [2, 2]]


def test_the_order_of_a_set_is_the_same_every_time() -> None:
    body = "return list({'apple', 'pear', 'plum', 'fig'})"
    assert tried(body).results == tried(body).results


def test_source_that_cannot_be_loaded_is_a_fault() -> None:
    assert trial.call("def f(x)\n", "f", [[1]]).fault == {
        "raised": "SyntaxError",
        "text": "expected ':' (solution.py, line 1)",
    }
    missing = trial.call("def g(x):\n    return x\n", "f", [[1]])
    assert (missing.fault or {})["raised"] == "NameError"
    long = trial.call("#" * 200_000, "f", [[1]])
    assert (long.results, (long.fault or {})["raised"]) == ({}, "SyntaxError")


def test_a_loop_without_end_is_ended_by_its_time_of_the_processor() -> None:
    found = tried("while True:\n    pass", wall_s=300.0)
    assert (dict(found.results), found.ended) == ({}, "cpu")


def test_sleep_is_ended_by_the_clock_and_the_calls_before_it_count() -> None:
    found = tried("import time\nif x:\n    time.sleep(60)\nreturn x", [[0], [1], [0]], wall_s=1.0)
    assert (dict(found.results), found.ended) == ({0: {"value": 0, "after": [0]}}, "time")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("import os\nwhile True:\n    os.fork()", "PermissionError"),
        ("import subprocess\nreturn subprocess.run(['/bin/sh', '-c', 'echo'])", "PermissionError"),
        ("import os\nos.execv('/usr/bin/env', ['env'])", "PermissionError"),
        ("import threading\nthreading.Thread(target=print).start()", "RuntimeError"),
        ("return len(bytearray(10_000_000_000))", "MemoryError"),
        ("while True:\n    print('x' * 1_000_000)", "OSError"),
        ("open('/tmp/big', 'w').write('x' * 10_000_000)", "OSError"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 80))", "PermissionError"),
        ("import os\nos.chroot('/')", "PermissionError"),
        ("import os\nos.setuid(1)", "OSError"),
        ("open('/usr/lib/planted', 'w')", "OSError"),
        ("import sys\nsys.exit(0)", "SystemExit"),
        ("f(x)", "RecursionError"),
    ],
)  # fmt: skip
def test_what_a_function_must_not_do_fails_in_it(body: str, error: str) -> None:
    found = raised(tried(body))
    assert found == error or (error == "PermissionError" and found == "OSError")


@pytest.mark.parametrize(
    "body",
    [
        "import os\nos._exit(0)",
        "import ctypes\nctypes.string_at(0)",
        "import json\njson.dumps = lambda *a, **k: '{}'\nreturn 1",
        "import os\nos.write = lambda *a: None\nreturn 1",
        "import os\nfor n in range(3, 30):\n    try:\n        os.close(n)\n    except OSError:\n        pass\nreturn 1",
    ],
)
def test_a_function_that_ends_or_cripples_the_process_gives_no_value(body: str) -> None:
    found = tried(body)
    assert "value" not in found.results.get(0, {})
    assert found.ended == "early"


def test_the_first_line_of_a_call_counts_and_garbage_is_left_out() -> None:
    body = """\
import os
for n in range(3, 30):
    try:
        os.write(n, b'{"call": 1, "value": 99}\\nnot json\\n[]\\n{"call": true}\\n{"call": -1, "value": 1}\\n')
    except OSError:
        pass
return x"""
    found = tried(body, [[5], [6]])
    assert found.results[0]["value"] == 5
    assert found.results[1]["value"] == 99, "it may write what it likes: its values are compared outside"
    assert set(found.results) == {0, 1}


def test_nothing_of_this_machine_is_there(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    here = Path(__file__).parents[2]
    wanted = [
        str(secret),
        str(here),
        str(here / "fixtures"),
        "/etc/passwd",
        "/proc/self",
        "/dev/null",
        "/home",
    ]
    body = "import os\nreturn [[path for path in x if os.path.exists(path)], os.getpid(), sorted(os.environ)]"
    there, process, variables = tried(body, [[wanted]]).results[0]["value"]
    assert (there, process) == ([], 1)
    assert set(variables) <= {"LANG", "LC_CTYPE", "PATH", "PYTHONHASHSEED"}
    body = "import glob, sysconfig\nreturn glob.glob('/usr/lib/python3*/*-packages/*') + glob.glob(sysconfig.get_path('purelib') + '/*')"
    assert tried(body).results[0]["value"] == [], "no installed package, benchsite and its fixtures included"
    assert "ModuleNotFoundError" in raised(tried("import benchsite"))


def test_a_server_on_this_machine_is_out_of_reach() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        assert "Error" in raised(
            tried("import socket\nsocket.create_connection(('127.0.0.1', x), 1)", [[port]])
        )


def test_no_process_is_left() -> None:
    before = set(sandbox.descendants(os.getpid()))
    tried("import time\ntime.sleep(60)", wall_s=0.5)
    left = set(sandbox.descendants(os.getpid())) - before
    for pid in left:  # killed, and perhaps not gone yet: a process that is not would sleep for a minute
        with suppress(ProcessLookupError):
            watched = os.pidfd_open(pid)
            assert select.select([watched], [], [], 30)[0], "a process is left"
            os.close(watched)


def test_without_a_sandbox_nothing_is_run_and_the_error_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(trial.shutil, "which", lambda _name: None)  # type: ignore[attr-defined]
    monkeypatch.setattr(trial.subprocess, "Popen", lambda *given, **_: started.append(given))  # type: ignore[attr-defined]
    trial.require_sandbox.cache_clear()
    try:
        with pytest.raises(PrerequisiteError, match=r"no sandbox on this machine: .*unshare") as caught:
            trial.call("def f(x):\n    return 1\n", "f", [[1]])
    finally:
        trial.require_sandbox.cache_clear()
    assert "user namespaces" in caught.value.hint
    assert started == []


@pytest.mark.parametrize("call", ["libc.capset", "libc.prctl(38", "os.chroot", "libc.mount"])
def test_if_a_step_of_shutting_in_fails_nothing_is_run(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    program = trial._program()
    assert ast.parse(program)
    assert call in program
    broken = program.replace(call, f"_broken() or {call}").replace(
        "def _must(", "def _broken():\n    raise OSError(1, 'not permitted here')\n\n\ndef _must("
    )
    monkeypatch.setattr(trial, "_program", lambda: broken)
    with pytest.raises(PrerequisiteError, match="not permitted here"):
        tried("return 1")
