"""Verdicts at equal budget, with differences computed by hand."""

from __future__ import annotations

import pytest

from benchsite.errors import InputError
from benchsite.stats import mcnemar
from benchsite.tracks.agents.record.runs import Run
from benchsite.tracks.agents.scores.verdict import adjusted, compare, require_same_tasks, sentence


def ran(*tasks: str, tokens: int | None = 100) -> dict[str, list[Run]]:
    """One task a text: `+` for a success, `-` for a failure, `e` for an error."""
    outcomes = {"+": "success", "-": "failure", "e": "error"}
    return {
        f"t{i}": [Run(outcome=outcomes[one], tokens=tokens) for one in told]  # type: ignore[arg-type]
        for i, told in enumerate(tasks)
    }


def test_one_run_a_task_is_decided_by_mcnemar():
    # Eight tasks only the team solves, one that only the single agent does, one that both do.
    team, alone = ran(*"++++++++-+", tokens=300), ran(*"--------++", tokens=100)
    found = compare("team", team, "sas", alone, seed=1)
    assert (found.success, found.reference_success) == (0.9, 0.2)
    assert found.p == mcnemar(8, 1)  # 2 × (1 + 9) ÷ 512 = 0.0390625
    assert found.p == pytest.approx(0.0390625)
    assert found.token_ratio == 3
    assert found.is_decided
    # d = 7/10; Σ (x − d)² = 8 × 0.09 + 2.89 + 0.49 = 4.1; ± 2.262 × √(4.1 ÷ 9 ÷ 10).
    assert found.interval == pytest.approx(
        (0.7 - 2.262157 * (4.1 / 90) ** 0.5, 0.7 + 2.262157 * (4.1 / 90) ** 0.5)
    )
    assert sentence(found) == (
        "team compared with sas: success +70.0 pt, 95% CI [+21.7 pt, +118.3 pt], p = 0.039, n = 10 tasks × 1 run, "
        "at 3.00 times the tokens: decided, team solves more."
    )


def test_not_decided_says_what_would_decide():
    # Differences 1, 0, 0, 0: 32 tasks (see tests/stats/test_power.py), 28 more.
    found = compare("team", ran(*"+++-"), "sas-majority", ran(*"-++-"), seed=1)
    assert found.p == 1
    assert not found.is_decided
    assert (found.tasks_needed, found.runs_needed) == (32, None)
    assert sentence(found).endswith(
        "at 1.00 times the tokens: not decided, about 28 more tasks would decide it (two-sided 5%, 80% power)."
    )


def test_more_runs_are_named_where_they_suffice():
    # Differences 1/2, 0, 0, 0 over two runs: d = 1/8, s² = 1/16, all of it within: w = 2 × 1/4 ÷ 4 = 1/8 on the first
    # task only, τ² = max(0, 1/16 − 1/16) = 0; 1/8 ÷ (4 ÷ 64 ÷ 7.849) = 15.7 runs; 7.849 × (1/16) ÷ (1/64) = 31.4 tasks.
    found = compare("team", ran("+-", "++", "--", "--"), "sas", ran("--", "++", "--", "--"), seed=1)
    assert (found.tasks_needed, found.runs_needed) == (32, 16)
    assert "about 28 more tasks or 14 more runs of each task would decide it" in sentence(found)


def test_systems_that_agree_on_every_task():
    found = compare("team", ran(*"++--"), "sas", ran(*"++--"), seed=1)
    assert (found.p, found.tasks_needed, found.smallest) == (1, None, 0)
    assert sentence(found).endswith("not decided, no task differs.")


def test_opposite_differences_say_what_these_tasks_would_show():
    # Differences 1, −1, 0, 0: s² = 2/3; √(7.849 × (2/3) ÷ 4) = 1.144.
    found = compare("team", ran(*"+-+-"), "sas", ran(*"-++-"), seed=1)
    assert sentence(found).endswith("not decided, 4 tasks would show +114.4 pt (two-sided 5%, 80% power).")


def test_one_task_decides_nothing():
    found = compare("team", ran("+"), "sas", ran("-"), seed=1)
    assert (found.interval, found.tasks_needed, found.smallest) == (None, None, None)
    assert sentence(found) == (
        "team compared with sas: success +100.0 pt, p = 1.000, n = 1 task × 1 run, at 1.00 times the tokens: "
        "not decided, one task can't decide it."
    )


def test_no_success_and_only_errors():
    found = compare("team", ran("ee", "ee", tokens=None), "sas", ran("--", "--"), seed=1)
    assert (found.difference, found.p, found.token_ratio, found.tokens_p) == (0, 1, None, None)
    assert "tokens not stated: not decided, no task differs" in sentence(found)


def test_a_run_without_tokens_blanks_their_multiple():
    team = ran("++", "+-")
    team["t1"][1] = Run(outcome="error")
    assert compare("team", team, "sas", ran("--", "--"), seed=1).token_ratio is None


def test_uneven_runs_are_not_stated():
    found = compare("team", ran("+", "++"), "sas", ran("-", "--"), seed=1)
    assert (found.runs, found.runs_needed) == (None, None)
    assert "n = 2 tasks, at" in sentence(found)


def test_holm_over_the_family():
    decided = compare("a", ran(*"++++++"), "sas", ran(*"------"), seed=1)  # 2 ÷ 2⁶ = 0.03125
    other = compare("b", ran(*"+-----"), "sas", ran(*"------"), seed=1)  # 1
    found = adjusted([decided, other])
    assert [one.p_adjusted for one in found] == [0.0625, 1]
    assert not found[0].is_decided
    # Six tasks are as many as the formula asks for, and the adjusted test needs more.
    assert "about 1 more task would decide it" in sentence(found[0])
    assert adjusted([decided])[0].is_decided
    assert adjusted([]) == []


def test_cost_is_tested_by_paired_randomization():
    found = compare("team", ran(*"+" * 12, tokens=300), "sas", ran(*"+" * 12), seed=1)
    assert found.tokens_p is not None
    assert found.tokens_p < 0.01  # 2 ÷ 2¹² of all sign assignments are as extreme
    same = compare("team", ran(*"++"), "sas", ran(*"++"), seed=1)
    assert same.tokens_p == 1


def test_other_tasks_are_named():
    systems = {"sas": ran(*"+++"), "team": ran(*"++"), "tree": ran(*"++++")}
    with pytest.raises(InputError, match=r"different tasks: team lacks 1 task of sas: t2$"):
        require_same_tasks(systems)
    with pytest.raises(InputError, match=r"different tasks: tree adds 1 task of sas: t3$"):
        require_same_tasks({name: systems[name] for name in ("sas", "tree")})
    with pytest.raises(InputError, match="lacks 9 tasks of a: t1, t2, t3, …"):
        require_same_tasks({"a": ran(*"+" * 10), "b": ran("+")})
    require_same_tasks({})


def test_no_tasks():
    with pytest.raises(InputError, match="no task was run: team"):
        compare("team", {}, "sas", {}, seed=1)
