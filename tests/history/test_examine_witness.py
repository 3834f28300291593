"""What cosignatures and withdrawn evidence do to a verdict (specs/log.md, "Verdicts" and "Threats")."""

from __future__ import annotations

import pytest
from documents import known, like
from sample_record import SampleRecord, make_fixture, make_methodology
from watching import NAMES, line, watched

from benchsite.history import Examination, Rescore, Verdict, examine, verify_record
from benchsite.history import Filed as File
from benchsite.log import Witnessing
from benchsite.receipt import Document
from benchsite.track import Track

ONE, TWO, STRANGER = NAMES
EVIDENCE = [{"name": "trace", "sha256": "cd" * 32, "size": 9, "mediaType": "application/gzip"}]


@pytest.fixture
def record() -> SampleRecord:
    return SampleRecord(make_fixture(20), [make_methodology("1.0.0", "## 1 Score\n\nText.")])


def seen(record: SampleRecord, place: int, witnessing: Witnessing | None) -> Examination:
    blob = record.blobs[place]
    return examine(
        blob.data,
        log=record.log,
        scorers=record.scorers,
        materials=known(record.methodologies),
        witnessing=witnessing,
        path=blob.path,
    )


def test_a_cosigned_checkpoint_that_holds_the_entry_makes_it_witnessed(record: SampleRecord):
    receipt_id = record.publish("one", 0.5)
    log = record.log
    index = log.receipts[receipt_id]
    covers = seen(record, 0, watched(log, line(log, ONE, index + 1, "2026-11-20T00:00:00Z")))
    assert covers.verdict is Verdict.WITNESSED
    assert covers.exit_code == 0
    step = next(step for step in covers.steps if step.name == "witness")
    assert (step.state, step.detail) == (
        "pass",
        "cosigned by 1 of 2 trusted witnesses",
    )
    # A checkpoint of size `index` ends just before the entry.
    before = seen(record, 0, watched(log, line(log, ONE, index, "2026-11-01T00:00:00Z")))
    assert before.verdict is Verdict.LOGGED
    assert next(step.state for step in before.steps if step.name == "witness") == "warning"


def test_a_stranger_witnesses_nothing_and_dates_nothing(record: SampleRecord):
    record.publish("one", 0.5)
    log = record.log
    found = seen(
        record,
        0,
        watched(log, *(line(log, STRANGER, size, "2030-01-01T00:00:00Z") for size in (3, log.size))),
    )
    assert found.verdict is Verdict.LOGGED


def test_without_witnesses_nothing_is_said_of_them(record: SampleRecord):
    record.publish("one", 0.5)
    for witnessing in (None, watched(record.log, trusted=())):
        found = seen(record, 0, witnessing)
        assert found.verdict is Verdict.LOGGED
        assert [step for step in found.steps if step.name == "witness"] == []


@pytest.mark.parametrize(
    ("ran_at", "verdict"),
    [
        ("2026-11-19T23:59:59Z", Verdict.SUSPECT),
        ("2026-11-20T00:00:00Z", Verdict.LOGGED),  # not earlier
        ("2026-11-20T00:00:01Z", Verdict.LOGGED),
    ],
)
def test_a_receipt_dated_before_the_log_it_names_is_suspect(
    record: SampleRecord, ran_at: str, verdict: Verdict
):
    """Threat "back-dated receipt": the newest trusted cosignature time of a list shorter than the one it names.

    A signature of exactly that list, made later, says nothing: the honest run came first and was published after it.
    """
    size = record.log.size
    record.publish("one", 0.5, ranAt=ran_at)
    log = record.log
    lines = [line(log, ONE, size - 1, "2026-11-20T00:00:00Z"), line(log, TWO, size, "2026-11-28T00:00:00Z")]
    found = seen(record, 0, watched(log, *lines))
    assert found.verdict is verdict
    assert found.exit_code == 0
    said = [step.detail for step in found.steps if step.name == "events"]
    assert said == (
        [f"dated {ran_at}, but a witness saw a smaller log than the receipt names at 2026-11-20T00:00:00Z"]
        if verdict is Verdict.SUSPECT
        else []
    )


def test_a_cosignature_of_a_longer_list_dates_nothing_before_it(record: SampleRecord):
    record.publish("one", 0.5, ranAt="2026-11-01T00:00:00Z")
    log = record.log
    found = seen(record, 0, watched(log, line(log, ONE, log.size, "2026-11-20T00:00:00Z")))
    assert found.verdict is Verdict.WITNESSED


def test_a_signed_file_that_is_not_logged_can_be_suspect_too(record: SampleRecord):
    before = SampleRecord(record.fixture, record.methodologies)
    size = record.log.size
    record.publish("one", 0.5, ranAt="2026-11-01T00:00:00Z")
    for when, verdict in (("2026-11-20", Verdict.SUSPECT), ("2026-10-20", Verdict.SIGNED_ONLY)):
        witnessing = watched(before.log, line(before.log, ONE, size - 1, f"{when}T00:00:00Z"))
        found = examine(
            record.blobs[0].data,
            log=before.log,
            scorers=record.scorers,
            materials=known(record.methodologies),
            witnessing=witnessing,
        )
        assert found.verdict is verdict


