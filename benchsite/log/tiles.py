"""The served form of a log: every path and every byte of the tlog-tiles layout (C2SP tlog-tiles).

Owns the names of hash tiles (`tile/<L>/<N>[.p/<W>]`) and entry bundles (`tile/entries/<N>[.p/<W>]`), their
contents at a given size, and proofs built from tiles alone, as any client builds them. Tiles are derived: git holds
only the entries, and `build` writes the tiles of the size it serves and the partial ones of every size before it that
had a checkpoint, until the full tile exists.

Refuses widths outside 1 to 255 for a partial tile, numbers in groups that are not three digits, and tiles whose
bytes do not have the width their name says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, NamedTuple

from benchsite.errors import InputError
from benchsite.log.errors import LogError
from benchsite.log.merkle import HASH_BYTES, node_hash
from benchsite.log.tree import Prover

HEIGHT: Final = 8
WIDTH: Final = 1 << HEIGHT
ENTRIES: Final = "entries"

_PATH: Final = re.compile(
    r"tile/(?P<level>entries|[0-9]|[1-5][0-9]|6[0-3])/(?P<number>(x[0-9]{3}/)*[0-9]{3})(\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


class Tile(NamedTuple):
    """One tile: `level` is -1 for an entry bundle; `width` is 256 for a full tile."""

    level: int
    number: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """Its place below the log's URL prefix: `tile/0/x001/x234/067.p/12`."""
        digits = f"{self.number:03}"
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        name = "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
        kind = ENTRIES if self.level < 0 else str(self.level)
        partial = "" if self.width == WIDTH else f".p/{self.width}"
        return f"tile/{kind}/{name}{partial}"

    @classmethod
    def parse(cls, path: str) -> Tile:
        """The exact inverse of `path`.

        Raises:
            InputError: the path is not one that `path` gives.
        """
        found = _PATH.fullmatch(path)
        if found is not None:
            level = -1 if found["level"] == ENTRIES else int(found["level"])
            number = int(found["number"].replace("x", "").replace("/", ""))
            tile = cls(level, number, int(found["width"] or WIDTH))
            if tile.path == path:
                return tile
        raise InputError(
            f"{path[:80]!r} is no tile of the tlog-tiles layout",
            hint="give a path such as tile/0/000 or tile/entries/000.p/7",
        )


def tiles(size: int, past: Collection[int] = ()) -> Iterator[Tile]:
    """Every tile of a log of this size: full ones and the partial ones at the end of each level, bundles last.

    Args:
        size: of the log.
        past: sizes that had a checkpoint before. What they need and no full tile holds yet is given too, which is at
            most 255 tiles a level; larger sizes than the log's are passed over.
    """
    sizes = {size, *(old for old in past if 0 < old < size)}
    level, counts = 0, sizes
    while max(counts):
        yield from _row(level, counts)
        level, counts = level + 1, {count >> HEIGHT for count in counts}
    yield from _row(-1, sizes)


def _row(level: int, counts: Collection[int]) -> Iterator[Tile]:
    """The tiles of a level that has, or had, these numbers of hashes."""
    full = max(counts) >> HEIGHT
    for number in range(full):
        yield Tile(level, number)
    for width in sorted({count % WIDTH for count in counts if count >> HEIGHT == full} - {0}):
        yield Tile(level, full, width)


def hash_tile(tree: Prover, tile: Tile) -> bytes:
    """The 32-byte hashes of a hash tile, left to right."""
    first = tile.number << HEIGHT
    return b"".join(tree.complete(HEIGHT * tile.level, first + at) for at in range(tile.width))


def bundle(entries: Sequence[bytes]) -> bytes:
    """An entry bundle: each entry behind its length as two bytes, big-endian."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def unbundle(data: bytes) -> list[bytes]:
    """The entries of a bundle; the exact inverse of `bundle`. Raises LogError where it is cut short."""
    entries: list[bytes] = []
    at = 0
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        if at + 2 > len(data) or end > len(data):
            raise LogError(f"entry bundle: entry {len(entries)} is cut short at byte {len(data)}")
        entries.append(data[at + 2 : end])
        at = end
    return entries


class TileReader(Prover):
    """A tree of which only tiles are known: roots and proofs from O(log n) of them, each read once.

    The size may be that of any checkpoint, however old: a log serves its partial tiles until the full ones exist, which
    begin with the same hashes. Nothing here says that the tiles are true: compare `root` with a signed one.
    """

    __slots__ = ("_held", "_read", "_size_served")

    def __init__(self, size: int, read: Callable[[str], bytes | None]) -> None:
        """A reader of the tree of the first `size` entries; `read` gives a tile by its path, None where there is none."""
        self._size_served = size
        self._read = read
        self._held: dict[Tile, bytes] = {}

    @property
    def size(self) -> int:
        """Number of entries of the tree."""
        return self._size_served

    def complete(self, height: int, number: int) -> bytes:
        """The hash of a complete subtree, computed from the tile that holds its leaves' level."""
        level, inside = divmod(height, HEIGHT)
        first = number << inside
        hashes = [self._hash(level, first + at) for at in range(1 << inside)]
        while len(hashes) > 1:
            hashes = [node_hash(hashes[at], hashes[at + 1]) for at in range(0, len(hashes), 2)]
        return hashes[0]

    def _hash(self, level: int, number: int) -> bytes:
        tile_number, at = divmod(number, WIDTH)
        in_level = self.size >> (HEIGHT * level)
        tile = Tile(level, tile_number, min(WIDTH, in_level - (tile_number << HEIGHT)))
        data = self._held.get(tile)
        if data is None:
            data = self._held[tile] = self._tile(tile)
        return data[at * HASH_BYTES : (at + 1) * HASH_BYTES]

    def _tile(self, tile: Tile) -> bytes:
        """The hashes of a tile; of a partial one that is gone, the beginning of the full one."""
        for there in dict.fromkeys((tile, Tile(tile.level, tile.number))):
            data = self._read(there.path)
            if data is not None:
                if len(data) != there.width * HASH_BYTES:
                    raise LogError(f"{there.path}: {len(data)} bytes, expected {there.width * HASH_BYTES}")
                return data[: tile.width * HASH_BYTES]
        raise LogError(f"{tile.path}: neither this tile nor the full one is there")
