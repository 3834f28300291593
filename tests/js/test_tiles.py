"""The tiles that Python writes, read by the browser's reader: every proof, root and entry is the one that Python gives."""

from __future__ import annotations

import json
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchsite.log import Log, Tree, leaf_hash
from benchsite.log.entries import FixtureEntry, encode_entry
from benchsite.log.tiles import hash_tile, tiles

FOLDER = Path(__file__).parent

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="TILES NOT READ: node is not installed")


def text(data: bytes) -> str:
    return b64encode(data).decode()


def answers(logs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What node builds from each of these logs."""
    asked = "".join(json.dumps(log) + "\n" for log in logs)
    run = subprocess.run(
        ["node", "tile-reader.js"], cwd=FOLDER, input=asked, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == len(logs)
    return found


def expected(tree: Tree | Log, ask: dict[str, list[int]]) -> dict[str, Any]:
    return {
        "inclusion": [[text(h) for h in tree.inclusion_proof(index)] for index in ask["inclusion"]],
        "consistency": [[text(h) for h in tree.consistency_proof(old)] for old in ask["consistency"]],
        "roots": [text(tree.root(old)) for old in ask["roots"]],
    }


def places(size: int, random: Random) -> dict[str, list[int]]:
    """Both ends, the borders of tiles, and a few places between."""
    borders = {0, 1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, size // 2, size - 1, size}
    some = sorted(n for n in borders | set(random.sample(range(size + 1), min(size, 4))) if n <= size)
    return {
        "inclusion": [n for n in some if n < size],
        "consistency": [n for n in some if n],
        "roots": some,
        "leaves": [n for n in some if n < size],
        "entries": [n for n in some if n < size],
    }


@pytest.fixture(scope="module")
def founding(vectors: Path) -> tuple[dict[str, Any], list[bytes]]:
    cases = json.loads((vectors / "log" / "key-events.json").read_text(encoding="ascii"))
    return cases, [entry.encode() for entry in cases["valid"][0]["entries"]]


@pytest.mark.full
@pytest.mark.stories
def test_every_size_of_a_log_up_to_600(founding) -> None:
    cases, entries = founding
    random = Random(600)  # noqa: S311 - places to look at, nothing secret
    log = Log.of(entries[:1], origin=cases["origin"], roots=cases["roots"])
    more = entries[1:] + [
        encode_entry(FixtureEntry(id=f"fixture-{n}", sha256=f"{n:064x}")) for n in range(600 - len(entries))
    ]
    questions, wanted = [], []
    for entry in [None, *more]:
        log = log if entry is None else log.extended([entry])
        ask = places(log.size, random)
        held = {tile.path: text(data) for tile, data in log.tiles()}
        questions.append({"size": log.size, "root": text(log.root()), "tiles": held, "ask": ask})
        wanted.append(
            expected(log, ask)
            | {
                "leaves": [text(leaf_hash(log.entry_bytes(index))) for index in ask["leaves"]],
                "entries": [text(log.entry_bytes(index)) for index in ask["entries"]],
            }
        )
    assert log.size == 600
    for question, found, right in zip(questions, answers(questions), wanted, strict=True):
        assert {key: found[key] for key in right} == right, f"size {question['size']}"


@pytest.mark.stories
def test_every_head_of_a_history_from_what_the_newest_one_serves(founding) -> None:
    """A reader that holds a past checkpoint: its proofs come from served tiles alone, whatever was signed since."""
    cases, entries = founding
    random = Random(14)  # noqa: S311 - as above
    more = [encode_entry(FixtureEntry(id=f"fixture-{n}", sha256=f"{n:064x}")) for n in range(1100)]
    questions, wanted = [], []
    for _ in range(12):
        sizes = sorted(random.sample(range(len(entries), 1100), random.randint(1, 6)))
        log = Log.of([*entries, *more][: sizes[-1]], origin=cases["origin"], roots=cases["roots"])
        held = {tile.path: text(data) for tile, data in log.tiles(sizes)}
        for size in sizes:
            old = Tree(leaf_hash(log.entry_bytes(index)) for index in range(size))
            ask = places(size, random) | {"consistency": [n for n in sizes if n <= size]}
            questions.append({"size": size, "root": text(old.root()), "tiles": held, "ask": ask})
            wanted.append(
                expected(old, ask) | {"entries": [text(log.entry_bytes(index)) for index in ask["entries"]]}
            )
    for question, found, right in zip(questions, answers(questions), wanted, strict=True):
        assert {key: found[key] for key in right} == right, f"size {question['size']}"


@pytest.mark.parametrize(
    "size",
    [
        65_793,
        *(pytest.param(size, marks=pytest.mark.full) for size in (65_535, 65_536, 65_537, 65_792, 100_000)),
    ],
)
def test_logs_of_three_levels(size: int) -> None:
    tree = Tree(leaf_hash(b"%d" % number) for number in range(size))
    held = {tile.path: text(hash_tile(tree, tile)) for tile in tiles(size) if tile.level >= 0}
    ask = places(size, Random(size)) | {"entries": []}  # noqa: S311 - as above
    (found,) = answers([{"size": size, "root": text(tree.root()), "tiles": held, "ask": ask}])
    right = expected(tree, ask) | {"leaves": [text(tree.leaf(index)) for index in ask["leaves"]]}
    assert {key: found[key] for key in right} == right
