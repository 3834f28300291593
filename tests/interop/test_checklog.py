"""Logs that benchsite serves, read by the Go project's own packages (checklog.go); `make interop`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchsite.log import Checkpoint, Tree, leaf_hash, sign_checkpoint, verifier_key
from benchsite.log.tiles import bundle, hash_tile, tiles
from benchsite.signing import PrivateKey

pytestmark = pytest.mark.full

ORIGIN = "example.github.io/benchsite/log"
GOPATH = Path("/usr/share/gocode")
GOLDEN_VKEY = "example.github.io/benchsite/log+bd6f8cb0+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
GOLDEN_ROOT = "r3mgaCf5gY7gNXevS403fewEDtnINugT5S99cTHvmuA="

Check = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def checklog(tmp_path_factory: pytest.TempPathFactory) -> Check:
    if shutil.which("go") is None or not (GOPATH / "src/golang.org/x/mod/sumdb/tlog").is_dir():
        pytest.skip("Go or golang.org/x/mod is not installed: `make interop` as root installs both")
    folder = tmp_path_factory.mktemp("checklog")
    program = folder / "checklog"
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": str(GOPATH), "GOFLAGS": ""}
    subprocess.run(
        ["go", "build", "-o", program, Path(__file__).with_name("checklog.go")],
        env={**environment, "GOCACHE": str(folder / "cache")},
        check=True,
    )

    def check(served: Path, vkey: str, *older: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, served, vkey, *older], capture_output=True, text=True, check=False, timeout=600
        )

    return check


@pytest.fixture(scope="module")
def key() -> PrivateKey:
    """The golden log key of the specification: seed bytes 00 01 .. 1f."""
    return PrivateKey.from_text(b64encode(bytes(range(32))).decode(), "test seed")


def counted(size: int) -> list[bytes]:
    """The entries of the golden vector, and as many more: `{"n":0}`, `{"n":1}`, ..."""
    return [b'{"n":%d}' % number for number in range(size)]


def serve(folder: Path, entries: Sequence[bytes], key: PrivateKey) -> Tree:
    """Write a log as the site serves it."""
    tree = Tree(map(leaf_hash, entries))
    for tile in tiles(tree.size):
        path = folder / tile.path
        path.parent.mkdir(parents=True, exist_ok=True)
        first = tile.number * 256
        path.write_bytes(
            bundle(entries[first : first + tile.width]) if tile.level < 0 else hash_tile(tree, tile)
        )
    note = sign_checkpoint(Checkpoint(ORIGIN, tree.size, tree.root()), key)
    (folder / "checkpoint").write_text(note, encoding="utf-8")
    return tree


def heads(tree: Tree, *sizes: int) -> list[str]:
    return [f"{size}={b64encode(tree.root(size)).decode()}" for size in sizes]


@pytest.fixture
def golden(tmp_path: Path, key: PrivateKey) -> Path:
    serve(tmp_path / "log", counted(70), key)
    return tmp_path / "log"


def test_the_golden_log_opens_under_the_key_and_root_of_the_specification(
    checklog: Check, golden: Path
) -> None:
    assert (golden / "checkpoint").read_text(encoding="utf-8").split("\n")[2] == GOLDEN_ROOT
    ran = checklog(golden, GOLDEN_VKEY, f"70={GOLDEN_ROOT}")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "70 entries included, 1 older heads consistent\n"


@pytest.mark.parametrize(
    ("size", "older"),
    [
        (1, (1,)),
        (2, (1, 2)),
        (255, (1, 128, 254)),
        (256, (1, 255, 256)),
        (257, (1, 255, 256, 257)),
        (1_000, (1, 255, 256, 257, 511, 512, 768, 999)),
        (65_536, (1, 256, 4_095, 65_535)),  # the first full tile of level 1, and one hash on level 2
        (70_000, (1, 70, 255, 256, 257, 4_097, 65_535, 65_536, 65_537, 69_999)),
    ],
)
def test_every_entry_is_included_and_every_older_head_consistent(
    size: int, older: tuple[int, ...], checklog: Check, key: PrivateKey, tmp_path: Path
) -> None:
    tree = serve(tmp_path, counted(size), key)
    assert (tmp_path / "tile/2/000.p/1").exists() == (size >= 65_536)
    ran = checklog(tmp_path, verifier_key(ORIGIN, key.public), *heads(tree, *older))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"{size} entries included, {len(older)} older heads consistent\n"


def test_entries_of_the_largest_size_fit_the_bundles(
    checklog: Check, key: PrivateKey, tmp_path: Path
) -> None:
    serve(tmp_path, [b"x" * 65_535, b"y", b"z" * 256], key)
    assert checklog(tmp_path, verifier_key(ORIGIN, key.public)).returncode == 0


@pytest.mark.parametrize("path", ["checkpoint", "tile/0/000.p/70", "tile/entries/000.p/70"])
def test_any_changed_byte_of_the_golden_log_is_refused(path: str, checklog: Check, golden: Path) -> None:
    """0x20 changes a bit that counts of every base64 character, the last one included."""
    file = golden / path
    data = file.read_bytes()
    for at in range(0, len(data), 32 if path.startswith("tile/0") else 1):
        file.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
        assert checklog(golden, GOLDEN_VKEY).returncode == 1, f"byte {at} of {path}"
    file.write_bytes(data)
    assert checklog(golden, GOLDEN_VKEY).returncode == 0


@pytest.mark.parametrize(
    "path", ["tile/0/000", "tile/0/003.p/232", "tile/1/000.p/3", "tile/entries/001", "tile/entries/003.p/232"]
)
@pytest.mark.parametrize("change", ["first byte", "last byte", "cut short", "one more byte", "gone"])
def test_a_changed_tile_of_a_larger_log_is_refused(
    path: str, change: str, checklog: Check, key: PrivateKey, tmp_path: Path
) -> None:
    serve(tmp_path, counted(1_000), key)
    file = tmp_path / path
    data = file.read_bytes()
    changed = {
        "first byte": bytes([data[0] ^ 1]) + data[1:],
        "last byte": data[:-1] + bytes([data[-1] ^ 1]),
        "cut short": data[:-1],
        "one more byte": data + b"\0",
    }
    file.write_bytes(changed.get(change, b""))
    if change == "gone":
        file.unlink()
    assert checklog(tmp_path, verifier_key(ORIGIN, key.public)).returncode == 1


def test_another_key_another_name_and_another_history_are_refused(
    checklog: Check, key: PrivateKey, tmp_path: Path
) -> None:
    tree = serve(tmp_path, counted(300), key)
    other = Tree(map(leaf_hash, [b"other", *counted(300)[1:]]))
    mine = verifier_key(ORIGIN, key.public)
    assert checklog(tmp_path, mine, *heads(tree, 299)).returncode == 0
    assert checklog(tmp_path, verifier_key(ORIGIN, PrivateKey.generate().public)).returncode == 1
    assert checklog(tmp_path, verifier_key("example.com/log", key.public)).returncode == 1
    assert "consistency" in checklog(tmp_path, mine, *heads(other, 299)).stderr
    assert "consistency" in checklog(tmp_path, mine, *heads(tree, 300), *heads(other, 300)).stderr


def test_the_log_of_a_built_site_is_accepted(checklog: Check, tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    subprocess.run(
        [sys.executable, "-m", "benchsite", "demo", "--output", str(demo)], check=True, capture_output=True
    )
    head = subprocess.run(
        [sys.executable, "-m", "benchsite", "log", "head", "--json"],
        cwd=demo,
        check=True,
        capture_output=True,
    )
    log = json.loads(head.stdout)
    ran = checklog(demo / "site/log", log["vkey"], f"{log['size']}={log['root']}")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"{log['size']} entries included, 1 older heads consistent\n"
    tile = demo / f"site/log/tile/entries/000.p/{log['size']}"
    tile.write_bytes(tile.read_bytes().replace(b"fixture", b"fixturf"))
    assert checklog(demo / "site/log", log["vkey"]).returncode == 1
