"""Economics of the systems of one benchmark: utility, collaboration gain, coordination cost, regime (specs/agents.md).

Owns the columns and weights of Q and C, the min-max over the systems of one table, U = Q − C, G, K, ΔU = G − K, the five
regimes in their order, and the spread of ranks under geometric means. The name to quote: "utility Q − C of task-descriptor
means, costs min-max scaled over the compared systems (benchsite, agents methodology 1.0.0)". None is a blank.

Costs are relative to the systems in the table: another row changes every C. Nothing here is signed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from benchsite.stats import exact_mean

Regime: TypeAlias = Literal["efficiency-driven", "productive", "overpriced", "wasteful", "boundary"]
Means: TypeAlias = Mapping[str, float | int | None]
"""Descriptor field to its mean over the tasks of the benchmark."""


class Weighted(NamedTuple):
    """A column of Q or C, its weight, and the reason for the weight."""

    column: str
    weight: int
    reason: str


QUALITY: Final = (
    Weighted("Q1_success_rate", 3, "what the user pays for: the evaluator's verdict"),
    Weighted("eval_avg_score", 1, "the evaluator's partial credit, where it gives any"),
)
"""Completion is no quality: with it, a system that solves nothing and always answers would seem to gain."""
COST: Final = (
    Weighted("C1_latency_p95", 1, "the time a user waits in the slow case"),
    Weighted("C2_tokens_total", 1, "the work of the models, whatever its price"),
    Weighted("C3_cost_total", 1, "what the provider charges"),
    Weighted("C4_tool_calls_total", 1, "the load on the environment"),
)
"""Equal weights: no cost can be exchanged for another without prices that the harness doesn't know."""


@dataclass(frozen=True, slots=True)
class Economy:
    """The economics of one system among those of its benchmark.

    Attributes:
        quality: Q, weighted mean of the quality columns, in [0, 1].
        cost: C, weighted mean of the min-max scaled cost columns that differ, in [0, 1]; 0 if none differs.
        utility: U = Q − C.
        gain: G = Q − Q of the single agent.
        coordination_cost: K = C − C of the single agent.
        net_gain: ΔU = G − K.
        regime: of G and K; None for the single agent and without both.
        rank: 1 + systems with a higher U.
        rank_geometric: the same with geometric instead of arithmetic means.
    """

    quality: float | None = None
    cost: float | None = None
    utility: float | None = None
    gain: float | None = None
    coordination_cost: float | None = None
    net_gain: float | None = None
    regime: Regime | None = None
    rank: int | None = None
    rank_geometric: int | None = None

    @property
    def rank_spread(self) -> int | None:
        """Places between both ranks."""
        if self.rank is None or self.rank_geometric is None:
            return None
        return abs(self.rank - self.rank_geometric)


@dataclass(frozen=True, slots=True)
class Economics:
    """The economics of every system of one benchmark.

    Attributes:
        systems: in the order given.
        single: the system that G and K compare with; None if it isn't among them.
        blank: columns that no system states, which are in no mean.
        equal: cost columns in which the systems don't differ, which are in no mean.
    """

    systems: Mapping[str, Economy]
    single: str | None
    blank: tuple[str, ...]
    equal: tuple[str, ...]

    @property
    def rank_spread(self) -> int | None:
        """The largest change of rank under the alternative weighting."""
        spreads = [one.rank_spread for one in self.systems.values() if one.rank_spread is not None]
        return max(spreads, default=None)


