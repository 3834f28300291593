"""Pareto front and ideal point: which systems no other dominates, and how far each is from the best of every objective.

A system dominates another if it is at least as good in every objective and better in one. The ideal point has the best value of every
objective; values are min-max normalized over the systems, and an objective in which all are equal counts 0.5 for each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

__all__ = ["ideal_distances", "pareto_front", "ranks", "stated_objectives"]


def stated_objectives(
    systems: Sequence[Mapping[str, float | None]], objectives: Mapping[str, str]
) -> dict[str, str]:
    """Return the objectives that every system states; the others cannot decide who dominates."""
    return {
        name: way for name, way in objectives.items() if all(one.get(name) is not None for one in systems)
    }


def pareto_front(systems: Sequence[Mapping[str, float]], objectives: Mapping[str, str]) -> list[bool]:
    """Return for each system whether no other dominates it."""
    values = [
        [one[name] if way == "max" else -one[name] for name, way in objectives.items()] for one in systems
    ]
    return [not any(_dominates(other, mine) for other in values) for mine in values]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(mine >= theirs for mine, theirs in pairs) and any(mine > theirs for mine, theirs in pairs)


def ideal_distances(systems: Sequence[Mapping[str, float]], objectives: Mapping[str, str]) -> list[float]:
    """Return the Euclidean distance of each system to the ideal point, each objective from 0 to 1."""
    lost = [
        _lost([one[name] for one in systems], is_better_high=way == "max") for name, way in objectives.items()
    ]
    return [math.sqrt(math.fsum(column[place] ** 2 for column in lost)) for place in range(len(systems))]


def _lost(values: Sequence[float], *, is_better_high: bool) -> list[float]:
    """How far each value is from the best, as a share of the range."""
    low, high = min(values), max(values)
    if low == high:
        return [0.5] * len(values)
    best = high if is_better_high else low
    return [abs(best - value) / (high - low) for value in values]


def ranks(distances: Sequence[float]) -> list[int]:
    """Return dense ranks, the smallest distance first."""
    order = sorted(set(distances))
    return [order.index(distance) + 1 for distance in distances]
