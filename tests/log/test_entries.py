from __future__ import annotations

import re
from base64 import b64decode
from typing import Any

import pytest
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchsite.errors import InputError, IntegrityError
from benchsite.layout import receipt_path
from benchsite.log.entries import (
    ENTRY_TYPES,
    MAX_ENTRY_BYTES,
    DisputeEntry,
    Entry,
    FixtureEntry,
    IntentEntry,
    KeyAdd,
    KeyCompromise,
    KeyRetire,
    MethodologyEntry,
    ReceiptEntry,
    RetractEntry,
    SupersedeEntry,
    WithdrawEvidenceEntry,
    _decode_any,
    decode_entry,
    encode_entry,
    receipt_ids,
    validate_entry,
)
from benchsite.log.merkle import leaf_hash

ID = "3f0c2a5e-9d41-4b7a-8c66-1e2d3c4b5a69"
RECEIPT = (
    b'{"path":"results/published/3f/3f0c2a5e-9d41-4b7a-8c66-1e2d3c4b5a69.json","sha256":"'
    + b"ab" * 32
    + b'","size":9123,"type":"receipt","v":1}'
)

hex64 = st.from_regex(r"[0-9a-f]{64}", fullmatch=True)
ids = st.uuids(version=4).map(str)
slugs = st.from_regex(r"[a-z0-9][a-z0-9-]{0,79}", fullmatch=True)
versions = st.tuples(*[st.integers(0, 999_999)] * 3).map(lambda v: ".".join(map(str, v)))
prose = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"),
    min_size=1,
    max_size=2000,
)
sizes = st.integers(1, 8 * 1024 * 1024) | st.sampled_from([1, 999_999, 1_000_000, 8 * 1024 * 1024])
entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(lambda i, h, n: ReceiptEntry(path=receipt_path(i), sha256=h, size=n), ids, hex64, sizes),
    st.builds(MethodologyEntry, track=slugs, version=versions, sha256=hex64),
    st.builds(FixtureEntry, id=slugs, sha256=hex64),
    st.builds(
        IntentEntry,
        intentId=ids,
        track=slugs,
        subjectSha256=hex64,
        configSha256=hex64,
        target=slugs,
        methodology=versions,
        seed=st.integers(0, 2**53 - 1),
    ),
    st.builds(RetractEntry, receiptId=ids, reason=prose),
    st.builds(SupersedeEntry, receiptId=ids, by=ids),
    st.builds(
        DisputeEntry,
        receiptId=ids,
        url=st.from_regex(r"https?://[a-z][a-z.]{0,20}([/?#][a-z./?=&#%-]{0,40})?", fullmatch=True),
    ),
    st.builds(WithdrawEvidenceEntry, sha256=hex64, reason=prose),
)


@given(entry=entries)
def test_decode_inverts_encode(entry: Entry):
    assert decode_entry(encode_entry(entry)) == entry


def test_valid_vectors(vector):
    for case in vector("entries.json")["valid"]:
        data = case["entry"].encode()
        assert encode_entry(decode_entry(data)) == data
        assert leaf_hash(data) == b64decode(case["leafHash"])


def test_every_type_has_a_vector(vector):
    seen = {type(decode_entry(case["entry"].encode())) for case in vector("entries.json")["valid"]}
    assert seen | {KeyRetire} == set(ENTRY_TYPES.values()) == {*seen, KeyRetire}
    assert {KeyAdd, KeyCompromise, ReceiptEntry} < seen


def test_invalid_vectors(vector):
    for case in vector("entries.json")["invalid"]:
        data = bytes.fromhex(case["entryHex"]) if "entryHex" in case else case["entry"].encode()
        try:
            entry = decode_entry(data)
        except IntegrityError as error:
            refusal = error.message
        else:
            pytest.fail(f"{case['name']}: accepted as {entry}")
        assert refusal.startswith("log entry: "), case["name"]


@settings(max_examples=examples(400, full=5_000))
@given(position=st.integers(0, len(RECEIPT)), insert=st.binary(max_size=2), cut=st.integers(0, 2))
@example(position=0, insert=b"", cut=0)
@example(position=len(RECEIPT), insert=b"\n", cut=0)
@example(position=RECEIPT.index(b"9123"), insert=b"1234567", cut=4)
@example(position=RECEIPT.index(b"9123"), insert=b"9000000", cut=4)
@example(position=RECEIPT.index(b"/3f0c"), insert=b"/3e", cut=3)
def test_the_short_road_of_receipts_agrees_with_the_long_one(position: int, insert: bytes, cut: int):
    data = RECEIPT[:position] + insert + RECEIPT[position + cut :]
    roads: list[Any] = []
    for road in (decode_entry, _decode_any):
        try:
            roads.append(road(data))
        except IntegrityError:
            roads.append(None)
    assert roads[0] == roads[1]
    if roads[0] is not None:
        assert encode_entry(roads[0]) == data


