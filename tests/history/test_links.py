from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from boards import begin
from puzzles import PUZZLES, TRACK, body
from puzzles import header as measured
from repeats import SETTINGS, again, pinned
from sample_record import SampleRecord

from benchsite.board import receipt_page
from benchsite.history import Header, Reproduction, Rescore, Verdict
from benchsite.history.links import linked
from benchsite.site.render import Renderer
from benchsite.track import Library

STRANGER = {"kind": "submitted", "name": "a stranger"}


@pytest.fixture
def record() -> SampleRecord:
    return begin()


def header(record: SampleRecord, receipt_id: str) -> Header:
    found = record.history().get(receipt_id)
    assert found is not None
    return found


def test_a_run_made_again_with_the_same_scores_is_identical(record: SampleRecord) -> None:
    original = pinned(record)
    copy = again(record, original, ranBy=STRANGER)
    assert header(record, original).reproduced_by == (
        Reproduction(copy, "submitted a stranger", "identical"),
    )
    assert header(record, copy).reproduction == "identical"


def test_other_scores_differ(record: SampleRecord) -> None:
    original = pinned(record, skill=0.9)
    copy = pinned(record, "good", 0.2, reproduces=original)
    assert [item.outcome for item in header(record, original).reproduced_by] == ["differs"]
    assert header(record, copy).reproduction == "differs"


def test_a_reproduction_is_listed_and_not_ranked(record: SampleRecord) -> None:
    original = pinned(record)
    copy = again(record, original)
    history = record.history()
    (row,) = history.rows(history)
    assert (row.header.receipt_id, row.runs) == (original, 1)
    assert header(record, copy).unranked == (f"reproduction of receipt {original}: listed, not ranked",)


def test_another_source_proves_nothing_either_way(record: SampleRecord) -> None:
    original = pinned(record)
    again(record, original, config={**SETTINGS, "subjectSha256": "0b" * 32})
    assert [item.outcome for item in header(record, original).reproduced_by] == ["other source"]


@pytest.mark.parametrize(
    "changes",
    [
        {"config": {**SETTINGS, "repeats": 2}},
        {"config": {**SETTINGS, "options": {"stopwords": True}}},
        {"adapter": "name"},
        {"adapter": "version"},
    ],
    ids=["settings", "options", "name", "version"],
)
def test_a_run_of_something_else_is_no_reproduction(record: SampleRecord, changes: dict[str, Any]) -> None:
    original = pinned(record)
    if isinstance(field := changes.get("adapter"), str):
        changes = {"adapter": {**record.bodies[original]["adapter"], field: "other"}}
    copy = again(record, original, **changes)
    assert header(record, original).reproduced_by == ()
    assert header(record, copy).reproduction is None


def test_a_receipt_cannot_reproduce_itself(record: SampleRecord) -> None:
    name = "0f8fad5b-d9cb-469f-a165-70867728950e"
    pinned(record, receiptId=name, reproduces=name)
    assert header(record, name).reproduced_by == ()
    assert header(record, name).reproduction is None


def test_an_unknown_original_is_no_original(record: SampleRecord) -> None:
    copy = pinned(record, reproduces="0f8fad5b-d9cb-469f-a165-70867728950e")
    assert header(record, copy).reproduction is None


def test_a_chain_counts_link_by_link(record: SampleRecord) -> None:
    first = pinned(record)
    second = again(record, first)
    third = again(record, second)
    assert [item.receipt_id for item in header(record, first).reproduced_by] == [second]
    assert [item.receipt_id for item in header(record, second).reproduced_by] == [third]


def test_two_receipts_that_name_each_other_count_once(record: SampleRecord) -> None:
    """The earlier one names a receipt that came later: it cannot have repeated it."""
    late = "0f8fad5b-d9cb-469f-a165-70867728950e"
    early = pinned(record, reproduces=late)
    again(record, early, receiptId=late)
    assert [item.receipt_id for item in header(record, early).reproduced_by] == [late]
    assert header(record, late).reproduced_by == ()


def test_a_withdrawn_reproduction_no_longer_counts(record: SampleRecord) -> None:
    original = pinned(record)
    copy = again(record, original)
    record.add({"type": "retract", "receiptId": copy, "reason": "measured by mistake"})
    assert header(record, copy).verdict is Verdict.RETRACTED
    assert header(record, original).reproduced_by == ()


def test_numbers_that_do_not_follow_reproduce_nothing(record: SampleRecord) -> None:
    original = pinned(record)
    scores = {**record.bodies[original]["scores"], "ndcg_at_5": 0.5}
    copy = again(record, original, scores=scores)
    assert header(record, copy).rescore is Rescore.DIFFERS
    assert header(record, original).reproduced_by == ()


OLD, NEW = "sha256:" + "0a" * 32, "sha256:" + "0b" * 32


def suspect_and(**changes: Any) -> Header:
    """A suspect receipt at entry 3, beside a later one of the same measurement with another key."""
    first = replace(
        measured("crane", 40, 5), receipt_id="first", index=3, signer=OLD, verdict=Verdict.SUSPECT
    )
    second = replace(measured("crane", 41, 5), receipt_id="second", index=7, signer=NEW)
    return linked([first, replace(second, **changes)])[0]


def test_a_suspect_receipt_names_the_same_measurement_under_another_key() -> None:
    assert suspect_and().remeasured_by == "second"
    newest = replace(measured("crane", 42, 5), receipt_id="third", index=9, signer=NEW)
    first = replace(
        measured("crane", 40, 5), receipt_id="first", index=3, signer=OLD, verdict=Verdict.SUSPECT
    )
    middle = replace(newest, receipt_id="second", index=7)
    assert [one.remeasured_by for one in linked([first, middle, newest])] == ["third", None, None]


@pytest.mark.parametrize(
    "changes",
    [
        {"signer": OLD},
        {"index": 2},
        {"verdict": Verdict.RETRACTED},
        {"verdict": Verdict.SUSPECT},
        {"unranked": ("dirty tree",)},
        {"methodology": "2.0.0"},
        {"track": "mazes"},
        {"ran_by": "submitted a stranger"},
        {"summary": None},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_does_not_replace_a_suspect_receipt_is_not_named(changes: dict[str, Any]) -> None:
    assert suspect_and(**changes).remeasured_by is None


def test_the_page_of_a_suspect_receipt_leads_to_its_replacement() -> None:
    made = receipt_page(PUZZLES, suspect_and(), body(40), Library([], lambda _id, _sha256: None))
    html = Renderer({"puzzles": TRACK}).body(made)
    assert "Re-measured, signed with another key: <a href=" in html
    assert 'receipts/se/second/">receipt second</a>' in html