@pytest.mark.parametrize(
    ("events", "verdict"),
    [
        ((), Verdict.WITNESSED),
        (("dispute",), Verdict.DISPUTED),
        (("dispute", "supersede"), Verdict.SUPERSEDED),
        (("dispute", "supersede", "retract"), Verdict.RETRACTED),
    ],
)
def test_events_weigh_more_than_witnesses_and_doubt_more_than_events(
    record: SampleRecord, events: tuple[str, ...], verdict: Verdict
):
    size = record.log.size
    old, new = record.publish("one", 0.5, ranAt="2026-11-05T00:00:00Z"), record.publish("one", 0.6)
    fields = {
        "dispute": {"url": "https://a.example/1"},
        "supersede": {"by": new},
        "retract": {"reason": "a stale index"},
    }
    for event in events:
        record.add({"type": event, "receiptId": old, **fields[event]})
    log = record.log
    head = line(log, ONE, log.size, "2026-11-25T00:00:00Z")
    assert seen(record, 0, watched(log, head)).verdict is verdict
    late = line(log, TWO, size - 1, "2026-11-06T00:00:00Z")
    doubted = seen(record, 0, watched(log, head, late))
    assert doubted.verdict is Verdict.SUSPECT
    assert len([step for step in doubted.steps if step.name == "events"]) == len(events) + 1


def test_the_record_carries_the_verdict_and_the_witnesses(record: SampleRecord):
    record.publish("one", 0.5)
    blob, log = record.blobs[0], record.log
    witnessing = watched(log, line(log, ONE, log.size, "2026-11-25T00:00:00Z"))
    history = verify_record(
        log,
        [File(blob.path, blob.blob_id, log.size - 1)],
        record.scorers,
        lambda ids: [{blob.blob_id: blob.data}[name] for name in ids],
        materials=known(record.methodologies),
        witnessing=witnessing,
    )
    assert [header.verdict for header in history] == [Verdict.WITNESSED]
    assert history.witnessing is witnessing


class _FromEvidence(Track):
    """The track as if its numbers were computed from the first piece of evidence."""

    def needs(self, document: Document) -> frozenset[str]:
        return frozenset(item["sha256"] for item in document["evidence"][:1])


def test_withdrawn_evidence_that_no_score_needs_is_noted(record: SampleRecord):
    record.publish("one", 0.5, evidence=EVIDENCE)
    record.add({"type": "withdraw-evidence", "sha256": "cd" * 32, "reason": "it held a name"})
    found = seen(record, 0, None)
    assert (found.verdict, found.rescore) == (Verdict.LOGGED, Rescore.MATCHES)
    index = record.log.size - 1
    noted = [(step.detail, step.field) for step in found.steps if step.name == "evidence"]
    assert noted == [(f"entry {index}: trace withdrawn: it held a name", "cd" * 32)]
    assert record.history().headers[0].ranked


def test_withdrawn_evidence_that_a_score_needs_leaves_it_not_re_scored():
    record = SampleRecord(
        make_fixture(20),
        [make_methodology("1.0.0", "## 1 Score\n\nText.")],
        scorers={"retrieval": like(_FromEvidence)},
    )
    quoted = {**EVIDENCE[0], "name": "quoted", "sha256": "ef" * 32}
    record.publish("one", 0.5, evidence=[quoted, *EVIDENCE])
    record.add({"type": "withdraw-evidence", "sha256": "cd" * 32, "reason": "the second one"})
    assert seen(record, 0, None).rescore is Rescore.MATCHES
    record = SampleRecord(record.fixture, record.methodologies, scorers=record.scorers)
    record.publish("one", 0.5, evidence=EVIDENCE)
    record.publish("two", 0.5)
    assert seen(record, 0, None).rescore is Rescore.MATCHES
    record.add({"type": "withdraw-evidence", "sha256": "cd" * 32, "reason": "it held a name"})
    found = seen(record, 0, None)
    assert found.verdict is Verdict.LOGGED
    assert found.exit_code == 0
    assert found.rescore is Rescore.NOT_RESCORABLE
    details = {step.name: (step.state, step.detail) for step in found.steps}
    index = record.log.size - 1
    assert details["evidence"] == ("warning", f"entry {index}: trace withdrawn: it held a name")
    assert [step.field for step in found.steps if step.name == "evidence"] == ["cd" * 32]
    assert details["re-score"] == ("not checked", "evidence withdrawn: it held a name")
    assert seen(record, 1, None).rescore is Rescore.MATCHES
    unranked, ranked = record.history().headers
    assert unranked.unranked == ("not re-scored: evidence withdrawn: it held a name",)
    assert ranked.ranked
    assert [row.header.receipt_id for row in record.history().rows(record.history())] == [ranked.receipt_id]


def test_numbers_that_differ_stay_different_when_their_evidence_is_withdrawn(record: SampleRecord):
    record.scorers = {"retrieval": like(_FromEvidence)}
    other = SampleRecord(record.fixture, record.methodologies)
    other.publish("one", 0.9)
    (body,) = other.bodies.values()
    scores = {**body["scores"], "ndcg_at_10": body["scores"]["ndcg_at_10"] / 2}
    record.publish("one", 0.9, evidence=EVIDENCE, scores=scores)
    record.add({"type": "withdraw-evidence", "sha256": "cd" * 32, "reason": "it held a name"})
    found = seen(record, 0, None)
    assert found.rescore is Rescore.DIFFERS
    assert found.exit_code == 3
