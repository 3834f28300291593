"""The JavaScript engines as one thing that answers: a process of node, which may drive a browser.

Requests and answers are lines of JSON (tests/js/probe.js). Every engine loads the modules of `theme/verify` as they
stand in the repository; browsers fetch them from `Served`, whose folders of built sites all engines read.
"""

from __future__ import annotations

import http.server
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from browsers import chromium_program, firefox_program

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPTS: Final = ROOT / "tests" / "js"
SECONDS: Final = 120
_ITEMS_AT_ONCE: Final = 250
_CHARACTERS_AT_ONCE: Final = 4_000_000


class Served(http.server.ThreadingHTTPServer):
    """The repository at `/`, and built sites at `/sites/<name>/`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sites: dict[str, Path] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def add(self, name: str, folder: Path) -> str:
        """The address of a site's root."""
        self.sites[name] = folder
        return f"{self.address}sites/{name}/"


class _Handler(http.server.SimpleHTTPRequestHandler):
    server: Served
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}  # noqa: RUF012

    def translate_path(self, path: str) -> str:
        first, _, rest = path.lstrip("/").partition("/")
        name, _, inside = rest.partition("/")
        folder = self.server.sites.get(name) if first == "sites" else ROOT
        self.directory = str(folder or ROOT / "no such site")
        return super().translate_path(f"/{inside}" if first == "sites" else path)

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def serving() -> Iterator[Served]:
    with Served() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Engine:
    """One engine; `version` is what it calls itself."""

    def __init__(self, command: Sequence[str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            command,
            cwd=SCRIPTS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            start_new_session=True,
        )
        self.version = str(self._read()["version"])

    def ask(self, operation: str, items: Sequence[Any]) -> list[Any]:
        """The answers to items, in order; what is no answer fails the test."""
        answers: list[Any] = []
        for batch in _batches(items):
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps({"operation": operation, "items": batch}) + "\n")
            self._process.stdin.flush()
            reply = self._read()
            assert "trouble" not in reply, f"{self.version}: {operation}: {reply['trouble']}"
            answers += reply["answers"]
        assert len(answers) == len(items)
        return answers

    def one(self, operation: str, item: Any = None) -> Any:
        return self.ask(operation, [item])[0]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._kill()
            self._process.wait()
        self._said.close()

    def _kill(self) -> None:
        """The process and the browser it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        alarm = threading.Timer(SECONDS, self._kill)
        alarm.start()
        line = self._process.stdout.readline()
        alarm.cancel()
        if not line:
            self._said.seek(0)
            pytest.fail(f"the engine ended or took over {SECONDS} s: {self._said.read().decode()[-2000:]}")
        reply: dict[str, Any] = json.loads(line)
        return reply


def _batches(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Requests of bounded length: a browser's driver takes each as one message."""
    batch: list[Any] = []
    room = _CHARACTERS_AT_ONCE
    for item in items:
        size = len(json.dumps(item))
        if batch and (size > room or len(batch) == _ITEMS_AT_ONCE):
            yield batch
            batch, room = [], _CHARACTERS_AT_ONCE
        batch.append(item)
        room -= size
    if batch:
        yield batch


def start(name: str, served: Served) -> Engine:
    """`node`, `chromium` or `firefox`, each also as `<name>-bundled`: without an Ed25519 of its own."""
    kind, _, variant = name.partition("-")
    node = shutil.which("node")
    if node is None:
        pytest.skip("JAVASCRIPT NOT COMPARED: node is not installed")
    if kind == "node":
        return Engine([node, "probe-node.js", variant])
    if not (SCRIPTS / "node_modules" / "puppeteer-core").is_dir():
        pytest.skip("BROWSERS NOT DRIVEN: run `npm ci` in tests/js")
    driven = ("chrome", chromium_program()) if kind == "chromium" else ("firefox", firefox_program())
    return Engine([node, "probe-browser.js", *driven, served.address, variant or "native"])
