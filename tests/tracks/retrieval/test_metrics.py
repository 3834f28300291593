from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.stats import exact_mean
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scores.scoring import MEASURES, Query

KS = (1, 3, 5)
items = st.sampled_from("abcdefgh")
queries = st.lists(
    st.builds(
        Query.from_ids,
        st.dictionaries(items, st.integers(-1, 3), max_size=4),
        st.lists(items, max_size=8),
        answerable=st.sampled_from([True, True, True, False]),
        failed=st.sampled_from([False, False, False, True]),
        category=st.sampled_from([None, "one", "two"]),
    ),
    max_size=25,
)


@pytest.fixture(scope="module")
def worked(vectors_folder: Path) -> dict:
    return json.loads((vectors_folder / "retrieval" / "worked.json").read_bytes())["document"]


@pytest.fixture(scope="module")
def vectors_folder() -> Path:
    return Path(__file__).resolve().parents[2] / "vectors"


def test_the_worked_document_comes_out_bit_by_bit(worked):
    run = score(map(Query.from_row, worked["perQuery"]), worked["config"]["k"])
    sections = run.sections(seed=worked["config"]["seed"])
    assert sections == {key: worked[key] for key in ("scores", "denominators", "intervals", "byCategory")}


def test_without_a_seed_only_wilson_intervals_are_made(worked):
    intervals = score(map(Query.from_row, worked["perQuery"]), [1, 3]).sections(seed=None)["intervals"]
    expected = {name: given for name, given in worked["intervals"].items() if given["method"] == "wilson"}
    assert intervals == expected


def test_failed_queries_count_as_zero_and_never_as_abstaining():
    run = score(
        [
            Query.from_ids({"a": 1}, ["a"]),
            Query.from_ids({"a": 1}, ["a"], failed=True),
            Query.from_ids({}, [], answerable=False, failed=True),
            Query.from_ids({}, [], answerable=False),
        ],
        [1],
    )
    assert run.scores["success_at_1"] == 0.5
    assert run.denominators["success_at_1"] == {"num": 1, "den": 2, "excluded": 2}
    assert run.scores["abstention_rate"] == 0.5
    assert run.denominators["abstention_rate"] == {"num": 1, "den": 2, "excluded": 2}


def test_unanswerable_queries_are_scored_apart_even_with_evidence():
    # LoCoMo's adversarial questions name the passage that does not answer them.
    run = score([Query.from_ids({"a": 1}, ["a"], answerable=False)], [1])
    assert run.scores == {"abstention_rate": 0.0}
    assert run.denominators["ndcg_at_1"] == {"den": 0, "excluded": 1}
    assert run.denominators["success_at_1"] == {"num": 0, "den": 0, "excluded": 1}


def test_no_queries_no_scores():
    sections = score([], [1, 10]).sections(seed=1)
    assert sections["scores"] == {}
    assert sections["intervals"] == {}
    assert {counted["den"] for counted in sections["denominators"].values()} == {0}


def test_per_query_keeps_the_order_and_the_scored_queries_only():
    run = score(
        [
            Query.from_ids({"a": 1}, ["x", "a"]),
            Query.from_ids({}, ["a"]),
            Query.from_ids({"b": 1}, ["b"]),
            Query.from_ids({"b": 1}, ["b"], answerable=False),
            Query.from_ids({"b": 1}, []),
        ],
        [1, 2],
    )
    assert run.per_query("mrr", 2) == [0.5, 1.0, 0.0]
    assert run.per_query("success", 1) == [0.0, 1.0, 0.0]
    with pytest.raises(KeyError, match="mrr_at_1"):
        run.per_query("mrr", 1)


@settings(deadline=None)
@given(queries)
def test_every_score_is_the_exact_mean_of_its_queries(run):
    scores = score(run, KS)
    for measure in MEASURES:
        vector = scores.per_query(measure.name, 5)
        assert scores.scores.get(f"{measure.name}_at_5") == (exact_mean(vector) if vector else None)


@settings(deadline=None)
@given(queries)
def test_no_run_breaks_an_invariant(run):
    scores = score(run, KS).scores
    assert all(0 <= value <= 1 for value in scores.values())
    if "success_at_1" in scores:
        assert scores["success_at_1"] <= scores["success_at_3"] <= scores["success_at_5"]
        for k in KS:
            success = scores[f"success_at_{k}"]
            assert scores[f"recall_all_at_{k}"] <= scores[f"recall_at_{k}"] <= success
            assert scores[f"ndcg_at_{k}"] <= success
        assert scores["recall_at_1"] <= scores["recall_at_3"] <= scores["recall_at_5"]


@settings(deadline=None)
@given(queries, st.randoms(use_true_random=False))
def test_order_of_queries_changes_nothing_but_the_bootstrap(run, random):
    shuffled = random.sample(run, len(run))
    assert score(shuffled, KS).sections(seed=None) == score(run, KS).sections(seed=None)


@settings(deadline=None)
@given(queries)
def test_denominators_account_for_every_query(run):
    scores = score(run, KS)
    assert all(counted["den"] + counted["excluded"] == len(run) for counted in scores.denominators.values())
    for name, table in scores.by_category.items():
        members = [query for query in run if query.category == name]
        alone = score([query._replace(category=None) for query in members], KS)
        assert (table.scores, table.denominators) == (alone.scores, alone.denominators)


def test_scoring_alone_does_not_import_numpy():
    code = "import sys, benchsite.tracks.retrieval.metrics as m; m.score([], [1]); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
