"""Merkle tree hashing as RFC 6962 section 2.1 defines it: the half a verifier needs.

Owns the leaf and node hashes, the compact frontier that gives a root while entries arrive, and the two
verification algorithms (RFC 9162 sections 2.1.3.2 and 2.1.4.2, which compute the same trees). Building proofs
needs every stored hash and lives in `benchsite.log.tree`.

Refuses by answering False, never by an exception: the numbers and hashes that a verifier is given are untrusted.
Consistency from size 0 is refused, because every tree is consistent with nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """SHA-256(0x00 || entry), 32 bytes."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 || left || right), 32 bytes."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """The peaks of a growing tree: what is enough to append leaves and to know the root.

    `peaks` holds one hash for each set bit of `size`, the largest subtree first. Appending costs O(log n) at
    worst and one hash on average; the root costs O(log n).
    """

    __slots__ = ("peaks", "size")

    def __init__(self, size: int = 0, peaks: Iterable[bytes] = ()) -> None:
        self.size = size
        self.peaks = list(peaks)
        if size < 0 or len(self.peaks) != size.bit_count() or any(len(p) != HASH_BYTES for p in self.peaks):
            raise ValueError(f"a frontier of size {size} has one 32-byte peak for each set bit of the size")

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash; peaks of equal height merge."""
        merges = self.size
        while merges & 1:
            leaf = node_hash(self.peaks.pop(), leaf)
            merges >>= 1
        self.peaks.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        """The Merkle tree hash over all leaves so far."""
        if not self.peaks:
            return EMPTY_ROOT
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = node_hash(peak, root)
        return root


def root_hash(entries: Iterable[bytes]) -> bytes:
    """The Merkle tree hash of entries in log order; SHA-256 of nothing for an empty log."""
    frontier = Frontier()
    for entry in entries:
        frontier.append(leaf_hash(entry))
    return frontier.root()


def verify_inclusion(leaf_hash: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof shows that `leaf_hash` is leaf `index` of the tree of `size` leaves with this root."""
    if not 0 <= index < size or not _all_hashes(leaf_hash, root, *proof):
        return False
    node, last, running = index, size - 1, leaf_hash
    for sibling in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            running = node_hash(sibling, running)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            running = node_hash(running, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and running == root


def verify_consistency(
    old_size: int, new_size: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes
) -> bool:
    """Whether the proof shows that the tree of `new_size` leaves begins with the tree of `old_size` leaves."""
    if not 0 < old_size <= new_size:
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    if not _all_hashes(old_root, new_root, *proof):
        return False
    # RFC 9162 2.1.4.2 step 2: a complete old tree is its own first proof component and is left out.
    path = [old_root, *proof] if old_size.bit_count() == 1 else list(proof)
    if not path:
        return False
    node, last = old_size - 1, new_size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


def _all_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
