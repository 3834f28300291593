from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite import words
from benchsite.site import formats
from benchsite.track import Metric


def test_a_score_has_three_decimals_and_a_blank_is_a_dash():
    assert formats.score(0.4823) == "0.482"
    assert formats.score(1) == "1.000"
    assert formats.score(None) == "–"


def test_a_measure_has_the_decimals_that_its_track_gives_it():
    assert formats.score(72.333, Metric("Composite", 2, " of 100", 100)) == "72.33"
    assert formats.score(72.333, Metric("nDCG@10")) == "72.333"
    assert formats.score(None, Metric("Composite", 2)) == "–"
    assert formats.score(294 / 690, Metric("Success", percent=True)) == "42.6%"
    assert formats.score(None, Metric("Success", percent=True)) == "–"
    assert formats.points(4) == "4.00"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.0, "", "0"), (0.00123, "ms", "0.0012 ms"), (41.26, "ms", "41.3 ms"), (51234.5, "", "51,234")],
)
def test_an_amount_keeps_about_three_figures(value: float, unit: str, text: str):
    assert formats.amount(value, unit) == text.replace(" ms", "\u00a0ms")


def test_moments_and_days_are_read_from_their_text_and_anything_else_stays():
    assert formats.moment("2026-11-21T21:20:03Z") == "2026-11-21 21:20 UTC"
    assert formats.moment("2026-05-18T06:21:38.786Z") == "2026-05-18 06:21 UTC"
    assert formats.moment("yesterday") == "yesterday"
    assert formats.day("2026-05-17") == "17 May 2026"
    assert formats.day("2026-13-17") == "2026-13-17"


def test_a_hash_is_shortened_without_its_algorithm():
    assert formats.short("sha256:" + "ab" * 32) == "abababab…"
    assert formats.short("abc") == "abc"


def test_counts_and_plurals():
    assert words.whole(1536) == "1,536"
    assert words.whole(None) == "–"
    assert formats.plural(1, "entry", "entries") == "1 entry"
    assert formats.plural(1204, "entry", "entries") == "1,204 entries"
    assert formats.number_word(11) == "eleven"
    assert formats.number_word(13) == "13"


def test_a_metric_of_a_cut_off_is_that_of_k_and_one_without_a_name_is_its_key_in_words():
    known = {"ndcg_at_k": Metric("nDCG@k"), "composite": Metric("Composite", 2, " of 100", 100)}
    assert Metric.of(known, "ndcg_at_10") == Metric("nDCG@10")
    assert Metric.of(known, "composite") == known["composite"]
    assert Metric.of(known, "other_recall_at_5") == Metric("other recall@5")
    assert Metric.of(known, "abstention_rate") == Metric("abstention rate")


def test_what_would_reorder_or_hide_its_neighbours_is_written_out():
    assert formats.visible("a\u202eb") == "a\\u202eb"
    assert formats.visible("zero\u200bwidth") == "zero\\u200bwidth"
    assert formats.visible("bell\x07") == "bell\\u0007"
    assert formats.visible("two\nlines\tand π, 漢字") == "two\nlines\tand π, 漢字"


@given(st.text())
@pytest.mark.stories
def test_nothing_invisible_survives(text: str):
    shown = formats.visible(text)
    for bad in map(chr, (0x00, 0x1B, 0x7F, 0x85, 0xAD, 0x200F, 0x202E, 0x2066, 0xFEFF, 0xE0001)):
        assert bad not in shown


def test_a_title_stands_on_one_line():
    assert formats.plain_name("a \n\t b\u202e") == "a b\\u202e"
