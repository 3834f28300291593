from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchsite.receipt import ReceiptError
from benchsite.tracks.retrieval.record import violations as rules
from benchsite.tracks.retrieval.record.payload import Config, Payload
from benchsite.tracks.retrieval.record.verification import check
from benchsite.tracks.retrieval.record.violations import examine, rescorable, rescore, violations

VECTORS = Path(__file__).resolve().parents[3] / "vectors" / "retrieval"
CASES = json.loads((VECTORS / "invariants.json").read_bytes())["cases"]


@pytest.fixture
def worked() -> dict[str, Any]:
    return json.loads((VECTORS / "worked.json").read_bytes())["document"]


@pytest.fixture
def przm(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "data" / "przm_receipt_b12b9a56.json").read_bytes())


def place(document: Any, pointer: str) -> tuple[Any, Any]:
    *steps, last = pointer.lstrip("/").split("/")
    for step in steps:
        document = document[int(step) if isinstance(document, list) else step]
    return document, int(last) if isinstance(document, list) else last


def edited(document: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    for pointer, value in case["set"].items():
        target, key = place(changed, pointer)
        target[key] = value
    for pointer in case["remove"]:
        target, key = place(changed, pointer)
        del target[key]
    return changed


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_each_edit_breaks_what_it_should_and_nothing_else(worked, case):
    document = edited(worked, case)
    # An edit that the schema already refuses would not need an invariant.
    Payload.model_validate({key: value for key, value in document.items() if key != "config"})
    Config.model_validate(document["config"])
    found = violations(document)
    assert sorted({violation.code for violation in found}) == case["codes"]
    assert all(violation.message.endswith(".") and violation.field for violation in found)


def test_rescore_names_the_field_and_both_values(worked):
    assert rescore(worked, bootstrap=True) == []
    worked["scores"]["ndcg_at_3"] = 0.5
    worked["byCategory"]["plain"]["denominators"]["success_at_1"]["num"] = 2
    found = {difference.field: (difference.recorded, difference.computed) for difference in rescore(worked)}
    assert found == {
        "scores.ndcg_at_3": (0.5, 0.4367120776450097),
        "byCategory.plain.denominators.success_at_1.num": (2, 1),
    }


def test_bootstrap_intervals_are_compared_on_request(worked):
    worked["intervals"]["map_at_3"]["low"] = 0.06
    assert rescore(worked) == []
    (difference,) = rescore(worked, bootstrap=True)
    assert (difference.field, difference.recorded, difference.computed) == (
        "intervals.map_at_3.low",
        0.06,
        0.05,
    )


def test_an_interval_of_no_score_is_a_difference(worked):
    worked["intervals"]["ndcg_at_2"] = {"low": 0, "high": 1, "method": "bootstrap"}
    assert [difference.field for difference in rescore(worked)] == ["intervals.ndcg_at_2"]


def test_examine_is_rescore_and_violations(worked):
    worked["scores"]["ndcg_at_3"] = 0.9
    assert examine(worked) == (rescore(worked), violations(worked))


def test_message_says_why_in_words(worked):
    worked["scores"]["ndcg_at_3"] = 0.913
    message = next(v.message for v in violations(worked) if v.code == "ndcg-above-success")
    assert message.startswith(
        "nDCG@3 is 0.913 but hit rate@3 is 0.600. A query without a hit scores 0 in both."
    )


def test_a_receipt_scored_under_the_earlier_text_of_1_0_0_is_refused_by_name(worked):
    check({"schemaVersion": "1.0.0"} | worked)
    worked["scores"]["true_recall_at_3"] = 0.5
    with pytest.raises(ReceiptError, match="earlier text") as caught:
        check({"schemaVersion": "1.0.0"} | worked)
    assert caught.value.field == "scores.true_recall_at_3"
    assert "benchsite run retrieval" in caught.value.hint


def test_two_numbers_that_differ_never_read_the_same(worked):
    worked["scores"]["ndcg_at_3"] = 0.43671207764500974
    (violation,) = violations(worked)
    assert "0.43671207764500974" in violation.message
    assert "0.4367120776450097," not in violation.message
    assert "0.4367120776450097." in violation.message


def test_the_real_receipt_of_schema_0_0_1_is_impossible(przm):
    found = {violation.code: violation for violation in violations(przm)}
    assert set(found) == {"ndcg-above-success", "duplicate-ids"}
    assert found["ndcg-above-success"].message.startswith("nDCG@10 is 0.913 but hit rate@10 is 0.778.")
    # Counted with a one-liner over the file: every one of the 27 lists of 10 repeats an id.
    assert found["duplicate-ids"].message.startswith("27 of 27 queries list a result more than once")
    assert "raises nDCG above its maximum" in found["duplicate-ids"].message


def legacy() -> dict[str, Any]:
    return {
        "benchVersion": "0.0.1",
        "scores": {"recall_at_1": 0.5, "recall_at_5": 1, "ndcg_at_5": 0.8, "latency_p50_ms": 1821},
        "perQuery": [
            {"queryId": "q1", "retrieved": ["a", "b"], "hit": True, "rank": 1},
            {"queryId": "q2", "retrieved": ["a", "b"], "hit": True, "rank": 2},
            {"queryId": "q3", "retrieved": ["c"], "hit": False, "rank": None},
        ],
    }


def test_an_honest_receipt_of_schema_0_0_1_passes():
    # q3 may have had no expected ids: then recall@1 is 1 of 2, recall@5 2 of 2.
    assert violations(legacy()) == []
    assert not rescorable(legacy())
    with pytest.raises(ValueError, match="expected ids"):
        rescore(legacy())


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda d: d["scores"].update(recall_at_1=0.9), "score-differs"),
        (lambda d: d["scores"].update(recall_at_1=1, recall_at_5=0.5), "success-falls"),
        (lambda d: d["scores"].update(ndcg_at_5=1.01), "out-of-range"),
        (lambda d: d["perQuery"][2].update(hit=True), "hit-rank"),
        (lambda d: d["perQuery"][2].update(rank=1), "hit-rank"),
        (lambda d: d["perQuery"][0].update(rank=3), "hit-rank"),
        (lambda d: d["perQuery"][0].update(retrieved=["a", "a"]), "duplicate-ids"),
    ],
)
def test_what_schema_0_0_1_can_be_caught_at(change, code):
    document = legacy()
    change(document)
    assert code in {violation.code for violation in violations(document)}


