from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.errors import InputError, IntegrityError
from benchsite.log import Tree, leaf_hash, verify_consistency, verify_inclusion
from benchsite.log.tiles import Tile, TileReader, bundle, hash_tile, tiles, unbundle


def test_paths_are_the_specifications_own() -> None:
    """specs/log.md: N in 3-digit groups (`x001/x234/067`), size 70 gives `tile/0/000.p/70`."""
    assert Tile(0, 1_234_067).path == "tile/0/x001/x234/067"
    assert Tile(0, 0, 70).path == "tile/0/000.p/70"
    assert Tile(-1, 0, 70).path == "tile/entries/000.p/70"
    assert Tile(3, 1000, 5).path == "tile/3/x001/000.p/5"


@given(st.integers(-1, 63), st.integers(0, 10**12), st.integers(1, 256))
def test_paths_and_tiles_are_inverse(level: int, number: int, width: int) -> None:
    tile = Tile(level, number, width)
    assert Tile.parse(tile.path) == tile


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/0",
        "tile/0/x000/001",
        "tile/0/001.p/0",
        "tile/0/001.p/256",
        "tile/0/001.p/01",
        "tile/64/001",
        "tile/00/001",
        "tile/0/001/",
        "/tile/0/001",
        "tile/0/../001",
        "tile/entry/001",
    ],
)
def test_other_paths_are_refused(path: str) -> None:
    with pytest.raises(InputError, match="is no tile"):
        Tile.parse(path)


def test_only_the_tiles_of_a_size_are_listed() -> None:
    """256² + 256 + 1 leaves: 257 full and one partial tile at level 0, 257 // 256 above, one hash at the top."""
    listed = [tile.path for tile in tiles(65_793)]
    assert sum(path.startswith("tile/0/") for path in listed) == 258
    assert [path for path in listed if not path.startswith(("tile/0/", "tile/entries/"))] == [
        "tile/1/000",
        "tile/1/001.p/1",
        "tile/2/000.p/1",
    ]
    assert sum(path.startswith("tile/entries/") for path in listed) == 258
    assert list(tiles(0)) == []


def served(size: int, past: Collection[int] = ()) -> tuple[Tree, dict[str, bytes]]:
    tree = Tree(leaf_hash(b"%d" % number) for number in range(size))
    return tree, {tile.path: hash_tile(tree, tile) for tile in tiles(size, past) if tile.level >= 0}


def partial(listed: Iterable[Tile]) -> list[str]:
    return [tile.path for tile in listed if tile.width < 256]


def test_partial_tiles_of_past_sizes_stay_until_the_full_tile_exists() -> None:
    """By hand: of 600 entries tile 2 is partial; 300's level-0 tile is full now, its level-1 tile of width 1 is not."""
    assert partial(tiles(600, (70, 300, 530, 512))) == [
        "tile/0/002.p/18",
        "tile/0/002.p/88",
        "tile/1/000.p/1",
        "tile/1/000.p/2",
        "tile/entries/002.p/18",
        "tile/entries/002.p/88",
    ]
    # The specification's example of size 256: a full tile, and one of width 1 above it. No bundle is empty.
    assert partial(tiles(256, (70,))) == ["tile/1/000.p/1"]
    assert list(tiles(70, (71, 10**6, 0, -1))) == list(tiles(70)), "sizes that the log never had"


@given(st.integers(1, 66_000), st.sets(st.integers(1, 66_000), max_size=300))
def test_a_level_has_at_most_255_partial_tiles_and_each_once(size: int, past: set[int]) -> None:
    listed = list(tiles(size, past))
    assert len(set(listed)) == len(listed)
    for level in (-1, 0, 1, 2):
        assert sum(tile.width < 256 for tile in listed if tile.level == level) <= 255


@settings(max_examples=examples(20, full=200))
@given(st.sets(st.integers(1, 1100), min_size=1, max_size=8).map(sorted), st.data())
def test_whoever_holds_a_past_checkpoint_proves_from_served_tiles_alone(sizes: list[int], data) -> None:
    """Every head of a history, read from what the newest one serves; C2SP tlog-tiles, "Partial Tiles"."""
    tree, held = served(sizes[-1], sizes)
    for place, size in enumerate(sizes):
        # A log that prunes full tiles it need not serve any more would serve no less.
        for level in (0, 1):
            number, width = divmod(size >> (8 * level), 256)
            if width:
                assert {Tile(level, number).path, Tile(level, number, width).path} & held.keys()
        reader = TileReader(size, held.get)
        assert reader.root() == tree.root(size)
        index = data.draw(st.integers(0, size - 1))
        proof = reader.inclusion_proof(index)
        assert verify_inclusion(tree.leaf(index), index, size, proof, tree.root(size))
        for old in sizes[: place + 1]:
            proof = reader.consistency_proof(old)
            assert verify_consistency(old, size, proof, tree.root(old), tree.root(size))


def test_a_partial_tile_is_read_before_the_full_one() -> None:
    _, held = served(600, (300, 530))
    read: list[str] = []

    def fetch(path: str) -> bytes | None:
        read.append(path)
        return held.get(path)

    TileReader(530, fetch).root()
    assert read == ["tile/1/000.p/2", "tile/0/002.p/18"]
    read.clear()
    TileReader(300, fetch).root()
    assert read == ["tile/1/000.p/1", "tile/0/001.p/44", "tile/0/001"], (
        "tile 1 is full: its partial one is gone"
    )


def test_a_tile_that_is_nowhere_is_named() -> None:
    with pytest.raises(IntegrityError, match=r"tile/0/000\.p/70: neither"):
        TileReader(70, {}.get).root()
    with pytest.raises(IntegrityError, match="tile/1/000.p/1: neither"):
        TileReader(256, {}.get).root()


@pytest.mark.parametrize("size", [1, 2, 3, 70, 255, 256, 257, 511, 513, 700])
def test_roots_and_proofs_from_tiles_alone(size: int) -> None:
    tree, held = served(size)
    reader = TileReader(size, held.__getitem__)
    assert reader.root() == tree.root()
    for index in {0, 1 % size, size // 2, size - 1}:
        proof = reader.inclusion_proof(index)
        assert verify_inclusion(tree.leaf(index), index, size, proof, tree.root())
    for old in {1, max(1, size // 3), size}:
        proof = reader.consistency_proof(old)
        assert verify_consistency(old, size, proof, tree.root(old), tree.root())


def test_a_proof_needs_a_handful_of_tiles() -> None:
    _, held = served(700)
    read: list[str] = []

    def fetch(path: str) -> bytes:
        read.append(path)
        return held[path]

    TileReader(700, fetch).inclusion_proof(3)
    assert sorted(read) == ["tile/0/000", "tile/0/002.p/188", "tile/1/000.p/2"]


def test_a_tile_of_another_width_is_refused() -> None:
    _, held = served(70)
    held["tile/0/000.p/70"] += b"x" * 32
    with pytest.raises(IntegrityError, match=r"tile/0/000\.p/70: 2272 bytes"):
        TileReader(70, held.__getitem__).root()


@given(st.lists(st.binary(max_size=300), max_size=256))
def test_bundles_are_inverse(entries: list[bytes]) -> None:
    assert unbundle(bundle(entries)) == entries


@pytest.mark.parametrize("data", [b"\x00", b"\x00\x02a", b"\x00\x01a\xff"])
def test_a_bundle_cut_short_is_refused(data: bytes) -> None:
    with pytest.raises(IntegrityError, match="cut short"):
        unbundle(data)
