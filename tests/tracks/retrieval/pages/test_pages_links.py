"""What boards and certificates say of reproductions, announced runs and runs by others."""

from __future__ import annotations

import csv
import io
import json

import pytest
from boards import begin, certificate, made, renders, text_of
from repeats import SETTINGS, again, announce, pinned
from sample_record import SampleRecord

from benchsite.site.render import Renderer

STRANGER = {"kind": "submitted", "name": "a stranger"}
BOARD = "retrieval/sample-notes-v1/"


@pytest.fixture
def record() -> SampleRecord:
    return begin()


@pytest.fixture
def renderer() -> Renderer:
    return renders()


def test_a_board_lists_reproductions_apart_and_says_who_ran_them(
    record: SampleRecord, renderer: Renderer
) -> None:
    original = pinned(record)
    copy = again(record, original, ranBy=STRANGER)
    page = renderer.body(made(record)[BOARD])
    before, _, section = page.partition('id="reproductions"')
    assert f"receipts/{copy[:2]}/{copy}/" not in before
    assert f"receipts/{copy[:2]}/{copy}/" in section
    assert f"receipts/{original[:2]}/{original}/" in section
    said = text_of(section)
    assert "byte-identical scores" in said
    assert "a stranger (submitted)" in said
    assert 'id="not-ranked"' not in page


def test_both_certificates_link_to_the_other_one(record: SampleRecord, renderer: Renderer) -> None:
    original = pinned(record)
    copy = again(record, original, ranBy=STRANGER)
    first, second = (renderer.body(certificate(record, place)) for place in (0, 1))
    assert f'href="../../../receipts/{copy[:2]}/{copy}/"' in first
    assert "identical: byte-identical scores" in text_of(first)
    assert "by a stranger, submitted, not run by this site:" in text_of(first)
    assert f'href="../../../receipts/{original[:2]}/{original}/"' in second
    assert "a stranger submitted reproduction" in text_of(first)


def test_a_claim_that_does_not_hold_is_no_link(record: SampleRecord, renderer: Renderer) -> None:
    pinned(record, reproduces="0f8fad5b-d9cb-469f-a165-70867728950e")
    for body in (renderer.body(certificate(record)), renderer.body(made(record)[BOARD])):
        assert "does not count: not a valid reproduction of that receipt" in text_of(body)
        assert "receipts/0f/" not in body


def test_an_announced_run_carries_its_mark_and_others_none(record: SampleRecord, renderer: Renderer) -> None:
    pinned(record, "good", 0.9, intentId=announce(record))
    pinned(record, "fair", 0.6)
    page = made(record)
    body = text_of(renderer.body(page[BOARD]))
    assert body.count("✓ pre-registered") == 1
    assert "Unregistered runs are not visible" in body
    rows = csv.DictReader(io.StringIO((page[f"api/v1/{BOARD.rstrip('/')}.csv"].data or b"").decode()))
    assert {row["subject"]: row["preRegistered"] for row in rows} == {"good": "true", "fair": "false"}
    assert "in the log before the run started" in text_of(renderer.body(certificate(record)))


def test_an_announced_run_never_reported_stands_on_its_board(
    record: SampleRecord, renderer: Renderer
) -> None:
    pinned(record)
    missed = announce(record)
    announce(record, subjectSha256="0b" * 32)
    pages = made(record)
    section = text_of(renderer.body(pages[BOARD]).partition('id="unreported"')[2])
    assert "good" in section
    assert "source 0b0b0b0b" in section
    assert "Unregistered runs are not visible." in section
    data = json.loads(pages[f"api/v1/{BOARD.rstrip('/')}.json"].data or b"")
    assert (data["unreported"][0]["intentId"], data["unreported"][0]["subject"]) == (missed, "good")
    assert 'id="unreported"' not in renderer.body(pages["retrieval/"])


