from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.history import Header, History
from benchsite.receipt import parse
from benchsite.track import Library
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.pages.metric_table import SATURATED
from benchsite.tracks.retrieval.pages.receipt_page import Certificate, _sentence, certificate


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
        f"Hit rate@10 {100 * num / 54:.1f}% ({num}/54); 6 queries excluded (6 unanswerable); no failed queries."
    )


def rows_of(answerable: int, silent: int, bare: int) -> list[dict[str, Any]]:
    """Rows with evidence, without an answer, and with an answer but only a graded 0 to show for it."""
    found = [{"answerable": True, "expected": [{"id": "a", "grade": 1}], "error": None}] * answerable
    found += [{"answerable": False, "expected": [], "error": None}] * silent
    return found + [{"answerable": True, "expected": [{"id": "a", "grade": 0}], "error": None}] * bare


@pytest.mark.parametrize(
    ("silent", "bare", "excluded", "said"),
    [
        (0, 0, 0, ""),
        (2, 0, 2, "2 queries excluded (2 unanswerable); "),
        (1, 0, 1, "1 query excluded (1 unanswerable); "),
        (0, 3, 3, "3 queries excluded (3 without relevant items); "),
        (
            446,
            4,
            450,  # as in LoCoMo
            "450 queries excluded (446 unanswerable, 4 without relevant items); ",
        ),
        (1, 1, 2, "2 queries excluded (1 unanswerable, 1 without relevant items); "),
        (2, 1, 9, "9 queries excluded; "),  # a wrong count is quoted, not explained
    ],
)
def test_why_questions_were_left_out_is_counted_from_the_rows(
    silent: int, bare: int, excluded: int, said: str
):
    document = {
        "denominators": {"success_at_10": {"num": 3, "den": 5, "excluded": excluded}},
        "perQuery": rows_of(5, silent, bare),
    }
    assert _sentence(document, 10) == f"Hit rate@10 60.0% (3/5); {said}no failed queries."


def test_failed_questions_are_said_to_count_as_not_found(record: SampleRecord):
    rows = record.body(record.history().headers[0].receipt_id)["perQuery"]
    failed = [{**row, "error": "timeout", "retrieved": []} for row in rows[:2]] + rows[2:]
    found = view(record, perQuery=failed)
    assert found.sentence.endswith("2 failed queries, scored 0.")
    assert found.answers[0].error == "timeout"


def test_every_score_is_a_cell_of_its_metric_and_cut_off(record: SampleRecord):
    found = view(record)
    body = record.body(record.history().headers[0].receipt_id)
    assert sorted(key for number in found.numbers for key in number.keys) == sorted(body["scores"])
    assert found.cuts == (1, 5, 10)
    by_label = {metric.label: metric for metric in found.metrics}
    hit_rate, recall, mrr = by_label["Hit rate (success@k)"], by_label["Recall"], by_label["MRR"]
    for place, k in enumerate(found.cuts):
        cell, interval = recall.cells[place], body["intervals"][f"recall_at_{k}"]
        assert cell is not None
        assert (cell.value, cell.counts) == (f"{body['scores'][f'recall_at_{k}']:.3f}", "")
        assert cell.interval == f"[{interval['low']:.3f}, {interval['high']:.3f}]"
        counted = body["denominators"][f"success_at_{k}"]
        share = hit_rate.cells[place]
        assert share is not None
        assert share.counts == f"{counted['num']}/54"
    assert [cell is None for cell in mrr.cells] == [True, True, False]
    assert len(by_label["Abstention rate"].cells) == 1
    assert (recall.n, recall.excluded) == ("54", "6")


def test_shares_show_a_numerator_and_means_only_a_denominator(record: SampleRecord):
    by_label = {number.label: number for number in view(record).numbers}
    assert by_label["Hit rate@5"].num is not None
    assert by_label["nDCG@10"].num is None
    assert (by_label["nDCG@10"].den, by_label["nDCG@10"].excluded) == (54, 6)


@pytest.mark.parametrize(("smallest", "saturated"), [(4, {5, 10}), (5, {5, 10}), (6, {10}), (11, set())])
def test_cut_offs_that_cover_the_smallest_scope_are_called_saturated(
    record: SampleRecord, smallest: int, saturated: set[int]
):
    fixture = record.body(record.history().headers[0].receipt_id)["fixture"]
    found = view(record, fixture={**fixture, "smallestScope": smallest})
    said = {
        int(k)
        for metric in found.metrics
        if metric.words.endswith(SATURATED)
        for k in re.findall(r"@(\d+)", metric.words.rpartition("; ")[2])
    }
    assert said == saturated
    assert bool(found.saturation) == (10 in saturated)
    if saturated:
        assert f"the smallest scope has {smallest} turns" in found.saturation


