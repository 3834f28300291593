from __future__ import annotations

import math

import pytest

from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.lexical.bm25 import Bm25


def filled(*texts: str) -> Bm25:
    adapter = Bm25()
    adapter.ingest([Item(f"d{n}", text, {}, None) for n, text in enumerate(texts)])
    return adapter


def test_scores_by_hand() -> None:
    hits = filled("Cat sat", "cat CAT mat rug", "dog").query("the cat, mat?", 10, None)
    # N = 3, mean length 7/3. "the" is unknown. "cat" df 2: idf = ln(1 + 1.5/2.5); "mat" df 1: ln(1 + 2.5/1.5).
    idf_cat, idf_mat = math.log(1.6), math.log(1 + 2.5 / 1.5)
    norm = {length: 1.2 * (0.25 + 0.75 * length / (7 / 3)) for length in (2, 4)}
    first = idf_cat * 2 * 2.2 / (2 + norm[4]) + idf_mat * 2.2 / (1 + norm[4])
    second = idf_cat * 2.2 / (1 + norm[2])
    assert [hit.id for hit in hits] == ["d1", "d0"]
    assert hits[0].score == 1.0
    assert hits[1].score == pytest.approx(second / first, rel=1e-12)
    assert hits[0].content == "cat CAT mat rug"


def test_no_common_word_is_an_abstention() -> None:
    assert filled("cat", "dog").query("bird?", 10, None) == []
    assert filled("cat", "dog").query("!?", 10, None) == []
    assert Bm25().query("cat", 10, None) == []


def test_equal_scores_keep_ingest_order_and_k_cuts() -> None:
    adapter = filled("cat", "cat", "cat")
    adapter.ingest([Item("later", "cat", {}, None)])
    assert [hit.id for hit in adapter.query("cat", 3, None)] == ["d0", "d1", "d2"]


def test_a_word_in_every_item_still_counts_a_little() -> None:
    hits = filled("cat a", "cat b b b").query("cat", 10, None)
    assert [hit.id for hit in hits] == ["d0", "d1"]
    assert 0 < hits[1].score < 1


def test_items_without_words() -> None:
    adapter = filled("...", "?!")
    assert adapter.query("cat", 10, None) == []


def test_reset_forgets() -> None:
    adapter = filled("cat")
    adapter.reset()
    assert adapter.query("cat", 10, None) == []
    adapter.ingest([Item("x", "cat", {}, None)])
    assert [hit.id for hit in adapter.query("cat", 10, None)] == ["x"]
