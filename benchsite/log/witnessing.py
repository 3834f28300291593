"""What trusted witnesses have seen of a log: every cosignature of theirs, verified (specs/log.md, "Witnesses").

Owns the two conclusions that cosignatures allow about a receipt: that a checkpoint which includes it was seen by
an outside party, and that a head it names is dated. How many witnesses would be enough is nobody's claim here.

Refuses, as IntegrityError naming the line, one that a trusted witness is said to have signed and has not, or that
is longer than the log. Lines of anybody else are kept and ignored.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import COSIGNATURES_PATH
from benchsite.log.checkpoint import Checkpoint
from benchsite.log.cosignature import Cosignature, Witness, decode_cosignatures
from benchsite.log.log import Log
from benchsite.log.note import Note, NoteError, NoteSignature


@dataclass(frozen=True, slots=True)
class Sighting:
    """At this time (seconds since 1970) this witness had seen the log grow, consistently, to this size."""

    witness: Witness
    size: int
    time: int
    line: NoteSignature


@dataclass(frozen=True, slots=True)
class Witnessing:
    """The witnesses that an instance trusts, all lines of the file, and what the trusted ones saw, in file order."""

    witnesses: tuple[Witness, ...]
    lines: tuple[Cosignature, ...]
    sightings: tuple[Sighting, ...]
    _newest: Mapping[str, Sighting]
    _sizes: tuple[int, ...]
    _times: tuple[int, ...]

    @classmethod
    def of(cls, log: Log, witnesses: Collection[Witness], data: bytes) -> Witnessing:
        """Verify the file's lines against this log.

        Args:
            log: the verified log; the text under each cosignature is made again from its own roots.
            witnesses: the trusted ones, under names and keys of their own.
            data: the file's bytes.

        Raises:
            InputError: a trusted witness is one of the log's own keys.
            IntegrityError: a line is malformed, or one of a trusted witness does not hold for this log.
        """
        own = {record.public_key: record.role for record in log.keyring}
        for witness in witnesses:
            if witness.public_key in own:
                raise InputError(
                    f"witness {witness.name} has the {own[witness.public_key]} key of this log",
                    hint="a log cannot watch itself: take it out of extra.benchsite.witnesses in mkdocs.yml",
                )
        lines = decode_cosignatures(data)
        return cls._made(tuple(witnesses), lines, tuple(_sightings(log, witnesses, lines)))

    @classmethod
    def _made(
        cls, witnesses: tuple[Witness, ...], lines: tuple[Cosignature, ...], sightings: tuple[Sighting, ...]
    ) -> Witnessing:
        """Index verified sightings."""
        newest: dict[str, Sighting] = {}
        for seen in sightings:
            old = newest.get(seen.witness.name)
            if old is None or (seen.size, seen.time) > (old.size, old.time):
                newest[seen.witness.name] = seen
        ordered = sorted(sightings, key=lambda seen: seen.size)
        return cls(
            witnesses=witnesses,
            lines=lines,
            sightings=sightings,
            _newest=newest,
            _sizes=tuple(seen.size for seen in ordered),
            _times=tuple(accumulate((seen.time for seen in ordered), max)),
        )

    def until(self, size: int) -> Witnessing:
        """What they had seen of the log's first `size` entries."""
        lines = tuple(line for line in self.lines if line.size <= size)
        return self._made(self.witnesses, lines, tuple(seen for seen in self.sightings if seen.size <= size))

    def newest(self, witness: Witness) -> Sighting | None:
        """The largest size that a witness has cosigned; of several times, the last."""
        return self._newest.get(witness.name)

    def witnesses_of(self, index: int) -> int:
        """How many witnesses have cosigned a checkpoint that includes the entry at an index."""
        return sum(seen.size > index for seen in self._newest.values())

    def not_before(self, size: int) -> int | None:
        """The newest time at which a witness cosigned a smaller log than this; None where none has.

        specs/log.md says "at most this size". A run on the newest head whose size a witness signs an hour later is
        honest, and would be called back-dated; so only smaller sizes count.
        """
        at = bisect_left(self._sizes, size)
        return self._times[at - 1] if at else None

    def at(self, size: int) -> tuple[Sighting, ...]:
        """The newest cosignature of each witness on the checkpoint of exactly this size."""
        found: dict[str, Sighting] = {}
        for seen in self.sightings:
            old = found.get(seen.witness.name)
            if seen.size == size and (old is None or seen.time > old.time):
                found[seen.witness.name] = seen
        return tuple(found.values())

    def served(self, checkpoint: bytes, size: int) -> bytes:
        """A signed checkpoint of this size with the lines of its witnesses added, as other tools expect them."""
        note = Note.parse(checkpoint)
        added = [seen.line for seen in self.at(size) if seen.line not in note.signatures]
        return str(Note(note.text, (*note.signatures, *added))).encode()


def _sightings(log: Log, witnesses: Collection[Witness], lines: tuple[Cosignature, ...]) -> list[Sighting]:
    found = []
    for number, line in enumerate(lines, start=1):
        for witness in witnesses:
            if not witness.claims(line.line):
                continue
            if line.size > log.size:
                raise _fault(
                    number, f"{witness.name} has cosigned {line.size} entries, and the log has {log.size}"
                )
            try:
                time = witness.check(Checkpoint(log.origin, line.size, log.root(line.size)), line.line)
            except NoteError as error:
                raise _fault(number, error.message) from None
            found.append(Sighting(witness, line.size, time, line.line))
    return found


def _fault(number: int, what: str) -> IntegrityError:
    return IntegrityError(
        f"{COSIGNATURES_PATH} line {number}: {what}",
        hint=f"git log -- {COSIGNATURES_PATH} shows who wrote it; keep the line: it is forged, or proof of a split view",
    )