def test_one_without_a_board_stands_on_the_list_of_boards(record: SampleRecord, renderer: Renderer) -> None:
    announce(record, target="elsewhere-v1")
    body = renderer.body(made(record)["retrieval/"])
    assert "elsewhere-v1" in body.partition('id="unreported"')[2]


def test_an_overdue_run_says_so_and_one_that_is_due_says_when(
    record: SampleRecord, renderer: Renderer
) -> None:
    pinned(record)
    announce(record, dueBy="1")
    announce(record, dueBy="1200")
    pages = made(record)
    section = text_of(renderer.body(pages[BOARD]).partition('id="unreported"')[2])
    assert "overdue, by entry 1 " in section
    assert "due, by entry 1,200 " in section
    data = json.loads(pages[f"api/v1/{BOARD.rstrip('/')}.json"].data or b"")
    assert [(run["dueBy"], run["overdue"]) for run in data["unreported"]] == [("1", True), ("1200", False)]


def test_a_subject_that_is_not_measured_is_listed_with_the_reason(
    record: SampleRecord, renderer: Renderer
) -> None:
    pinned(record)
    said = {"type": "decline", "track": "retrieval", "subject": "<mem0>", "reason": "trained on \u202e it"}
    record.add({**said, "target": "sample-notes-v1"})
    record.add({**said, "target": "elsewhere-v1"})
    pages = made(record)
    for page, target in ((BOARD, "sample-notes-v1"), ("retrieval/", "elsewhere-v1")):
        section = renderer.body(pages[page]).partition('id="declined"')[2]
        assert f"<td>{target}</td>" in section
        assert section.count("&lt;mem0&gt;") == 1
        assert "\u202e" not in section
    data = json.loads(pages[f"api/v1/{BOARD.rstrip('/')}.json"].data or b"")
    assert [item["subject"] for item in data["declined"]] == ["<mem0>"]


def test_a_run_by_somebody_else_says_so_on_the_board(record: SampleRecord, renderer: Renderer) -> None:
    pinned(record, ranBy=STRANGER, config=SETTINGS)
    page = made(record)
    assert "submitted by a stranger" in text_of(renderer.body(page[BOARD]))
    rows = csv.DictReader(io.StringIO((page[f"api/v1/{BOARD.rstrip('/')}.csv"].data or b"").decode()))
    assert [row["ranBy"] for row in rows] == ["submitted a stranger"]


def test_where_a_stranger_leads_the_front_page_and_the_first_sentences_say_so(record: SampleRecord) -> None:
    record.publish("good", 0.95, ranBy=STRANGER)
    alone = made(record)[BOARD].context
    assert alone["board"].leading == "good (submitted by a stranger)"
    assert alone["board"].lede.startswith("good (submitted by a stranger), nDCG@10")
    record.publish("poor", 0.1)
    ahead = made(record)[BOARD].context
    assert ahead["board"].leading == "good (submitted by a stranger)"
    assert ahead["board"].lede.startswith("Leader: good (submitted by a stranger), nDCG@10")


def test_runs_of_one_system_by_two_are_told_apart_wherever_they_stand(
    record: SampleRecord, renderer: Renderer
) -> None:
    own = pinned(record)
    again(record, own, reproduces=None, ranBy=STRANGER)
    page = made(record)[BOARD]
    # Equal to the last byte: the one that was sent stands second, whatever the ids of the two are.
    assert page.context["board"].leading == "good and good (submitted by a stranger) tie"
    # 60 queries, every tenth without an answer.
    assert page.context["board"].detail["composition"] == "Two runs of good, 54 scored queries."
    # The sentence, the table and the table of categories.
    assert text_of(renderer.body(page)).count("submitted by a stranger") == 3


def test_one_that_is_not_ranked_says_who_sent_it(record: SampleRecord, renderer: Renderer) -> None:
    record.publish("good", 0.9, ranBy=STRANGER, simulated=True)
    section = renderer.body(made(record)[BOARD]).partition('id="not-ranked"')[2]
    assert "submitted by a stranger" in text_of(section)
