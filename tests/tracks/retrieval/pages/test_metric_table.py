from __future__ import annotations

import pytest
from sample_record import make_methodology

from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.pages.metric_table import cut_of, largest_cut, numbers, saturated


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("ndcg_at_10", "nDCG@10"),
        ("recall_at_5", "Recall@5"),
        ("recall_all_at_10", "Full recall@10"),
        ("success_at_1", "Hit rate@1"),
        ("abstention_rate", "Abstention rate"),
        ("new_thing_at_3", "new thing@3"),
    ],
)
def test_a_key_is_spoken(key: str, name: str):
    assert TRACK.metric(key).label == name


def test_the_largest_cut_off_is_a_number_not_a_word():
    assert largest_cut(["ndcg_at_5", "ndcg_at_10", "abstention_rate"]) == 10
    assert largest_cut(["abstention_rate"]) == 0


@pytest.mark.parametrize(
    ("k", "smallest", "expected"), [(9, 10, False), (10, 10, True), (11, 10, True), (10, None, False)]
)
def test_a_cut_off_is_saturated_from_the_size_of_the_smallest_scope_on(
    k: int, smallest: int | None, *, expected: bool
):
    assert saturated(k, smallest) is expected


def test_lines_follow_families_then_cut_offs_and_the_rules_name_what_the_page_does_not_know():
    scores = {"ndcg_at_10": 0.5, "ndcg_at_5": 0.4, "success_at_10": 0.7, "recall_at_10": 0.6, "odd_at_3": 0.1}
    rules = make_methodology("1.0.0", "## 1 Score\n\nText.")
    measure = rules.data.measures[0].model_copy(update={"name": "odd_at_k", "words": "odd within k answers"})
    rules = type(rules)(rules.data.model_copy(update={"measures": (measure,)}), rules.text, rules.sha256)
    found = numbers({"schemaVersion": "1.0.0", "scores": scores, "fixture": {}}, "turn", rules)
    assert [line.label for line in found] == ["nDCG@5", "nDCG@10", "Recall@10", "Hit rate@10", "odd@3"]
    assert found[4].words == "odd within 3 answers"


def test_a_metric_names_its_cut_off():
    assert [cut_of(metric) for metric in ("ndcg_at_10", "abstention_rate")] == [10, 0]
