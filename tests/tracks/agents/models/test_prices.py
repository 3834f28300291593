"""Prices: costs computed by hand, unpriced models, estimates, and malformed tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answering import Counting
from hypothesis import given
from hypothesis import strategies as st

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.models import Completion, Usage
from benchsite.tracks.agents.models.prices import (
    Estimate,
    Expected,
    Priced,
    PriceTable,
    costs_by_purpose,
    read_prices,
)

TABLE = {
    "date": "2026-11-01",
    "models": {
        "m": {"input": 2.5, "cachedInput": 1.25, "output": 10},
        "plain": {"input": 2, "output": 8},
        "free": {"input": 0, "output": 0},
    },
}


@pytest.fixture
def table(tmp_path: Path) -> PriceTable:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(TABLE))
    found = read_prices(path)
    assert (found.date, found.sha256) == ("2026-11-01", canonical.sha256_hex(path.read_bytes()))
    return found


@pytest.mark.parametrize(
    ("usage", "name", "expected"),
    [
        # (1,000 - 400) × 2.5 + 400 × 1.25 + 200 × 10 = 1,500 + 500 + 2,000 = 4,000 millionths
        (Usage(1_000, 200, 400), "m", 0.004),
        (Usage(1_000, 200), "m", 0.0045),
        (Usage(1_000, 200, 400), "plain", 0.0036),
        (Usage(0, 0), "m", 0.0),
        (Usage(1_000, 200), "free", 0.0),
        (Usage(1_000, 200), "else", None),
        (Usage(None, 200), "m", None),
        (Usage(1_000, None), "m", None),
    ],
)
def test_a_cost_is_that_of_the_table(
    table: PriceTable, usage: Usage, name: str, expected: float | None
) -> None:
    assert table.cost(usage, name) == expected


def test_the_model_that_responded_goes_before_the_requested_one(table: PriceTable) -> None:
    assert table.cost(Usage(1_000_000, 0), "plain", "m") == 2.0
    assert table.cost(Usage(1_000_000, 0), "m-2026-10-01", "m") == 2.5


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=2))
def test_cached_tokens_never_make_a_request_dearer(tokens: list[int]) -> None:
    cached, total = sorted(tokens)
    price = read_model(TABLE)
    with_cache, without = price.cost(Usage(total, 5, cached), "m"), price.cost(Usage(total, 5), "m")
    assert with_cache is not None
    assert without is not None
    assert with_cache <= without


def read_model(value: object) -> PriceTable:
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(value))
        file.flush()
        return read_prices(Path(file.name))


def test_a_priced_model_states_its_cost_and_keeps_one_that_it_has(table: PriceTable) -> None:
    class Costless(Counting):
        def complete(self, *arguments: Any) -> Completion:
            return replace(super().complete(*arguments), cost_usd=None)

    # 10 tokens in, 3 of them cached, 1 out: 7 × 2.5 + 3 × 1.25 + 10 = 31.25 millionths
    assert Priced(Costless("m"), table).complete([], (), {}).cost_usd == 0.00003125
    assert Priced(Costless("else"), table).complete([], (), {}).cost_usd is None
    assert Priced(Counting("m"), table).complete([], (), {}).cost_usd == 0.001


def test_an_estimate_keeps_the_judge_apart(table: PriceTable) -> None:
    expected = [
        Expected("worker", "m", 1_000, 100),  # 2,500 + 1,000 = 3,500 millionths
        Expected("planner", "plain", 500, 50),  # 1,000 + 400 = 1,400
        Expected("judge", "m", 100, 10),  # 250 + 100 = 350
    ]
    found = Estimate.of(expected, 100, table)
    assert found.system == pytest.approx(0.49)
    assert found.judge == pytest.approx(0.035)
    assert found.total == pytest.approx(0.525)
    assert found.unpriced == ()


def test_an_estimate_without_a_price_is_unknown_and_says_why(table: PriceTable) -> None:
    expected = [Expected("worker", "else", 1_000, 100), Expected("judge", "m", 100, 10)]
    found = Estimate.of(expected, 1, table)
    assert (found.system, found.total, found.unpriced) == (None, None, ("else",))
    assert found.judge == pytest.approx(0.00035)
    assert Estimate.of(expected, 1, None) == Estimate(None, None, ("else", "m"))
    assert Estimate.of([], 1, table) == Estimate(0.0, 0.0)


def test_costs_by_purpose() -> None:
    assert costs_by_purpose([("worker", 0.1), ("judge", 0.2), ("critic", 0.3)]) == {
        "system": 0.4,
        "judge": 0.2,
    }
    assert costs_by_purpose([("worker", 0.1), ("critic", None), ("judge", 0.2)]) == {
        "system": None,
        "judge": 0.2,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("{}", "date"),
        ('{"date": "yesterday", "models": {"m": {"input": 1, "output": 1}}}', "date"),
        ('{"date": "2026-11-01", "models": {}}', "models"),
        ('{"date": "2026-11-01", "models": {"m": {"input": -1, "output": 1}}}', "models.m.input"),
        ('{"date": "2026-11-01", "models": {"m": {"input": 1}}}', "models.m.output"),
        ('{"date": "2026-11-01", "models": {"m": {"input": "1", "output": 1}}}', "models.m.input"),
        ('{"date": "2026-11-01", "models": {"m": {"input": 1, "output": 1, "x": 1}}}', "models.m.x"),
    ],
)
def test_a_malformed_table_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_prices(path)
    assert f"prices {path}: {said}" in raised.value.message
    assert raised.value.hint


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_prices(tmp_path / "absent.json")
