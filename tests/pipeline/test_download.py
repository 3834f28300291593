"""Receipts named by their address on a site: the file that is asked for, and what a hostile answer comes to."""

from __future__ import annotations

import http.server
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest
from commands import run_in
from examples import some
from forgery import by_name
from snapshots import opened, snapshot

from benchsite import canonical
from benchsite.errors import BenchsiteError, InputError, IntegrityError, UsageError
from benchsite.history import Verdict
from benchsite.layout import receipt_path
from benchsite.pipeline import verify as checking
from benchsite.pipeline.snapshot import download
from benchsite.pipeline.workspace import Workspace

ID = "5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41"
OTHER = "11111111-1111-4111-8111-111111111111"
FILE = f"/sub/{receipt_path(ID)}"


class Site(http.server.BaseHTTPRequestHandler):
    """Answers of a site by path: bytes, or a status with an address; `slow` and `short` spoil the bytes."""

    answers: ClassVar[dict[str, bytes | tuple[int, str]]] = {}
    how: ClassVar[str] = ""
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        found = self.answers.get(self.path, (404, ""))
        if isinstance(found, tuple):
            self.send_response(found[0])
            if found[1]:
                self.send_header("Location", found[1])
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        with suppress(OSError):
            for at in range(0, len(found), 1 if self.how == "slow" else len(found)):
                self.wfile.write(found[at : at + 1] if self.how else found)
                self.wfile.flush()
                time.sleep(0.05 if self.how == "slow" else 0)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Site, "answers", {})
    monkeypatch.setattr(Site, "how", "")
    Site.asked.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


Raw = Callable[..., str]


