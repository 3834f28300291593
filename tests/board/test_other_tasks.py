"""A receipt that does not share the tasks of the others leaves their leaderboard as it is."""

from __future__ import annotations

import pytest
from boards import begin, boards_of, made, renders
from sample_record import SampleRecord, of_other_queries

from benchsite.board import Board
from benchsite.tracks.retrieval import TRACK

REASON = "it shares no queries with the other receipts"


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


def test_many_submissions_of_other_queries_are_no_majority() -> None:
    record = begin()
    record.publish("good", 0.9)
    record.publish("poor", 0.1)
    for name in ("ann", "ben", "cara"):
        of_other_queries(record, f"of-{name}", ranBy={"kind": "submitted", "name": name})
    found = board_of(record)
    assert [row.name for row in found.ranked] == ["good", "poor"]
    assert sum(REASON in one.unranked for one in found.unranked) == 3


def test_where_all_are_submitted_most_of_them_decide() -> None:
    record = begin()
    record.publish("good", 0.9, ranBy={"kind": "submitted", "name": "dora"})
    for name in ("ann", "ben"):
        of_other_queries(record, f"of-{name}", ranBy={"kind": "submitted", "name": name})
    assert {row.name for row in board_of(record).ranked} == {"of-ann", "of-ben"}
