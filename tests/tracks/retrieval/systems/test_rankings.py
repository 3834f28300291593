"""What installed products find, by cases computed by hand; skipped if the environment is not installed in this repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from installing import ROOT, marks_of, skip_unless_installed

from benchsite.errors import InputError
from benchsite.isolation.subject import Subject
from benchsite.layout import ENVIRONMENTS
from benchsite.plugins import reference
from benchsite.tracks.retrieval import fixture as fixtures
from benchsite.tracks.retrieval.run.answers import ReturnedHit, read_hits
from benchsite.tracks.retrieval.run.programs import spec_of
from benchsite.tracks.retrieval.run.runner import Settings, measure

PAGE = (ROOT / "content/docs/systems.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z0-9-]+)`(?: with `([a-z]+)=([a-z]+)`)? \| (\.\d{3}) \|", re.MULTILINE)
FIGURES: list[tuple[str, str, str, str]] = ROW.findall(PAGE)
"""System, option, its value, and nDCG@10 on three-notebooks-v1, as the page states it."""

BOATS = ("The boat, painted.", "A car by the road.", "Old boats are sold.", "Nothing else here.")

DENSE = ["chroma", "qdrant", "lancedb", "mem0", "langgraph-store"]
"""Products over `minilm`."""

Find = Callable[..., list[ReturnedHit]]


def spec(name: str, options: Mapping[str, Any]) -> Any:
    skip_unless_installed(name)
    found = reference("benchsite.retrieval.adapters", name)
    return spec_of(name, found, options, environments=str(ROOT / ENVIRONMENTS))


@pytest.fixture
def find(context: Any) -> Find:
    """Ask a system about texts, whose ids are d0, d1, and so on."""

    def answer(name: str, texts: Sequence[str], q: str, k: int = 10, **options: Any) -> list[ReturnedHit]:
        items = [
            {"id": f"d{place}", "content": text, "metadata": {}, "timestamp": None}
            for place, text in enumerate(texts)
        ]
        with Subject(spec(name, options), 7, context) as subject:
            for method, params in (("reset", {}), ("ingest", {"items": items}), ("flush", {})):
                subject.call(method, params, timeout_s=60)
            reply = subject.call("query", {"query": q, "k": k, "when": None}, timeout_s=60)
            assert reply.fault is None, (reply.fault, subject.stderr)
            hits = read_hits(reply.result)
        assert isinstance(hits, list)
        return hits

    return answer


@pytest.mark.parametrize(
    "stated",
    [pytest.param(row, id="-".join(filter(None, row[:3])), marks=marks_of(row[0])) for row in FIGURES],
)
def test_the_page_states_what_a_run_scores(context: Any, stated: tuple[str, str, str, str]) -> None:
    name, option, value, figure = stated
    document = (ROOT / "fixtures/three-notebooks-v1/fixture.json").read_bytes()
    data = fixtures.parse(document, where="three-notebooks-v1")
    chosen = spec(name, {option: value} if option else {})
    measured = measure(data, chosen, Settings(ks=(1, 5, 10), seed=20260101), context)
    assert measured.payload["scores"]["ndcg_at_10"] == pytest.approx(float(figure), abs=0.005)
    assert [row["error"] for row in measured.payload["perQuery"] if "error" in row] == []


@pytest.mark.full
@pytest.mark.parametrize("name", DENSE)
def test_scores_of_a_store_are_the_cosines_of_sentence_transformers(find: Find, name: str) -> None:
    # https://sbert.net, "Semantic Textual Similarity", its first example: 0.7553 and -0.1050, which is shown as 0. Mem0 refuses a
    # threshold below 0, so it never finds the last one.
    texts = ["The girl is carrying a baby.", "A man is eating a piece of bread.", "A man is eating food."]
    hits = find(name, texts, texts[2])
    places, cosines = ((2, 1), [1, 0.7553]) if name == "mem0" else ((2, 1, 0), [1, 0.7553, 0])
    assert [(hit.id, hit.content) for hit in hits] == [(f"d{place}", texts[place]) for place in places]
    assert [hit.score for hit in hits] == pytest.approx(cosines, abs=1e-4)
    assert [hit.id for hit in find(name, texts, texts[2], k=1)] == ["d2"]


@pytest.mark.full
@pytest.mark.parametrize("name", DENSE)
def test_items_of_one_text_are_all_found(find: Find, name: str) -> None:
    hits = find(name, ["An old boat.", "A car.", "An old boat.", "An old boat."], "An old boat.")
    assert {hit.id for hit in hits[:3]} == {"d0", "d2", "d3"}
    assert [hit.score for hit in hits[:3]] == pytest.approx([1, 1, 1], abs=1e-4)


@pytest.mark.full
@pytest.mark.parametrize("name", ["mempalace"])
@pytest.mark.parametrize("candidates", ["vector", "union"])
def test_mempalace_finds_each_drawer_once_and_none_is_folded(find: Find, name: str, candidates: str) -> None:
    # Cosines 1, 0.7553, -0.1050 as above, and BM25 has the same order: the drawers share 5, 4 and 2 words with the question.
    texts = ["The girl is carrying a baby.", "A man is eating a piece of bread.", "A man is eating food."]
    hits = find(name, texts, texts[2], candidates=candidates)
    assert [(hit.id, hit.score) for hit in hits] == [("d2", 1), ("d1", 1 / 2), ("d0", pytest.approx(1 / 3))]
    assert [hit.id for hit in find(name, texts, texts[2], k=1, candidates=candidates)] == ["d2"]
    twice = find(name, ["An old boat.", "A car.", "An old boat."], "An old boat.", candidates=candidates)
    assert {hit.id for hit in twice[:2]} == {"d0", "d2"}


@pytest.mark.full
@pytest.mark.parametrize("name", ["txtai"])
def test_txtai_searches_words_or_vectors(find: Find, name: str) -> None:
    # Words neither stemmed nor stopped: "boats" is in d2 alone, "the" in d0 and d1. Cosines as of the stores, above 0.
    assert [(hit.id, hit.score) for hit in find(name, BOATS, "boats")] == [("d2", 1.0)]
    assert {hit.id for hit in find(name, BOATS, "the")} == {"d0", "d1"}
    texts = ["The girl is carrying a baby.", "A man is eating a piece of bread.", "A man is eating food."]
    hits = find(name, texts, texts[2], search="vector")
    assert [hit.id for hit in hits] == ["d2", "d1"]
    assert [hit.score for hit in hits] == pytest.approx([1, 0.7553], abs=1e-4)


@pytest.mark.full
@pytest.mark.parametrize("name", ["lancedb"])
def test_full_text_of_lancedb_stems_and_drops_stopwords(find: Find, name: str) -> None:
    hits = find(name, BOATS, "Which boats are these?", search="fts")
    assert {hit.id for hit in hits} == {"d0", "d2"}
    assert hits[0].score == 1.0
    assert find(name, BOATS, "is the of", search="fts") == []
    assert {hit.id for hit in find(name, BOATS, 'AND "car', search="fts")} == {"d1"}


@pytest.mark.full
@pytest.mark.parametrize("name", ["lancedb"])
def test_hybrid_of_lancedb_adds_reciprocal_ranks(find: Find, name: str) -> None:
    # The vector search ranks all four texts, this text first; the full text finds it alone: 1/61 + 1/61, and 1/62 for the second.
    hits = find(name, BOATS, BOATS[1], search="hybrid")
    assert (len(hits), hits[0].id, hits[0].score) == (4, "d1", 1.0)
    assert hits[1].score == pytest.approx((1 / 62) / (2 / 61), abs=1e-6)


@pytest.mark.full
@pytest.mark.parametrize("name", ["langchain-bm25"])
def test_langchain_keeps_case_and_punctuation_unless_told(find: Find, name: str) -> None:
    # "car" is a word of d2 alone at white space; lower-cased words are in d0, the shorter of the two that have it twice.
    texts = ["Car, Car!", "A road.", "No car on this long road in the hills.", "Nothing else here.", "Rain."]
    assert [hit.id for hit in find(name, texts, "car", k=1)] == ["d2"]
    assert [hit.id for hit in find(name, texts, "car", k=1, tokenizer="words")] == ["d0"]
    hits = find(name, texts, "car")
    assert [hit.score for hit in hits] == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])


@pytest.mark.full
@pytest.mark.parametrize("name", ["llama-index-bm25"])
def test_llama_index_stems_and_drops_stopwords(find: Find, name: str) -> None:
    # Only "boat" and "boats" share a stem with the question; the shorter text, after stopwords, is the first one.
    hits = find(name, BOATS, "Which boats are these?")
    assert [(hit.id, hit.content) for hit in hits] == [("d0", BOATS[0]), ("d2", BOATS[2])]
    assert hits[0].score == 1.0
    assert find(name, BOATS, "is the of") == []


@pytest.mark.full
@pytest.mark.parametrize("name", ["haystack-bm25"])
def test_haystack_ignores_case_and_does_not_stem(find: Find, name: str) -> None:
    assert [(hit.id, hit.score) for hit in find(name, BOATS, "BOATS")] == [("d2", 1.0)]
    # Stopwords are words: "the" is in d0 and d1, "here" in d3.
    assert {hit.id for hit in find(name, BOATS, "the, here")} == {"d0", "d1", "d3"}
    assert find(name, BOATS, "plane") == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "option", "message"),
    [
        ("lancedb", "search", "search is vector, fts or hybrid, not both"),
        ("langchain-bm25", "tokenizer", "tokenizer is whitespace or words, not both"),
        ("mempalace", "candidates", "candidates is vector or union, not both"),
        ("txtai", "search", "search is keyword, vector or hybrid, not both"),
    ],
)
def test_an_unknown_value_of_an_option_is_refused_with_the_known_ones(
    find: Find, name: str, option: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        find(name, BOATS, "boat", **{option: "both"})
