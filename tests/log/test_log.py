from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import receipt_path
from benchsite.log.checkpoint import Checkpoint, sign_checkpoint
from benchsite.log.contents import Named
from benchsite.log.entries import FixtureEntry, ReceiptEntry, RetractEntry, encode_entry
from benchsite.log.log import Log, open_log, replay
from benchsite.log.merkle import leaf_hash, verify_consistency, verify_inclusion
from benchsite.log.segments import decode_segments


def receipt_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def receipts(count: int) -> list[bytes]:
    return [
        encode_entry(ReceiptEntry(path=receipt_path(receipt_id(n)), sha256=f"{n:064x}", size=n + 1))
        for n in range(count)
    ]


@pytest.fixture(scope="session")
def founding(oracle, events) -> list[bytes]:
    return [oracle.jcs(entry) for entry in events.FOUNDING]


@pytest.fixture(scope="session")
def ids(oracle) -> dict[str, Any]:
    return {"origin": oracle.ORIGIN, "roots": [oracle.ROOT.fingerprint]}


@pytest.fixture(scope="session")
def signed(oracle, private):
    """The checkpoint over any list of entries, by any of the oracle's keys."""

    def sign(entries: list[bytes], key: Any = oracle.LOG) -> str:
        head = Checkpoint(oracle.ORIGIN, len(entries), oracle.mth(entries))
        return sign_checkpoint(head, private(key))

    return sign


def segments(entries: list[bytes]) -> list[bytes]:
    return [b"".join(e + b"\n" for e in entries[i : i + 256]) for i in range(0, len(entries), 256)]


def test_opening_an_honest_log(oracle, founding, ids, signed):
    entries = [*founding, *receipts(600)]
    log = open_log(segments(entries), signed(entries), **ids)
    assert log.size == 603
    assert log.origin == oracle.ORIGIN
    assert log.root() == oracle.mth(entries)
    assert log.checkpoint() == Checkpoint(oracle.ORIGIN, 603, oracle.mth(entries))
    assert [record.role for record in log.keyring] == ["root", "receipt", "log"]
    assert log.key_events == 3
    assert list(log.receipts.values()) == [*range(3, 603)]
    assert [log.entry_bytes(index) for index in range(603)] == entries
    entry = log.entry(log.receipts[receipt_id(257)])
    assert isinstance(entry, ReceiptEntry)
    assert (entry.receipt_id, entry.sha256, entry.size) == (receipt_id(257), f"{257:064x}", 258)


def test_proofs_of_a_log(oracle, founding, ids):
    entries = [*founding, *receipts(30)]
    log = Log.of(entries, **ids)
    assert verify_inclusion(leaf_hash(entries[20]), 20, 33, log.inclusion_proof(20), oracle.mth(entries))
    assert log.inclusion_proof(20, 25) == oracle.path(20, entries[:25])
    assert verify_consistency(7, 33, log.consistency_proof(7), oracle.mth(entries[:7]), log.root())
    assert log.consistency_proof(7, 9) == oracle.proof(7, entries[:9])
    assert log.root(12) == oracle.mth(entries[:12])
    for index in (-1, 33):
        with pytest.raises(InputError, match="33 entries"):
            log.entry(index)


def test_contents_by_subject(founding, ids):
    about = RetractEntry(receiptId=receipt_id(0), reason="gold leaked")
    fixture = FixtureEntry(id="toy", sha256="1" * 64)
    log = Log.of([*founding, *map(encode_entry, [fixture]), *receipts(2), encode_entry(about)], **ids)
    assert log.fixtures == {"toy": Named(3, "1" * 64)}
    assert log.methodologies == log.intents == log.withdrawn == {}
    assert log.events_about(receipt_id(0)) == ((6, about),)
    assert log.events_about(receipt_id(1)) == ()
    assert log.index_of_path(receipt_path(receipt_id(1))) == 5
    assert log.index_of_path(receipt_path(receipt_id(2))) is None
    for path in (
        f"results/published/ff/{receipt_id(1)}.json",
        receipt_id(1),
        "",
        f"x/{receipt_path(receipt_id(1))}",
    ):
        assert log.index_of_path(path) is None
    with pytest.raises(TypeError):
        log.receipts[receipt_id(7)] = 7  # type: ignore[index]


