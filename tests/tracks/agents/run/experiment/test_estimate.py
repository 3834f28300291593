"""Estimates before a start: calls, tokens and dollars computed by hand from sizes and texts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from answering import Counting

from benchsite.tracks.agents.benchmarks import Benchmark, Task
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.models.prices import Estimate, PriceTable, read_prices
from benchsite.tracks.agents.run.experiment.estimate import Expectation
from benchsite.tracks.agents.run.measured import Described
from benchsite.tracks.agents.tools import Tool

PARAMETERS = {"type": "object"}  # 18 characters as JSON
BENCHMARK = cast(
    "Benchmark", SimpleNamespace(tools=(Tool("add", "Add.", PARAMETERS),))
)  # 3 + 4 + 18 = 25 characters
TASKS = [Task("t1", "d", "q" * 100, instructions="i" * 75), Task("t2", "d", "q" * 300, instructions="i" * 75)]
# Mean text of a request: 25 of the tool + 275 of the task + 800 of the role = 1,100 characters: 275 tokens in, 80 out.


def described(roles: tuple[str, ...], **sizes: int) -> Described:
    return Described(roles=roles, sizes=sizes)


@pytest.fixture
def table(tmp_path: Path) -> PriceTable:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"date": "2026-11-01", "models": {"m": {"input": 2, "output": 10}}}))
    return read_prices(path)


def expectation(told: Described, table: PriceTable | None, model: str = "m", **options: Any) -> Expectation:
    models = {role: cast("Model", Counting(model)) for role in told.roles}
    return Expectation.of(BENCHMARK, TASKS, 3, told, models, options, table)


def test_one_agent_asks_twice_a_run(table: PriceTable) -> None:
    found = expectation(described(("worker",), agents=1, rounds=1), table)
    assert found.calls == 2 * 6
    assert found.tokens == 12 * (275 + 80)
    # 12 × (275 × 2 + 80 × 10) millionths of a dollar
    assert found.cost is not None
    assert found.cost.total == pytest.approx(0.0162, rel=1e-12)
    assert found.words() == "about 12 model calls and 4,300 tokens, 0.016 USD"


def test_a_team_answers_in_every_round_and_its_other_roles_act_once_a_round(table: PriceTable) -> None:
    told = described(("planner", "worker", "judge"), agents=4, rounds=2, discussion_rounds=1)
    found = expectation(told, table)
    assert found.calls == 6 * (2 * 4 * 2 + 2 + 2)
    assert found.cost is not None
    assert found.cost.judge == pytest.approx(6 * 2 * (275 * 2 + 80 * 10) / 1e6, rel=1e-12)


def test_dollars_have_two_significant_digits_and_the_judge_is_apart(table: PriceTable) -> None:
    small = expectation(described(("worker",)), table)
    assert replace(small, cost=Estimate(0.00042, 0.0)).words().endswith(" tokens, 0.00042 USD")
    assert (
        replace(small, cost=Estimate(1_234_567.0, 3.0))
        .words()
        .endswith(" tokens, 1,200,000 USD, 3.0 USD of it for the judge")
    )
    assert replace(small, cost=Estimate(0.0, 0.0)).words().endswith(" tokens, 0 USD")


def test_an_agent_without_tools_asks_once(table: PriceTable) -> None:
    told = described(("worker",))
    models = {"worker": cast("Model", Counting("m"))}
    found = Expectation.of(BENCHMARK, TASKS, 3, told, models, {}, table, has_tools=False)
    # 275 + 800 characters without the tool's 25: 268.75 tokens in.
    assert (found.calls, found.tokens) == (6, round(6 * (268.75 + 80)))


def test_a_budget_is_spent(table: PriceTable) -> None:
    found = expectation(described(("worker",), agents=1), table, budget=3_550)
    assert (found.calls, found.tokens) == (60, 6 * 3_550)


def test_a_model_without_a_price_is_named(table: PriceTable) -> None:
    told = described(("worker",))
    assert expectation(told, table, "other").words().endswith("cost unknown: no price of other")
    assert expectation(told, None).words().endswith("cost unknown: no price of m")


def test_simulated_models_cost_nothing_and_baselines_ask_none(table: PriceTable) -> None:
    simulated = Counting()
    simulated.simulated = True
    told = described(("worker",))
    found = Expectation.of(BENCHMARK, TASKS, 1, told, {"worker": simulated}, {}, table)
    assert (found.calls, found.cost) == (4, None)
    assert "USD" not in found.words()
    assert Expectation.of(BENCHMARK, TASKS, 1, described(()), {}, {}, table).words() == ""
