from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
from pathlib import Path


def test_serve_answers_and_stops(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>hello</p>")
    server = subprocess.Popen(
        [sys.executable, "-m", "benchsite", "serve", "--dir", str(tmp_path), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(found[0], timeout=10) as answer:  # noqa: S310 - our own server, on loopback
            assert answer.read() == b"<p>hello</p>"
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()
