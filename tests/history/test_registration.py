from __future__ import annotations

from typing import Any

import pytest
from boards import begin
from repeats import SETTINGS, SOURCE, announce, log_head, pinned
from sample_record import SampleRecord
from watching import NAMES, line, watched

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.history import Header, Unreported, announcement, broken, verify_record
from benchsite.history.registration import unreported
from benchsite.log import posix_seconds


@pytest.fixture
def record() -> SampleRecord:
    return begin()


def header(record: SampleRecord, receipt_id: str) -> Header:
    found = record.history().get(receipt_id)
    assert found is not None
    return found


def departed(record: SampleRecord, receipt_id: str) -> tuple[str, str] | None:
    body = record.bodies[receipt_id]
    found = broken(body, record.log, record.scorers["retrieval"])
    return (found.field, found.detail) if found is not None else None


def test_what_is_announced_is_the_digest_of_the_whole_configuration() -> None:
    entry = announcement(
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        track="retrieval",
        target="small-v1",
        methodology="1.0.0",
        config=SETTINGS,
    )
    assert entry.config_sha256 == canonical.sha256_hex(canonical.dumps(SETTINGS))
    assert (entry.subject_sha256, entry.seed, entry.target) == (SOURCE, 7, "small-v1")


@pytest.mark.parametrize("gone", ["subjectSha256", "seed"])
def test_what_cannot_be_pinned_cannot_be_announced(gone: str) -> None:
    with pytest.raises(InputError):
        announcement(
            "0f8fad5b-d9cb-469f-a165-70867728950e",
            track="retrieval",
            target="small-v1",
            methodology="1.0.0",
            config={**SETTINGS, gone: None},
        )


def test_a_run_that_was_announced_first_is_registered(record: SampleRecord) -> None:
    receipt = pinned(record, intentId=announce(record))
    assert departed(record, receipt) is None
    assert header(record, receipt).registered
    assert header(record, receipt).ranked
    assert record.history().unreported == ()


def test_a_run_without_an_announcement_is_not(record: SampleRecord) -> None:
    receipt = pinned(record)
    assert departed(record, receipt) is None
    assert not header(record, receipt).registered


@pytest.mark.parametrize(
    ("announced", "field"),
    [
        ({"subjectSha256": "0b" * 32}, "config.subjectSha256"),
        ({"configSha256": "0b" * 32}, "config"),
        ({"target": "another-v1"}, "fixture.id"),
        ({"methodology": "2.0.0"}, "methodology.version"),
        ({"seed": 8}, "config.seed"),
        ({"track": "agents"}, "track"),
    ],
)
def test_every_field_of_an_announcement_binds(
    record: SampleRecord, announced: dict[str, Any], field: str
) -> None:
    receipt = pinned(record, intentId=announce(record, **announced))
    found = departed(record, receipt)
    assert found is not None
    assert found[0] == field
    assert not header(record, receipt).registered
    assert not header(record, receipt).ranked
    assert len(record.history().unreported) == 1


def test_an_announcement_after_the_run_began_is_none(record: SampleRecord) -> None:
    before = len(record.entries)
    intent_id = announce(record)
    receipt = pinned(record, intentId=intent_id, logHead=log_head(record, before))
    assert departed(record, receipt) == (
        "logHead.size",
        f"pre-registered at entry {before}, after the run: it started when the log had {before} entries",
    )
    assert not header(record, receipt).registered
    without = pinned(record, intentId=intent_id, logHead=None)
    assert (departed(record, without) or ("",))[0] == "logHead.size"


def test_an_unknown_announcement_is_none(record: SampleRecord) -> None:
    receipt = pinned(record, intentId="0f8fad5b-d9cb-469f-a165-70867728950e")
    assert (departed(record, receipt) or ("",))[0] == "intentId"
    assert not header(record, receipt).ranked


def test_an_announcement_is_for_one_run(record: SampleRecord) -> None:
    intent_id = announce(record)
    first, second = (pinned(record, intentId=intent_id) for _ in range(2))
    assert header(record, first).registered
    assert not header(record, second).registered
    assert header(record, second).unranked == (
        f"pre-registered run {intent_id} is reported by receipt {first} already",
    )


def test_what_was_announced_and_never_reported_is_listed_with_the_subjects_name(record: SampleRecord) -> None:
    known = announce(record)
    unknown = announce(record, subjectSha256="0b" * 32)
    pinned(record, "good")
    index = record.log.intents
    assert record.history().unreported == (
        Unreported(known, index[known], "retrieval", "good", SOURCE, "sample-notes-v1", "1.0.0", 7),
        Unreported(unknown, index[unknown], "retrieval", "", "0b" * 32, "sample-notes-v1", "1.0.0", 7),
    )


def test_a_withdrawn_receipt_still_reports_its_run(record: SampleRecord) -> None:
    receipt = pinned(record, intentId=announce(record))
    record.add({"type": "retract", "receiptId": receipt, "reason": "measured by mistake"})
    assert record.history().unreported == ()


def test_a_subject_never_reported_is_not_named_by_a_stranger(record: SampleRecord) -> None:
    announce(record)
    pinned(record)
    pinned(record, "slander", ranBy={"kind": "submitted", "name": "a stranger"})
    assert [item.subject for item in record.history().unreported] == ["good"]


def test_a_run_is_overdue_once_the_log_has_more_entries_than_its_position(record: SampleRecord) -> None:
    size = record.log.size
    announce(record, dueBy=str(size + 2))
    announce(record, dueBy=str(size + 3))
    announce(record)
    assert [one.overdue for one in record.history().unreported] == [True, False, False], "size + 3 entries"
    pinned(record)
    assert [one.overdue for one in record.history().unreported] == [True, True, False]


def test_only_a_witness_shows_a_time_to_have_passed(record: SampleRecord) -> None:
    due = "2026-11-20T00:00:00Z"
    announce(record, dueBy=due)
    log = record.log
    for seen, overdue in ((None, False), (posix_seconds(due), False), (posix_seconds(due) + 1, True)):
        (one,) = unreported(log, (), {}, seen)
        assert (one.due_by, one.overdue) == (due, overdue)
    watching = watched(log, line(log, NAMES[0], log.size, "2026-11-20T00:00:01Z"))
    (one,) = verify_record(log, [], record.scorers, lambda _: [], witnessing=watching).unreported
    assert one.overdue
    assert [one.overdue for one in record.history().unreported] == [False], "no clock is asked here"


def test_a_run_reported_late_is_overdue_no_more(record: SampleRecord) -> None:
    intent_id = announce(record, dueBy="1")
    receipt = pinned(record, intentId=intent_id)
    assert header(record, receipt).registered
    assert record.history().unreported == ()