@settings(max_examples=examples(30, full=300))
@given(first=st.integers(0, 300), more=st.integers(0, 300))
def test_extending_equals_building_at_once(founding, ids, first: int, more: int):
    entries = [*founding, *receipts(first + more)]
    short = Log.of(entries[: 3 + first], **ids)
    grown, whole = short.extended(entries[3 + first :]), Log.of(entries, **ids)
    assert grown.root() == whole.root()
    assert dict(grown.receipts) == dict(whole.receipts)
    assert list(grown.keyring) == list(whole.keyring)
    assert short.size == 3 + first
    assert len(short.receipts) == first
    assert list(decode_segments(grown.segments().values())) == entries
    changed = grown.segments(since=short.size)
    untouched = {path: data for path, data in grown.segments().items() if path not in changed}
    assert {**short.segments(), **untouched, **changed} == grown.segments()
    assert all(short.segments()[path] == data for path, data in untouched.items())


def test_extending_checks_every_rule(oracle, events, founding, ids):
    log = Log.of([*founding, *receipts(2)], **ids)
    with pytest.raises(IntegrityError, match="line 6: receipt "):
        log.extended(receipts(1))
    with pytest.raises(IntegrityError, match="6: key-add: seq "):
        log.extended([oracle.jcs(events.FOUNDING[2])])
    with pytest.raises(IntegrityError, match="line 7: .*unknown"):
        log.extended([receipts(3)[2], b'{"type":"x","v":1}'])
    assert log.size == 5
    assert log.key_events == 3
    rotated = log.extended([oracle.jcs(events.event("key-add", 3, "receipt", oracle.RECEIPT_2))])
    assert rotated.key_events == 4
    assert len(list(log.keyring)) == 3
    assert log.extended([]).root() == log.root()


def test_segments_since(founding, ids):
    log = Log.of([*founding, *receipts(253 + 256 + 10)], **ids)
    names = [f"results/log/entries/00000{n}.jsonl" for n in range(3)]
    assert list(log.segments()) == names
    assert list(log.segments(since=255)) == names
    assert list(log.segments(since=256)) == names[1:]
    assert list(log.segments(since=521)) == names[2:]
    assert list(log.segments(since=522)) == []


def test_replay_is_the_keyring_of_the_log(founding, ids):
    assert list(replay(founding, **ids)) == list(Log.of(founding, **ids).keyring)


