"""The prover's half of RFC 6962: every complete subtree of a log, kept so that any proof is O(log n) look-ups.

Owns roots of any earlier size (`Tree.root`), inclusion proofs (section 2.1.1) and consistency proofs
(section 2.1.2). Verification is in `benchsite.log.merkle` and shares nothing with this module but the hashes.
Refuses positions outside the tree with InputError.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from benchsite.errors import InputError
from benchsite.log.merkle import EMPTY_ROOT, leaf_hash, node_hash
from benchsite.log.sentences import said

_SIZES = "give a size or an index that the log has: 0 up to its number of entries"


class Prover(ABC):
    """Roots and proofs over whatever knows the hashes of complete subtrees: a whole `Tree`, or served tiles."""

    __slots__ = ()

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of leaves."""

    @abstractmethod
    def complete(self, height: int, number: int) -> bytes:
        """The hash of the complete subtree over leaves number·2^height to (number+1)·2^height - 1."""

    def root(self, size: int | None = None) -> bytes:
        """The Merkle tree hash of the first `size` leaves (all of them by default)."""
        size = self._size(size)
        # One complete subtree for each set bit of the size, the largest first.
        peaks, at = [], 0
        while at < size:
            height = (size - at).bit_length() - 1
            peaks.append(self.complete(height, at >> height))
            at += 1 << height
        root = peaks.pop() if peaks else EMPTY_ROOT
        for peak in reversed(peaks):
            root = node_hash(peak, root)
        return root

    def inclusion_proof(self, index: int, size: int | None = None) -> list[bytes]:
        """Sibling hashes from the leaf upwards, for `verify_inclusion` against `root(size)`."""
        size = self._size(size)
        self._check_index(index, size)
        proof: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                proof.append(self._range(middle, end))
                end = middle
            else:
                proof.append(self._range(start, middle))
                start = middle
        return proof[::-1]

    def consistency_proof(self, old_size: int, size: int | None = None) -> list[bytes]:
        """Hashes that show the first `old_size` leaves to be a prefix, for `verify_consistency`."""
        size = self._size(size)
        if not 0 < old_size <= size:
            raise InputError(said("no-consistency", old=old_size, size=size), hint=_SIZES)
        proof: list[bytes] = []
        start, end, old_is_whole = 0, size, True
        while end != old_size:
            middle = start + _split(end - start)
            if old_size <= middle:
                proof.append(self._range(middle, end))
                end = middle
            else:
                proof.append(self._range(start, middle))
                start, old_is_whole = middle, False
        # Section 2.1.2: the last subtree is left out when it is the whole old tree, whose root the verifier has.
        if not old_is_whole:
            proof.append(self._range(start, end))
        return proof[::-1]

    def _range(self, start: int, end: int) -> bytes:
        """MTH(D[start:end]) for a range that RFC 6962's splits produce, so `start` is aligned."""
        width = end - start
        if width.bit_count() == 1:
            height = width.bit_length() - 1
            return self.complete(height, start >> height)
        middle = start + _split(width)
        return node_hash(self._range(start, middle), self._range(middle, end))

    def _size(self, size: int | None) -> int:
        if size is None:
            return self.size
        if not 0 <= size <= self.size:
            raise InputError(f"the log has {self.size} entries: there is no tree of size {size}", hint=_SIZES)
        return size

    @staticmethod
    def _check_index(index: int, size: int) -> None:
        if not 0 <= index < size:
            raise InputError(said("no-entry", index=index, size=size), hint=_SIZES)


class Tree(Prover):
    """An immutable tree over leaf hashes; `extended` shares nothing mutable with its origin.

    `_levels[k][i]` is the hash of the complete subtree over leaves i·2^k to (i+1)·2^k - 1; about 2n hashes in all.
    """

    __slots__ = ("_levels",)

    def __init__(self, leaf_hashes: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [list(leaf_hashes)]
        self._complete()

    @property
    def size(self) -> int:
        """Number of leaves."""
        return len(self._levels[0])

    def leaf(self, index: int) -> bytes:
        """The leaf hash at an index."""
        self._check_index(index, self.size)
        return self._levels[0][index]

    def extended(self, leaf_hashes: Iterable[bytes]) -> Tree:
        """A tree with more leaves at its end; only the new subtrees are hashed."""
        tree = Tree()
        tree._levels = [list(level) for level in self._levels]
        tree._levels[0].extend(leaf_hashes)
        tree._complete()
        return tree

    def complete(self, height: int, number: int) -> bytes:
        """The hash of a complete subtree, looked up."""
        return self._levels[height][number]

    def _complete(self) -> None:
        """Hash every complete subtree that is not there yet, level by level."""
        level = 0
        while len(self._levels[level]) > 1:
            if level + 1 == len(self._levels):
                self._levels.append([])
            below, above = self._levels[level], self._levels[level + 1]
            first = 2 * len(above)
            above.extend(map(node_hash, below[first::2], below[first + 1 :: 2]))
            level += 1


def inclusion_proof(entries: Iterable[bytes], index: int) -> list[bytes]:
    """Inclusion proof of one entry among these entries; O(n), for many proofs keep a `Tree`."""
    return Tree(map(leaf_hash, entries)).inclusion_proof(index)


def consistency_proof(entries: Sequence[bytes], old_size: int) -> list[bytes]:
    """Consistency proof from the first `old_size` of these entries to all; O(n), for many proofs keep a `Tree`."""
    return Tree(map(leaf_hash, entries)).consistency_proof(old_size)


def _split(width: int) -> int:
    """The largest power of two strictly below a width of at least 2."""
    return 1 << ((width - 1).bit_length() - 1)
