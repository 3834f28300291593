from __future__ import annotations

import contextlib
import http.server
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchsite.isolation import proxy as proxies
from benchsite.isolation import sandbox
from benchsite.isolation.process import ChildProcess
from benchsite.isolation.proxy import Proxy
from benchsite.track import Grant

ROOT = Path(__file__).parents[2]
Address = tuple[str, int]


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked: method, path, `Host` and body."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said = f"{self.command} {self.path} {','.join(self.headers.get_all('Host'))} ".encode() + body
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_POST = do_GET  # noqa: N815 - the name that http.server looks for

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def web() -> Iterator[Address]:
    """The address of an HTTP server of this machine."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield "127.0.0.1", server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def echo() -> Iterator[Address]:
    """The address of a server that sends back what it receives, until its client ends."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(connection: socket.socket) -> None:
            with connection, contextlib.suppress(OSError):
                while data := connection.recv(1 << 16):
                    connection.sendall(data)

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()

        thread = threading.Thread(target=accept)
        thread.start()
        yield "127.0.0.1", server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


class Served:
    """A proxy whose socket listens in the test's own namespace."""

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self.proxy = Proxy(hosts)
        self.program = self.proxy.handover.dup()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.address = listener.getsockname()
            socket.send_fds(self.program, [b"\0"], [listener.fileno()])
        self.proxy.start()

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=10)

    def ask(self, *lines: str, body: bytes = b"") -> bytes:
        """Send one request and return all that is answered."""
        with self.connect() as client:
            client.sendall("\r\n".join((*lines, "", "")).encode() + body)
            return everything(client)

    def tunnel(self, to: Address) -> socket.socket:
        client = self.connect()
        client.sendall("CONNECT {}:{} HTTP/1.1\r\n\r\n".format(*to).encode())
        said = b"HTTP/1.1 200 Connection established\r\n\r\n"
        assert client.recv(len(said), socket.MSG_WAITALL) == said
        return client


def everything(client: socket.socket) -> bytes:
    with client.makefile("rb") as file:
        return file.read()


def status(answer: bytes) -> str:
    return answer.partition(b"\r\n")[0].decode().removeprefix("HTTP/1.1 ")


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    running = []

    def begin(*hosts: str) -> Served:
        running.append(Served(hosts))
        return running[-1]

    yield begin
    for one in running:
        one.proxy.close()
        one.program.close()
        assert not one.proxy._thread.is_alive()


def named(address: Address) -> str:
    return "{}:{}".format(*address)


def test_a_request_reaches_the_granted_host_and_no_second_one_follows_it(
    serve: Callable[..., Served], web: Address
) -> None:
    served = serve(named(web))
    answer = served.ask(
        f"POST http://{named(web)}/x HTTP/1.1",
        "Host: other.example",
        "Content-Length: 3",
        body=b"abcGET / HTTP/1.1\r\nHost: other.example\r\n\r\n",
    )
    assert status(answer) == "200 OK"
    assert answer.endswith(f"\r\n\r\nPOST /x {named(web)} abc".encode())


def test_a_tunnel_carries_more_than_it_can_hold_in_both_directions(
    serve: Callable[..., Served], echo: Address
) -> None:
    data = bytes(range(256)) * 8192
    with serve(named(echo)).tunnel(echo) as client:
        sender = threading.Thread(target=lambda: (client.sendall(data), client.shutdown(socket.SHUT_WR)))
        sender.start()
        assert everything(client) == data
        sender.join()