class TestRefusals:
    """Each lie about the log, and the words that name it."""

    @pytest.fixture
    def entries(self, founding) -> list[bytes]:
        return [*founding, *receipts(300)]

    def refused(self, parts: list[bytes], note: str, ids: dict[str, Any]) -> str:
        with pytest.raises(IntegrityError) as caught:
            open_log(parts, note, **ids)
        return caught.value.message

    def test_entry_changed(self, entries, ids, signed):
        note = signed(entries)
        entries[280] = entries[280].replace(b'"size":278', b'"size":279')
        message = self.refused(segments(entries), note, ids)
        assert message == "results/log/checkpoint: the root hash is not that of the 303 entries"

    def test_entry_removed(self, entries, ids, signed):
        message = self.refused(segments(entries[:-1]), signed(entries), ids)
        assert message == "results/log/checkpoint: size is 303, the segments hold 302 entries"

    def test_entry_added(self, entries, ids, signed):
        message = self.refused(segments(entries), signed(entries[:-1]), ids)
        assert message == "results/log/checkpoint: size is 302, the segments hold 303 entries"

    def test_entries_swapped(self, entries, ids, signed):
        note = signed(entries)
        entries[100], entries[101] = entries[101], entries[100]
        assert "the root hash is not that of" in self.refused(segments(entries), note, ids)

    def test_segment_missing(self, entries, ids, signed):
        assert "the first entry must be" in self.refused(segments(entries)[1:], signed(entries), ids)

    def test_no_segments(self, entries, ids, signed):
        assert "the log has no entries" in self.refused([], signed(entries), ids)

    def test_line_cut(self, entries, ids, signed):
        parts = segments(entries)
        message = self.refused([parts[0], parts[1][:-1]], signed(entries), ids)
        assert message.startswith("results/log/entries/000001.jsonl line 47: the line is cut short")

    def test_carriage_returns(self, entries, ids, signed):
        parts = [part.replace(b"\n", b"\r\n") for part in segments(entries)]
        assert self.refused(parts, signed(entries), ids).startswith(
            "results/log/entries/000000.jsonl line 1: log entry"
        )

    def test_signed_by_another_key(self, oracle, entries, ids, signed):
        message = self.refused(segments(entries), signed(entries, oracle.LOG_2), ids)
        assert message.startswith("results/log/checkpoint: signed note: no signature by an accepted key")

    def test_signed_by_the_receipt_key(self, oracle, entries, ids, signed):
        message = self.refused(segments(entries), signed(entries, oracle.RECEIPT), ids)
        assert message.startswith("results/log/checkpoint: signed note: no signature by an accepted key")

    def test_another_root_key_pinned(self, oracle, entries, ids, signed):
        other = {**ids, "roots": [oracle.ROOT_2.fingerprint]}
        assert "is not one of the configured root keys" in self.refused(
            segments(entries), signed(entries), other
        )

    def test_another_origin_configured(self, entries, ids, signed):
        other = {**ids, "origin": "b.example/log"}
        assert "line 1: key-add: origin is" in self.refused(segments(entries), signed(entries), other)

    def test_checkpoint_is_garbage(self, entries, ids):
        message = self.refused(segments(entries), "", ids)
        assert message.startswith("results/log/checkpoint: signed note: no blank line")

    def test_no_log_key_yet(self, founding, ids, signed):
        message = self.refused(segments(founding[:2]), signed(founding[:2]), ids)
        assert message == "results/log/checkpoint: no log key is in force at size 2"


def test_rotating_the_log_key(oracle, events, founding, ids, signed):
    added = [*founding, oracle.jcs(events.event("key-add", 3, "log", oracle.LOG_2))]
    for key in (oracle.LOG, oracle.LOG_2):
        assert open_log(segments(added), signed(added, key), **ids).size == 4
    retired = [*added, oracle.jcs(events.event("key-retire", 4, "log", oracle.LOG))]
    assert open_log(segments(retired), signed(retired, oracle.LOG_2), **ids).size == 5
    with pytest.raises(IntegrityError, match="accepted key"):
        open_log(segments(retired), signed(retired, oracle.LOG), **ids)


def test_a_leaked_log_key_counts_up_to_the_frozen_size(oracle, events, founding, ids, signed):
    honest = [*founding, *receipts(3)]
    frozen = {"frozenSize": 5, "frozenRoot": oracle.b64(oracle.mth(honest[:5]))}
    leaked = [
        *honest,
        oracle.jcs(events.event("key-compromise", 3, "log", oracle.LOG, **frozen)),
        oracle.jcs(events.event("key-add", 4, "log", oracle.LOG_2)),
    ]
    assert open_log(segments(leaked), signed(leaked, oracle.LOG_2), **ids).size == 8
    with pytest.raises(IntegrityError, match="accepted key"):
        open_log(segments(leaked), signed(leaked, oracle.LOG), **ids)
    with pytest.raises(IntegrityError, match="at size 7"):
        open_log(segments(leaked[:7]), signed(leaked[:7], oracle.LOG), **ids)
