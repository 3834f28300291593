"""How boards say who leads and who stands behind, whatever the track calls its subjects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchsite.board import Row
from benchsite.board.summary_text import leader_words, others, subject_words
from benchsite.history import Header, Headline, Rescore, Subject, Summary, Verdict
from benchsite.tracks.retrieval.pages.board import LEADERBOARD


def rows_of(text: str) -> list[Row]:
    """`a1x` is version 1 of a with the configuration x."""
    found = []
    for name, version, *label in text.split():
        subject, headline = Subject(name, version, "".join(label)), Headline("score", 0.5, 0.4, 0.6)
        summary = Summary(subject, "f", "aa", "row", text, headline)
        header = Header("r", "puzzles", "p", "b", "s", 1, 1, Verdict.LOGGED, Rescore.MATCHES, (), summary)
        found.append(Row(header, 1, 0.5, 0.4, 0.6))
    return found


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("", ""),
        ("a1", "a"),
        ("a1 b1", "a and b tie"),
        ("a1 a1", "a, two configurations tie"),
        ("a1 a2", "a, two versions tie"),
        ("a1 b1 a1 c1", "a and two others tie"),
    ],
)
def test_a_tie_is_told_in_words(rows: str, words: str):
    assert leader_words(LEADERBOARD, rows_of(rows)) == words


@pytest.mark.parametrize(
    ("leaders", "behind", "words"),
    [
        ("a1", "b1", "one other"),
        ("a1", "b1 c1", "two others"),
        ("a1", "a1x", "one other configuration"),
        ("a1", "a2 a3", "two other versions"),
        ("a1", "a2x", "one other version or configuration"),
        ("a1", "b1 b1x c1", "two systems in three configurations"),
    ],
)
def test_what_stands_behind_the_leaders_is_called_what_it_is(leaders: str, behind: str, words: str):
    assert others(LEADERBOARD, rows_of(leaders), rows_of(behind)) == words


def test_rows_that_are_not_told_apart_by_configuration_count_one_each():
    about = replace(LEADERBOARD, configured=False, tie="share the lead", subject="agent")
    assert leader_words(about, rows_of("a1 b1 c1")) == "a and two others share the lead"
    assert leader_words(about, rows_of("a1 a1")) == "a, two rows tie"
    assert others(about, rows_of("a1"), rows_of("a2 a3")) == "two others"
    assert subject_words(about, rows_of("a1 a2")) == "two agents"