def economics(systems: Mapping[str, Means], single: str = "sas") -> Economics:
    """Return Q, C, U, G, K, ΔU and the regime of the systems of one benchmark.

    A column that no system states is left out of the means. A system that doesn't state another column has a blank Q
    or C, and what follows from it is blank.

    Args:
        systems: name to the means of its descriptors, all over the same tasks.
        single: name of the single agent.

    Raises:
        ValueError: a quality is outside [0, 1], or a cost is negative or no number.
    """
    for name, means in systems.items():
        _require_possible(name, means)
    scaled = {name: dict(means) for name, means in systems.items()}
    equal = [one for one in COST if _scale(scaled, one.column)]
    quality, stated = _stated(scaled, QUALITY), _stated(scaled, COST)
    # Without a column that differs, the equal ones are 0 for each system that states them.
    cost = [one for one in stated if one not in equal] or stated
    pairs = {name: (_mean(means, quality), _mean(means, cost)) for name, means in scaled.items()}
    geometric = [(_geometric(means, quality), _geometric(means, cost)) for means in scaled.values()]
    utilities, others = [_minus(*pair) for pair in pairs.values()], [_minus(*pair) for pair in geometric]
    alone = pairs.get(single)
    found = {
        name: _economy(pair, alone if name != single else None, *ranks)
        for (name, pair), *ranks in zip(pairs.items(), _ranks(utilities), _ranks(others), strict=True)
    }
    blank = [one.column for one in (*QUALITY, *COST) if one not in (*quality, *stated)]
    return Economics(found, single if alone else None, tuple(blank), tuple(one.column for one in equal))


def regime(gain: float, coordination_cost: float) -> Regime:
    """Return the first regime that applies to G and K, in the order of specs/agents.md."""
    if coordination_cost < 0:
        return "efficiency-driven"
    if gain > 0 and gain > coordination_cost:
        return "productive"
    if gain > 0 and gain < coordination_cost:
        return "overpriced"
    if gain < 0 and coordination_cost > 0:
        return "wasteful"
    return "boundary"


def _require_possible(name: str, means: Means) -> None:
    for column, most in [(one.column, 1.0) for one in QUALITY] + [(one.column, math.inf) for one in COST]:
        value = means.get(column)
        if value is not None and not (math.isfinite(value) and 0 <= value <= most):
            raise ValueError(f"{column} of {name} is {value}: impossible")


def _scale(systems: Mapping[str, dict[str, float | int | None]], column: str) -> bool:
    """Min-max scale a column over the systems that state it; return whether these are several and equal."""
    values = {name: value for name, means in systems.items() if (value := means.get(column)) is not None}
    low, high = min(values.values(), default=0), max(values.values(), default=0)
    for name, value in values.items():
        systems[name][column] = (value - low) / (high - low) if high > low else 0.0
    return bool(values) and high == low


def _stated(systems: Mapping[str, Means], columns: Sequence[Weighted]) -> list[Weighted]:
    return [one for one in columns if any(means.get(one.column) is not None for means in systems.values())]


def _mean(means: Means, columns: Sequence[Weighted]) -> float | None:
    """The weighted mean; None without columns or where one is blank."""
    values = _values(means, columns)
    if not values:
        return None
    return exact_mean([value for value, weight in values for _ in range(weight)])


def _geometric(means: Means, columns: Sequence[Weighted]) -> float | None:
    """The weighted geometric mean: 0 where a value is."""
    values = _values(means, columns)
    if not values:
        return None
    if not all(value for value, _ in values):
        return 0.0
    total = sum(weight for _, weight in values)
    return math.exp(math.fsum(weight * math.log(value) for value, weight in values) / total)


def _values(means: Means, columns: Sequence[Weighted]) -> list[tuple[float, int]]:
    values = [(means.get(one.column), one.weight) for one in columns]
    return [(value, weight) for value, weight in values if value is not None] if _full(values) else []


def _full(values: Sequence[tuple[float | int | None, int]]) -> bool:
    return all(value is not None for value, _ in values)


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def _ranks(values: Sequence[float | None]) -> list[int | None]:
    stated = [value for value in values if value is not None]
    return [None if value is None else 1 + sum(other > value for other in stated) for value in values]


def _economy(
    pair: tuple[float | None, float | None],
    alone: tuple[float | None, float | None] | None,
    rank: int | None,
    rank_geometric: int | None,
) -> Economy:
    """One row; `alone` is Q and C of the single agent, None for the single agent itself."""
    quality, cost = pair
    gain, paid = (_minus(one, other) for one, other in zip(pair, alone or (None, None), strict=True))
    return Economy(
        quality=quality,
        cost=cost,
        utility=_minus(quality, cost),
        gain=gain,
        coordination_cost=paid,
        net_gain=_minus(gain, paid),
        regime=None if gain is None or paid is None else regime(gain, paid),
        rank=rank,
        rank_geometric=rank_geometric,
    )
