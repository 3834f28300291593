from __future__ import annotations

import pytest

from benchsite.tracks.retrieval.scores.scoring import Query, columns, values

D2, D3 = 0.6309297535714574, 0.5


def test_expected_is_grade_one_or_more():
    query = Query.from_ids({"a": 2, "b": 0, "c": -1, "d": 1}, ["b", "d"])
    assert query.relevant == ("a", "d")
    assert query.ideal == (2, 1)


def test_expected_is_best_first():
    query = Query.from_ids({"a": 1, "b": 3, "c": 2}, [])
    assert (query.relevant, query.ideal) == (("b", "c", "a"), (3, 2, 1))


def test_duplicates_are_dropped_before_the_cut():
    # x x a becomes x a: found within two results, though third in the list.
    query = Query.from_ids({"a": 1}, ["x", "x", "a"])
    assert (query.rank(2), query.hit(2)) == (2, True)
    assert (query.rank(1), query.hit(1)) == (None, False)


def test_rank_is_that_of_the_first_relevant_result():
    assert Query.from_ids({"a": 1, "b": 1}, ["x", "b", "a"]).rank(10) == 2


def test_a_failed_query_retrieved_nothing():
    row = {"expected": [{"id": "a", "grade": 1}], "retrieved": ["a"], "answerable": True}
    assert Query.from_row(row).hit(1)
    failed = Query.from_row({**row, "error": "timeout"})
    assert failed.failed
    assert not failed.hit(1)


def test_columns_carry_mrr_and_map_at_the_largest_cut_only():
    names = [column.name for column in columns((1, 5))]
    assert sorted(names) == sorted(
        [
            *(
                "success_at_1",
                "success_at_5",
                "recall_all_at_1",
                "recall_all_at_5",
            ),
            *(
                "recall_at_1",
                "recall_at_5",
                "precision_at_1",
                "precision_at_5",
                "ndcg_at_1",
                "ndcg_at_5",
            ),
            *("mrr_at_5", "map_at_5"),
        ]
    )


@pytest.mark.parametrize("ks", [(), (0,), (5, 1), (5, 5), (1001,), (-1, 3)])
def test_cuts_outside_the_table_or_out_of_order_are_refused(ks):
    with pytest.raises(ValueError, match="strictly ascending"):
        columns(ks)


def test_graded_results_by_hand():
    # E: grades 3 2 1. Retrieved: grade 1 at rank 1, grade 3 at rank 3; cut 3.
    # DCG = 1 + 3 × 1/2 = 2.5; ideal = 3 + 2 × D2 + 1 × 1/2; AP = (1/1 + 2/3) / 3.
    named = dict(
        zip((column.name for column in columns((3,))), values((3, 2, 1, 3, 0, 1), (3,)), strict=True)
    )
    assert named == pytest.approx(
        {
            "success_at_3": 1,
            "recall_all_at_3": 0,
            "recall_at_3": 2 / 3,
            "precision_at_3": 2 / 3,
            "ndcg_at_3": 2.5 / (3 + 2 * D2 + D3),
            "mrr_at_3": 1,
            "map_at_3": (1 + 2 / 3) / 3,
        },
        abs=1e-15,
    )


def test_ideal_is_cut_where_there_are_more_relevant_items_than_places():
    # Three relevant items, one place, taken: nDCG@1 is 1, recall 1/3.
    named = dict(
        zip((column.name for column in columns((1,))), values((1, 1, 1, 0, 1, 0), (1,)), strict=True)
    )
    assert (named["ndcg_at_1"], named["recall_at_1"], named["recall_all_at_1"]) == (1, 1 / 3, 0)