@given(st.integers(0, 12), st.integers(0, 12), st.floats(-0.5, 1.5) | st.fractions(0, 1, max_denominator=12))
@example(3, 9, 3 / 7)
@example(1, 12, 1e-320)
def test_a_share_is_one_of_any_number_of_scored_queries(hits: int, queries: int, value: Any):
    shares = [
        hits / scored for scored in range(max(hits, 1), queries + 1)
    ]  # every one of them, tried in turn
    expected = any(abs(float(value) - share) < 1e-9 for share in shares)
    assert rules._is_share(float(value), hits, queries) is expected


class Counted(dict[str, Any]):
    """A row that counts how often its rank is read."""

    read = 0

    def __getitem__(self, key: str) -> Any:
        Counted.read += key == "rank"
        return super().__getitem__(key)


def test_the_work_on_schema_0_0_1_does_not_multiply_scores_by_rows():
    counts = []
    for scores in (1, 50):
        document = legacy()
        document["scores"] = {f"recall_at_{k}": 1.0 for k in range(1, scores + 1)}
        document["perQuery"] = [Counted(row) for row in document["perQuery"]]
        Counted.read = 0
        violations(document)
        counts.append(Counted.read)
    assert counts[0] == counts[1]


def test_a_receipt_that_names_the_seed_s_methodology_is_not_scored_by_another_engine() -> None:
    """Schema 1.0.0 with methodology 0.0.1: nothing is computed under 0.0.1 again, and nothing fails."""
    from documents import digest_of
    from sample_record import SampleRecord, make_fixture, make_methodology

    record = SampleRecord(make_fixture(20), [make_methodology("1.0.0", "text")])
    named = {"id": "retrieval", "version": "0.0.1", "sha256": digest_of("retrieval", "0.0.1")}
    record.publish("one", 0.5, methodology=named)
    (header,) = record.history()
    assert header.verdict.value in ("UNSUPPORTED", "INVALID")
    assert header.summary is None
