from __future__ import annotations

import pytest

from benchsite.errors import IntegrityError
from benchsite.layout import receipt_path
from benchsite.log.contents import Contents, Named
from benchsite.log.entries import (
    DisputeEntry,
    Entry,
    FixtureEntry,
    IntentEntry,
    MethodologyEntry,
    ReceiptEntry,
    RetractEntry,
    SupersedeEntry,
    WithdrawEvidenceEntry,
)

A, B, C, D = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abcd")
H, G = "1" * 64, "2" * 64


def receipt(receipt_id: str) -> ReceiptEntry:
    return ReceiptEntry(path=receipt_path(receipt_id), sha256=H, size=1)


def intent(intent_id: str) -> IntentEntry:
    return IntentEntry(
        intentId=intent_id,
        track="retrieval",
        subjectSha256=H,
        configSha256=H,
        target="toy",
        methodology="1.0.0",
        seed=1,
    )


def folded(*entries: Entry) -> Contents:
    contents = Contents()
    for index, entry in enumerate(entries, start=10):
        contents.apply(index, entry)
    return contents


def test_every_subject_finds_its_index():
    retract, dispute = (
        RetractEntry(receiptId=A, reason="x"),
        DisputeEntry(receiptId=A, url="https://a.example/1"),
    )
    contents = folded(
        FixtureEntry(id="toy", sha256=H),
        MethodologyEntry(track="retrieval", version="1.0.0", sha256=G),
        intent(C),
        receipt(A),
        receipt(B),
        SupersedeEntry(receiptId=A, by=B),
        retract,
        dispute,
        dispute,
        WithdrawEvidenceEntry(sha256=G, reason="token"),
        WithdrawEvidenceEntry(sha256=G, reason="token again"),
    )
    assert contents.fixtures == {"toy": Named(10, H)}
    assert contents.methodologies == {("retrieval", "1.0.0"): Named(11, G)}
    assert contents.intents == {C: 12}
    assert list(contents.receipts.items()) == [(A, 13), (B, 14)]
    assert contents.about == {
        A: ((15, SupersedeEntry(receiptId=A, by=B)), (16, retract), (17, dispute), (18, dispute))
    }
    assert contents.withdrawn == {G: 19}


def test_one_name_may_stand_for_things_of_different_kinds():
    contents = folded(
        FixtureEntry(id="toy", sha256=H),
        MethodologyEntry(track="retrieval", version="1.0.0", sha256=H),
        MethodologyEntry(track="agents", version="1.0.0", sha256=H),
        MethodologyEntry(track="agents", version="1.0.1", sha256=H),
        intent(A),
        receipt(A),
    )
    assert len(contents.methodologies) == 3


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([receipt(A), receipt(B), receipt(A)], f"receipt {A} is in"),
        ([FixtureEntry(id="toy", sha256=H)] * 2, "toy is in"),
        (
            [FixtureEntry(id="toy", sha256=H), FixtureEntry(id="toy", sha256=G)],
            "toy is in",
        ),
        (
            [MethodologyEntry(track="agents", version="1.0.0", sha256=h) for h in (H, G)],
            r"agents 1\.0\.0 is in",
        ),
        ([intent(A), intent(A)], f"intent {A} is in"),
        (
            [RetractEntry(receiptId=A, reason="x"), receipt(A)],
            f"receipt {A} is not",
        ),
        (
            [DisputeEntry(receiptId=A, url="https://a.example")],
            f"receipt {A} is not",
        ),
        ([receipt(B), SupersedeEntry(receiptId=A, by=B)], f"receipt {A} is not"),
        ([receipt(A), SupersedeEntry(receiptId=A, by=B)], f"successor {B} is"),
        ([receipt(A), SupersedeEntry(receiptId=A, by=A)], f"successor {A} is"),
        (
            [receipt(A), receipt(B), SupersedeEntry(receiptId=B, by=A)],
            f"successor {A} is",
        ),
        (
            [
                receipt(A),
                receipt(B),
                receipt(C),
                SupersedeEntry(receiptId=A, by=B),
                RetractEntry(receiptId=A, reason="x"),
                SupersedeEntry(receiptId=A, by=C),
            ],
            f"receipt {A} has",
        ),
    ],
)
def test_refused_sequences(entries: list[Entry], message: str):
    with pytest.raises(IntegrityError, match=message):
        folded(*entries)


def test_a_chain_and_two_predecessors_of_one_receipt_are_allowed():
    contents = folded(
        receipt(A),
        receipt(B),
        receipt(C),
        receipt(D),
        SupersedeEntry(receiptId=A, by=C),
        SupersedeEntry(receiptId=B, by=C),
        SupersedeEntry(receiptId=C, by=D),
    )
    assert {key: events[0][0] for key, events in contents.about.items()} == {A: 14, B: 15, C: 16}


def test_a_copy_goes_its_own_way():
    first = folded(receipt(A))
    second = first.copy()
    second.apply(11, RetractEntry(receiptId=A, reason="x"))
    for index, entry in enumerate(
        [
            receipt(B),
            FixtureEntry(id="toy", sha256=H),
            MethodologyEntry(track="agents", version="1.0.0", sha256=H),
            intent(C),
            WithdrawEvidenceEntry(sha256=H, reason="x"),
        ],
        start=12,
    ):
        second.apply(index, entry)
    assert first == folded(receipt(A))
    assert second.receipts == {A: 10, B: 12}
