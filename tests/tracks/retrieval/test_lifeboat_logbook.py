"""The dataset `lifeboat-logbook-v1`: what its authoring log promises (specs/retrieval.md, "Fixtures")."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from benchsite import resources
from benchsite.tracks.retrieval import adapter as contract
from benchsite.tracks.retrieval.adapters.baselines.random_order import RandomOrder
from benchsite.tracks.retrieval.adapters.baselines.recency import Recency
from benchsite.tracks.retrieval.adapters.lexical.bm25 import Bm25
from benchsite.tracks.retrieval.adapters.lexical.sqlite_fts5 import STOPWORDS, SqliteFts5
from benchsite.tracks.retrieval.fixture import Fixture, Query, parse
from benchsite.tracks.retrieval.metrics import score
from benchsite.tracks.retrieval.scores import scoring

FOLDER = resources.folder("fixtures") / "lifeboat-logbook-v1"
CATEGORIES = {
    "single-hop": 45,
    "paraphrase": 36,
    "knowledge-update": 30,
    "temporal": 27,
    "multi-item": 24,
    "abstention": 24,
}
NEAR = 0.005
"""The authoring log states three decimals of runs with mapped ids; in this process ties may fall in another order."""


@pytest.fixture(scope="module")
def logbook() -> Fixture:
    return parse((FOLDER / "fixture.json").read_bytes(), where="lifeboat-logbook-v1")


def test_its_size_scopes_and_license_are_those_of_the_authoring_log(logbook: Fixture) -> None:
    assert (len(logbook.items), len(logbook.queries), logbook.license) == (225, 186, "CC BY 4.0")
    assert Counter(item.scope for item in logbook.items) == dict.fromkeys(
        ("coxswain", "workshop", "secretary"), 75
    )
    assert Counter(query.scope for query in logbook.queries) == dict.fromkeys(
        ("coxswain", "workshop", "secretary"), 62
    )
    assert "225 items, 186 queries" in (FOLDER / "AUTHORING.md").read_text("utf-8")
    assert "SPDX-License-Identifier: CC-BY-4.0" in (FOLDER / "LICENSE").read_text("utf-8")


def test_categories_are_spread_over_scopes_and_both_splits(logbook: Fixture) -> None:
    assert Counter(query.category for query in logbook.queries) == CATEGORIES
    assert {(query.category, query.scope, query.split) for query in logbook.queries} == {
        (category, scope, split)
        for category in CATEGORIES
        for scope in ("coxswain", "workshop", "secretary")
        for split in ("seen", "reserved")
    }
    reserved = sum(query.split == "reserved" for query in logbook.queries)
    assert reserved == 92


def test_texts_are_unique_and_time_runs_forward_in_each_scope(logbook: Fixture) -> None:
    assert len({item.content for item in logbook.items}) == len(logbook.items)
    assert len({query.query for query in logbook.queries}) == len(logbook.queries)
    for items in logbook.items_by_scope.values():
        stamps = [item.timestamp or "" for item in items]
        assert all(before < after for before, after in pairwise(stamps))


def test_relevant_items_are_of_the_query_and_not_later_than_it_is_asked(logbook: Fixture) -> None:
    stamps = {item.id: item.timestamp or "" for item in logbook.items}
    for query in logbook.queries:
        assert query.answerable == bool(query.expected) == (query.category != "abstention"), query.id
        assert {entry.grade for entry in query.expected} <= {1, 2}, query.id
        assert all(stamps[entry.id] <= (query.when or "9") for entry in query.expected), query.id
        if query.category == "multi-item":
            assert len(query.expected) in (2, 3), query.id


def test_an_item_shows_neither_its_key_nor_what_asks_for_it(logbook: Fixture) -> None:
    for item in logbook.items:
        assert re.fullmatch(r"t-[0-9a-f]{8}", item.id)
        assert set(item.metadata) == {"author"}
        assert not re.search(r"\b[tq]-[0-9a-f]{8}\b", item.content)
    assert all(re.fullmatch(r"q-[0-9a-f]{8}", query.id) for query in logbook.queries)
    labels = [*CATEGORIES, "seen", "reserved"]
    assert not [item for item in logbook.items if str(item.metadata["author"]) in labels]


def test_the_order_of_queries_says_nothing_of_the_order_of_items(logbook: Fixture) -> None:
    place = {item.id: number for number, item in enumerate(logbook.items)}
    for scope in logbook.items_by_scope:
        first = [
            place[query.relevant[0]] for query in logbook.queries if query.scope == scope and query.relevant
        ]
        rising = sum(before < after for before, after in pairwise(first))
        assert 0.3 < rising / (len(first) - 1) < 0.7


def test_a_paraphrase_shares_no_content_word_with_its_item(logbook: Fixture) -> None:
    """Words after Porter stemming, as SQLite does it; function words don't count."""
    texts = {item.id: item.content for item in logbook.items}
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE item USING fts5(content, tokenize = 'porter unicode61')")
    for query in (one for one in logbook.queries if one.category == "paraphrase"):
        words = [word for word in re.findall(r"[^\W_]+", query.query.lower()) if word not in STOPWORDS]
        assert words, query.id
        for name in query.relevant:
            database.execute("DELETE FROM item")
            database.execute("INSERT INTO item VALUES (?)", (texts[name],))
            any_of = " OR ".join(f'"{word}"' for word in words)
            found = database.execute("SELECT 1 FROM item WHERE item MATCH ?", (any_of,)).fetchone()
            assert found is None, (query.id, query.query)


def ranked(logbook: Fixture, system: contract.Adapter, kept: Callable[[Query], bool] = bool) -> float:
    """nDCG@10 of an adapter in this process."""
    evidence = []
    for scope, items in logbook.items_by_scope.items():
        system.reset()
        system.ingest([contract.Item(one.id, one.content, one.metadata, one.timestamp) for one in items])
        for query in logbook.queries:
            if query.scope == scope and query.answerable and kept(query):
                found = [hit.id for hit in system.query(query.query, 10, query.when)]
                grades = {entry.id: entry.grade for entry in query.expected}
                evidence.append(scoring.Query.from_ids(grades, found))
    return score(evidence, (10,)).scores["ndcg_at_10"]


@pytest.mark.parametrize(
    ("system", "stated"),
    [
        (Recency(), 0.072),
        (Bm25(), 0.533),
        (SqliteFts5(), 0.566),
        (SqliteFts5(stopwords=True), 0.570),
    ],
)
def test_baselines_have_the_figures_of_the_authoring_log(
    logbook: Fixture, system: contract.Adapter, stated: float
) -> None:
    assert ranked(logbook, system) == pytest.approx(stated, abs=NEAR)
    assert f"{stated:.3f}"[1:] in (FOLDER / "AUTHORING.md").read_text("utf-8")


def test_chance_and_the_calendar_are_below_a_tenth_and_words_below_nine_tenths(logbook: Fixture) -> None:
    """The expected nDCG@10 of chance among 75 items with one relevant is 4.54/75 = 0.061."""
    assert ranked(logbook, RandomOrder()) < 0.1
    assert ranked(logbook, Recency()) < 0.1
    assert ranked(logbook, Bm25()) < 0.9
    assert ranked(logbook, SqliteFts5(stopwords=True)) < 0.9


def test_words_find_codes_and_no_paraphrase(logbook: Fixture) -> None:
    system = SqliteFts5(stopwords=True)
    assert ranked(logbook, system, lambda query: query.category == "single-hop") > 0.95
    assert ranked(logbook, system, lambda query: query.category == "paraphrase") == 0.0
