"""Run files and relevance labels: trec_eval, through pytrec_eval, reads and ranks them as benchsite does."""

from __future__ import annotations

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from benchsite.errors import InputError
from benchsite.tracks.retrieval.trec import Hit, encoded, ranking, read_run, written_judgements, written_run

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1)


def row(query: str, retrieved: list[str], expected: dict[str, int]) -> dict[str, object]:
    judged = [{"id": name, "grade": grade} for name, grade in expected.items()]
    return {"queryId": query, "retrieved": retrieved, "expected": judged}


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([f"d{i}" for i in range(12)]),
        st.one_of(st.integers(-2, 2).map(float), st.floats(-1e30, 1e30)),
        min_size=1,
    )
)
def test_the_ranking_is_that_of_trec_eval_ties_included(scores):
    ranked = ranking([Hit(name, score, 1) for name, score in scores.items()])
    for name in scores:  # the reciprocal rank of the one relevant document is its place
        oracle = pytrec_eval.RelevanceEvaluator({"q": {name: 1}}, {"recip_rank"})
        place = 1 / oracle.evaluate({"q": scores})["q"]["recip_rank"]
        assert ranked[round(place) - 1] == name


def test_scores_that_differ_beyond_32_bits_are_ties():
    hits = [Hit("a", 1.00000001, 1), Hit("b", 1.0, 2)]
    assert ranking(hits) == ["b", "a"]  # by falling id, as trec_eval, which holds scores as floats


@given(st.dictionaries(WORDS, st.lists(WORDS, min_size=1, unique=True), min_size=1))
def test_a_written_run_reads_back_in_its_order(rankings):
    rows = [row(query, names, {}) for query, names in rankings.items()]
    read, tag = read_run(written_run(rows, "my system").encode(), "run")
    assert tag == "my%20system"
    assert {query: ranking(hits) for query, hits in read.items()} == {
        encoded(query): [encoded(name) for name in names] for query, names in rankings.items()
    }


def test_an_exported_run_has_the_scores_of_its_receipt():
    rows = [
        row("q 1", ["b", "a", "b", "c"], {"a": 2, "x y": 1}),
        row("q2", ["c"], {"c": 1}),
        row("q3", ["c"], {}),  # no metric counts it
    ]
    run = written_run(rows, "bm25")
    assert run.splitlines()[:3] == ["q%201 Q0 b 1 3 bm25", "q%201 Q0 a 2 2 bm25", "q%201 Q0 c 3 1 bm25"]
    labels = pytrec_eval.parse_qrel(written_judgements(rows).splitlines())
    assert labels == {"q%201": {"a": 2, "x%20y": 1}, "q2": {"c": 1}}
    oracle = pytrec_eval.RelevanceEvaluator(labels, {"recip_rank", "recall.10"})
    found = oracle.evaluate(pytrec_eval.parse_run(run.splitlines()))
    assert {query: (of["recip_rank"], of["recall_10"]) for query, of in found.items()} == {
        "q%201": (0.5, 0.5),
        "q2": (1.0, 1.0),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "my.run is empty"),
        (b"\n \n", "my.run is empty"),
        (b"q1 Q0 d1 1 0.5\n", "my.run line 1: 5 fields, not 6"),
        (b"q1 Q0 d1 1 0.5 tag\nq1 Q0 a b 2 0.4 tag\n", "my.run line 2: 7 fields, not 6"),
        (b"q1 Q0 d1 1 NaN tag\n", "my.run line 1: score NaN is not a finite number"),
        (b"q1 Q0 d1 1 inf tag\n", "my.run line 1: score inf is not a finite number"),
        (b"q1 Q0 d1 1 1_0 tag\n", "my.run line 1: score 1_0 is not a finite number"),
        (b"q1 Q0 d1 1 high tag\n", "my.run line 1: score high is not a finite number"),
        (b"q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n", "my.run line 2: document d1 twice for query q1, as in line 1"),
        (b"q1 Q0 d1 1 2 t\n\xff Q0 d1 2 1 t\n", "my.run line 2: not UTF-8"),
    ],
)
def test_a_malformed_run_is_refused_by_line(text, said):
    with pytest.raises(InputError, match=said.replace(".", r"\.")):
        read_run(text, "my.run")


def test_a_run_with_a_byte_order_mark_and_windows_line_ends_is_read():
    read, tag = read_run(b"\xef\xbb\xbfq1 Q0 d1 1 0.5 mine\r\n\r\nq1\tQ0\td2\t2\t0.4\tmine\r\n", "my.run")
    assert (tag, ranking(read["q1"])) == ("mine", ["d1", "d2"])
