"""A leaderboard's statement has every receipt once, and each forgery of it is named."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from boards import begin, current
from sample_record import SampleRecord

from benchsite import canonical
from benchsite.board import one_board
from benchsite.board.discrepancies import discrepancies
from benchsite.board.statement import read, statement
from benchsite.errors import InputError
from benchsite.tracks.retrieval import TRACK

Statement = dict[str, Any]


def small() -> SampleRecord:
    """Two ranked systems, one of them run twice, a baseline, a simulated run and a retracted one."""
    found = begin()
    found.publish("good", 0.9)
    found.publish("poor", 0.1)
    found.publish("good", 0.9)
    found.publish("bm25", 0.5)
    found.publish("false", 0.99, simulated=True)
    gone = found.publish("gone", 0.95)
    found.add({"type": "retract", "receiptId": gone, "reason": "a wrong file"})
    return found


@pytest.fixture(scope="module")
def record() -> SampleRecord:
    return small()


@pytest.fixture
def stated(record: SampleRecord) -> Statement:
    return statement(current(record)[0])


def test_every_receipt_is_stated_once(record: SampleRecord, stated: Statement) -> None:
    first, poor, again, bm25, false, gone = record.bodies
    placed = [(row["receiptId"], row["section"], row["rankFirst"], row["runs"]) for row in stated["rows"]]
    assert placed == [(again, "ranked", 1, 2), (poor, "ranked", 2, 1), (bm25, "baseline", None, 1)]
    assert [(one["receiptId"], one["by"]) for one in stated["earlier"]] == [(first, again)]
    assert {one["receiptId"]: one["reasons"] for one in stated["notRanked"]} == {
        false: ["simulated: no real model answered"],
        gone: ["Retracted by the publisher; kept for the record."],
    }
    assert stated["log"]["size"] == record.log.size
    assert read(canonical.dumps(stated)) == stated


def test_a_leaderboard_without_receipts_states_none(record: SampleRecord) -> None:
    made = one_board(
        TRACK, record.history(), record.body, record.library, target="elsewhere", version="1.0.0"
    )
    assert made is not None
    empty = statement(made)
    assert (empty["rows"], empty["notRanked"], empty["earlier"]) == ([], [], [])


def edited(change: Callable[[Statement], object]) -> Callable[[Statement], Statement]:
    def edit(stated: Statement) -> Statement:
        made = copy.deepcopy(stated)
        change(made)
        return made

    return edit


FORGERIES = {
    "dropped": (edited(lambda one: one["rows"].pop(1)), "row-dropped", "as rank 2"),
    "an excluded receipt dropped": (edited(lambda one: one["notRanked"].pop(0)), "row-dropped", "simulated"),
    "added": (
        edited(
            lambda one: one["rows"].insert(
                0, one["rows"][0] | {"receiptId": "11111111-1111-4111-8111-111111111111"}
            )
        ),
        "row-added",
        "11111111",
    ),
    "listed twice": (
        edited(lambda one: one["rows"].append(one["rows"][0])),
        "row-repeated",
        "more than once",
    ),
    "reordered": (
        edited(lambda one: one["rows"].insert(0, one["rows"].pop(1))),
        "row-reordered",
        "at place 1 of the rows",
    ),
    "a baseline above the systems": (
        edited(lambda one: one["rows"].insert(0, one["rows"].pop(2))),
        "row-reordered",
        "at place 1 of the rows",
    ),
    "re-scored": (edited(lambda one: one["rows"][1].update(value=0.75)), "row-altered", "value of receipt"),
    "re-labeled": (edited(lambda one: one["rows"][1].update(name="great")), "row-altered", '"great"'),
    "reason altered": (
        edited(lambda one: one["notRanked"][0].update(reasons=["slow"])),
        "row-altered",
        '["slow"]; the record gives ["simulated: no real model answered"]',
    ),
    "another metric": (edited(lambda one: one.update(metric="mrr_at_10")), "heading-altered", "ndcg_at_10"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_each_forgery_is_named(stated: Statement, name: str) -> None:
    forge, kind, words = FORGERIES[name]
    (found,) = discrepancies(forge(stated), stated)
    assert found.kind == kind
    assert words in found.message


def test_a_promoted_receipt_is_named_with_its_reason(stated: Statement) -> None:
    forged = copy.deepcopy(stated)
    one = forged["notRanked"].pop(0)
    forged["rows"].append(forged["rows"][1] | {"receiptId": one["receiptId"], "index": one["index"]})
    (found,) = discrepancies(forged, stated)
    assert found.kind == "row-moved"
    assert "the record has it as not ranked: simulated" in found.message


@pytest.mark.parametrize("data", [b"", b"[]", b'{"v":1}', b'{"v":1,"v":1}'])
def test_what_is_no_statement_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="not a leaderboard statement"):
        read(data)
