"""Ranks with ties: by a paired test where a track gives a number a task, by intervals elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.board import Row
from benchsite.board.ranks import (
    PairedTest,
    Vector,
    by_interval,
    by_test,
    compared,
    counts,
    resolution,
    seed,
)
from benchsite.board.rows import Comparison, best_first
from benchsite.history import Header, Headline, Rescore, Subject, Summary, Verdict


def row(name: str, value: float | None, low: float | None = None, high: float | None = None) -> Row:
    headline = Headline("score", value, low, high)
    summary = Summary(Subject(name, "1", ""), "f", "aa", name, name, headline)
    header = Header(name, "t", "p", "b", "s", 1, 1, Verdict.LOGGED, Rescore.MATCHES, (), summary)
    return Row(header, 1, value, low, high)


def paired(**vectors: Vector) -> PairedTest:
    return PairedTest(vectors, 10_000, 0.05, 7)


def vector(*values: float) -> dict[str, float]:
    return {f"q{place:03d}": value for place, value in enumerate(values)}


def ranges(rows: tuple[Row, ...]) -> list[tuple[str, int | None, int | None, str]]:
    return [(found.name, found.first, found.last, found.tied) for found in rows]


def test_systems_that_a_paired_test_tells_apart_have_ranks_of_their_own():
    high, low = vector(*[1.0] * 40), vector(*[0.0] * 40)
    ranked, tested = by_test([row("a", 1.0), row("b", 0.0)], paired(a=high, b=low))
    assert tested
    assert ranges(ranked) == [("a", 1, 1, ""), ("b", 2, 2, "")]


def test_systems_it_cannot_tell_apart_share_a_range_and_the_next_group_starts_below():
    # a and b differ by one query of forty: p is far above 0.05. c fails everything.
    a, b = vector(*[1.0] * 40), vector(*[1.0] * 39, 0.0)
    ranked, _ = by_test(
        [row("a", 1.0), row("b", 0.975), row("c", 0.0)], paired(a=a, b=b, c=vector(*[0.0] * 40))
    )
    assert ranges(ranked) == [("a", 1, 2, "first"), ("b", 1, 2, "last"), ("c", 3, 3, "")]
    assert [found.rank for found in ranked] == ["1–2", "1–2", "3"]
    assert ranked[0].rank_words == "1st to 2nd"


def test_holms_correction_is_made_over_every_row_below_the_leader(monkeypatch: pytest.MonkeyPatch):
    # 0.03 alone would separate b; Holm's adjusted value of (0.03, 0.04) is max(2 × 0.03, 0.04) = 0.06 for both.
    p_values = {"b": 0.03, "c": 0.04}
    monkeypatch.setattr(PairedTest, "p_value", lambda _self, _leader, other: p_values[other])
    test = paired(**{name: vector(0.5) for name in "abc"})
    ranked, _ = by_test([row("a", 0.6), row("b", 0.5), row("c", 0.4)], test)
    assert ranges(ranked) == [("a", 1, 3, "first"), ("b", 1, 3, "inner"), ("c", 1, 3, "last")]


def test_the_words_about_the_leader_and_the_baseline_are_adjusted_as_ranks_are(
    monkeypatch: pytest.MonkeyPatch,
):
    # With the leader: Holm of (0.03, 0.04) is 0.06 for both. With z: of (0.01, 0.02, 0.9) it is 0.03, 0.04 and 0.9.
    # The other baseline y is adjusted apart: alone with z, and alone with the leader.
    p_values = {"ab": 0.03, "ac": 0.04, "az": 0.01, "bz": 0.02, "cz": 0.9, "yz": 0.04, "ay": 0.04}
    monkeypatch.setattr(
        PairedTest, "p_value", lambda _self, one, other: p_values["".join(sorted(one + other))]
    )
    test = paired(**{name: vector(0.5) for name in "abcyz"})
    ranked, _ = by_test([row("a", 0.6), row("b", 0.5), row("c", 0.4)], test)
    baselines = [replace(row(name, 0.1), baseline=True) for name in "zy"]
    rows, others = compared(ranked, baselines, baselines[0], test)
    assert [(one.rank, one.to_leader and one.to_leader.holm, one.to_baseline) for one in rows] == [
        ("1–3", None, Comparison(0.5, 0.01, 0.03, tied=False)),
        ("1–3", 0.06, Comparison(0.4, 0.02, 0.04, tied=False)),
        ("1–3", 0.06, Comparison(0.4 - 0.1, 0.9, 0.9, tied=True)),
    ]
    assert [one.to_leader and one.to_leader.tied for one in rows] == [None, True, True]
    reference, other = others
    assert reference.to_baseline is None
    assert other.to_baseline == Comparison(0.0, 0.04, 0.04, tied=False)
    assert (other.to_leader and other.to_leader.holm) == 0.04


def test_the_level_and_the_flips_are_the_methodologys():
    # All six differ by the same: 2 of 64 ways are as large, p is about 0.03, and never below 1 in 101 of 100 flips.
    a, b = vector(*[1.0] * 6), vector(*[0.0] * 6)
    rows, test = [row("a", 1.0), row("b", 0.0)], paired(a=a, b=b)
    assert [found.rank for found in by_test(rows, test)[0]] == ["1", "2"]
    assert [found.rank for found in by_test(rows, replace(test, level=0.01))[0]] == ["1–2", "1–2"]
    assert replace(test, flips=100).p_value("a", "b") * 101 == pytest.approx(
        round(replace(test, flips=100).p_value("a", "b") * 101)
    )


def test_nobody_has_a_rank_where_the_queries_differ_or_are_not_recorded():
    for other in (vector(1.0), {}):
        ranked, tested = by_test([row("a", 1.0), row("b", 0.5)], paired(a=vector(1.0, 0.0), b=other))
        assert not tested
        assert [found.rank for found in ranked] == ["", ""]


def test_the_seed_is_the_first_eight_bytes_of_the_datasets_sha256():
    header = row("a", 1.0).header
    assert header.summary is not None
    dataset = replace(header.summary, target_sha256="0123456789abcdef" + "f" * 48)
    assert seed(replace(header, summary=dataset)) == 0x0123456789ABCDEF


def test_equal_scores_have_equal_p_values_under_any_receipt_id():
    # p is near 0.05, where 10,000 flips of another seed give other digits.
    values = vector(*[1.0] * 40), vector(*[1.0] * 30, *[0.2] * 7, *[1.2] * 2, 1.0)
    found = {paired(**dict(zip(ids, values, strict=True))).p_value(*ids) for ids in ("ab", "ba", "xy")}
    other = replace(paired(a=values[0], b=values[1]), seed=8).p_value("a", "b")
    assert len(found) == 1
    assert found != {other}


def places(*rows: Row) -> list[tuple[str, str, str]]:
    return [(made.name, made.rank, made.tied) for made in placed(rows)]


def placed(rows: Iterable[Row]) -> tuple[Row, ...]:
    return by_interval(sorted(rows, key=best_first))


def test_a_rank_is_what_the_intervals_leave_open():
    # a overlaps b, b overlaps c, a lies wholly above c; d lies below all
    found = places(row("d", 30, 25, 35), row("a", 80, 75, 85), row("c", 68, 63, 73), row("b", 74, 70, 78))
    assert found == [("a", "1–2", ""), ("b", "1–3", ""), ("c", "2–3", ""), ("d", "4", "")]


def test_neighbours_of_the_same_range_are_bracketed():
    assert places(row("a", 80, 75, 85), row("b", 79, 74, 84), row("c", 78, 73, 83), row("d", 20, 20, 20)) == [
        ("a", "1–3", "first"),
        ("b", "1–3", "inner"),
        ("c", "1–3", "last"),
        ("d", "4", ""),
    ]


def test_intervals_that_touch_overlap():
    assert [rank for _, rank, _ in places(row("a", 80, 75, 85), row("b", 70, 65, 75))] == ["1–2", "1–2"]


def test_without_intervals_equal_composites_tie_and_the_next_one_waits():
    found = places(row("c", 50), row("a", 70), row("b", 70), row("d", 40))
    assert found == [("a", "1–2", "first"), ("b", "1–2", "last"), ("c", "3", ""), ("d", "4", "")]


def test_a_blank_composite_stands_last_without_rank():
    assert places(row("blank", None), row("a", 50)) == [("a", "1", ""), ("blank", "", "")]
    assert placed([row("blank", None)])[0].rank_words == "not ranked"


def test_ranks_are_said_in_words():
    made = placed([row("a", 80, 75, 85), row("b", 70, 65, 76), row("c", 30, 25, 35)])
    assert [one.rank_words for one in made] == ["1st to 2nd", "1st to 2nd", "3rd"]


@given(st.lists(st.tuples(st.integers(20, 100), st.integers(0, 40)), min_size=1, max_size=8))
def test_every_range_holds_at_least_one_rank_and_names_who_may_be_first(found: list[tuple[int, int]]):
    rows = placed([row(str(i), value, value - wide, value + wide) for i, (value, wide) in enumerate(found)])
    for one in rows:
        assert one.first is not None
        assert one.last is not None
        assert 1 <= one.first <= one.last <= len(rows)
    assert rows[0].first == 1
    assert max(one.last or 0 for one in rows) == len(rows)


def test_a_long_board_is_ranked_like_a_short_one():
    rows = [row(str(place), place % 101, place % 101 - 1, place % 101 + 1) for place in range(2000)]
    made = placed(rows)
    # 2000 = 19 × 101 + 81, so 100, 99 and 98 stand there 19 times each; their intervals touch or overlap.
    assert (made[0].first, made[0].last) == (1, 19 * 3)


def test_one_run_a_task_is_compared_by_mcnemars_exact_test():
    # a alone is right on 6 of 8 tasks, b on none: p = 2 / 2^6. Against c, which has several runs, signs are drawn.
    a, b = vector(*[1.0] * 6, 1.0, 0.0), vector(*[0.0] * 6, 1.0, 0.0)
    test = PairedTest({"a": a, "b": b, "c": b}, 10_000, 0.05, 7, frozenset("ab"))
    a, b = (test.vectors[name] for name in "ab")
    assert counts(a, b) == (6, 0, 2)
    assert counts(b, a) == (0, 6, 2)
    assert test.p_value("a", "b") == test.p_value("b", "a") == 0.03125
    assert test.p_value("a", "c") != 0.03125
    assert test.p_value("a", "c") == pytest.approx(0.03125, abs=0.01)


def test_the_resolution_counts_neighbors_after_holm():
    # 40, 39 and 0 of 40: p = 1 for the first pair. Connor: ψ = d = 1/40: (1.95996 √.025 + .84162 √.024375)² × 1,600 = 311.6.
    a, b, c = vector(*[1.0] * 40), vector(*[1.0] * 39, 0.0), vector(*[0.0] * 40)
    rows = [row("a", 1.0), row("b", 0.975), row("c", 0.0)]
    test = replace(paired(a=a, b=b, c=c), once=frozenset("abc"))
    said = "1 of 2 adjacent ranks separable; rank 1 against 2 would need 312 tasks"
    assert resolution(rows, test, "tasks") == said
    assert resolution(rows[1:], test, "tasks") == (
        "1 of 1 adjacent ranks separable; ranks 1 and 2 differ significantly on 40 tasks"
    )
    assert resolution(rows[:1], test, "tasks") == ""


def test_the_same_values_in_another_order_do_not_differ():
    values = [0.1 * (one % 7) + 0.013 * (one % 11) for one in range(100)]
    test = paired(a=vector(*values), b=vector(*values[37:], *values[:37]))
    said = resolution([row("a", 0.3), row("b", 0.3)], test, "queries")
    assert said == "0 of 1 adjacent ranks separable; ranks 1 and 2 do not differ on 100 queries"


def test_the_resolution_of_equal_and_of_single_values():
    test = paired(a=vector(0.5), b=vector(0.5), c=vector(0.25))
    rows = [row("a", 0.5), row("b", 0.5), row("c", 0.25)]
    assert resolution(rows[:2], test, "queries").endswith("ranks 1 and 2 do not differ on 1 query")
    assert resolution(rows[1:], test, "tasks").endswith("rank 1 against 2 cannot be tested on 1 task")
