from __future__ import annotations

from typing import Any

import pytest
from boards import boards_of
from sample_record import SampleRecord, answers, config, make_fixture, make_methodology

from benchsite.board import Board
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.pages.board import per_query
from benchsite.tracks.retrieval.scores.scoring import Query


@pytest.fixture
def record() -> SampleRecord:
    return SampleRecord(make_fixture(60), [make_methodology("1.0.0", "## 1 Score\n\nText.")])


def made(record: SampleRecord) -> Board:
    history = record.history()
    (found,) = boards_of(TRACK, history, record.body, record.library).current
    return found


def test_a_row_is_the_latest_receipt_never_the_best_and_counts_its_runs(record: SampleRecord):
    record.publish("one", 0.9)
    latest = record.publish("one", 0.3)
    found = made(record)
    assert [(row.header.receipt_id, row.runs) for row in found.ranked] == [(latest, 2)]


def test_baselines_take_no_rank_and_absent_ones_are_named(record: SampleRecord):
    record.publish("bm25", 0.99)
    record.publish("one", 0.4)
    found = made(record)
    assert [row.name for row in found.ranked] == ["one"]
    assert [(row.name, row.rank) for row in found.baselines] == [("bm25", "")]
    assert found.missing_baselines == ("recency", "random")
    assert found.baseline == found.baselines[0].value


def test_limited_dirty_and_retracted_receipts_are_listed_apart(record: SampleRecord):
    limited: dict[str, Any] = {"config": {**_config(), "limit": 5}}
    record.publish("one", 0.5, **limited)
    gone = record.publish("two", 0.5)
    record.add({"type": "retract", "receiptId": gone, "reason": "wrong index"})
    record.publish("three", 0.5)
    found = made(record)
    assert [row.name for row in found.ranked] == ["three"]
    limited_reason, gone_reason = (" ".join(header.unranked) for header in found.unranked)
    assert "limited" in limited_reason
    assert "Retracted by the publisher" in gone_reason


def _config() -> dict[str, Any]:
    return {
        "k": [1, 5, 10],
        "seed": 7,
        "repeats": 1,
        "isolation": "process",
        "timeoutSeconds": 60,
        "subjectSha256": None,
        "options": {},
        "importer": None,
    }


def test_the_counts_on_a_row_are_the_receipts_own(record: SampleRecord):
    name = record.publish("one", 0.7)
    counted = record.body(name)["denominators"]["success_at_10"]
    (found,) = made(record).ranked
    assert (found.own["found"], found.own["asked"]) == (counted["num"], counted["den"])
    # 60 queries, every tenth without an answer.
    assert found.own["asked"] == 54
    assert found.own["success"] == pytest.approx(counted["num"] / 54)


def with_cuts(record: SampleRecord, skill: float, ks: list[int]) -> dict[str, Any]:
    """What changes in a receipt with these cut-offs; from 20 on, what was missed by rank 10 stands at rank 20."""
    rows = answers(record.fixture, skill, 1, k=min(ks[-1], 10))
    for row in rows:
        expected = [entry["id"] for entry in row["expected"]]
        if ks[-1] >= 20:
            others = [item["id"] for item in record.fixture["items"] if item["id"] not in expected]
            fill = [name for name in others if name not in row["retrieved"]][: 19 - len(row["retrieved"])]
            late = [name for name in expected if name not in row["retrieved"]]
            row["retrieved"] = [*row["retrieved"], *fill, *late]
        rank = next((at for at, name in enumerate(row["retrieved"], 1) if name in expected), None)
        row |= {"hit": rank is not None, "rank": rank}
    sections = score([Query.from_row(row) for row in rows], ks).sections(seed=7)
    return {**sections, "perQuery": rows, "config": {**config(seed=7, label=False), "k": ks}}


def test_every_row_is_ranked_by_ndcg_at_10_whatever_else_its_receipt_measured(record: SampleRecord):
    deep = record.publish("deep", 0.5, **with_cuts(record, 0.5, [1, 10, 1000]))
    record.publish("usual", 0.8)
    found = made(record)
    body = record.body(deep)
    assert body["scores"]["ndcg_at_1000"] > body["scores"]["ndcg_at_10"] + 0.1
    assert (found.about.headline, found.detail["k"], found.tested) == ("ndcg_at_10", 10, True)
    assert [row.name for row in found.ranked] == ["usual", "deep"]
    row = found.ranked[1]
    assert (row.value, row.own["success"]) == (body["scores"]["ndcg_at_10"], body["scores"]["success_at_10"])
    assert row.header.summary is not None
    assert row.header.summary.headline.low == body["intervals"]["ndcg_at_10"]["low"]
    # The paired test compares the same cut-off: the mean of what it is given is the value on the row.
    vector = per_query(body, 10)
    assert sum(vector.values()) / len(vector) == pytest.approx(row.value)
    # Counts by category are those of the first ten answers too.
    counted = body["byCategory"]["temporal"]["denominators"]
    assert counted["success_at_10"]["num"] < counted["success_at_1000"]["num"]
    by_name = {category.name: category for category in row.besides}
    assert by_name["temporal"].found == counted["success_at_10"]["num"]


