from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.history import Header, History
from benchsite.receipt import parse
from benchsite.track import Library
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.figures import SATURATED
from benchsite.tracks.retrieval.receipt_page import Certificate, _sentence, certificate


@pytest.fixture(scope="module")
def record() -> SampleRecord:
    made = SampleRecord(make_fixture(60), [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    made.publish("one", 0.7)
    return made


def view(record: SampleRecord, history: History | None = None, **changes: Any) -> Certificate:
    header = (history or record.history()).headers[0]
    body: Mapping[str, Any] = {**record.body(header.receipt_id), **changes}
    return certificate(header, body, record.library)


def test_the_sentence_counts_what_was_found_left_out_and_failed(record: SampleRecord):
    counted = record.history().headers[0]
    num = record.body(counted.receipt_id)["denominators"]["success_at_10"]["num"]
    assert view(record).sentence == (
        f"It found a right turn among its first ten answers for {num} of 54 questions. "
        "6 questions were left out, having no answer among the items; none failed."
    )


def rows_of(answerable: int, silent: int, bare: int) -> list[dict[str, Any]]:
    """Rows with evidence, without an answer, and with an answer but only a graded 0 to show for it."""
    found = [{"answerable": True, "expected": [{"id": "a", "grade": 1}], "error": None}] * answerable
    found += [{"answerable": False, "expected": [], "error": None}] * silent
    return found + [{"answerable": True, "expected": [{"id": "a", "grade": 0}], "error": None}] * bare


@pytest.mark.parametrize(
    ("silent", "bare", "excluded", "said"),
    [
        (0, 0, 0, "None failed."),
        (2, 0, 2, "2 questions were left out, having no answer among the items; none failed."),
        (1, 0, 1, "1 question was left out, having no answer among the items; none failed."),
        (0, 3, 3, "3 questions were left out, having no usable evidence; none failed."),
        (
            446,
            4,
            450,  # as in LoCoMo
            "450 questions were left out: 446 have no answer among the items, 4 have no usable evidence; none failed.",
        ),
        (
            1,
            1,
            2,
            "2 questions were left out: 1 has no answer among the items, 1 has no usable evidence; none failed.",
        ),
        (2, 1, 9, "9 questions were left out; none failed."),  # a wrong count is quoted, not explained
    ],
)
def test_why_questions_were_left_out_is_counted_from_the_rows(
    silent: int, bare: int, excluded: int, said: str
):
    document = {
        "denominators": {"success_at_10": {"num": 3, "den": 5, "excluded": excluded}},
        "perQuery": rows_of(5, silent, bare),
    }
    before = "It found a right turn among its first ten answers for 3 of 5 questions. "
    assert _sentence(document, "turn", 10) == before + said


def test_failed_questions_are_said_to_count_as_not_found(record: SampleRecord):
    rows = record.body(record.history().headers[0].receipt_id)["perQuery"]
    failed = [{**row, "error": "timeout", "retrieved": []} for row in rows[:2]] + rows[2:]
    found = view(record, perQuery=failed)
    assert found.sentence.endswith("2 failed and count as not found.")
    assert found.answers[0].error == "no answer in time"


def test_twin_names_share_a_line_and_every_score_has_one(record: SampleRecord):
    found = view(record)
    scores = record.body(record.history().headers[0].receipt_id)["scores"]
    assert sorted(key for number in found.numbers for key in number.keys) == sorted(scores)
    success = next(number for number in found.numbers if number.label == "success@10")
    assert success.keys == ("recall_at_10", "success_at_10")
    assert success.words == "at least one right turn in the first ten"
    first = next(number for number in found.numbers if number.label == "true recall@1")
    assert first.words == "share of all right turns found in first place"


def test_shares_show_a_numerator_and_means_only_a_denominator(record: SampleRecord):
    by_label = {number.label: number for number in view(record).numbers}
    assert by_label["success@5"].num is not None
    assert by_label["nDCG@10"].num is None
    assert (by_label["nDCG@10"].den, by_label["nDCG@10"].excluded) == (54, 6)


@pytest.mark.parametrize(("smallest", "saturated"), [(4, {5, 10}), (5, {5, 10}), (6, {10}), (11, set())])
def test_cut_offs_that_cover_the_smallest_scope_are_called_saturated(
    record: SampleRecord, smallest: int, saturated: set[int]
):
    fixture = record.body(record.history().headers[0].receipt_id)["fixture"]
    found = view(record, fixture={**fixture, "smallestScope": smallest})
    said = {number.label for number in found.numbers if number.words.endswith(SATURATED)}
    assert said == {
        number.label for number in found.numbers if int(number.label.partition("@")[2] or 0) in saturated
    }
    assert bool(found.saturation) == (10 in saturated)
    if saturated:
        assert f"It holds {smallest} turns" in found.saturation


@pytest.mark.parametrize(
    ("access", "words"),
    [("off", "network off"), ("allowed", "network allowed"), ("not blocked", "network not blocked, because")],
)
def test_what_was_run_says_which_network_the_adapter_had(record: SampleRecord, access: str, words: str):
    adapter = record.body(record.history().headers[0].receipt_id)["adapter"]
    (_, run), (_, settings) = view(record, adapter={**adapter, "networkAccess": access}).facts
    assert run.startswith("one 1.2.0; own process; " + words)
    assert settings == "seed 7; k 1, 5, 10; one run; at most 60 s a question"


def test_an_imported_fixture_says_what_it_was_made_from(record: SampleRecord):
    assert view(record).imported == ""
    config = record.body(record.history().headers[0].receipt_id)["config"]
    importer = {
        "kind": "locomo",
        "sha256": "79fa87e9" + "0" * 56,
        "options": {"errata": None, "captions": False},
    }
    found = view(record, config={**config, "importer": importer}).imported
    assert found == "locomo data, sha256 79fa87e9…; captions no; errata none"


def test_questions_stand_in_the_fixtures_order_with_their_texts(record: SampleRecord):
    rows = record.body(record.history().headers[0].receipt_id)["perQuery"]
    found = view(record, perQuery=rows[::-1])
    assert [answer.query_id for answer in found.answers[:3]] == ["q0000", "q0001", "q0002"]
    assert found.answers[0].text == record.fixture["queries"][0]["query"]
    assert len(found.answers) == 25
    assert found.total_answers == 60


def test_rows_the_fixture_does_not_know_come_last(record: SampleRecord):
    rows = record.body(record.history().headers[0].receipt_id)["perQuery"]
    found = view(record, perQuery=[{**rows[0], "queryId": "strange"}, rows[2], rows[1]])
    assert [(answer.query_id, bool(answer.text)) for answer in found.answers] == [
        ("q0001", True),
        ("q0002", True),
        ("strange", False),
    ]


def test_without_the_fixture_ids_stand_in_for_texts(record: SampleRecord):
    header = record.history().headers[0]
    found = certificate(header, record.body(header.receipt_id), Library((), lambda _id, _sha: None))
    assert not found.texts
    assert {answer.text for answer in found.answers} == {""}


def test_a_question_without_an_answer_is_apart_not_missed(record: SampleRecord):
    answers = {answer.query_id: answer for answer in view(record).answers}
    assert not answers["q0009"].scored
    assert answers["q0000"].scored


def test_faults_are_listed_in_words_and_none_is_none(record: SampleRecord):
    assert view(record).faults == ()
    faults = {"duplicates": 0, "foreignIds": 2, "badScores": 0, "overK": 0, "failed": 0, "timedOut": 1}
    assert view(record, faults=faults).faults == (
        ("ids from outside the question's scope", 2),
        ("questions that ran out of time and count as not found", 1),
    )


def test_flags_on_the_times_become_sentences(record: SampleRecord):
    timing = record.body(record.history().headers[0].receipt_id)["timing"]
    (caution,) = view(record, timing={**timing, "flags": ["low-n"]}).cautions
    assert caution.startswith("Fewer than 20 questions")


def test_a_receipt_that_may_not_be_quoted_is_refused(record: SampleRecord):
    header = record.history().headers[0]
    lost = Header(
        header.receipt_id,
        "retrieval",
        header.path,
        "",
        "",
        0,
        None,
        header.verdict,
        header.rescore,
        (),
    )
    with pytest.raises(ValueError, match="may not be quoted"):
        certificate(lost, {}, record.library)


def test_the_seeds_receipt_is_read_with_its_fewer_fields(shared: Path, record: SampleRecord):
    receipt = parse((shared / "data" / "przm_receipt_b12b9a56.json").read_bytes())
    header = record.history().headers[0]
    from dataclasses import replace

    old = replace(header, summary=TRACK.summary(receipt.document, None), methodology="0.0.1")
    found = certificate(old, receipt.document, record.library)
    rows = json.loads((shared / "data" / "przm_receipt_b12b9a56.json").read_bytes())["perQuery"]
    assert found.sentence == (
        f"It says that it found a right item among its first ten answers for "
        f"{sum(row['hit'] for row in rows)} of {len(rows)} questions."
    )
    assert [number.label for number in found.numbers] == ["success@5", "success@10", "nDCG@10"]
    assert {number.den for number in found.numbers} == {None}
    assert found.faults[0][0] == "the same id more than once in one answer"
    assert {words for words, _, _ in found.speeds} == {
        "half of the questions within",
        "19 of 20 within",
        "items taken in a second",
    }
