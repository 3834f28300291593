"""LongMemEval's own metrics: hand computations, and a transcription of its definition by ranks as an oracle."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.errors import UsageError
from benchsite.tracks.retrieval.scores.longmemeval import ndcg, report


def definition(relevances: list[int], relevant: int, k: int) -> float:
    """nDCG by the formula of src/retrieval/eval_utils.py: the first gain, and gains 2 to k over log2 of their rank."""

    def dcg(gains: list[int]) -> float:
        return sum(gain if rank == 1 else gain / math.log2(rank) for rank, gain in enumerate(gains[:k], 1))

    return dcg(relevances) / dcg([1] * relevant)


@given(st.lists(st.integers(0, 1), max_size=30), st.integers(0, 9), st.integers(1, 30))
def test_ndcg_is_that_of_the_definition(relevances: list[int], unfound: int, k: int) -> None:
    relevant = sum(relevances) + unfound
    if relevant:
        ranks = [rank for rank, gain in enumerate(relevances, 1) if gain]
        assert ndcg(ranks, relevant, k) == pytest.approx(definition(relevances, relevant, k), abs=1e-12)


def test_ranks_1_and_2_count_alike_and_rank_3_less() -> None:
    assert ndcg([1], 1, 10) == ndcg([2], 1, 10) == 1
    assert ndcg([3], 1, 10) == pytest.approx(1 / math.log2(3))
    # Both found, at ranks 2 and 4: (1 + 1/2) over (1 + 1).
    assert ndcg([2, 4], 2, 10) == 0.75


def row(name: str, expected: list[str], retrieved: list[str], **members: Any) -> dict[str, Any]:
    return {
        "queryId": name,
        "expected": [{"id": item, "grade": 1} for item in expected],
        "retrieved": retrieved,
        **members,
    }


def document(*rows: dict[str, Any], kind: str = "longmemeval", **options: str) -> Any:
    importer = {"kind": kind, "sha256": "0" * 64, "options": options}
    return {"fixture": {"id": "lme"}, "config": {"k": [1, 5], "importer": importer}, "perQuery": list(rows)}


ROWS = (
    row("q1", ["a"], ["x", "a", "a"]),
    row("q2", ["b", "c"], ["c", "b"]),
    row("q3", ["d"], ["d"]),
    row("q4", ["e"], ["e"], error="timeout"),
    row("q5_abs", [], []),
)


def test_questions_without_an_answer_of_the_user_are_skipped_and_their_items_are_not_relevant() -> None:
    made = report(document(*ROWS, answeredByAssistant='["c", "d"]'))
    assert made["skipped"] == {"abstention": 1, "notAnsweredByUser": 1}
    assert made["perQuestion"] == {
        "q1": values(0, 0, 0, 1, 1, 1),
        "q2": values(0, 0, 0, 1, 1, 1),  # c is not relevant here, so that b at rank 2 is everything
        "q4": values(0, 0, 0, 0, 0, 0),  # a failed query found nothing
    }
    assert (made["questions"], made["metrics"]["ndcg_longmemeval_at_5"]) == (3, pytest.approx(2 / 3))


def values(*numbers: float) -> dict[str, float]:
    names = (f"{what}_longmemeval_at_{k}" for k in (1, 5) for what in ("recall_any", "recall_all", "ndcg"))
    return dict(zip(names, numbers, strict=True))


def test_every_question_may_be_skipped() -> None:
    made = report(document(ROWS[-1], answeredByAssistant="[]"))
    assert (made["metrics"], made["questions"]) == ({}, 0)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (document(kind="beam"), "dataset lme is not LongMemEval"),
        ({**document(), "config": {"importer": None}}, "dataset lme is not LongMemEval"),
        *(
            (
                document(answeredByAssistant=text),
                "dataset lme does not say which answers only the assistant gives",
            )
            for text in ("7", '[["a"]]', "x")
        ),
        (document(edition="v2"), "dataset lme does not say which answers only the assistant gives"),
    ],
)
def test_other_receipts_are_refused(given_: Any, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        report(given_)
    assert raised.value.message == said
