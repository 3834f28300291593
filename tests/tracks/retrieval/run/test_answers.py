"""One reader of what `query` returns."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from benchsite.isolation.process import Fault
from benchsite.tracks.retrieval.fixture import Fixture
from benchsite.tracks.retrieval.run.answers import Malformed, is_confidence, read_hits
from benchsite.tracks.retrieval.run.query_run import Trial


@pytest.mark.parametrize(
    ("result", "detail", "hint"),
    [
        ([["d0001", 0.5, ""]], "no list of hits", 'return {"hits": [[id, score, content], …]}'),
        (None, "no list of hits", 'return {"hits": [[id, score, content], …]}'),
        ({"results": []}, "no list of hits", 'return {"hits": [[id, score, content], …]}'),
        ({"hits": "d0001"}, "no list of hits", 'return {"hits": [[id, score, content], …]}'),
        ({"hits": [["d0001", 0.5]]}, "hit 0 is not [id, score, content]", "the id must be text"),
        ({"hits": [["d1", 1, ""], [2, 1, ""]]}, "hit 1 is not [id, score, content]", "the id must be text"),
        ({"hits": [["d1", 1, 5]]}, "the content of hit 0 is not text", "return the item's text, or null"),
    ],
)
def test_what_is_no_list_of_hits_is_named(result: Any, detail: str, hint: str) -> None:
    assert read_hits(result) == Malformed(detail, hint)


@pytest.mark.parametrize(
    ("score", "read"),
    [
        (1.0000000000000002, 1.0),
        (-2e-16, 0.0),
        (1 + 1e-6, 1.0),
        (-1e-6, 0.0),
        (0.5, 0.5),
        (1, 1),
    ],
)
def test_a_score_outside_by_rounding_is_clipped(score: float, read: float) -> None:
    hits = read_hits({"hits": [["d1", score, None]]})
    assert not isinstance(hits, Malformed)
    assert hits[0].score == read
    assert is_confidence(hits[0].score)


@pytest.mark.parametrize("score", [1.00001, -0.00001, math.nan, math.inf, True, "1", None, 2])
def test_any_other_score_outside_is_none(score: Any) -> None:
    hits = read_hits({"hits": [["d1", score, None]]})
    assert not isinstance(hits, Malformed)
    assert not is_confidence(hits[0].score)


def test_a_program_that_does_not_start_once_more_is_named() -> None:
    document = {
        "id": "one",
        "benchmark": "one",
        "granularity": "document",
        "items": [{"id": "a", "scope": "s", "content": "x"}],
        "queries": [{"id": "q", "query": "x", "scope": "s", "expected": [{"id": "a", "grade": 1}]}],
        "license": "CC0",
        "source": "a test",
    }
    fixture = Fixture.of(document, "0" * 64)
    trial = Trial(fixture, fixture.queries, k=1, seed=0, timeout_s=1, report=lambda *_: None)
    ended: Any = SimpleNamespace(
        alive=False, stderr=("held",), restart=lambda: Fault("crashed", "lock file is held")
    )
    trial.run(ended)
    assert trial.first_failure == "initialize: lock file is held"
    assert (trial.answers["q"].error, trial.first_stderr) == ("crashed", ("held",))
