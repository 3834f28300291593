from __future__ import annotations

import contextlib
import sqlite3
from typing import Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.retrieval.adapter import Item
from benchsite.tracks.retrieval.adapters.lexical.sqlite_fts5 import STOPWORDS, SqliteFts5


class Filled(SqliteFts5):
    """An adapter that holds the texts as d0, d1, … and is closed by its `with`."""

    def __init__(self, *texts: str, stopwords: bool = False) -> None:
        super().__init__(stopwords=stopwords)
        self.ingest([Item(f"d{n}", text, {}, None) for n, text in enumerate(texts)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ids(adapter: SqliteFts5, question: str, k: int = 10) -> list[str]:
    return [hit.id for hit in adapter.query(question, k, None)]


def test_stemming_and_any_word_matches() -> None:
    with Filled("She was painting a sunrise", "He runs", "Paints dry slowly") as adapter:
        assert set(ids(adapter, "Who painted?")) == {"d0", "d2"}
        assert ids(adapter, "running or swimming") == ["d1"]


def test_order_and_scores_are_bm25_relative_to_the_best() -> None:
    texts = ["boat boat harbour", "boat in the very long story of a harbour far away", "car"]
    with Filled(*texts) as adapter:
        hits = adapter.query("boat harbour", 10, None)
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE VIRTUAL TABLE t USING fts5(c, tokenize = 'porter unicode61')")
        database.executemany("INSERT INTO t (rowid, c) VALUES (?, ?)", list(enumerate(texts)))
        oracle = database.execute(
            "SELECT bm25(t) FROM t WHERE t MATCH 'boat OR harbour' ORDER BY 1"
        ).fetchall()
    assert [hit.id for hit in hits] == ["d0", "d1"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, oracle[1][0] / oracle[0][0]], rel=1e-12)
    assert hits[1].content == texts[1]


def test_ties_by_ingest_order_across_calls_and_k_cuts() -> None:
    with Filled("cat", "cat") as adapter:
        adapter.ingest([Item("later", "cat", {}, None)])
        assert ids(adapter, "cat") == ["d0", "d1", "later"]
        assert ids(adapter, "cat", 2) == ["d0", "d1"]


def test_stopwords_leave_the_question_never_the_index() -> None:
    texts = ("What is it that you do", "boat")
    with Filled(*texts) as plain, Filled(*texts, stopwords=True) as stopped:
        assert set(ids(plain, "What is a boat?")) == {"d0", "d1"}
        assert ids(stopped, "What is a boat?") == ["d1"]
        assert ids(stopped, "What is it?") == []


def test_stopwords_are_lower_case_words_the_tokenizer_can_produce() -> None:
    assert all(word.isalpha() and word == word.lower() for word in STOPWORDS)


def test_nothing_to_look_for_is_an_abstention() -> None:
    with Filled("cat") as adapter, Filled() as empty:
        assert ids(adapter, "?!") == []
        assert ids(adapter, "dog") == []
        assert ids(empty, "cat") == []


def test_very_long_questions() -> None:
    with Filled("w4999", "x") as adapter:
        assert ids(adapter, " ".join(f"w{n}" for n in range(5000))) == ["d0"]


@given(st.text(max_size=40))
def test_no_question_is_a_syntax_error(question: str) -> None:
    with Filled("cat sat", "NOT near AND OR") as adapter:
        assert all(0 < hit.score <= 1 for hit in adapter.query(question, 10, None))


def test_reset_forgets_and_close_ends() -> None:
    with Filled("cat") as adapter:
        adapter.reset()
        assert ids(adapter, "cat") == []
    with pytest.raises(sqlite3.ProgrammingError):
        adapter.query("cat", 1, None)
