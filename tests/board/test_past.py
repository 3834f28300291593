"""What became of receipts, and leaders over the log: retraction, later runs, baselines, methodology versions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from boards import begin, boards_of
from sample_record import SampleRecord

from benchsite.board import Past, Subject, Timeline, subjects
from benchsite.site.charts.history import history
from benchsite.tracks.retrieval import TRACK


def past_of(record: SampleRecord) -> tuple[Past, dict[str, Subject]]:
    verified = record.history()
    made = boards_of(TRACK, verified, record.body, record.library)
    return Past(made, verified), {one.title: one for one in subjects(made, verified, {})}


def timeline(record: SampleRecord, name: str) -> Timeline:
    past, found = past_of(record)
    (only,) = past.timelines(found[name].headers)
    return only


def value(record: SampleRecord, receipt_id: str) -> float:
    score: float = record.body(receipt_id)["scores"]["ndcg_at_10"]
    return score


def index(record: SampleRecord, receipt_id: str) -> int:
    header = record.history().get(receipt_id)
    assert header is not None
    assert header.index is not None
    return header.index


def test_a_retracted_leader_leads_until_its_retraction():
    record = begin()
    fair = record.publish("fair", 0.5)
    good = record.publish("good", 0.9)
    gone = record.log.size
    record.add({"type": "retract", "receiptId": good, "reason": "a stale index"})
    found = timeline(record, "fair")
    (span,) = found.spans
    assert [tuple(step) for step in span.leader] == [
        (index(record, fair), value(record, fair)),
        (index(record, good), value(record, good)),
        (gone, value(record, fair)),
    ]
    (point,) = timeline(record, "good").points
    assert point.state == "retracted"
    assert found.last == gone


def test_a_baseline_never_leads_and_is_the_reference():
    record = begin()
    base = record.publish("bm25", 0.9)
    poor = record.publish("poor", 0.2)
    (span,) = timeline(record, "poor").spans
    assert [step.value for step in span.leader] == [value(record, poor)]
    assert span.baseline == value(record, base)


def test_a_later_run_replaces_the_earlier_one_even_if_it_is_worse():
    record = begin()
    first = record.publish("one", 0.9)
    second = record.publish("one", 0.3)
    past, found = past_of(record)
    earlier, later = found["one"].headers
    assert [past.state(one) for one in (earlier, later)] == ["older", "current"]
    replaced = past.later(earlier)
    assert replaced is not None
    assert replaced.receipt_id == second
    assert past.later(later) is None
    (span,) = timeline(record, "one").spans
    assert [step.value for step in span.leader] == [value(record, first), value(record, second)]


def test_only_retracted_receipts_leave_a_timeline_whose_leader_ends():
    record = begin()
    only = record.publish("only", 0.5)
    gone = record.log.size
    record.add({"type": "retract", "receiptId": only, "reason": "wrong"})
    found = timeline(record, "only")
    assert found.spans[0].leader[-1] == (gone, None)
    assert 'class="gone"' in history(found, "only")


@pytest.mark.parametrize("count", [1, 60])
def test_a_drawing_has_every_state_with_its_mark_and_at_most_forty_points(count: int):
    record = begin()
    record.publish("one", 0.5)
    found = timeline(record, "one")
    drawn = history(replace(found, points=found.points * count), "<one>" * 5_000)
    assert drawn.count('class="pt') == min(count, 40)
    assert "<one>" not in drawn
    assert len(drawn) < 30_000
