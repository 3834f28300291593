"""Files of local models: added by hash, downloaded, resumed, and refused."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchsite.cli.main import cli
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.tracks.agents.models.connection import connect
from benchsite.tracks.agents.models.local import store
from benchsite.tracks.agents.models.local.fetch import fetch
from benchsite.tracks.agents.models.local.table import PINNED, LocalModel

DATA = b"GGUF" + bytes(range(256)) * 20_000
TINY = LocalModel(
    "tiny", "tiny.gguf", len(DATA), hashlib.sha256(DATA).hexdigest(), "MIT", "someone/tiny/resolve/main"
)
ASKED: list[tuple[str, str | None]] = []


class Hub(BaseHTTPRequestHandler):
    """Serves DATA as the first part of the path says."""

    def do_GET(self) -> None:
        behavior = self.path.split("/")[1]
        asked = self.headers["Range"]
        ASKED.append((self.path, asked))
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and behavior != "whole" else 0
        data = DATA[start:] if behavior != "other" else bytes(len(DATA))
        if behavior == "missing":
            self.send_error(404)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if behavior == "broken" else data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a small model in the table."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(PINNED, "tiny", TINY)  # type: ignore[misc]
    ASKED.clear()
    return tmp_path / "cache/benchsite/models"


@pytest.fixture
def at(hub: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let the hub behave in a way."""
    return lambda behavior: monkeypatch.setenv("HF_ENDPOINT", f"{hub}/{behavior}")


def ran(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["model", *map(str, arguments)])


def test_the_table_pins_what_the_specification_names() -> None:
    pinned = {name: (one.size, one.sha256[:8], one.license) for name, one in PINNED.items() if name != "tiny"}
    assert pinned == {
        "smollm2-135m": (98_362_432, "b179c952", "Apache-2.0"),
        "qwen2.5-coder-0.5b": (491_400_064, "1d961463", "Apache-2.0"),
        "qwen2.5-coder-1.5b": (1_117_320_768, "cc324af0", "Apache-2.0"),
    }
    assert all(one.address.count("/") == 3 for one in PINNED.values())


def test_a_file_is_added_by_its_hash_under_any_name(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "download.bin").write_bytes(DATA)
    found = ran("add", tmp_path / "download.bin")
    assert found.output == f"added tiny: SHA-256 {TINY.sha256}\n"
    assert store.installed_file("tiny") == (TINY, cache / "tiny/tiny.gguf")
    assert (cache / "tiny/tiny.gguf").read_bytes() == DATA
    assert list(store.installed()) == [TINY]
    row = next(line for line in ran("list").output.splitlines() if line.startswith("tiny"))
    assert row.split() == ["tiny", "5", "MB", "MIT", TINY.sha256[:12], "yes"]


def test_a_file_of_another_hash_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(DATA[:-1])
    with pytest.raises(IntegrityError, match=r"tiny\.gguf: SHA-256 .*, expected .* of tiny"):
        store.add(tmp_path / "tiny.gguf")
    with pytest.raises(IntegrityError):
        store.add(tmp_path / "tiny.gguf", "tiny", "MIT")
    assert list(store.installed()) == []


