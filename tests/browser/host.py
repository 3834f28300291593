"""A host under a sub-path whose answers a test may put others in the place of, and a listener for whoever calls away."""

from __future__ import annotations

import http.server
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

SUB: Final = "/sub/"
BROWSERS_OWN: Final = frozenset({"CONNECT content-autofill.googleapis.com:443 HTTP/1.1"})
"""What Chromium asks its maker of any page with a text field; no page can tell it not to."""
PLAIN: Final = f"http://plain.invalid{SUB}"
"""The same site by a name, over plain http: no secure context. Reached with the host itself as the proxy."""
_TYPES: Final = {".js": "text/javascript", ".html": "text/html; charset=utf-8", ".json": "application/json"}


class Host(http.server.ThreadingHTTPServer):
    """Serves `<folder>/sub/` at `/sub/`.

    Attributes:
        instead: path below the site's root to the bytes that are served in its place, or to a status without any.
        asked: every path below the site's root that was asked for, in order.
    """

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.instead: dict[str, bytes | int] = {}
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{SUB}"


class _Handler(http.server.SimpleHTTPRequestHandler):
    server: Host
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **_TYPES}  # noqa: RUF012

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, directory=str(arguments[2].folder), **options)

    def do_GET(self) -> None:
        # Asked as a proxy, it is whatever site the visitor named: one over plain http, for instance.
        self.path = urlsplit(self.path).path
        path = self.path.removeprefix(SUB)
        self.server.asked.append(path)
        instead = self.server.instead.get(path)
        if instead is None:
            super().do_GET()
        elif isinstance(instead, int):
            self.send_error(instead)
        else:
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(path))
            self.send_header("Content-Length", str(len(instead)))
            self.end_headers()
            self.wfile.write(instead)

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def running(server: socketserver.BaseServer) -> Iterator[None]:
    """A server that answers in a thread of its own meanwhile."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def hosting(folder: Path) -> Iterator[Host]:
    host = Host(folder)
    with running(host):
        yield host


class Elsewhere(socketserver.ThreadingTCPServer):
    """Stands in a browser's settings as its proxy: whatever would leave this machine knocks here and is noted."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Knock)
        self.heard: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Knock(socketserver.StreamRequestHandler):
    server: Elsewhere

    def handle(self) -> None:
        line = self.rfile.readline(2000).decode("latin-1").strip()
        if line and line not in BROWSERS_OWN:
            self.server.heard.append(line)
        self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


@contextmanager
def listening() -> Iterator[Elsewhere]:
    elsewhere = Elsewhere()
    with running(elsewhere):
        yield elsewhere