@pytest.mark.parametrize(
    ("access", "words"),
    [
        ("off", "network off"),
        ("allowed", "network allowed"),
        ("not blocked", "network not blocked (unshare unavailable)"),
    ],
)
def test_what_was_run_says_which_network_the_adapter_had(record: SampleRecord, access: str, words: str):
    adapter = record.body(record.history().headers[0].receipt_id)["adapter"]
    (_, run), (_, settings) = view(record, adapter={**adapter, "networkAccess": access}).facts
    assert run.startswith("one 1.2.0; own process; " + words)
    assert settings == "seed 7; k 1, 5, 10; 1 run; query timeout 60 s"


def test_an_external_run_names_its_run_file_and_has_no_times(record: SampleRecord):
    body = record.body(record.history().headers[0].receipt_id)
    source = {"kind": "trec-run", "name": "mine.run", "sha256": "ab" * 32, "size": 9}
    adapter = {**body["adapter"], "network": None, "networkAccess": None}
    config = {**body["config"], "isolation": None, "timeoutSeconds": None, "threads": None, "source": source}
    seen = view(record, adapter=adapter, config=config, origin="external-run")
    assert dict(seen.facts)["Run file"] == "mine.run, sha256 abababab…"
    assert "network" not in dict(seen.facts)["Adapter"]
    assert seen.timing == ()


def test_an_imported_fixture_says_what_it_was_made_from(record: SampleRecord):
    assert view(record).imported == ""
    config = record.body(record.history().headers[0].receipt_id)["config"]
    importer = {
        "kind": "locomo",
        "sha256": "79fa87e9" + "0" * 56,
        "options": {"errata": None, "captions": False},
    }
    found = view(record, config={**config, "importer": importer}).imported
    assert found == "locomo dataset, sha256 79fa87e9…; captions no; errata none"


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


def test_an_unanswerable_query_is_answered_or_abstained_and_never_missed(record: SampleRecord):
    rows = record.body(record.history().headers[0].receipt_id)["perQuery"]
    row = next(row for row in rows if not row["answerable"])
    for retrieved, outcome in ((["x"], "unanswerable (answered)"), ([], "unanswerable (abstained)")):
        (answer,) = view(record, perQuery=[{**row, "retrieved": retrieved}]).answers
        assert answer.outcome == outcome


def test_returned_ids_are_beside_the_relevant_ones_and_marked(record: SampleRecord):
    row = record.body(record.history().headers[0].receipt_id)["perQuery"][0]
    expected = [{"id": name, "grade": 1} for name in ("a", "b", "c")]
    changed = {**row, "expected": expected, "retrieved": ["x", "b", "x", "y", "a"], "rank": 2}
    _, _, relevant, returned, rank, _ = view(record, perQuery=[changed]).answers[0].cells
    assert (relevant, returned, rank) == ("a, b +1", "x, ✓ b, y +1", "2")
    missed = {**changed, "retrieved": ["x"], "rank": None}
    assert view(record, perQuery=[missed]).answers[0].outcome == "not in top 10"


def test_faults_are_listed_in_words_and_none_is_none(record: SampleRecord):
    assert view(record).faults == ()
    faults = {"duplicates": 0, "foreignIds": 2, "badScores": 0, "overK": 0, "failed": 0, "timedOut": 1}
    assert view(record, faults=faults).faults == (
        ("ids outside the query's scope", 2),
        ("timed-out queries, scored 0", 1),
    )


def test_flags_on_the_times_become_sentences(record: SampleRecord):
    timing = record.body(record.history().headers[0].receipt_id)["timing"]
    (caution,) = view(record, timing={**timing, "flags": ["low-n"]}).cautions
    assert caution.startswith("n < 20 timed queries")


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
    with pytest.raises(ValueError, match="failed verification"):
        certificate(lost, {}, record.library)


def test_the_seeds_receipt_is_read_with_its_fewer_fields(shared: Path, record: SampleRecord):
    receipt = parse((shared / "data" / "przm_receipt_b12b9a56.json").read_bytes())
    header = record.history().headers[0]
    from dataclasses import replace

    old = replace(header, summary=TRACK.summary(receipt.document, None), methodology="0.0.1")
    found = certificate(old, receipt.document, record.library)
    rows = json.loads((shared / "data" / "przm_receipt_b12b9a56.json").read_bytes())["perQuery"]
    hits = sum(row["hit"] for row in rows)
    assert found.sentence == f"Hits in the top 10: {hits} of {len(rows)} queries (self-reported)."
    assert [metric.label for metric in found.metrics] == ["nDCG", "Hit rate (recall_at_k in 0.0.1)"]
    assert {number.den for number in found.numbers} == {None}
    assert found.faults[0][0] == "duplicate ids in a result list"
    assert {words for words, _, _ in found.timing} == {"p50", "p95", "Ingest"}
