"""A log opened with what a cache keeps of it: the same log as without, or no log, whatever the cache holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.errors import IntegrityError
from benchsite.layout import LOG_CACHE, receipt_path
from benchsite.log.checkpoint import Checkpoint, sign_checkpoint
from benchsite.log.entries import (
    FixtureEntry,
    ReceiptEntry,
    RetractEntry,
    WithdrawEvidenceEntry,
    encode_entry,
)
from benchsite.log.kept import Kept
from benchsite.log.log import Log, open_kept, open_log

OTHERS = ("retract", "fixture", "withdraw", "large receipt", "add log key", "leak log key", "add receipt key")


def receipt_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def receipt(number: int, size: int = 1) -> bytes:
    entry = ReceiptEntry(path=receipt_path(receipt_id(number)), sha256=f"{number:064x}", size=size)
    return encode_entry(entry)


class Made:
    """Entries, the files of their segments and their signed checkpoint; the keys are the oracle's."""

    def __init__(self, oracle: Any, events: Any, private: Callable[[Any], Any]) -> None:
        self.entries: list[bytes] = [oracle.jcs(entry) for entry in events.FOUNDING]
        self._oracle, self._private = oracle, private
        self._log_key, self._key_events = oracle.LOG, 3

    def add(self, kind: str, chosen: int) -> None:
        """One entry; `chosen` says which receipt or size it speaks of, where there is one."""
        at, oracle = len(self.entries), self._oracle
        if (
            kind == "retract"
            and at > 3
            and b'"type":"receipt"' in self.entries[named := 3 + chosen % (at - 3)]
        ):
            found = self.entries[named].partition(b".json")[0][-36:].decode()
            self.entries.append(encode_entry(RetractEntry(receiptId=found, reason="Gold leaked: café")))
        elif kind == "fixture":
            self.entries.append(encode_entry(FixtureEntry(id=f"f{at}", sha256="1" * 64)))
        elif kind == "withdraw":
            self.entries.append(encode_entry(WithdrawEvidenceEntry(sha256="2" * 64, reason="A name")))
        elif kind == "add log key" and self._log_key is oracle.LOG:
            self._event("key-add", "log", oracle.LOG_2)
            self._log_key = oracle.LOG_2
        elif (
            kind == "leak log key"
            and self._log_key is oracle.LOG_2
            and not self._said(oracle.LOG, "compromise")
        ):
            size = 3 + chosen % (at - 2)
            frozen = {"frozenSize": size, "frozenRoot": oracle.b64(oracle.mth(self.entries[:size]))}
            self._event("key-compromise", "log", oracle.LOG, **frozen)
        elif kind == "add receipt key" and not self._said(oracle.RECEIPT_2, "add"):
            self._event("key-add", "receipt", oracle.RECEIPT_2)
        else:
            self.entries.append(receipt(at, 5_000_000 if kind == "large receipt" else 1 + chosen % 999_999))

    def _event(self, kind: str, role: str, key: Any, **more: Any) -> None:
        self.entries.append(self._oracle.jcs(self._oracle.event(kind, self._key_events, role, key, **more)))
        self._key_events += 1

    def _said(self, key: Any, kind: str) -> bool:
        words = (f'"key-{kind}"'.encode(), f'"fingerprint":"{key.fingerprint}"'.encode())
        return any(all(word in entry for word in words) for entry in self.entries)

    @property
    def ids(self) -> dict[str, Any]:
        return {"origin": self._oracle.ORIGIN, "roots": [self._oracle.ROOT.fingerprint]}

    @property
    def note(self) -> str:
        head = Checkpoint(self._oracle.ORIGIN, len(self.entries), self._oracle.mth(self.entries))
        return sign_checkpoint(head, self._private(self._log_key))

    def read(self, number: int) -> bytes:
        return b"".join(entry + b"\n" for entry in self.entries[number * 256 : (number + 1) * 256])

    def whole(self) -> Log:
        count = -(-len(self.entries) // 256)
        return open_log([self.read(number) for number in range(count)], self.note, **self.ids)

    def kept(self) -> Kept:
        return self.whole().kept([f"{number:040x}" for number in range(len(self.entries) // 256)])

    def opened(self, kept: Kept, count: int) -> Log:
        return open_kept(kept, count, self.read, self.entries[count * 256 :], self.note, **self.ids)


@pytest.fixture(scope="session")
def made(oracle: Any, events: Any, private: Any) -> Callable[[int, Sequence[tuple[int, str, int]]], Made]:
    """A log of so many entries, receipts but for (place, kind, which one) given."""

    def make(size: int, others: Sequence[tuple[int, str, int]] = ()) -> Made:
        log, there = Made(oracle, events, private), {place: rest for place, *rest in others}
        while len(log.entries) < size:
            kind, chosen = there.get(len(log.entries), ("receipt", len(log.entries)))
            log.add(kind, chosen)
        return log

    return make


def answers(log: Log, places: Sequence[int]) -> list[object]:
    """Everything that a log can be asked, the places in the order given."""
    return [
        *[(log.entry_bytes(at), log.entry(at), log.inclusion_proof(at)) for at in places],
        *[
            (log.root(at), log.consistency_proof(at + 1), log.inclusion_proof(at // 2, at + 1))
            for at in places
        ],
        (log.size, log.key_events, log.checkpoint(), list(log.keyring), list(log.receipts.items())),
        (log.fixtures, log.methodologies, log.intents, log.declined, log.withdrawn),
        [log.events_about(name) for name in log.receipts],
        [log.index_of_path(receipt_path(name)) for name in log.receipts],
        [list(log.tiles(places)), log.segments(), log.segments(since=places[0])],
    ]


@settings(max_examples=examples(12, full=200))
@given(data=st.data())
def test_a_log_from_a_cache_answers_as_the_one_that_was_read_whole(made: Any, data: st.DataObject) -> None:
    size = data.draw(st.integers(256, 900))
    other = st.tuples(st.integers(3, size), st.sampled_from(OTHERS), st.integers(0, 2**16))
    log = made(size, data.draw(st.lists(other, max_size=12)))
    kept = Kept.decode(log.kept().encode())
    opened = log.opened(kept, data.draw(st.integers(1, size // 256)))
    places = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=8))
    more = [receipt(size + n) for n in range(data.draw(st.integers(0, 300)))]
    whole = log.whole()
    assert answers(opened.extended(more), places) == answers(whole.extended(more), places)
    assert answers(opened, places) == answers(whole, places)


@settings(max_examples=examples(30, full=500))
@given(data=st.data())
def test_a_cache_is_read_back_as_it_was_written_and_no_other_byte(made: Any, data: st.DataObject) -> None:
    encoded = made(600, [(300, "fixture", 0), (400, "retract", 7)]).kept().encode()
    assert Kept.decode(encoded).encode() == encoded
    at = data.draw(st.integers(0, len(encoded) - 1))
    changed = encoded[:at] + bytes([encoded[at] ^ data.draw(st.integers(1, 255))]) + encoded[at + 1 :]
    for bad in (changed, encoded[:at], encoded + b"\n"):
        with pytest.raises(ValueError):
            Kept.decode(bad)


def test_a_cache_cut_after_any_line_is_refused(made: Any) -> None:
    lines = made(300).kept().encode().splitlines(keepends=True)
    assert len(lines) == 1 + 1 + 3 + 253 + 1
    for count in range(len(lines)):
        with pytest.raises(ValueError):
            Kept.decode(b"".join(lines[:count]))


def forged(encoded: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The cache as a program of this user would write it, its digest included."""
    body = change(encoded[:-65])
    assert body != encoded[:-65]
    return body + sha256(body).hexdigest().encode() + b"\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace(b"log 1 ", b"log 2 ", 1),
        lambda body: b"log 1 " + b"0" * 16 + body[22:],
        lambda body: body.replace(b" 2 4\n", b" 2 5\n", 1),
        lambda body: body.replace(b" 2 4\n", b" 3 4\n", 1),
        lambda body: body.replace(b" 2 4\n", b" 2 -1\n", 1),
        lambda body: body.replace(b" 2 4\n", b" 2 x\n", 1),
        lambda body: body.replace(b" 2 4\n", b" 2\n", 1),
        lambda body: body.replace(b" 2 4\n", b" " + b"9" * 5_000 + b" 4\n", 1),
        lambda body: body.replace(b"\n300 {", b"\n2 {", 1),
        lambda body: body.replace(b"\n300 {", b"\n512 {", 1),
        lambda body: body.replace(b"\n300 {", b"\n{", 1),
        lambda body: body[:-37],
        lambda body: body[:-37] + b"../" * 12 + b"\n",
        lambda body: body[:-38] + b"\n\n",
        lambda body: body[:-38] + b"0a",
        lambda _body: b"",
    ],
    ids=[
        "version", "rule", "an entry too many", "a segment too many", "below zero", "no number", "no count", "huge",
        "order", "beyond", "no index", "an id missing", "a path", "an empty line", "no line end", "nothing",
    ],
)  # fmt: skip
def test_a_cache_of_another_form_is_refused(made: Any, change: Callable[[bytes], bytes]) -> None:
    encoded = made(600, [(300, "fixture", 0)]).kept().encode()
    with pytest.raises(ValueError):
        Kept.decode(forged(encoded, change))


class TestForged:
    """What a cache with a good digest and wrong lines can do."""

    @pytest.fixture
    def log(self, made: Any) -> Made:
        return made(700, [(260, "retract", 7)])  # type: ignore[no-any-return]

    def test_a_hash_that_does_not_lead_to_the_signed_root_opens_nothing(self, log: Made) -> None:
        encoded = log.kept().encode()
        digit = encoded.index(b"\n") + 1 + 41
        bad = forged(
            encoded, lambda body: body[:digit] + (b"1" if body[digit] == 48 else b"0") + body[digit + 1 :]
        )
        with pytest.raises(IntegrityError):
            log.opened(Kept.decode(bad), 2)

    def test_an_altered_key_event_opens_nothing(self, made: Any) -> None:
        log = made(700, [(301, "add log key", 0), (302, "leak log key", 120)])
        bad = forged(log.kept().encode(), lambda body: body.replace(b'"key-compromise"', b'"key-retire"', 1))
        with pytest.raises(IntegrityError):
            log.opened(Kept.decode(bad), 2)

    def test_a_receipt_named_twice_opens_nothing(self, log: Made) -> None:
        bad = forged(log.kept().encode(), lambda body: body[:-37] + body[-74:-37])
        with pytest.raises(IntegrityError):
            log.opened(Kept.decode(bad), 2)

    def test_another_id_is_found_where_its_segment_is_read(self, log: Made) -> None:
        bad = forged(
            log.kept().encode(),
            lambda body: body.replace(receipt_id(40).encode(), receipt_id(9_999).encode()),
        )
        opened = log.opened(Kept.decode(bad), 2)
        assert opened.entry_bytes(511) == log.entries[511], "the other segment is what it was"
        with pytest.raises(IntegrityError) as refused:
            opened.entry(opened.receipts[receipt_id(9_999)])
        assert (
            refused.value.message == f"results/log/entries/000000.jsonl is not what {LOG_CACHE} keeps of it"
        )
        assert refused.value.hint == f"delete {LOG_CACHE} and re-run the command"
        for question in (opened.segments, lambda: list(opened.tiles()), lambda: opened.root(40)):
            with pytest.raises(IntegrityError, match="is not what"):
                question()

    def test_a_retraction_left_out_is_found_where_its_segment_is_read(self, log: Made) -> None:
        line = b"260 " + log.entries[260] + b"\n"

        def without(body: bytes) -> bytes:
            ids = body.index(receipt_id(3).encode())
            at = ids + 37 * (260 - 3)
            body = body[:at] + receipt_id(9_999).encode() + b"\n" + body[at:]
            return body.replace(line, b"").replace(b" 2 4\n", b" 2 3\n", 1)

        opened = log.opened(Kept.decode(forged(log.kept().encode(), without)), 2)
        assert log.whole().events_about(receipt_id(10))
        assert opened.events_about(receipt_id(10)) == (), "what is left to trust, as the module says"
        with pytest.raises(IntegrityError, match="is not what"):
            opened.entry(300)

    def test_a_segment_that_git_gives_otherwise_is_refused(self, log: Made) -> None:
        kept, read = log.kept(), log.read

        def other(number: int) -> bytes:
            return read(1) if number == 0 else b"".join(read(number).splitlines(keepends=True)[:-1])

        opened = open_kept(kept, 2, other, log.entries[512:], log.note, **log.ids)
        for index in (0, 300):
            with pytest.raises(IntegrityError, match="is not what"):
                opened.entry(index)


def test_segments_match_up_to_the_first_other_one(made: Any) -> None:
    names = [f"{number:040x}" for number in range(3)]
    kept = made(800).kept()
    assert kept.matching(names) == 3
    assert kept.matching([*names, "f" * 40]) == 3
    assert kept.matching(names[:2]) == 2
    assert kept.matching([names[0], names[2], names[2]]) == 1
    assert kept.matching(["f" * 40, *names[1:]]) == kept.matching([]) == 0
