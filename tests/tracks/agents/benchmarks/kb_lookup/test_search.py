"""The search tool: deterministic, bounded, best passages first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.benchmarks.kb_lookup.search import MOST_FOUND, Index
from benchsite.tracks.agents.benchmarks.packaged import ToolError

PASSAGES = (
    "The red boat is in the harbor.",
    "The blue boat is in the harbor.",
    "The lamps of the harbor are red.",
    "A kettle boils.",
)
INDEX = Index(PASSAGES)


def test_passages_with_the_rarer_words_come_first() -> None:
    assert INDEX.search("red boat").splitlines()[0] == PASSAGES[0]
    assert INDEX.search("Where is the KETTLE?") == PASSAGES[3]


def test_a_plural_finds_its_singular() -> None:
    assert INDEX.search("kettles") == PASSAGES[3]
    assert INDEX.search("lamp") == PASSAGES[2]


def test_equal_scores_keep_the_order_of_the_corpus() -> None:
    assert INDEX.search("boat").splitlines() == list(PASSAGES[:2])


def test_words_that_occur_nowhere_find_nothing() -> None:
    assert INDEX.search("zeppelin") == "nothing found"


def test_weak_passages_are_left_out() -> None:
    """`harbor` alone scores below 0.65 of `kettle boils harbor`."""
    assert INDEX.search("kettle boils harbor") == PASSAGES[3]


@pytest.mark.parametrize("query", ["", "the", "?!", "who is it"])
def test_a_query_without_a_word_is_refused(query: str) -> None:
    with pytest.raises(ToolError, match="no word"):
        INDEX.search(query)


@given(st.text(max_size=80))
def test_any_query_gives_passages_or_a_refusal(query: str) -> None:
    try:
        found = INDEX.search(query).splitlines()
    except ToolError:
        return
    assert found == ["nothing found"] or (set(found) <= set(PASSAGES) and len(found) <= MOST_FOUND)
