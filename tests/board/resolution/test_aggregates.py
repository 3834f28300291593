"""Published numbers: reproduced to their digits, contradicted a little or a lot, and those that no statistic gives."""

from __future__ import annotations

import pytest

from benchsite.board.resolution import Outcomes
from benchsite.board.resolution.aggregates import Aggregate, Found, aggregates


def published(*systems: tuple[list[float], dict[str, float]]) -> Found:
    outcomes = Outcomes()
    for number, (values, published) in enumerate(systems):
        outcomes.add(
            f"s{number}", {f"q{i:02}": value for i, value in enumerate(values)}, "f", published=published
        )
    return aggregates(outcomes.systems())


def taken(*systems: tuple[list[float], dict[str, float]]) -> tuple[list[Aggregate], list[str]]:
    found = published(*systems)
    assert not found.unlike
    return found.taken, found.others


def first(*systems: tuple[list[float], dict[str, float]]) -> tuple[str, str, list[bool]]:
    (found, *_), _ = taken(*systems)
    return found.key, found.statistic.name, list(found.reproduced.values())


ONE_OF_THREE, TWO_OF_THREE = [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]


def test_a_rounded_mean_is_reproduced_to_its_digits():
    assert first((ONE_OF_THREE, {"x": 0.333}), (TWO_OF_THREE, {"x": 0.667})) == ("x", "mean", [True, True])
    assert first((ONE_OF_THREE, {"x": 33.3}), (TWO_OF_THREE, {"x": 66.7})) == (
        "x",
        "mean × 100",
        [True, True],
    )


def test_a_little_is_a_contradiction_and_so_is_a_lot():
    exact = (TWO_OF_THREE, {"x": 66.67})
    # 66.66 is cut off, not rounded; the other values have two decimals.
    assert first(exact, exact, (TWO_OF_THREE, {"x": 66.66}), (ONE_OF_THREE, {"x": 52.8}))[2] == [
        True,
        True,
        False,
        False,
    ]


def test_a_number_is_held_to_its_own_digits_beside_longer_ones():
    # 66.7 is 66.67 rounded once more; 66.6 is neither, and 33.34 has the digits to be wrong.
    rows = [(ONE_OF_THREE, {"x": 33.33}), (TWO_OF_THREE, {"x": 66.7}), (TWO_OF_THREE, {"x": 66.6})]
    assert first(*rows, (ONE_OF_THREE, {"x": 33.33}))[2] == [True, True, False, True]
    assert first(*rows, (ONE_OF_THREE, {"x": 33.33}), (ONE_OF_THREE, {"x": 33.34}))[2] == [
        True,
        True,
        False,
        True,
        False,
    ]


def test_the_digits_of_the_outcomes_are_allowed_for():
    # Outcomes rounded to 1 decimal give a mean that is known to 0.05.
    values = [0.1, 0.2, 0.4]
    assert first((values, {"x": 0.27}), (values, {"x": 0.2})) == ("x", "mean", [True, True])
    assert first((values, {"x": 0.27}), (values, {"x": 0.15})) == ("x", "mean", [True, False])


def test_an_unnamed_number_that_no_system_reproduces_is_compared_with_the_nearest_mean():
    found, others = taken((ONE_OF_THREE, {"published": 41.5}), (TWO_OF_THREE, {"published": 52}))
    assert [(one.key, one.statistic.name, one.count) for one in found] == [("published", "mean × 100", 0)]
    assert found[0].recomputed == pytest.approx({"s0": 100 / 3, "s1": 200 / 3})
    assert others == []


def test_a_named_number_that_no_system_reproduces_is_given_beside_the_nearest_mean():
    # It may be no mean at all, so it isn't taken for one.
    found = published((ONE_OF_THREE, {"lc_winrate": 41.5}), (TWO_OF_THREE, {"lc_winrate": 52.25}))
    assert (found.taken, found.others) == ([], [])
    (beside,) = found.unlike
    assert (beside.key, beside.statistic.name, beside.count) == ("lc_winrate", "mean × 100", 0)
    assert beside.recomputed == pytest.approx({"s0": 100 / 3, "s1": 200 / 3})


def test_other_numbers_are_not_compared_beside_a_reproduced_mean():
    rows = (ONE_OF_THREE, {"mean": 0.333, "cost": 0.12}), (TWO_OF_THREE, {"mean": 0.667, "cost": 0.95})
    found = published(*rows)
    assert ([one.key for one in found.taken], found.unlike, found.others) == (["mean"], [], ["cost"])


