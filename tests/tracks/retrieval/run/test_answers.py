"""One reader of what `query` returns."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchsite.tracks.retrieval.run.answers import Malformed, is_confidence, read_hits


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