@pytest.fixture
def raw() -> Iterator[Raw]:
    """A server that sends these parts to each connection, one every 0.05 s, and notes what it sent."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor() as threads:

        def serve(parts: Sequence[bytes], sent: list[bytes]) -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                for part in parts:
                    connection.sendall(part)
                    sent.append(part)
                    time.sleep(0.05)

        def start(parts: Sequence[bytes], sent: list[bytes] | None = None) -> str:
            threads.submit(serve, parts, [] if sent is None else sent)
            return f"http://127.0.0.1:{listening.getsockname()[1]}"

        yield start


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        (f"/sub/receipts/5f/{ID}/", FILE),
        (f"/sub/receipts/5f/{ID}", FILE),
        (f"/sub/receipts/5f/{ID}/index.html?a=b#metrics", FILE),
        (f"/sub/verify.html?id={ID}", FILE),
        (FILE, FILE),
        (f"/raw/{ID}.json?token=1#x", f"/raw/{ID}.json?token=1"),
        ("/anything.json", "/anything.json"),
    ],
)
def test_each_address_of_a_receipt_asks_for_its_file(site: str, address: str, asked: str) -> None:
    data = canonical.dumps({"receiptId": ID})
    Site.answers[asked] = data
    shown = asked.partition("?")[0]  # a query may hold a password
    assert download.receipt(f"{site}{address}") == (f"{site}{shown}", data)
    assert Site.asked == [asked]


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd.json",
        "ftp://bench.invalid/r.json",
        f"http://bench.invalid/receipts/5f/{ID}/",
        "http://127.0.0.1.bench.invalid/r.json",
        "https://bench.invalid/",
        "https://bench.invalid/retrieval/notes-v1/",
        "https://bench.invalid/verify.html?id=../../secrets",
        "https://me:secret@bench.invalid/r.json",
        "https://[/r.json",
        "https:///r.json",
    ],
)
def test_nothing_else_is_asked(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setattr(download, "asked", lambda *_: pytest.fail("it was asked"))
    with pytest.raises(UsageError) as caught:
        download.receipt(address)
    assert "secret@" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("to", ["file:///etc/passwd", "/here.json", "https://elsewhere.invalid/r.json"])
def test_a_redirect_is_named_and_not_followed(site: str, to: str) -> None:
    Site.answers |= {FILE: (302, to), "/here.json": b"{}"}
    with pytest.raises(InputError, match=f"redirects to {to}"):
        download.receipt(f"{site}{FILE}")
    assert Site.asked == [FILE]


def test_a_missing_file_a_web_page_and_no_server_are_said(site: str) -> None:
    with pytest.raises(InputError, match="HTTP status 404"):
        download.receipt(f"{site}{FILE}")
    Site.answers[FILE] = b"\n <!doctype html><title>Not found</title>"
    with pytest.raises(InputError, match="a web page"):
        download.receipt(f"{site}{FILE}")
    with pytest.raises(InputError, match="cannot download"):
        download.receipt("http://127.0.0.1:1/r.json")


def test_a_slow_or_broken_answer_is_no_receipt(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Part of a file would be INVALID, which the receipt is not."""
    monkeypatch.setattr(download, "LONGEST", 0.5)
    Site.answers[FILE] = canonical.dumps({"receiptId": ID, "text": "x" * 1000})
    for how, said in (("slow", "not complete after"), ("short", "ended before the end")):
        monkeypatch.setattr(Site, "how", how)
        with pytest.raises(InputError, match=said):
            download.receipt(f"{site}{FILE}")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", "sent as gzip"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", "HTTP status 204"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\xef\xbb\xbf<html>", "is a web page"),
        (b"nothing of HTTP\r\n\r\n", "cannot download"),
    ],
)
def test_an_answer_that_is_not_the_file_is_no_verdict(raw: Raw, answer: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        download.receipt(f"{raw([answer])}{FILE}")


@pytest.mark.parametrize(
    "parts",
    some(
        [
            [b"HTTP/1.1 200 OK\r\n", *(b"X-%d: x\r\n" % i for i in range(60))],
            [b"HTTP/1.1 100 Continue\r\n\r\n" for _ in range(60)],
            [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;", *(b"x" for _ in range(60))],
            [
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
                *(b"x: x\r\n" for _ in range(60)),
            ],
        ],
        gate=2,
    ),
    ids=["headers", "continues", "an extension of a chunk", "trailers"],
)
def test_whatever_trickles_is_cut(raw: Raw, monkeypatch: pytest.MonkeyPatch, parts: list[bytes]) -> None:
    """Sixty parts, 0.05 s apart: each would restart the time-out of the socket."""
    monkeypatch.setattr(download, "LONGEST", 0.5)
    sent: list[bytes] = []
    with pytest.raises(InputError, match=r"after 0\.5 s"):
        download.receipt(f"{raw(parts, sent)}{FILE}")
    assert len(sent) < 40


def test_a_file_that_is_too_large_is_no_verdict(site: str) -> None:
    Site.answers[FILE] = b'"' + b"x" * (canonical.MAX_BYTES + 1_000_000)
    (checked,) = checking.verify(None, [f"{site}{FILE}"])
    assert isinstance(checked.error, InputError)
    assert "is larger than 8 MiB" in checked.error.message
    assert (checked.examination, checked.exit_code) == (None, 4)


@pytest.mark.parametrize(
    ("status", "hint"),
    [(404, "copy the address"), (500, "repeat the command later"), (503, "repeat the command")],
)
def test_a_fault_of_the_site_is_not_one_of_the_address(site: str, status: int, hint: str) -> None:
    Site.answers[FILE] = (status, "")
    with pytest.raises(InputError, match=f"HTTP status {status}") as caught:
        download.receipt(f"{site}{FILE}")
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        (f"localhost:8412/receipts/5f/{ID}/", f"for a web address: http://localhost:8412/receipts/5f/{ID}"),
        (
            f"bench.invalid/sub/receipts/5f/{ID}",
            f"for a web address: https://bench.invalid/sub/receipts/5f/{ID}",
        ),
        (f"results/receipts/5f/{ID}.json", "check the path and its permissions"),
        (f"../results/receipts/5f/{ID}.json", "check the path and its permissions"),
        ("absent.json", "check the path and its permissions"),
    ],
)
def test_an_address_without_its_scheme_is_completed_in_the_hint(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (checked,) = checking.verify(None, [name])
    assert (checked.exit_code, checked.hint(None)) == (4, hint)


def test_another_receipt_at_the_address_of_one_is_refused(site: str, published: Workspace) -> None:
    path, document = by_name(published, "bm25")
    genuine = (published.root / path).read_bytes()
    Site.answers[f"/{receipt_path(OTHER)}"] = genuine
    with pytest.raises(IntegrityError, match=f"another receipt: {document['receiptId']}"):
        download.receipt(f"{site}/receipts/11/{OTHER}/")


def outcome(instance: Workspace | None, name: str) -> tuple[Any, ...]:
    (checked,) = checking.verify(opened(instance) if instance is not None else None, [name])
    assert not isinstance(checked.error, BenchsiteError)
    assert checked.examination is not None
    return checked.examination.verdict, checked.examination.rescore, checked.exit_code


def test_the_verdict_is_that_of_the_same_file_on_a_disk(
    site: str, published: Workspace, tmp_path: Path
) -> None:
    path, document = by_name(published, "bm25")
    genuine = (published.root / path).read_bytes()
    document["scores"]["ndcg_at_10"] = 0.98765
    for name, data in (("genuine", genuine), ("altered", canonical.dumps(document)), ("garbage", b"[]")):
        (tmp_path / f"{name}.json").write_bytes(data)
        Site.answers[f"/{name}.json"] = data
        for instance in (published, None):
            from_site = outcome(instance, f"{site}/{name}.json")
            assert from_site == outcome(instance, str(tmp_path / f"{name}.json")), (name, instance)
    assert outcome(published, f"{site}/genuine.json")[0] is Verdict.LOGGED
    assert outcome(None, f"{site}/genuine.json")[::2] == (Verdict.UNKNOWN_SIGNER, 5)


def test_the_command_names_the_address_and_the_log(site: str, published: Workspace, tmp_path: Path) -> None:
    benchsite = run_in(tmp_path / "home", tmp_path)
    path, document = by_name(published, "bm25")
    Site.answers[f"/{path}"] = (published.root / path).read_bytes()
    page = f"{site}/receipts/{document['receiptId'][:2]}/{document['receiptId']}/"
    log = snapshot(published).log
    assert log is not None
    inside = benchsite("verify", page, cwd=published.root)
    assert inside.code == 0
    assert f"Downloaded from {site}/{path}\n" in inside.out
    assert f"Compared with the log {log.origin} ({log.size} entries) of this repository." in inside.out
    again = benchsite("rescore", page, cwd=published.root)
    assert (again.code, f"  Downloaded from {site}/{path}\n" in again.out) == (0, True)
    (row,) = json.loads(benchsite("rescore", "--json", page, cwd=published.root).out)["receipts"]
    assert row["downloadedFrom"] == f"{site}/{path}"
    outside = benchsite("verify", page, cwd=tmp_path)
    assert outside.code == 5
    assert "Compared with no log" in outside.out
    assert "The signer was not looked up: there is no log here." in outside.out
    signer = document["signature"]["publicKeyFingerprint"]
    assert f"Signing key: {signer} was not looked up: there is no log here" in outside.out
    assert "this log" not in outside.out
    assert "this site's log" not in outside.out
    assert "clone the site's repository and run it there, or benchsite verify --key PEM" in outside.err
    (row,) = json.loads(benchsite("verify", "--json", page, cwd=tmp_path).out)["receipts"]
    (step,) = (step for step in row["steps"] if step["name"] == "key")
    assert (row["verdict"], step["state"]) == ("UNKNOWN SIGNER", "warning")
    assert "there is no log here" in step["detail"]
