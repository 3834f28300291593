from __future__ import annotations

import hashlib
from typing import Any

import pytest
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.history import Header as AnyHeader
from benchsite.history import Headline, Rescore, Subject, Summary, Verdict
from benchsite.tracks.retrieval import board as boards
from benchsite.tracks.retrieval.board import Board, Row, board, ordinal, rank, readable, seed


def row(name: str, value: float) -> Row:
    headline = Headline("ndcg_at_10", value, value - 0.02, value + 0.02)
    summary = Summary(Subject(name, "1", ""), "f", "aa", name, headline)
    header = AnyHeader(name, "retrieval", "p", "b", "s", 1, 1, Verdict.LOGGED, Rescore.MATCHES, (), summary)
    return Row(header, 1, value, value - 0.02, value + 0.02, value, 1, 2, (), floor=False)


def vector(*values: float) -> dict[str, float]:
    return {f"q{place:03d}": value for place, value in enumerate(values)}


def ranges(rows: tuple[Row, ...]) -> list[tuple[str, int | None, int | None, str]]:
    return [(found.name, found.first, found.last, found.tied) for found in rows]


def test_systems_that_a_paired_test_tells_apart_have_ranks_of_their_own():
    high, low = vector(*[1.0] * 40), vector(*[0.0] * 40)
    ranked, tested = rank([row("a", 1.0), row("b", 0.0)], {"a": high, "b": low})
    assert tested
    assert ranges(ranked) == [("a", 1, 1, ""), ("b", 2, 2, "")]


def test_systems_it_cannot_tell_apart_share_a_range_and_the_next_group_starts_below():
    # a and b differ by one query of forty: p is far above 0.05. c fails everything.
    a, b = vector(*[1.0] * 40), vector(*[1.0] * 39, 0.0)
    ranked, _ = rank(
        [row("a", 1.0), row("b", 0.975), row("c", 0.0)], {"a": a, "b": b, "c": vector(*[0.0] * 40)}
    )
    assert ranges(ranked) == [("a", 1, 2, "first"), ("b", 1, 2, "last"), ("c", 3, 3, "")]
    assert [found.rank for found in ranked] == ["1–2", "1–2", "3"]
    assert ranked[0].rank_words == "1st to 2nd"


def test_holms_correction_is_made_over_every_row_below_the_leader(monkeypatch: pytest.MonkeyPatch):
    # 0.03 alone would separate b; Holm's adjusted value of (0.03, 0.04) is max(2 × 0.03, 0.04) = 0.06 for both.
    p_values = {"b": 0.03, "c": 0.04}
    monkeypatch.setattr(boards, "_p_value", lambda _leader, other, _vectors: p_values[other])
    vectors = {name: vector(0.5) for name in "abc"}
    ranked, _ = rank([row("a", 0.6), row("b", 0.5), row("c", 0.4)], vectors)
    assert ranges(ranked) == [("a", 1, 3, "first"), ("b", 1, 3, "inner"), ("c", 1, 3, "last")]


def test_nobody_has_a_rank_where_the_queries_differ_or_are_not_recorded():
    for other in (vector(1.0), {}):
        ranked, tested = rank([row("a", 1.0), row("b", 0.5)], {"a": vector(1.0, 0.0), "b": other})
        assert not tested
        assert [found.rank for found in ranked] == ["", ""]


def test_the_seed_is_the_first_eight_bytes_over_the_sorted_ids():
    expected = int.from_bytes(hashlib.sha256(b"a-1\nb-2").digest()[:8], "big")
    assert seed("b-2", "a-1") == seed("a-1", "b-2") == expected


@pytest.mark.parametrize(("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd")])
def test_ordinals(number: int, text: str):
    assert ordinal(number) == text


def test_a_fixtures_id_is_made_readable():
    assert readable("three-notebooks-v1", "turn") == "three notebooks"
    assert readable("locomo-10-turn", "turn") == "locomo-10"  # a name, not words


@pytest.fixture
def record() -> SampleRecord:
    return SampleRecord(make_fixture(60), [make_methodology("1.0.0", "## 1 Score\n\nText.")])


def made(record: SampleRecord) -> Board:
    history = record.history()
    return board(history, history.of("retrieval"), record.body, record.library, methodology="1.0.0", newer="")


def test_a_row_is_the_latest_receipt_never_the_best_and_counts_its_runs(record: SampleRecord):
    record.publish("one", 0.9)
    latest = record.publish("one", 0.3)
    found = made(record)
    assert [(row.header.receipt_id, row.runs) for row in found.ranked] == [(latest, 2)]


def test_floors_take_no_rank_and_absent_ones_are_named(record: SampleRecord):
    record.publish("bm25", 0.99)
    record.publish("one", 0.4)
    found = made(record)
    assert [row.name for row in found.ranked] == ["one"]
    assert [(row.name, row.rank) for row in found.floors] == [("bm25", "")]
    assert found.missing_floors == ("recency", "random")
    assert found.floor == found.floors[0].value


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
    assert "Withdrawn by its publisher" in gone_reason


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
    assert (found.found, found.asked) == (counted["num"], counted["den"])
    # 60 queries, every tenth without an answer.
    assert found.asked == 54
    assert found.success == pytest.approx(counted["num"] / 54)