@settings(max_examples=examples(50, full=1_000))
@given(
    lines=st.lists(
        entries.map(encode_entry)
        | st.just(RECEIPT)
        | st.binary(max_size=40)
        | st.builds(
            lambda at, by, cut: RECEIPT[:at] + by + RECEIPT[at + cut :],
            st.integers(0, len(RECEIPT)),
            st.binary(max_size=2),
            st.integers(0, 2),
        ),
        max_size=6,
    )
)
@example(lines=[RECEIPT, RECEIPT + b"\n", b""])
@example(lines=[RECEIPT + b"\n" + RECEIPT, RECEIPT])
@example(lines=[b"\xff" + RECEIPT, RECEIPT])
def test_ids_read_many_at_once_are_those_of_entries_read_alone(lines: list[bytes]):
    """Whatever the neighbors are: an id is given only where the strict reader gives the same."""
    found = receipt_ids(lines)
    assert len(found) == len(lines)
    for line, receipt_id in zip(lines, found, strict=True):
        if receipt_id:
            entry = _decode_any(line)
            assert isinstance(entry, ReceiptEntry)
            assert entry.receipt_id == receipt_id


def test_plain_receipts_among_others_are_all_read_at_once():
    fixture = encode_entry(FixtureEntry(id="small-v1", sha256="ab" * 32))
    assert receipt_ids([RECEIPT, fixture, RECEIPT]) == [ID, "", ID]
    assert receipt_ids([]) == []


@given(data=st.binary(max_size=60) | st.text(max_size=40).map(lambda t: t.encode("utf-8", "replace")))
def test_noise_is_refused_and_nothing_else_is_raised(data: bytes):
    with pytest.raises(IntegrityError):
        decode_entry(data)


def test_receipt_entry_by_hand():
    entry = decode_entry(RECEIPT)
    assert isinstance(entry, ReceiptEntry)
    assert entry.receipt_id == ID
    assert (entry.path, entry.sha256, entry.size) == (receipt_path(ID), "ab" * 32, 9123)
    assert entry == ReceiptEntry(path=receipt_path(ID), sha256="ab" * 32, size=9123)
    assert receipt_path(ID) == f"results/published/3f/{ID}.json"


def test_entries_are_frozen():
    entry = decode_entry(RECEIPT)
    with pytest.raises(ValueError, match="frozen"):
        entry.size = 1  # type: ignore[misc, union-attr]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"type": "retract", "v": 1, "receiptId": ID, "reason": ""}, "log entry: retract: reason: "),
        ({"type": "retract", "v": 1, "receiptId": ID}, "log entry: retract: reason: is missing"),
        ({"type": "retract", "v": 1, "receiptId": "x", "reason": "y"}, "log entry: retract: receiptId: "),
        ({"type": "retract", "v": 2, "receiptId": ID, "reason": "y"}, "log entry: retract: v is not 1"),
        ({"type": "retracted", "v": 1}, "log entry: unknown type 'retracted'"),
        ({"v": 1}, "log entry: no type"),
        ([], "log entry: not a JSON object"),
    ],
)
def test_a_callers_mistake_is_an_input_error_that_names_the_field(fields: Any, message: str):
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        validate_entry(fields)


def test_a_broken_log_line_is_an_integrity_error_that_names_the_field():
    with pytest.raises(IntegrityError, match="fixture: id: "):
        decode_entry(b'{"id":"A","sha256":"' + b"ab" * 32 + b'","type":"fixture","v":1}')
    with pytest.raises(IntegrityError, match="fixture: .*canonical"):
        decode_entry(b'{"v":1,"id":"a","sha256":"' + b"ab" * 32 + b'","type":"fixture"}')
    with pytest.raises(IntegrityError, match="65536 bytes"):
        decode_entry(b"x" * 65_536)
    with pytest.raises(IntegrityError, match="^log entry: (?!65535)"):
        decode_entry(b"x" * 65_535)


def test_the_largest_entries_stay_below_the_limit(events):
    # Four UTF-8 bytes a character; a compromise of a log key has the most fields beside its reason.
    longest = "\U0001f512" * 2000
    origin = "a" * 200
    event = events.event(
        "key-compromise", 2**53 - 1, "log", events.LOG, **events.frozen(0, []), reason=longest
    )
    for value in (
        {**event, "origin": origin, "frozenSize": 2**53 - 1},
        {"v": 1, "type": "retract", "receiptId": ID, "reason": longest},
        {"v": 1, "type": "dispute", "receiptId": ID, "url": "https://" + "a" * 1992},
    ):
        assert len(encode_entry(validate_entry(value))) < MAX_ENTRY_BYTES