def test_a_count_that_is_the_same_for_all_or_of_one_system_is_no_evidence():
    assert taken((ONE_OF_THREE, {"seed": 0}), (TWO_OF_THREE, {"seed": 0})) == ([], ["seed"])
    assert taken((ONE_OF_THREE, {"rank": 1}), (TWO_OF_THREE, {})) == ([], ["rank"])
    (n,), _ = taken((ONE_OF_THREE, {"n": 3}), (TWO_OF_THREE, {"n": 3}))
    assert n.statistic.name == "number of instances"


def test_a_number_that_could_be_no_mean_is_not_compared():
    assert taken((ONE_OF_THREE, {"cost": 360}), (TWO_OF_THREE, {"cost": 9})) == ([], ["cost"])


def test_standard_errors_and_counts_are_recognized():
    # 1, 1, 0: variance 1/3, standard error √(1/9). The other: variance 0.675 ÷ 4, standard error 0.1837.
    first_row = {"n": 3, "se": 33.33, "total": 2, "lost": 1, "mean": 0.667}
    second_row = {"n": 5, "se": 18.37, "total": 2.75, "lost": 3, "mean": 0.55}
    found, others = taken((TWO_OF_THREE, first_row), ([1.0, 1.0, 0.25, 0.25, 0.25], second_row))
    assert [(one.key, one.statistic.name, one.count) for one in found] == [
        ("mean", "mean", 2),
        ("n", "number of instances", 2),
        ("se", "standard error × 100", 2),
        ("total", "sum", 2),
        ("lost", "number below 0.5", 2),
    ]
    assert others == []


def test_whole_numbers_are_too_coarse_for_a_mean_of_zeros_and_ones():
    # 0.667 is 1 and 0.333 is 0 without decimals.
    assert taken((3 * TWO_OF_THREE, {"x": 1}), (3 * ONE_OF_THREE, {"x": 0})) == ([], ["x"])


def test_a_single_instance_has_no_standard_error():
    found, _ = taken(([0.75], {"mean": 0.75}), ([0.5], {"mean": 0.5}))
    assert [one.statistic.name for one in found] == ["mean"]


def test_a_leaderboard_without_published_numbers():
    assert taken((ONE_OF_THREE, {}), (TWO_OF_THREE, {})) == ([], [])


HALVES = [1.0, 0.5, 0.0, 0.5]


def test_halves_and_quarters_are_exact_and_allow_no_rounding():
    # Win, tie, loss: the mean is 0.5. 4 points above it are a contradiction, not rounding.
    rows = (HALVES, {"x": 50.0}), ([1.0, 1.0, 0.5, 0.5], {"x": 75.0}), (HALVES, {"x": 54.0})
    assert first(*rows) == ("x", "mean × 100", [True, True, False])
    found = published((25 * HALVES, {"published": 54.5}), (25 * [1.0, 1.0, 0.5, 0.5], {"published": 79.5}))
    assert [one.count for one in found.taken] == [0]


def test_rounded_outcomes_move_a_standard_error_by_less_than_a_mean():
    # 100 outcomes to one decimal: 0.05 for the mean, 0.05 ÷ √99 for its standard error of 0.0230.
    values = 25 * [0.1, 0.2, 0.4, 0.7]
    rows = (values, {"se": 0.023}), (values[:80], {"se": 0.026})
    assert first(*rows) == ("se", "standard error", [True, True])
    assert published((values, {"cost": 0.06}), (values[:80], {"cost": 0.09})).taken == []


def test_one_number_out_of_range_hides_no_contradiction():
    found = published((TWO_OF_THREE, {"published": 66.7}), (ONE_OF_THREE, {"published": 333}))
    (only,) = found.taken
    assert (only.statistic.name, list(only.reproduced.values())) == ("mean × 100", [True, False])
    both = published((TWO_OF_THREE, {"published": 166.7}), (ONE_OF_THREE, {"published": 133.3}))
    assert [(one.key, one.count) for one in both.taken] == [("published", 0)]


def test_ranks_and_costs_are_not_given_beside_a_mean():
    rows = (3 * TWO_OF_THREE, {"rank": 1}), (3 * ONE_OF_THREE, {"rank": 2})
    assert taken(*rows) == ([], ["rank"])
    assert taken((TWO_OF_THREE, {"cost": 0.02}), (ONE_OF_THREE, {"cost": 1.7})) == ([], ["cost"])
