"""What a cache keeps of a log's full segments, so that opening need not read them: a text, and its exact inverse.

    log <version> <rule> <segments> <others>     the rule: a digest of the pattern by which receipts are told
    <blob id> <hash>                             for each segment; the hash is that of its complete subtree
    <index> <entry>                              for each entry that is no receipt, in log order
    <receipt id>                                 for each receipt, in log order
    <sha256 of all lines before>

Owns this format and the comparison with a segment once it is read. Keys are ids of content: a segment with the same blob
id is the same segment. Nothing here is true because it is kept: `benchsite.log.log` says what is compared and when.

Refused as ValueError: another version or rule, a part, any other byte, ids of other letters than a receipt's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, Self

from benchsite.canonical import sha256_hex
from benchsite.log.entries import RECEIPT_RULE, receipt_ids
from benchsite.log.merkle import HASH_BYTES
from benchsite.log.segments import SEGMENT

_HEAD: Final = f"log 1 {RECEIPT_RULE}".encode()
_ID: Final = 37
_DIGEST: Final = 64


class Kept:
    """Full segments of a log, from number 0 on.

    Args:
        segments: the blob id of each and the hash of its 256 leaves.
        others: index and bytes of every entry that is no receipt, in log order.
        ids: the ids of all receipts, in log order, each and a newline. Strings are made of them when they are needed.
    """

    def __init__(
        self, segments: Sequence[tuple[str, bytes]], others: Mapping[int, bytes], ids: bytes
    ) -> None:
        self._segments = segments
        self._ids = ids
        self._others = others
        self._places = [*others]

    def encode(self) -> bytes:
        """The bytes of the cache."""
        lines = [b"%s %d %d" % (_HEAD, len(self._segments), len(self._places))]
        lines += [f"{blob_id} {found.hex()}".encode() for blob_id, found in self._segments]
        lines += [b"%d %s" % other for other in self._others.items()]
        body = b"".join(line + b"\n" for line in lines) + self._ids
        return body + f"{sha256_hex(body)}\n".encode()

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read a cache; the exact inverse of `encode`. Raises ValueError."""
        end = len(data) - _DIGEST - 1
        if end < 0 or data[end:] != f"{sha256_hex(data[:end])}\n".encode():
            raise ValueError("not whole")
        head, _, rest = data[:end].partition(b"\n")
        said, *counts = head.rsplit(b" ", 2)
        segments, others = (int(count) for count in counts)
        if said != _HEAD or not 0 <= others <= segments * SEGMENT:
            raise ValueError("another version")
        *lines, ids = rest.split(b"\n", segments + others)
        if len(lines) != segments + others:
            raise ValueError("too few lines")
        return cls(
            [_segment(line) for line in lines[:segments]],
            _others(lines[segments:], segments * SEGMENT),
            _receipt_ids(ids, segments * SEGMENT - others),
        )

    def matching(self, blob_ids: Sequence[str]) -> int:
        """How many segments, from number 0 on, are those of these blob ids."""
        pairs = enumerate(zip(self._segments, blob_ids, strict=False))
        differing = (number for number, ((known, _), blob_id) in pairs if known != blob_id)
        return next(differing, min(len(self._segments), len(blob_ids)))

    def hashes(self, count: int) -> list[bytes]:
        """The hashes of the first so many segments."""
        return [found for _, found in self._segments[:count]]

    def receipt_ids(self, count: int) -> Iterator[list[str]]:
        """The receipt ids of each of the first so many segments, as `entries.receipt_ids` has them."""
        return map(self._receipt_ids, range(count))

    def entry(self, index: int) -> bytes:
        """An entry that is no receipt; of any other nothing, which no rule of the log accepts."""
        return self._others.get(index, b"")

    def agrees(self, number: int, entries: Sequence[bytes]) -> bool:
        """Whether a segment holds the receipts, and the other entries, that are kept of it."""
        found, first = receipt_ids(entries), number * SEGMENT
        return found == self._receipt_ids(number) and all(
            receipt_id or self._others[index] == entries[index - first]
            for index, receipt_id in enumerate(found, first)
        )

    def _receipt_ids(self, number: int) -> list[str]:
        first = number * SEGMENT
        before, upto = (bisect_left(self._places, index) for index in (first, first + SEGMENT))
        data = self._ids[(first - before) * _ID : (first + SEGMENT - upto) * _ID]
        ids = data.decode("ascii").split("\n")[:-1]
        for index in self._places[before:upto]:
            ids.insert(index - first, "")
        return ids


def _segment(line: bytes) -> tuple[str, bytes]:
    blob_id, found = line.decode("ascii").split(" ")
    if len(found) != 2 * HASH_BYTES:
        raise ValueError("no hash")
    return blob_id, bytes.fromhex(found)


def _others(lines: Sequence[bytes], size: int) -> dict[int, bytes]:
    parts = [line.partition(b" ") for line in lines]
    found = {int(index): entry for index, _, entry in parts}
    if not all(one < other for one, other in pairwise([-1, *found, size])) or len(found) != len(lines):
        raise ValueError("entries not ascending")
    return found


def _receipt_ids(data: bytes, count: int) -> bytes:
    """Lines of the length and the letters of a uuid, which alone may become paths; `agrees` compares each with its entry."""
    if len(data) != count * _ID or data[_ID - 1 :: _ID] != b"\n" * count or data.count(b"\n") != count:
        raise ValueError("ids of another length")
    if data.translate(None, b"0123456789abcdef-\n"):
        raise ValueError("ids of other letters")
    return data
