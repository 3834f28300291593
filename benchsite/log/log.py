"""The log as a value: entries, tree, keys and contents that agree with one another, and how one is opened.

Owns `Log`, which exists only where every entry is well formed and every rule between entries holds, and `open_log`,
which adds the proof that the log's own key signed exactly these entries. Both follow specs/log.md.

Refuses as LogError, naming the segment file and line, or the checkpoint, and what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from benchsite.layout import CHECKPOINT_PATH, receipt_path, segment_path
from benchsite.log.body import Body
from benchsite.log.checkpoint import Checkpoint, open_checkpoint
from benchsite.log.contents import Contents, Named
from benchsite.log.entries import Entry, ReceiptEvent, decode_entry, receipt_ids
from benchsite.log.errors import LogError
from benchsite.log.note import NoteError
from benchsite.log.replay import KeyReplay, log_keys
from benchsite.log.segments import SEGMENT, decode_segments, encode_segment, place
from benchsite.log.tiles import Tile, bundle, hash_tile, tiles
from benchsite.log.tree import Prover
from benchsite.signing import Keyring


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Log:
    """An immutable log of one origin, from entry 0. Nothing here says that anybody has signed its root.

    Entries stay bytes and `entry` decodes again on demand, so 100,000 of them cost about 50 MB.
    """

    origin: str
    keyring: Keyring
    _body: Body
    _keys: KeyReplay
    _contents: Contents

    @classmethod
    def of(cls, entries: Iterable[bytes], *, origin: str, roots: Collection[str]) -> Log:
        """Check and index entry bytes; `roots` are the fingerprints of the root keys that may found the log."""
        return cls._grown(Body(), entries, KeyReplay(origin, roots), Contents())

    def extended(self, entries: Iterable[bytes]) -> Log:
        """A log with more entries at its end, every rule checked; only the new entries are hashed."""
        return self._grown(self._body, entries, self._keys.copy(), self._contents.copy())

    def until(self, size: int) -> Log:
        """The log as it was with its first `size` entries, at least one."""
        entries = (self.entry_bytes(index) for index in range(size))
        return self.of(entries, origin=self.origin, roots=self._keys.roots)

    @classmethod
    def _grown(cls, body: Body, more: Iterable[bytes], keys: KeyReplay, contents: Contents) -> Log:
        """Feed more entries to `keys` and `contents`, which become the new log's own."""
        new = tuple(more)
        first, body = body.size, body.extended(new)
        _replay(first, new, body, keys, contents)
        return cls(keys.origin, keys.keyring(), body, keys, contents)

    @property
    def size(self) -> int:
        """Number of entries."""
        return self._body.size

    @property
    def key_events(self) -> int:
        """Number of key events, which is the `seq` of the next one."""
        return self._keys.events

    @property
    def receipts(self) -> Mapping[str, int]:
        """Receipt id to log index, in log order."""
        return MappingProxyType(self._contents.receipts)

    @property
    def fixtures(self) -> Mapping[str, Named]:
        """Fixture id to the hash it was fixed at."""
        return MappingProxyType(self._contents.fixtures)

    @property
    def methodologies(self) -> Mapping[tuple[str, str], Named]:
        """(track, version) to the hash it was fixed at."""
        return MappingProxyType(self._contents.methodologies)

    @property
    def intents(self) -> Mapping[str, int]:
        """Intent id to log index."""
        return MappingProxyType(self._contents.intents)

    @property
    def declined(self) -> Mapping[tuple[str, str, str], int]:
        """(track, subject, target) that is not measured, to log index."""
        return MappingProxyType(self._contents.declined)

    @property
    def withdrawn(self) -> Mapping[str, int]:
        """sha256 of withdrawn evidence to the index of the first entry that says so."""
        return MappingProxyType(self._contents.withdrawn)

    def index_of_path(self, path: str) -> int | None:
        """The index of the entry for a receipt file, given its path in the repository."""
        receipt_id = path.rpartition("/")[2].removesuffix(".json")
        return self._contents.receipts.get(receipt_id) if path == receipt_path(receipt_id) else None

    def events_about(self, receipt_id: str) -> tuple[tuple[int, ReceiptEvent], ...]:
        """What later entries say of a receipt, each with its index, oldest first."""
        return self._contents.about.get(receipt_id, ())

    def entry(self, index: int) -> Entry:
        """The decoded entry at an index."""
        return decode_entry(self.entry_bytes(index))

    def entry_bytes(self, index: int) -> bytes:
        """The entry's bytes, which are its leaf data."""
        return self._body.entry(index)

    def root(self, size: int | None = None) -> bytes:
        """The Merkle root of the first `size` entries (all by default)."""
        return self._body.root(size)

    def inclusion_proof(self, index: int, size: int | None = None) -> list[bytes]:
        """Proof that the entry at an index is in the tree of that size (the whole log by default)."""
        return self._body.inclusion_proof(index, size)

    def consistency_proof(self, old_size: int, size: int | None = None) -> list[bytes]:
        """Proof that the tree of `old_size` is a prefix of the tree of `size` (the whole log by default)."""
        return self._body.consistency_proof(old_size, size)

    def tiles(self, past: Collection[int] = ()) -> Iterator[tuple[Tile, bytes]]:
        """Every tile of this size and of `past` ones with its bytes: the hash tiles, then the entry bundles."""
        for tile in tiles(self.size, past):
            if tile.level < 0:
                yield tile, bundle(self._body.segment(tile.number)[: tile.width])
            else:
                yield tile, hash_tile(self._body, tile)

    def checkpoint(self) -> Checkpoint:
        """This log's head, unsigned."""
        return Checkpoint(self.origin, self.size, self.root())

    def segments(self, since: int = 0) -> dict[str, bytes]:
        """The segment files that hold the entries from index `since` on, by path, each one whole."""
        numbers = range(since // SEGMENT, -(-self.size // SEGMENT)) if since < self.size else range(0)
        return {segment_path(n): encode_segment(self._body.segment(n)) for n in numbers}


def _replay(first: int, entries: Sequence[bytes], tree: Prover, keys: KeyReplay, contents: Contents) -> None:
    """Feed entries, the first of them at index `first`, to `keys` and `contents`."""
    receipts = contents.receipts
    for start in range(0, len(entries), SEGMENT):
        part = entries[start : start + SEGMENT]
        for index, (receipt_id, data) in enumerate(zip(receipt_ids(part), part, strict=True), first + start):
            # Of a receipt nothing but its id is kept, and it is no key event; entry 0 must be one.
            if receipt_id and index and receipt_id not in receipts:
                receipts[receipt_id] = index
                continue
            try:
                entry = decode_entry(data)
                contents.apply(index, entry)
            except LogError as error:
                raise LogError(f"{place(index)}: {error.message}") from None
            keys.apply(index, entry, tree.root)


def replay(entries: Iterable[bytes], *, origin: str, roots: Collection[str]) -> Keyring:
    """The keyring of the log that these entries make up, from entry 0; raises as `Log.of` does."""
    return Log.of(entries, origin=origin, roots=roots).keyring


def open_log(segments: Iterable[bytes], note: bytes | str, *, origin: str, roots: Collection[str]) -> Log:
    """Open the log that these segment files (number 0 first) and this signed checkpoint make up.

    The keys that may sign a checkpoint come from the entries themselves, whose key events a root in `roots` has
    signed. Raises LogError unless origin, signature, size and root all agree.
    """
    log = Log.of(decode_segments(segments), origin=origin, roots=roots)
    keys = log_keys(log.keyring, log.size)
    if not keys:
        raise LogError(f"{CHECKPOINT_PATH}: no log key is in force at size {log.size}")
    try:
        checkpoint = open_checkpoint(note, origin=log.origin, keys=keys)
    except NoteError as error:
        raise LogError(f"{CHECKPOINT_PATH}: {error.message}") from None
    if checkpoint.size != log.size:
        raise LogError(f"{CHECKPOINT_PATH}: size is {checkpoint.size}, the segments hold {log.size} entries")
    if checkpoint.root != log.root():
        raise LogError(f"{CHECKPOINT_PATH}: the root hash is not that of the {log.size} entries")
    return log