def test_a_name_that_resolves_to_this_machine_opens_nothing_here(
    serve: Callable[..., Served], web: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = web[1]
    real = socket.getaddrinfo

    def resolve(host: Any, *rest: Any, **more: Any) -> Any:
        return real("127.0.0.1" if host == "api.example.com" else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    request = f"GET http://api.example.com:{port}/ HTTP/1.1"
    by_name = serve(f"api.example.com:{port}")
    assert status(by_name.ask(request)) == "403 Not a public address: api.example.com"
    assert (
        status(by_name.ask(f"CONNECT api.example.com:{port} HTTP/1.1"))
        == "403 Not a public address: api.example.com"
    )
    by_address = serve(f"api.example.com:{port}", named(web))
    assert status(by_address.ask(request)) == "200 OK"
    # The same with a public address of this machine, such as a rented server has.
    monkeypatch.setattr(proxies, "is_public", lambda _address: True)
    assert status(by_name.ask(request)) == f"502 Cannot connect: api.example.com:{port}"


def test_localhost_is_this_machine_if_it_is_granted(serve: Callable[..., Served], web: Address) -> None:
    host = f"localhost:{web[1]}"
    answer = serve(host).ask(f"GET http://{host}/ HTTP/1.1")
    assert answer.endswith(f"GET / {host} ".encode())


def test_what_is_not_granted_or_malformed_is_refused(serve: Callable[..., Served], web: Address) -> None:
    served = serve(named(web), "unknown.invalid")
    absolute = f"GET http://{named(web)}/ HTTP/1.1"
    assert status(served.ask("CONNECT other.example:443 HTTP/1.1")) == "403 Not granted: other.example:443"
    assert status(served.ask("CONNECT [::1]:80 HTTP/1.1")) == "403 Not granted: [::1]:80"
    assert status(served.ask(f"CONNECT {web[0]}:1 HTTP/1.1")) == f"403 Not granted: {web[0]}:1"
    assert status(served.ask("GET http://unknown.invalid/ HTTP/1.1")) == "502 Unknown host: unknown.invalid"
    assert status(served.ask(absolute, "Host: a", "Host: b")) == "400 A header field is repeated"
    assert status(served.ask("\x16\x03\x01 hello")) == "400 Malformed request"
    with served.connect() as client:
        client.sendall(absolute.encode())
        client.shutdown(socket.SHUT_WR)
        assert status(everything(client)) == "400 The request is incomplete"


def test_more_connections_than_the_limit_are_refused(
    serve: Callable[..., Served], echo: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxies, "CONNECTIONS", 1)
    served = serve(named(echo))
    with served.tunnel(echo), served.connect() as second:
        assert status(everything(second)) == "503 More than 1 connections"


def test_a_header_larger_than_the_limit_is_refused(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxies, "HEAD_LIMIT", 100)
    answer = serve("a.example").ask("GET http://a.example/ HTTP/1.1", "X: " + "x" * 100)
    assert status(answer) == "431 The header is too large"


def test_a_connection_without_a_byte_ends(
    serve: Callable[..., Served], echo: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxies, "IDLE_S", 0.05)
    served = serve(named(echo))
    with contextlib.suppress(ConnectionResetError), served.tunnel(echo) as client:
        assert everything(client) == b""
    monkeypatch.setattr(proxies, "HEAD_S", 0.05)
    with contextlib.suppress(ConnectionResetError), served.connect() as client:
        client.sendall(b"GET ")
        assert everything(client) == b""


@pytest.mark.parametrize("end", ["the harness", "the program"])
def test_everything_ends_with_the_program(serve: Callable[..., Served], echo: Address, end: str) -> None:
    served = serve(named(echo))
    with served.tunnel(echo) as client, served.connect() as silent:
        client.sendall(b"x")
        assert client.recv(1) == b"x"
        if end == "the harness":
            served.proxy.close()
        else:
            served.program.close()
            served.proxy._thread.join(10)
        assert not served.proxy._thread.is_alive()
        for one in (client, silent):
            with contextlib.suppress(ConnectionResetError):
                assert everything(one) == b""
    with pytest.raises(OSError):
        served.connect()


def test_a_proxy_that_never_gets_its_socket_ends() -> None:
    for start in (False, True):
        proxy = Proxy(("api.example.com",))
        if start:
            proxy.start()
        proxy.close()
        assert not proxy._thread.is_alive()


def test_variables_lead_to_the_proxy_but_not_for_servers_of_the_program_itself() -> None:
    proxy = Proxy(("localhost:11434", "api.example.com"))
    proxy.close()
    found = proxy.variables
    assert {found[name] for name in ("HTTP_PROXY", "https_proxy", "ALL_PROXY")} == {"http://127.0.0.1:3128"}
    assert found["no_proxy"] == found["NO_PROXY"] == "127.0.0.1"


@pytest.mark.skipif(sandbox.level() != "sealed", reason="namespaces are not permitted here")
def test_a_hostile_program_reaches_the_granted_host_and_nothing_else(
    tmp_path: Path, hostile: Callable[[str], Path], web: Address
) -> None:
    before = set(threading.enumerate())
    with ChildProcess(
        [sys.executable, "-P", "-m", "benchsite.tracks.retrieval.run.worker", "reaches:Reaches"],
        grant=Grant(hosts=(named(web),)),
        folder=tmp_path,
        clock_ns=time.perf_counter_ns,
        search_path=[str(hostile("")), str(ROOT), *(path for path in sys.path if path)],
    ) as process:
        params = {"options": {"granted": named(web)}, "seed": 0, "protocolVersion": 1}
        assert process.call("initialize", params, timeout_s=30).fault is None, process.last_words
        reply = process.call("query", {"query": "", "k": 1, "when": None}, timeout_s=60)
        assert reply.fault is None, reply.fault
        seen = json.loads(reply.result["hits"][0][2])
    not_granted = "Not granted: other.example:"
    assert seen.pop("a name").startswith("[Errno -"), "a fault of getaddrinfo"
    assert seen.pop("a new namespace") in {"EACCES", "EPERM", f"{not_granted}80"}
    assert seen == {
        "granted": f"GET /a?b=c {named(web)} ",
        "another port": "Not granted: 127.0.0.1:1",
        "another host": f"{not_granted}80",
        "another host in a tunnel": f"Tunnel connection failed: 403 {not_granted}443",
        "an address": "Not granted: 192.0.2.1:80",
        "the granted host without the proxy": "ECONNREFUSED",
        "an address without the proxy": "ENETUNREACH",
        "a datagram": "ENETUNREACH",
        "a raw socket": "EPERM",
        "the interface": "EPERM",
        "inherited sockets": [],
        "sockets with a path": [],
    }
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=60)  # the loop does not wait for the thread that resolves names
        assert not thread.is_alive(), "the proxy ends with the program"
