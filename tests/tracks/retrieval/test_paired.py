"""The numbers of two receipts by query: metrics that a cut-off of a whole scope saturates are named."""

from __future__ import annotations

from typing import Any

import pytest

from benchsite.tracks.retrieval.paired import per_item

WITHOUT_ORDER = {"recall_all_at_10", "recall_at_10", "success_at_10"}


def document(smallest: int | None) -> dict[str, Any]:
    row = {
        "queryId": "q",
        "scope": "a",
        "answerable": True,
        "expected": [{"id": "x", "grade": 1}],
        "retrieved": ["y", "x"],
        "foreign": [],
        "latencyMs": 1.5,
    }
    return {"perQuery": [row], "config": {"k": [1, 5, 10]}, "fixture": {"smallestScope": smallest}}


@pytest.mark.parametrize(("smallest", "is_full"), [(9, True), (10, True), (11, False), (None, False)])
def test_a_metric_that_is_1_in_any_order_is_named(*, smallest: int | None, is_full: bool) -> None:
    found = per_item(document(smallest))
    # The top five cannot hold a scope of nine; the order counts for nDCG at any cut-off.
    assert found.saturated == (WITHOUT_ORDER if is_full else set())
    # One relevant item at rank 2: 1 / log2 3.
    assert found.metrics["ndcg_at_10"]["q"] == pytest.approx(0.6309297535714575)
    assert found.metrics.keys() >= WITHOUT_ORDER
