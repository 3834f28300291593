"""Utility, gain, coordination cost and regimes, computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.tracks.agents.scores.economics import COST, QUALITY, Economy, economics, regime


def means(success, score, latency=None, tokens=None, cost=None, calls=None):
    return {
        "Q1_success_rate": success,
        "eval_avg_score": score,
        "C1_latency_p95": latency,
        "C2_tokens_total": tokens,
        "C3_cost_total": cost,
        "C4_tool_calls_total": calls,
    }


WORKED = {
    "sas": means(0.5, 1.0, 1000, 500, None, 2),
    "debate": means(0.7, 1.0, 3000, 2000, None, 4),
    "tree": means(0.5, 0.8, 2000, 1500, None, 6),
}


def test_a_worked_table():
    found = economics(WORKED)
    # Q: (3 × 0.5 + 1) ÷ 4, (3 × 0.7 + 1) ÷ 4, (3 × 0.5 + 0.8) ÷ 4.
    assert [one.quality for one in found.systems.values()] == pytest.approx([0.625, 0.775, 0.575])
    # Scaled: latency 0, 1, 1/2; tokens 0, 1, 2/3; tool calls 0, 1/2, 1. Dollars are blank for all: three columns.
    assert [one.cost for one in found.systems.values()] == pytest.approx(
        [0, 2.5 / 3, (1 / 2 + 2 / 3 + 1) / 3]
    )
    debate = found.systems["debate"]
    assert debate.utility == pytest.approx(0.775 - 2.5 / 3)
    assert debate.gain == pytest.approx(0.15)
    assert debate.coordination_cost == pytest.approx(2.5 / 3)
    assert debate.net_gain == pytest.approx(0.15 - 2.5 / 3)
    assert debate.regime == "overpriced"
    assert found.systems["tree"].regime == "wasteful"
    assert [one.rank for one in found.systems.values()] == [1, 2, 3]
    assert found.blank == ("C3_cost_total",)
    assert found.equal == ()
    assert found.rank_spread == 0


def test_the_single_agent_has_no_gain_over_itself():
    alone = economics(WORKED).systems["sas"]
    assert (alone.gain, alone.coordination_cost, alone.net_gain, alone.regime) == (None, None, None, None)
    assert alone.utility == pytest.approx(0.625)


def test_without_the_single_agent_utility_remains():
    found = economics({name: WORKED[name] for name in ("debate", "tree")})
    assert found.single is None
    assert found.systems["debate"].gain is None
    assert found.systems["debate"].utility is not None


def test_the_geometric_mean_changes_ranks():
    # Arithmetic Q: 0.75 and 0.7; geometric Q: 0 and 0.7. Costs are equal.
    found = economics({"a": means(1.0, 0.0, 5), "b": means(0.7, 0.7, 5)})
    assert [(one.rank, one.rank_geometric) for one in found.systems.values()] == [(1, 2), (2, 1)]
    assert found.rank_spread == 1


def test_a_blank_is_never_0():
    # The second states no tokens: its C is blank, and the others are scaled without it.
    found = economics(
        {
            "sas": means(0.5, 1.0, 10, 100),
            "other": means(0.5, 1.0, 20, None),
            "third": means(0.5, 1.0, 30, 300),
        }
    )
    assert found.systems["other"] == Economy(quality=0.625, gain=0.0)
    assert found.systems["third"].cost == pytest.approx(1.0)
    assert found.systems["third"].rank == 2


def test_equal_costs_are_in_no_mean_and_are_named():
    found = economics({"sas": means(0.5, 1.0, 10, 7), "other": means(0.6, 1.0, 30, 7)})
    # Latency 0 and 1; tokens say nothing.
    assert [one.cost for one in found.systems.values()] == [0, 1]
    assert found.equal == ("C2_tokens_total",)


def test_one_system_alone_and_none():
    found = economics({"sas": means(0.0, 0.0, 10)})
    assert (found.systems["sas"].cost, found.systems["sas"].utility) == (0, 0)
    assert found.equal == ("C1_latency_p95",)
    assert economics({}).systems == {}
    assert economics({}).rank_spread is None


def test_without_any_cost_utility_is_blank():
    found = economics({"sas": means(0.5, None), "other": means(0.6, None)})
    assert [(one.quality, one.cost, one.utility, one.rank) for one in found.systems.values()] == [
        (0.5, None, None, None),
        (0.6, None, None, None),
    ]


@pytest.mark.parametrize(
    "row",
    [
        means(1.5, 1.0),
        means(-0.1, 1.0),
        means(float("nan"), 1.0),
        means(0.5, 1.0, -3),
        means(0.5, 1.0, float("inf")),
    ],
)
def test_impossible_means_are_refused(row):
    with pytest.raises(ValueError, match=r"of bad is .*: impossible"):
        economics({"bad": row})


@pytest.mark.parametrize(
    ("gain", "paid", "expected"),
    [
        (0.1, -0.1, "efficiency-driven"),
        (-0.1, -0.2, "efficiency-driven"),
        (0.2, 0.1, "productive"),
        (0.1, 0.0, "productive"),
        (0.1, 0.2, "overpriced"),
        (-0.1, 0.2, "wasteful"),
        (0.1, 0.1, "boundary"),
        (0.0, 0.2, "boundary"),
        (0.0, 0.0, "boundary"),
        (-0.1, 0.0, "boundary"),
    ],
)
def test_regimes_in_their_order(gain, paid, expected):
    assert regime(gain, paid) == expected


def test_every_column_has_a_reason():
    assert all(one.reason and one.weight > 0 for one in (*QUALITY, *COST))


SHARE, AMOUNT = st.floats(0, 1), st.floats(0, 1e9)


@given(st.dictionaries(st.sampled_from("abcdef"), st.builds(means, SHARE, SHARE, AMOUNT, AMOUNT), min_size=1))
def test_values_stay_in_range_and_scaling_costs_changes_nothing(systems):
    found = economics(systems, single="a")
    for one in found.systems.values():
        assert one.quality is not None
        assert one.cost is not None
        assert 0 <= one.quality <= 1
        assert 0 <= one.cost <= 1
    doubled = {name: row | {"C2_tokens_total": 2 * row["C2_tokens_total"]} for name, row in systems.items()}
    assert economics(doubled, single="a") == found
