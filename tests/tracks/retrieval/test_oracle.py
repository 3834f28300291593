"""trec_eval, through pytrec_eval, must agree to 1e-12 wherever it defines the measure: runs without ties."""

from __future__ import annotations

import random

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scores.scoring import Query

KS = (1, 5, 10)
MEASURES = {"success.1,5,10", "recall.1,5,10", "P.1,5,10", "ndcg_cut.1,5,10", "map_cut.10", "recip_rank"}
NAMES = {
    **{f"success_at_{k}": f"success_{k}" for k in KS},
    **{f"recall_at_{k}": f"recall_{k}" for k in KS},
    **{f"precision_at_{k}": f"P_{k}" for k in KS},
    **{f"ndcg_at_{k}": f"ndcg_cut_{k}" for k in KS},
    "map_at_10": "map_cut_10",
    # The runs are no deeper than 10, so the reciprocal rank needs no cut.
    "mrr_at_10": "recip_rank",
}


def check(qrels: dict[str, dict[str, int]], run: dict[str, list[str]]) -> None:
    scored_run = {q: {item: float(100 - i) for i, item in enumerate(ids)} for q, ids in run.items()}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(scored_run)
    ours = score([Query.from_ids(qrels[q], run[q]) for q in run], KS)
    scored = [q for q in run if any(grade >= 1 for grade in qrels[q].values())]
    for name, theirs in NAMES.items():
        expected = [oracle[q][theirs] for q in scored]
        measure, _, k = name.rpartition("_at_")
        assert ours.per_query(measure, int(k)) == pytest.approx(expected, abs=1e-12), name
        if scored:
            assert ours.scores[name] == pytest.approx(sum(expected) / len(expected), abs=1e-12), name
    # trec_eval has no "all of them found" measure: it is a recall of 1.
    for k in KS:
        full = [float(oracle[q][f"recall_{k}"] == 1) for q in scored]
        assert ours.per_query("recall_all", k) == full


items = st.sampled_from([f"d{i}" for i in range(25)])
judged = st.dictionaries(items, st.integers(0, 4), min_size=1, max_size=15)
ranked = st.lists(items, min_size=1, max_size=10, unique=True)


@settings(deadline=None)
@given(st.lists(st.tuples(judged, ranked), min_size=1, max_size=10))
def test_generated_runs(pairs):
    check(
        {f"q{i}": grades for i, (grades, _) in enumerate(pairs)},
        {f"q{i}": ids for i, (_, ids) in enumerate(pairs)},
    )


def test_a_large_seeded_run():
    rng = random.Random(20_260_101)  # noqa: S311 - synthetic data
    pool = [f"conv-{i // 100}/D{i}" for i in range(2_000)]
    qrels, run = {}, {}
    for i in range(4_000):
        run[f"q{i}"] = rng.sample(pool, rng.randint(1, 10))
        found = rng.sample(run[f"q{i}"], rng.randint(0, min(3, len(run[f"q{i}"]))))
        qrels[f"q{i}"] = {item: rng.randint(0, 3) for item in [*found, *rng.sample(pool, rng.randint(1, 20))]}
    check(qrels, run)
