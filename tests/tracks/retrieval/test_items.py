"""A retrieval receipt as a table: values counted by hand."""

from __future__ import annotations

from typing import Any

from benchsite.tracks.retrieval.items import COLUMNS, rows


def query(name: str, expected: list[tuple[str, int]], retrieved: list[str], **more: Any) -> dict[str, Any]:
    return {
        "queryId": name,
        "scope": "a",
        "answerable": True,
        "expected": [{"id": item, "grade": grade} for item, grade in expected],
        "retrieved": retrieved,
        "foreign": [],
        "hit": False,
        "rank": None,
        "latencyMs": 1.5,
        **more,
    }


def values(*queries: dict[str, Any], ks: tuple[int, ...] = (1, 2), metric: str = "ndcg_at_2") -> list[Any]:
    found = rows({"perQuery": queries, "config": {"k": list(ks)}}, metric)
    return [(row["item"], row["value"], row["success"], row["recall"]) for row in found]


def test_metrics_are_those_of_the_query_at_the_headline_cut_off() -> None:
    perfect = query("perfect", [("x", 1), ("y", 1)], ["x", "y"])
    late = query("late", [("x", 1)], ["a", "a", "b", "x"])  # rank 3 without the duplicate
    half = query("half", [("x", 1), ("y", 1)], ["y", "z"])
    found = values(perfect, late, half)
    # nDCG@2 of one hit at rank 1 of two relevant: 1 / (1 + 1/log2(3)) = 0.61315
    assert found[:2] == [("perfect", 1.0, 1.0, 1.0), ("late", 0.0, 0.0, 0.0)]
    assert (found[2][0], round(found[2][1], 5), *found[2][2:]) == ("half", 0.61315, 1.0, 0.5)


def test_a_query_that_is_not_scored_has_blanks_and_a_failed_one_zeros() -> None:
    unanswerable = query("none", [], ["x"], answerable=False)
    irrelevant = query("irrelevant", [("x", 0)], ["x"])
    failed = query("failed", [("x", 1)], [], error="timeout", latencyMs=None)
    assert values(unanswerable, irrelevant, failed) == [
        ("none", None, None, None),
        ("irrelevant", None, None, None),
        ("failed", 0.0, 0.0, 0.0),
    ]


def test_a_ranking_that_ends_before_the_cut_off_has_no_score_there() -> None:
    assert values(query("q", [("x", 1)], ["x"]), metric="ndcg_at_10") == [("q", None, None, None)]


def test_a_receipt_of_schema_0_0_1_has_its_rankings_without_scores() -> None:
    old = {"queryId": "q", "retrieved": ["x", "y"], "hit": True, "rank": 2, "latencyMs": 3.0}
    (row,) = rows({"perQuery": [old]}, "ndcg_at_10")
    assert (row["value"], row["relevant"], row["retrieved"]) == (None, None, ["x", "y"])
    assert (row["hit"], row["rank"], row["latencyMs"]) == (True, 2, 3.0)


def test_every_column_is_declared() -> None:
    (row,) = rows({"perQuery": [query("q", [("x", 1)], ["x"])], "config": {"k": [10]}}, "ndcg_at_10")
    shared = {"item", "run", "category", "metric", "value", "latencyMs", "costUsd"}
    assert row.keys() - shared == {column.name for column in COLUMNS}