def test_a_receipt_without_the_boards_cut_off_is_listed_apart_with_the_reason(record: SampleRecord):
    record.publish("shallow", 0.9, **with_cuts(record, 0.9, [1, 5]))
    record.publish("far", 0.9, **with_cuts(record, 0.9, [1, 1000]))
    record.publish("usual", 0.4)
    found = made(record)
    assert [row.name for row in found.ranked] == ["usual"]
    assert [header.unranked for header in found.unranked] == [
        ("its cut-offs lack k = 10, which this leaderboard ranks by",)
    ] * 2
    headlines = [header.summary.headline.metric for header in found.unranked if header.summary]
    assert headlines == ["ndcg_at_5", "ndcg_at_1000"]


def test_only_benchsites_own_adapters_are_baselines(record: SampleRecord):
    own = record.publish("bm25", 0.5)
    adapter = record.body(own)["adapter"]
    record.publish("bm25", 0.9, adapter={**adapter, "author": "somebody", "version": "9.0.0"})
    found = made(record)
    assert [row.header.receipt_id for row in found.baselines] == [own]
    assert [(row.name, row.rank) for row in found.ranked] == [("bm25", "1")]


def test_a_namesake_does_not_stand_in_for_a_missing_baseline(record: SampleRecord):
    record.publish("one", 0.5)
    adapter = record.body(record.publish("bm25", 0.5))["adapter"]
    again = SampleRecord(record.fixture, record.methodologies)
    again.publish("bm25", 0.9, adapter={**adapter, "author": "somebody"})
    found = made(again)
    assert found.missing_baselines == ("bm25", "recency", "random")
    assert found.baseline is None


def test_each_row_is_compared_with_the_leader_and_with_the_baseline(record: SampleRecord):
    record.publish("one", 0.7)
    record.publish("two", 0.2)
    record.publish("bm25", 0.7)
    found = made(record)
    (first, second), (bm25,) = found.ranked, found.baselines
    assert first.to_leader is None
    assert bm25.to_baseline is None
    for row, comparison, other in ((second, second.to_leader, first), (first, first.to_baseline, bm25)):
        assert comparison is not None
        assert comparison.delta == (row.value or 0) - (other.value or 0)
        assert 1 / 10_001 <= comparison.p <= 1
        assert comparison.tied is (comparison.p >= 0.05)
    # The paired test is symmetric, and the same answers as the baseline's give p = 1.
    assert bm25.to_leader is not None
    assert first.to_baseline is not None
    assert bm25.to_leader.p == first.to_baseline.p


def test_a_baseline_that_is_tied_with_the_leader_is_in_its_bracket(record: SampleRecord):
    for name in ("one", "bm25"):
        record.publish(name, 0.7)
    found = made(record)
    assert [(row.name, row.rank, row.tied) for row in found.rows] == [
        ("one", "1", "first"),
        ("bm25", "", "last"),
    ]
    record.publish("two", 0.05)
    found = made(record)
    # No bracket crosses a row that is not tied.
    assert [(row.name, row.rank, row.tied) for row in found.rows] == [
        ("one", "1", ""),
        ("two", "2", ""),
        ("bm25", "", "alone"),
    ]


def test_the_reference_line_is_the_newest_bm25_with_default_options(record: SampleRecord):
    record.publish("bm25", 0.2)
    newest = record.publish("bm25", 0.5, config={**config(seed=8, label=False)})
    record.publish("bm25", 0.9, label=True)
    found = made(record)
    assert len(found.baselines) == 3
    assert found.baseline == record.body(newest)["scores"]["ndcg_at_10"]


STRANGER = {"kind": "submitted", "name": "a stranger"}


def test_a_baseline_that_somebody_sent_is_a_system_and_the_baseline_stays(record: SampleRecord):
    own = record.publish("bm25", 0.5)
    record.publish("one", 0.6)
    before = made(record)
    sent = record.publish("bm25", 0.05, ranBy=STRANGER)
    found = made(record)
    assert [(row.header.receipt_id, row.runs) for row in found.baselines] == [(own, 1)]
    assert (found.baseline, found.standing) == (before.baseline, before.standing)
    assert [(row.header.receipt_id, row.runs, row.rank) for row in found.ranked if row.header.sent_by] == [
        (sent, 1, "2")
    ]


def test_a_baseline_that_somebody_sent_does_not_stand_in_for_a_missing_one(record: SampleRecord):
    record.publish("bm25", 0.05, ranBy=STRANGER)
    record.publish("one", 0.6)
    found = made(record)
    assert found.missing_baselines == ("bm25", "recency", "random")
    assert (found.baseline, found.standing) == (None, None)


def test_what_somebody_sent_takes_nobodys_row_and_is_counted_apart(record: SampleRecord):
    own = [record.publish("one", skill) for skill in (0.9, 0.8)][-1]
    first = [record.publish("one", skill, ranBy=STRANGER) for skill in (0.2, 0.1, 0.05)][-1]
    other = record.publish("one", 0.1, ranBy={"kind": "submitted", "name": "another"})
    rows = {row.header.receipt_id: (row.header.sent_by, row.runs) for row in made(record).ranked}
    assert rows == {own: ("", 2), first: ("a stranger", 3), other: ("another", 1)}


def test_a_maintainer_and_the_workflow_share_a_row(record: SampleRecord):
    record.publish("one", 0.9)
    latest = record.publish("one", 0.9, ranBy={"kind": "workflow", "name": "submitted a stranger"})
    (row,) = made(record).ranked
    assert (row.header.receipt_id, row.runs, row.header.sent_by) == (latest, 2, "")
