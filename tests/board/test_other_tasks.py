"""A receipt that does not share the tasks of the others leaves their leaderboard as it is."""

from __future__ import annotations

import pytest
from boards import begin, boards_of, made, renders
from sample_record import SampleRecord, answers, draft_of, payload

from benchsite.board import Board
from benchsite.tracks.retrieval import TRACK

REASON = "it shares no queries with the other receipts"


def of_other_queries(record: SampleRecord, name: str, keep: int = 0) -> str:
    """Publish a run of the same dataset whose queries, but for the first `keep`, have other ids and categories."""
    number = len(record.blobs) + 1
    rows = answers(record.fixture, 0.9, number)
    for row in rows[keep:]:
        row["queryId"] = f"other-{row['queryId']}"
        row["category"] = "other"
    draft = draft_of(record, name, 0.9, number, version="1.0.0", label=False)
    return record.add_receipt(draft | payload(record.fixture, name, rows))


def board_of(record: SampleRecord) -> Board:
    (found,) = boards_of(TRACK, record.history(), record.body, record.library).current
    return found


def test_it_is_excluded_with_its_reason_and_the_others_keep_their_ranks() -> None:
    record = begin()
    for name, skill in (("good", 0.9), ("poor", 0.1), ("bm25", 0.5)):
        record.publish(name, skill)
    before = board_of(record)
    odd = of_other_queries(record, "odd")
    found = board_of(record)
    assert [(row.name, row.rank) for row in found.ranked] == [("good", "1"), ("poor", "2")]
    assert [row.to_leader for row in found.rows] == [row.to_leader for row in before.rows]
    assert REASON in next(one.unranked for one in found.unranked if one.receipt_id == odd)


@pytest.mark.parametrize("keep", [0, 1, 59])
def test_the_leaderboard_of_categories_that_only_one_receipt_has_is_rendered(keep: int) -> None:
    record = begin()
    for name, skill in (("good", 0.9), ("poor", 0.1)):
        record.publish(name, skill)
    of_other_queries(record, "odd", keep)
    pages = [page for page in made(record).values() if page.data is None]
    assert any("odd" in renders().body(page) for page in pages)


def test_an_earlier_run_of_the_same_system_keeps_its_row() -> None:
    record = begin()
    record.publish("good", 0.9)
    record.publish("poor", 0.1)
    for _ in range(3):
        of_other_queries(record, "good")
    found = board_of(record)
    assert [row.name for row in found.ranked] == ["good", "poor"]
    assert found.ranked[0].runs == 1
    assert len(found.unranked) == 3


def test_of_two_runs_the_earlier_one_counts() -> None:
    record = begin()
    record.publish("first", 0.5)
    of_other_queries(record, "second")
    assert [row.name for row in board_of(record).ranked] == ["first"]
