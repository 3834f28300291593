"""Mirrors of evidence: one budget of time and bytes for a command, and no memory for what is not the evidence."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import os
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

import pytest
from rubric_receipts import draft

from benchsite.pipeline.snapshot import download, mirrors
from benchsite.pipeline.workspace.download_cache import Budget
from benchsite.receipt import ReceiptError, compose

MOST = 64_000_000
DATA = b"an answer a line\n" * 1000
SHA256 = hashlib.sha256(DATA).hexdigest()


class Server(http.server.BaseHTTPRequestHandler):
    """Serves by the first part of the path; counts what it was asked for."""

    asked: ClassVar[Counter[str]] = Counter()
    answers: ClassVar[dict[str, bytes]] = {}

    def do_GET(self) -> None:
        kind = self.path.split("/")[1]
        self.asked[kind] += 1
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            if kind == "slow":
                for _ in range(200):
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    time.sleep(0.02)
            if kind == "silent":
                time.sleep(3)
            if kind == "endless":
                while True:
                    self.wfile.write(bytes(1 << 16))
            self.wfile.write(self.answers.get(kind, b""))

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    Server.asked.clear()
    Server.answers.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def other_names(site: str) -> str:
    """The same server by another host name."""
    return site.replace("127.0.0.1", "localhost")


@pytest.mark.parametrize("packed", [DATA, gzip.compress(DATA)], ids=["plain", "gzip"])
def test_evidence_is_found_plain_and_compressed(site: str, packed: bytes) -> None:
    Server.answers["good"] = packed
    assert mirrors.fetch([f"{site}/good/"], SHA256, Budget(), MOST) == packed


@pytest.mark.parametrize("kind", ["slow", "silent", "endless"])
def test_a_host_that_ran_into_a_limit_is_not_asked_again(
    site: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Two addresses of one host, three pieces: it was 300 s for each of the six."""
    monkeypatch.setattr(download, "LONGEST", 0.3)
    Server.answers["good"] = DATA
    budget = Budget()
    slow, good = [f"{site}/{kind}", f"{site}/{kind}"], f"{other_names(site)}/good"
    for _ in range(3):
        assert mirrors.fetch([*slow, good], SHA256, budget, 100_000) == DATA
    assert Server.asked == {kind: 1, "good": 3}


def test_a_host_that_lies_or_lacks_it_is_asked_for_the_next_piece(site: str) -> None:
    Server.answers["other"] = b"other bytes"
    budget = Budget()
    for _ in range(2):
        assert mirrors.fetch([f"{site}/other", "http://127.0.0.1:1/"], SHA256, budget, MOST) is None
    assert Server.asked == {"other": 2}


@pytest.mark.parametrize("limit", ["SECONDS", "BYTES"])
def test_a_command_has_one_budget(
    site: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, limit: str
) -> None:
    Server.answers["other"] = bytes(60_000)
    budget = Budget()
    monkeypatch.setattr(Budget, limit, 100_000 if limit == "BYTES" else 10)
    if limit == "SECONDS":
        budget.spend(9 * 10**9, 0)
        mirrors.fetch([f"{site}/other"], SHA256, budget, MOST)
        budget.spend(10**9, 0)
    for number in range(5):
        assert mirrors.fetch([f"{site}/other"], f"{number:064x}", budget, MOST) is None
    assert Server.asked["other"] == (2 if limit == "BYTES" else 1)
    assert [text.split(":")[0].partition(" (")[0] for text in caplog.messages] == [
        "the limits for mirrors are used up"
    ], "said once"


def test_processes_of_a_command_share_it() -> None:
    budget = Budget()
    child = os.fork()
    if child == 0:
        budget.spend(10**9, 1000)
        budget.block("slow.example")
        os._exit(0)
    os.waitpid(child, 0)
    assert (Budget.SECONDS - budget.seconds_left, Budget.BYTES - budget.bytes_left) == (1.0, 1000)
    assert budget.is_blocked("SLOW.example")
    assert not budget.is_blocked("fast.example")


@pytest.mark.parametrize(
    "served",
    [
        pytest.param(lambda: gzip.compress(bytes(MOST + 1)), id="a bomb"),
        pytest.param(lambda: gzip.compress(bytes(MOST - 1)), id="other bytes that unpack"),
        pytest.param(lambda: bytes(MOST // 2), id="other bytes"),
        pytest.param(lambda: gzip.compress(DATA) + b"x", id="bytes behind"),
        pytest.param(lambda: gzip.compress(DATA)[:-1], id="cut short"),
    ],
)
def test_what_is_not_the_evidence_costs_no_memory(site: str, served: object) -> None:
    """It was twice the limit of a piece, 256 MB."""
    Server.answers["other"] = served()  # type: ignore[operator]
    tracemalloc.start()
    try:
        assert mirrors.fetch([f"{site}/other"], SHA256, Budget(), MOST) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


def test_the_pieces_of_a_receipt_are_bounded() -> None:
    document = draft("1.3.0")
    piece = {"name": "a", "sha256": "0" * 64, "size": 1, "mediaType": "text/plain"}
    compose({**document, "evidence": [piece] * 1000})
    with pytest.raises(ReceiptError, match="evidence"):
        compose({**document, "evidence": [piece] * 1001})
