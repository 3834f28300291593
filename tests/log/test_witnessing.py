from __future__ import annotations

from base64 import b64encode

import pytest

from benchsite.errors import InputError, IntegrityError
from benchsite.log import (
    Cosignature,
    FixtureEntry,
    Log,
    Note,
    Witness,
    Witnessing,
    cosign,
    encode_cosignatures,
    encode_entry,
    make_key_event,
    open_checkpoint,
    sign_checkpoint,
)
from benchsite.signing import PrivateKey

ORIGIN = "a.example/log"


def key(number: int) -> PrivateKey:
    return PrivateKey.from_text(b64encode(bytes([number]) * 32).decode(), "test seed")


ROOT, LOG_KEY, ONE, TWO = key(1), key(3), key(11), key(12)
FIRST, SECOND = Witness("one.example", ONE.public), Witness("two.example/w", TWO.public)
PRIVATE = {FIRST: ONE, SECOND: TWO}


def log_of(size: int, *, mark: str = "f") -> Log:
    """Two keys, then fixtures; another mark makes another log of the same origin."""
    entries = [
        encode_entry(
            make_key_event("key-add", root=ROOT, origin=ORIGIN, seq=seq, role=role, public_key=found.public)
        )
        for seq, (role, found) in enumerate((("root", ROOT), ("log", LOG_KEY)))
    ]
    entries += [encode_entry(FixtureEntry(id=f"{mark}{n}", sha256="ab" * 32)) for n in range(size - 2)]
    return Log.of(entries, origin=ORIGIN, roots=[ROOT.fingerprint])


LOG = log_of(10)


def line(witness: Witness, size: int, time: int, log: Log | None = None) -> Cosignature:
    head = (log or log_of(size)).checkpoint()
    return Cosignature(size, cosign(head, name=witness.name, key=PRIVATE[witness], time=time))


def seen(*lines: Cosignature, witnesses: tuple[Witness, ...] = (FIRST, SECOND)) -> Witnessing:
    return Witnessing.of(LOG, witnesses, encode_cosignatures(lines))


def test_nobody_has_seen_anything_yet():
    nothing = seen()
    assert nothing.witnesses_of(0) == 0
    assert nothing.not_before(10) is None
    assert nothing.newest(FIRST) is None
    assert nothing.at(10) == ()


def test_an_entry_is_witnessed_by_those_who_signed_a_larger_size():
    found = seen(line(FIRST, 4, 100), line(SECOND, 7, 90))
    # A checkpoint of size 4 covers entries 0 to 3, one of size 7 entries 0 to 6.
    assert [found.witnesses_of(index) for index in (0, 3, 4, 6, 7)] == [2, 2, 1, 1, 0]


def test_the_same_witness_twice_counts_once():
    assert seen(line(FIRST, 4, 100), line(FIRST, 5, 110), line(FIRST, 5, 120)).witnesses_of(0) == 1


def test_the_bound_is_the_newest_time_below_the_size():
    found = seen(line(FIRST, 4, 100), line(SECOND, 4, 95), line(SECOND, 7, 90), line(FIRST, 8, 300))
    assert [found.not_before(size) for size in (3, 4, 6, 7, 8, 10)] == [None, None, 100, 100, 100, 300]


def test_the_newest_is_the_largest_size_and_then_the_last_time():
    found = seen(line(FIRST, 5, 120), line(FIRST, 5, 110), line(FIRST, 4, 500))
    newest = found.newest(FIRST)
    assert newest is not None
    assert (newest.size, newest.time) == (5, 120)


def test_lines_of_nobody_we_trust_are_kept_and_ignored():
    forged = Cosignature(99, line(SECOND, 10, 5, LOG).line)
    found = seen(forged, line(FIRST, 10, 6, LOG), witnesses=(FIRST,))
    assert found.lines[0] == forged
    assert [sighting.witness for sighting in found.sightings] == [FIRST]
    assert found.not_before(11) == 6


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (Cosignature(5, line(FIRST, 4, 100).line), "for 5 entries"),
        (line(FIRST, 4, 100, log_of(4, mark="g")), "for 4 entries"),
        (line(FIRST, 11, 100), "cosigned 11 .*10"),
    ],
    ids=["other size", "split view", "longer than the log"],
)
def test_a_line_of_a_trusted_witness_must_hold(bad: Cosignature, says: str):
    with pytest.raises(IntegrityError, match=f"results/log/cosignatures line 2: .*{says}"):
        seen(line(SECOND, 4, 100), bad)


def test_a_log_cannot_watch_itself():
    with pytest.raises(InputError, match=r"me\.example .*log key"):
        seen(witnesses=(Witness("me.example", LOG_KEY.public),))


def test_the_served_checkpoint_is_a_note_with_one_line_a_witness():
    stored = sign_checkpoint(LOG.checkpoint(), LOG_KEY).encode()
    found = seen(line(FIRST, 10, 6, LOG), line(FIRST, 10, 7, LOG), line(SECOND, 9, 8))
    served = found.served(stored, 10)
    assert served.startswith(stored)
    own, added = Note.parse(served).signatures
    assert (own.name, added) == (ORIGIN, line(FIRST, 10, 7, LOG).line)
    assert open_checkpoint(served, origin=ORIGIN, keys=[LOG_KEY.public]) == LOG.checkpoint()
    assert found.served(served, 10) == served
    assert seen(line(SECOND, 9, 8)).served(stored, 10) == stored