def test_another_file_needs_a_name_and_a_license(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(DATA + b"!")
    for given in (("", ""), ("mine", ""), ("", "MIT")):
        with pytest.raises(UsageError, match="not a known model"):
            store.add(path, *given)
    for name in ("Mine", "a/b", "..", "x" * 90):
        with pytest.raises(UsageError, match="model .*: name"):
            store.add(path, name, "MIT")
    found = store.add(path, "mine-7b", "MIT")
    assert (found.size, found.license, found.is_pinned) == (len(DATA) + 1, "MIT", False)
    assert [one.name for one in store.installed()] == ["mine-7b"]


@pytest.mark.parametrize(("data", "said"), [(b"PK\x03\x04", "not a GGUF file"), (b"", "not a GGUF file")])
def test_what_is_no_model_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(data)
    with pytest.raises(InputError, match=said):
        store.add(path, "x", "MIT")
    with pytest.raises(InputError, match="no such file"):
        store.add(tmp_path / "absent.gguf")
    with pytest.raises(InputError, match="is a directory"):
        store.add(tmp_path)


def test_a_model_that_is_not_here_says_how_to_get_it() -> None:
    with pytest.raises(PrerequisiteError) as raised:
        connect("local:tiny")
    assert "benchsite model fetch tiny" in raised.value.hint
    with pytest.raises(UsageError, match="no local model named 'huge'"):
        connect("local:huge")
    with pytest.raises(UsageError, match="model local: no name"):
        connect("local")


def test_damaged_records_and_cut_files_are_no_models(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(DATA)
    store.add(tmp_path / "tiny.gguf")
    record = (cache / "tiny/model.json").read_bytes()
    for damage in (b"{", b"{}", record.replace(b'"tiny"', b'"else"')):
        (cache / "tiny/model.json").write_bytes(damage)
        assert list(store.installed()) == []
    (cache / "tiny/model.json").write_bytes(record)
    (cache / "tiny/tiny.gguf").write_bytes(DATA[:-1])
    assert list(store.installed()) == []


def test_a_model_is_downloaded_and_checked(at: Callable[[str], None], cache: Path) -> None:
    at("ok")
    assert ran("fetch", "tiny").output == f"fetched tiny: SHA-256 {TINY.sha256}\n"
    assert ASKED == [("/ok/someone/tiny/resolve/main/tiny.gguf", None)]
    assert sorted(path.name for path in (cache / "tiny").iterdir()) == ["model.json", "tiny.gguf"]
    assert fetch("tiny") == TINY
    assert len(ASKED) == 1, "what is here is not downloaded"


def test_progress_is_told(at: Callable[[str], None]) -> None:
    at("ok")
    seen: list[tuple[int, int, str]] = []
    fetch("tiny", lambda *told: seen.append(told))
    assert seen[-1][0] == seen[-1][1]
    assert (5, 5, "downloading tiny (MB)") in seen


def test_an_interrupted_download_is_resumed(at: Callable[[str], None], cache: Path) -> None:
    at("broken")
    with pytest.raises(PrerequisiteError, match="the connection ended|does not answer"):
        fetch("tiny")
    half = len(DATA) // 2
    assert (cache / "tiny/tiny.gguf.partial").stat().st_size == half
    at("ok")
    assert fetch("tiny") == TINY
    assert [asked for _, asked in ASKED] == [None, f"bytes={half}-"]
    assert (cache / "tiny/tiny.gguf").read_bytes() == DATA


def test_a_hub_that_sends_the_whole_file_starts_it_over(at: Callable[[str], None], cache: Path) -> None:
    (cache / "tiny").mkdir(parents=True)
    (cache / "tiny/tiny.gguf.partial").write_bytes(b"x" * 100)
    at("whole")
    assert fetch("tiny") == TINY


def test_another_file_of_the_hub_is_removed(at: Callable[[str], None], cache: Path) -> None:
    at("other")
    with pytest.raises(IntegrityError, match="the downloaded file is not the pinned one"):
        fetch("tiny")
    assert list((cache / "tiny").iterdir()) == []


def test_a_partial_file_that_is_damaged_is_removed(at: Callable[[str], None], cache: Path) -> None:
    (cache / "tiny").mkdir(parents=True)
    (cache / "tiny/tiny.gguf.partial").write_bytes(b"x" * 100)
    at("ok")
    with pytest.raises(IntegrityError):
        fetch("tiny")
    assert fetch("tiny") == TINY


def test_a_hub_that_fails_is_named(at: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    at("missing")
    with pytest.raises(PrerequisiteError, match="the hub does not answer: status 404"):
        fetch("tiny")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(PrerequisiteError, match="the hub does not answer: .*refused"):
        fetch("tiny")
    monkeypatch.setenv("HF_ENDPOINT", "file:///etc")
    with pytest.raises(PrerequisiteError, match="HF_ENDPOINT is not an http address"):
        fetch("tiny")
    with pytest.raises(UsageError, match="no local model named 'huge'"):
        fetch("huge")
