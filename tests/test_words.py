from __future__ import annotations

import pytest

from benchsite.history.verdict import Subject
from benchsite.words import counted, difference, filled, number_word, ordinal, p_value, rank, rank_words


@pytest.mark.parametrize(
    ("number", "text"), [(0, "no"), (1, "one"), (12, "twelve"), (13, "13"), (1000, "1,000"), (-1, "-1")]
)
def test_numbers_are_words_up_to_twelve(number: int, text: str):
    assert number_word(number) == text


def test_nouns_follow_their_number():
    assert [counted(number, "baseline") for number in (0, 1, 2, 20)] == [
        "no baselines",
        "one baseline",
        "two baselines",
        "20 baselines",
    ]


@pytest.mark.parametrize(("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd")])
def test_ordinals(number: int, text: str):
    assert ordinal(number) == text


@pytest.mark.parametrize(
    ("first", "last", "short", "said"),
    [
        (1, 1, "1", "1st"),
        (2, 4, "2–4", "2nd to 4th"),
        (11, 12, "11–12", "11th to 12th"),
        (None, None, "", "not ranked"),
    ],
)
def test_ranks(first: int | None, last: int | None, short: str, said: str):
    assert (rank(first, last), rank_words(first, last)) == (short, said)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0009, "p < 0.001"),
        (0.001, "p = 0.001"),
        (0.0584, "p = 0.058"),
        (0.05, "p = 0.050"),
        # 499/10001 and 501/10001: three decimals would put both at 0.050, and one of the two is significant.
        (499 / 10_001, "p = 0.0499"),
        (501 / 10_001, "p = 0.0501"),
        (500 / 10_001, "p = 0.049995"),
        (1.0, "p = 1.000"),
    ],
)
def test_a_p_value_shows_on_which_side_of_five_percent_it_is(p: float, text: str):
    assert p_value(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0432, "+0.043"), (-0.0432, "−0.043"), (-0.0004, "0.000"), (0.0, "0.000"), (-1.0, "−1.000")],
)
def test_a_difference_has_a_sign_unless_it_rounds_to_zero(value: float, text: str):
    assert difference(value) == text


def test_a_sentence_is_filled_in_once_whatever_its_values_hold():
    assert filled("Run {run} of {task}.", run=1187, task="{run} $&") == "Run 1187 of {run} $&."
    with pytest.raises(KeyError, match="task"):
        filled("Run {run} of {task}.", run=1)


def test_a_label_is_one_printable_line_whatever_its_options_hold():
    """Option values are a submitter's: a line feed would write lines that look like ours before signing."""
    forged = Subject("sqlite-fts5", "3.40.1", "stopwords x) on y\n      ndcg_at_10 0.999\u202e")
    assert str(forged) == "sqlite-fts5 3.40.1 (stopwords x) on y\\n      ndcg_at_10 0.999\\u202e)"
    assert len(Subject("a", "1", "z" * 5000).label) == 120
