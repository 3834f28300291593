"""Run files of others scored by query: equal to trec_eval through pytrec_eval."""

from __future__ import annotations

import random

import pytest
import pytrec_eval

from benchsite.errors import InputError, UsageError
from benchsite.tracks.retrieval.outcomes import metric, of_runs

QRELS = b"q1 0 a 2\nq1 0 b 0\nq2 0 c 1\nq2 0 d 1\nq3 0 a 0\n"


def run(*rows: tuple[str, str, float]) -> bytes:
    return "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in rows).encode()


def test_values_by_query_by_hand():
    scored = of_runs(
        [("x/one.run", run(("q1", "b", 2), ("q1", "a", 1), ("q2", "c", 1), ("q9", "a", 1)))],
        ("labels", QRELS),
        "mrr@10",
    )
    assert scored.systems == {"one": {"q1": 0.5, "q2": 1.0}}
    assert scored.notes == [
        "metric: mrr_at_10 of 2 queries",
        "excluded, without a relevant document: 1 query",
    ]


def test_a_query_that_a_run_lacks_scores_0():
    scored = of_runs([("a.b.txt", run(("q2", "x", 1)))], ("labels", QRELS), "success_at_1")
    assert scored.systems == {"a.b": {"q1": 0.0, "q2": 0.0}}
    assert scored.notes[-1] == "a.b lacks 1 query, scored 0"


def test_run_files_by_the_convention_of_trec_are_named_by_their_whole_name():
    files = [(f"runs/input.{name}", run(("q1", "a", 1))) for name in ("sys1", "sys2")]
    assert list(of_runs(files, ("labels", QRELS), "mrr@10").systems) == ["input.sys1", "input.sys2"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("ndcg_at_10", "ndcg_cut_10"),
        ("map_at_1000", "map"),
        ("recall_at_5", "recall_5"),
        ("precision_at_5", "P_5"),
    ],
)
def test_values_are_those_of_trec_eval(ours, theirs):
    draw = random.Random(8)  # noqa: S311 - test data
    documents = [f"d{i}" for i in range(40)]
    labels = {f"q{i}": {name: draw.randrange(3) for name in draw.sample(documents, 12)} for i in range(20)}
    scores = {query: {name: draw.random() for name in draw.sample(documents, 25)} for query in labels}
    data = run(*((query, name, score) for query, found in scores.items() for name, score in found.items()))
    judged = "".join(
        f"{query} 0 {name} {grade}\n" for query, found in labels.items() for name, grade in found.items()
    )
    scored = of_runs([("r", data)], ("labels", judged.encode()), ours).systems["r"]
    oracle = pytrec_eval.RelevanceEvaluator(labels, pytrec_eval.supported_measures).evaluate(scores)
    assert scored == pytest.approx({query: found[theirs] for query, found in oracle.items()}, abs=1e-6)


def test_the_default_metric_is_one():
    assert of_runs([("r", run(("q1", "a", 1)))], ("labels", QRELS), metric).systems["r"]["q1"] == 1


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (b"", "labels is empty"),
        (b"q1 0 a\n", "labels line 1: 3 fields, not 4"),
        (b"q1 0 a 1\nq1 0 b x\n", "labels line 2: grade 'x' is no whole number"),
        (b"q1 0 a 1\nq1 0 b 0.5\n", "labels line 2: grade '0.5' is no whole number"),
        (b"q1 0 a 1\nq1 0 a 1\n", "labels line 2: document a twice for query q1"),
        (b"q1 0 a 0\nq1 0 b -1\n", "labels: no query has a relevant document"),
        (b"q1 0 a 1\nq1 0 \xe9 1\n", "labels line 2: not UTF-8"),
        (b"other 0 a 1\n", "r: no query of labels"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(labels, said):
    with pytest.raises(InputError) as caught:
        of_runs([("r", run(("q1", "a", 1)))], ("labels", labels), metric)
    assert caught.value.message == said
    assert caught.value.hint


def test_two_runs_of_one_name_are_refused():
    runs = [("x/r.run", run(("q1", "a", 1))), ("y/r.txt", run(("q1", "a", 1)))]
    with pytest.raises(InputError, match="^y/r.txt: system r is x/r.run too$"):
        of_runs(runs, ("labels", QRELS), metric)


@pytest.mark.parametrize("name", ["bleu_at_10", "ndcg", "ndcg_at_0", "ndcg_at_1001", "ndcg_at_", "ndcg@10x"])
def test_an_unknown_metric_is_refused_with_the_known_ones(name):
    with pytest.raises(UsageError, match="no metric") as caught:
        of_runs([], ("labels", QRELS), name)
    assert "ndcg_at_K" in caught.value.hint
