"""A leaderboard's resolution: ranks, Holm, groups, the leader, notes, and words that never say tied of a group."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping

import pytest
from scipy.stats import binomtest

from benchsite.board.resolution import Outcomes, Resolution, resolution
from benchsite.board.resolution.outcomes import read_lines
from benchsite.errors import InputError
from benchsite.words import rounded


def report(
    systems: Mapping[str, Mapping[str, float]], published: Mapping[str, Mapping[str, float]] | None = None
) -> Resolution:
    outcomes = Outcomes()
    for name, values in systems.items():
        unread = "" if values else "no results per instance"
        outcomes.add(name, values, "f", published=(published or {}).get(name), unread=unread)
    return resolution(outcomes.systems(), "f")


def solved(first: int, last: int, n: int = 60) -> dict[str, float]:
    """1 on instances `first` to `last` − 1."""
    return {f"q{i:02}": float(first <= i < last) for i in range(n)}


CHAIN = {"low": solved(0, 20), "top": solved(0, 40), "second": solved(0, 35), "third": solved(0, 30)}
"""5 instances between neighbors, and 10 between the last two: p = 2 ÷ 2^5, 2 ÷ 2^5, 2 ÷ 2^10."""


def test_ranks_pairs_and_holm_by_hand():
    found = report(CHAIN)
    assert [system.name for system in found.systems] == ["top", "second", "third", "low"]
    assert [pair.found.p for pair in found.pairs] == [2 / 32, 2 / 32, 2 / 1024]
    assert [pair.holm for pair in found.pairs] == [4 / 32, 4 / 32, 6 / 1024]
    assert found.groups == [["top", "second", "third"], ["low"]]
    assert found.record["pairs"][0] == {
        "above": "top",
        "below": "second",
        "n": 60,
        "difference": 5 / 60,
        "p": 2 / 32,
        "holm": 4 / 32,
        "separable": False,
        "needed": 92,  # ψ = d = 1/12: (1.95996 √(1/12) + 0.84162 √(11/144))² × 144 = 91.7
    }
    assert set(found.record) == {"systems", "adjacent", "separable", "groups", "pairs", "notes"}
    assert (found.record["adjacent"], found.record["separable"]) == (3, 1)
    assert found.headline == "1 of 3 adjacent ranks separable; rank 1 against 2 would need 92 instances"


def test_a_group_of_neighbors_may_hold_systems_that_differ():
    """Rank 1 against 3: 10 wins, no loss, p = 2 ÷ 1,024; Holm over 2."""
    found = report(CHAIN)
    assert found.leader == {"second": 2 / 32, "third": 4 / 1024}
    said = " ".join((found.headline, *found.notes))
    assert "2 groups, the leading one ranks 1–3: no two neighbors in a group differ significantly" in said
    assert "Holm over 2 comparisons: 1 of 2 differ significantly, the first is rank 3" in said
    assert "tied" not in said.lower()


def test_equal_means_keep_the_order_of_the_file():
    found = report({"b": solved(0, 9), "a": solved(9, 18)})
    assert [system.name for system in found.systems] == ["b", "a"]
    assert found.pairs[0].found.needed is None
    assert found.headline.endswith("ranks 1 and 2 do not differ on 60 instances")


def test_systems_without_outcomes_are_listed_and_not_ranked():
    found = report({"x": {}, **CHAIN, "y": {}}, {"x": {"score": 90.0}, "top": {"score": 66.67}})
    assert "2 systems not read, no results per instance: x, y" in found.notes
    assert found.record["adjacent"] == 3
    assert found.record["systems"][-2] == {
        "system": "x",
        "rank": None,
        "n": 0,
        "mean": None,
        "published": 90.0,
        "recomputed": None,
        "reproduced": None,
        "unread": "no results per instance",
    }


def test_published_numbers_are_given_beside_what_the_instances_give():
    published = {"top": {"x": 66.7}, "second": {"x": 58.3}, "third": {"x": 49.9}, "low": {"x": 90.0}}
    found = report(CHAIN, published)
    assert "published x is the mean × 100: 2 of 4 reproduced" in found.notes
    # Below the wrong 90, the third is the fourth as published.
    assert (
        "third: published x 49.9, the instances give 50: rank 4 as published, 3 by the instances"
        in found.notes
    )
    moved = "low: published x 90, the instances give 33.3333: rank 1 as published, 4 by the instances"
    assert moved in found.notes
    assert [one["reproduced"] for one in found.record["systems"]] == [True, True, False, False]
    assert found.record["systems"][3]["recomputed"] == pytest.approx(100 / 3)


def test_a_number_that_every_system_contradicts_is_given_beside_the_means():
    found = report(CHAIN, {"top": {"score": 41.5}, "low": {"score": 40.2}})
    assert "published score: reproduced for no system; if it is a mean, the mean × 100 differs" in found.notes
    assert "top: published score 41.5, the instances give 66.6667" in found.notes
    assert "low: published score 40.2, the instances give 33.3333" in found.notes
    assert {one["reproduced"] for one in found.record["systems"]} == {None}


def test_ranks_as_published_are_those_of_the_published_numbers():
    # The numbers of the first two are exchanged: both ranks are, too.
    published = {"top": {"x": 58.33}, "second": {"x": 66.67}, "third": {"x": 50.0}, "low": {"x": 33.33}}
    notes = report(CHAIN, published).notes
    assert (
        "top: published x 58.33, the instances give 66.6667: rank 2 as published, 1 by the instances" in notes
    )
    assert (
        "second: published x 66.67, the instances give 58.3333: rank 1 as published, 2 by the instances"
        in notes
    )


def test_two_numbers_that_differ_are_never_printed_as_equal():
    found = report(CHAIN, {"top": {"x": 66.66667}, "second": {"x": 58.33333}, "low": {"x": 33.33334}})
    assert "low: published x 33.33334, the instances give 33.33333" in found.notes


def test_a_published_value_that_is_no_number_is_named():
    rows = {"a": {"x": "31 %", "note": "run twice"}, "b": {"x": 50.0}, "c": {"x": 25.0, "y": math.nan}}
    lines = [
        json.dumps({"system": name, "outcomes": solved(0, number), "published": rows[name]}).encode()
        for name, number in (("a", 9), ("b", 30), ("c", 15))
    ]
    notes = resolution(read_lines(lines, "f"), "f").notes
    assert "published x is a number in quotes, so not compared: a" in notes
    assert "published y is NaN or infinite, so not compared: c" in notes
    assert not any("note" in note for note in notes)


def test_identical_and_constant_outcomes_are_named():
    found = report({"a": solved(0, 9), "b": solved(0, 60), "c": solved(0, 9), "d": solved(1, 10)})
    assert "identical outcomes on 60 instances: a, c" in found.notes
    assert "constant: b is 1 on every instance" in found.notes
    assert (
        "identical outcomes on 60 instances: all systems" in report(dict.fromkeys("ab", solved(0, 9))).notes
    )


def test_pairs_use_their_common_instances():
    found = report({"a": solved(0, 5, 9), "b": solved(0, 4, 7), "c": {"z": 0.0, "y": 0.0}})
    # On its own instances b has 4/7, more than a with 5/9; on their common ones a has 5 of 7 and b 4.
    assert [pair.found.n for pair in found.pairs] == [7, 0]
    assert "systems have 2–9 of 11 instances: each pair is compared on its common instances" in found.notes
    reversed_ranks = "rank 1 against 2: on common instances, the lower rank has the higher mean"
    assert reversed_ranks in found.notes
    assert "rank 2 against 3: no common instances, so not tested" in found.notes
    last = found.record["pairs"][1]
    assert (last["n"], last["difference"], last["p"], last["holm"], last["needed"]) == (
        0,
        None,
        None,
        None,
        None,
    )
    assert found.rows[1][-4:] == ("–",) * 4
    assert "Holm over 1 adjacent pair, level 0.05" in " ".join(found.notes)


def test_a_pair_that_differs_in_the_other_direction_supports_no_order():
    # On 40 common instances b solves all and a none; a is first by 60 instances that b lacks.
    a = {f"q{i:03}": float(i >= 40) for i in range(100)}
    b = {f"q{i:03}": 1.0 for i in range(40)} | {f"r{i:03}": 0.0 for i in range(40)}
    found = report({"a": a, "b": b})
    assert (found.pairs[0].found.difference, found.separable, len(found.groups)) == (-1.0, 0, 1)
    assert found.pairs[0].holm is not None
    assert found.pairs[0].holm < 0.001
    assert found.headline.endswith("rank 2 has the higher mean on the 40 instances of both")
    said = "rank 1 against 2: on common instances, the lower rank has the significantly higher mean"
    assert said in found.notes
    assert (
        "1 group, the leading one ranks 1–2: no rank in a group is significantly above the next"
        in found.notes
    )


def test_neighbors_that_could_not_be_tested_are_not_said_to_agree():
    notes = " ".join(report({"a": {"x": 1.0}, "b": {"y": 0.5}, "c": {"z": 0.0}}).notes)
    assert "no two neighbors in a group that could be tested differ significantly" in notes
    assert "0 of 0" not in notes
    assert "Holm over 0" not in notes


def test_no_pair_at_all_shares_an_instance():
    found = report({"a": {"x": 1.0}, "b": {"y": 0.0}})
    assert found.headline == "0 of 1 adjacent ranks separable; ranks 1 and 2 have no common instances"


def test_one_instance_and_two_constants():
    found = report({"a": {"q": 1.0}, "b": {"q": 0.0}})
    assert (
        found.headline == "0 of 1 adjacent ranks separable; rank 1 against 2 cannot be tested on 1 instance"
    )
    assert "fewer than 6 common instances: no exact two-sided test is below 0.05" in found.notes


@pytest.mark.parametrize(
    ("systems", "said"),
    [({}, "no system has"), ({"a": {}}, "no system has"), ({"a": solved(0, 1)}, "only one system has")],
)
def test_fewer_than_two_systems_are_refused(systems, said):
    with pytest.raises(InputError, match=f"^f: {said} results per instance$"):
        report(systems)


def test_separable_alone_but_not_after_holm():
    # 11 wins, 1 loss: p = 2 × 13 ÷ 4,096; Holm over 8 multiplies it by 8: 0.0508. Connor: 55 of 60 instances.
    systems = {"top": solved(0, 30) | {"q59": 0.0}, "next": solved(11, 30) | {"q59": 1.0}}
    found = report(systems | {f"s{i}": solved(11, 30) for i in range(7)})
    assert found.pairs[0].found.p == 26 / 4096
    assert found.pairs[0].found.needed == 55
    assert not found.pairs[0].is_separable
    assert (
        found.headline
        == "0 of 8 adjacent ranks separable; rank 1 against 2 is not separable after Holm (p = 0.006 alone)"
    )


def test_the_first_two_are_separable():
    found = report({"a": solved(0, 30), "b": solved(0, 10)})
    assert (
        found.headline
        == "1 of 1 adjacent ranks separable; ranks 1 and 2 differ significantly on 60 instances"
    )
    assert "2 groups: rank 1 is the leading group alone" in found.notes


def test_every_pair_of_a_random_leaderboard_equals_scipy():
    draw = random.Random(3)  # noqa: S311 - test data
    systems = {f"s{i}": {f"q{j}": float(draw.random() < i / 12) for j in range(300)} for i in range(12)}
    found = report(systems)
    for pair in found.pairs:
        a, b = systems[pair.above], systems[pair.below]
        wins = sum(a[one] > b[one] for one in a)
        losses = sum(a[one] < b[one] for one in a)
        oracle = binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
        assert abs(pair.found.p - oracle) <= 1e-12
        assert pair.found.difference == (wins - losses) / 300


def test_the_order_of_instances_changes_nothing():
    draw = random.Random(4)  # noqa: S311 - test data
    systems = {name: {f"q{j}": draw.random() for j in range(40)} for name in "abc"}
    shuffled = {name: dict(draw.sample(sorted(values.items()), 40)) for name, values in systems.items()}
    assert json.dumps(report(systems).record) == json.dumps(report(shuffled).record)


def test_numbers_are_rounded_for_people():
    assert [rounded(value) for value in (6, 999, 1_303, 223_691, 95_812_345)] == [
        "6",
        "999",
        "1,300",
        "224,000",
        "95,800,000",
    ]
