"""Published aggregates compared with what the instances give, to the digits that are published.

An owner's number may be the mean, the standard error (both also in percent), the sum or a count of instances: it is taken
for the one of these that most systems reproduce, more than half of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from benchsite.board.resolution.outcomes import MEMBERS, System
from benchsite.board.resolution.pairs import decimals

INSTANCES: Final = "number of instances"
SUM: Final = "sum"
_DIGITS: Final = 12
_ROUNDING: Final = 1e-9
_HALF: Final = 0.5
_FAR: Final = 0.3
"""Of the range of the outcomes: a named number that is further from the mean isn't compared with it."""
_COARSE: Final = 10
"""Published units that the range of the outcomes must have, so that agreement says something."""


class Statistic(NamedTuple):
    """A number of the instances: its name, its unit and its kind; leaderboards rank by a mean."""

    name: str
    scale: float
    kind: Literal["mean", "error", "count"]
    value: Callable[[System], float | None]

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean."""
        return self.kind == "mean"

    @property
    def is_count(self) -> bool:
        """Whether it is a count or a sum."""
        return self.kind == "count"

    def blurred(self, system: System, rounding: float) -> float:
        """Return by how much outcomes that are rounded by at most `rounding` may move the number, in its unit."""
        n = len(system.values)
        if self.kind == "error":
            return self.scale * rounding / math.sqrt(max(n - 1, 1))
        if self.is_mean:
            return self.scale * rounding
        return n * rounding if self.name == SUM else 0.0

    def of(self, system: System) -> float | None:
        """Return the number in its unit; None where it is not defined."""
        value = self.value(system)
        return None if value is None else self.scale * value


def _mean(system: System) -> float:
    return system.mean


def _standard_error(system: System) -> float | None:
    n = len(system.values)
    return float(np.std(system.values, ddof=1)) / math.sqrt(n) if n > 1 else None


def _count(number: Callable[[System], Any]) -> Callable[[System], float | None]:
    return lambda system: float(number(system))


STATISTICS: Final = (
    Statistic("mean", 1, "mean", value=_mean),
    Statistic("mean × 100", 100, "mean", value=_mean),
    Statistic("standard error", 1, "error", value=_standard_error),
    Statistic("standard error × 100", 100, "error", value=_standard_error),
    *(
        Statistic(name, 1, "count", value=_count(number))
        for name, number in (
            (INSTANCES, lambda system: len(system.values)),
            (SUM, lambda system: math.fsum(system.values.tolist())),
            ("number above 0.5", lambda system: np.count_nonzero(system.values > _HALF)),
            ("number below 0.5", lambda system: np.count_nonzero(system.values < _HALF)),
            ("number equal to 0.5", lambda system: np.count_nonzero(system.values == _HALF)),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One published number of a leaderboard, taken for one statistic.

    Attributes:
        key: its name in the file.
        statistic: what it is taken for.
        recomputed: by system, in the published unit.
        reproduced: by system: whether the two agree to the published digits.
    """

    key: str
    statistic: Statistic
    recomputed: Mapping[str, float]
    reproduced: Mapping[str, bool]

    @property
    def count(self) -> int:
        """How many systems reproduce it."""
        return sum(self.reproduced.values())

    @property
    def is_evidence(self) -> bool:
        """Whether agreement says something: not of one system's count, nor of a count that is the same for all."""
        if self.statistic.is_mean:
            return True
        varies = len(set(self.recomputed.values())) > 1 or self.statistic.name == INSTANCES
        return varies and len(self.reproduced) > 1


class Found(NamedTuple):
    """The published numbers of a leaderboard, by what the instances say of them.

    Attributes:
        taken: the numbers that were taken for a statistic, one of a mean first.
        unlike: without a mean among `taken`: the named numbers that no system reproduces and that could be a mean of such
            outcomes, each beside the nearest mean. They may be something else, so they are not counted as contradicted.
        others: the names of the rest.
    """

    taken: list[Aggregate]
    unlike: list[Aggregate]
    others: list[str]


def aggregates(systems: Sequence[System]) -> Found:
    """Compare the published numbers of systems with outcomes.

    Without a majority, a number is compared with the nearest mean if some system reproduces it, or if it has no name.
    """
    found, others = [], []
    compare = _Comparer(systems)
    for key in dict.fromkeys(key for system in systems for key in system.published):
        tried = [one for one in (compare(key, statistic) for statistic in STATISTICS) if one.is_evidence]
        best = max(tried, key=lambda one: one.count, default=None)
        if best is not None and 2 * best.count > len(best.reproduced):
            found.append(best)
        else:
            others.append(key)
    unlike: list[Aggregate] = []
    if not any(one.statistic.is_mean for one in found):
        likely = [key for key in others if key in MEMBERS or compare.is_mean_of_some(key)]
        nearest = min(compare.means(likely), key=lambda one: (-one[1].count, one[0]), default=None)
        if nearest is not None:
            found.append(nearest[1])
        else:
            by_key: dict[str, Aggregate] = {}
            for distance, one in sorted(compare.means(others), key=lambda one: one[0]):
                if compare.may_be_mean(one, distance):
                    by_key.setdefault(one.key, one)
            unlike = [by_key[key] for key in others if key in by_key]
        compared = {one.key for one in (*found, *unlike)}
        others = [key for key in others if key not in compared]
    return Found(sorted(found, key=lambda one: not one.statistic.is_mean), unlike, others)


class _Comparer:
    """The systems of a leaderboard, and what of their outcomes bounds a comparison."""

    def __init__(self, systems: Sequence[System]) -> None:
        self._systems = systems
        self._rounding = {system.name: _rounding(system) for system in systems}
        self._known: dict[tuple[str, str], float | None] = {}
        self._low = min(float(system.values.min()) for system in systems)
        self._high = max(float(system.values.max()) for system in systems)

    def __call__(self, key: str, statistic: Statistic) -> Aggregate:
        """Compare one published number with one statistic."""
        systems = self._holders(key)
        values = {
            system.name: value for system in systems if (value := self._of(statistic, system)) is not None
        }
        units = {system.name: 10.0 ** -_decimals(system.published[key]) for system in systems}
        # A number of fewer decimals than the others may have lost its zeros, or was rounded: it is held to its own.
        is_coarse = self._is_coarse(key, statistic)
        reproduced = {}
        for system in systems:
            published, value = system.published[key], values.get(system.name)
            allowed = (
                units[system.name] / 2
                + statistic.blurred(system, self._rounding[system.name])
                + _ROUNDING * abs(published)
            )
            is_near = value is not None and abs(published - value) <= allowed
            reproduced[system.name] = is_near and not is_coarse
        return Aggregate(key, statistic, values, reproduced)

    def _of(self, statistic: Statistic, system: System) -> float | None:
        key = statistic.name, system.name
        if key not in self._known:
            self._known[key] = statistic.of(system)
        return self._known[key]

    def _is_coarse(self, key: str, statistic: Statistic) -> bool:
        unit = 10.0 ** -max(_decimals(system.published[key]) for system in self._holders(key))
        return not statistic.is_count and unit * _COARSE > statistic.scale * (self._high - self._low)

    def is_mean_of_some(self, key: str) -> bool:
        """Return whether a system reproduces a published number as its mean."""
        return any(self(key, statistic).count for statistic in STATISTICS if statistic.is_mean)

    def means(self, keys: Sequence[str]) -> Iterator[tuple[float, Aggregate]]:
        """Yield each published number beside each mean, with their median distance in the unit of the outcomes."""
        for key in keys:
            systems = self._holders(key)
            for statistic in (one for one in STATISTICS if one.is_mean):
                distances = (abs(system.published[key] / statistic.scale - system.mean) for system in systems)
                yield median(distances), self(key, statistic)

    def may_be_mean(self, one: Aggregate, distance: float) -> bool:
        """Return whether a named number could be this mean: within the outcomes, not far from it, and of enough digits.

        Ranks, seeds and costs beside outcomes of 0 and 1 are not.
        """
        stated = [system.published[one.key] for system in self._holders(one.key)]
        scale, spread = one.statistic.scale, self._high - self._low
        are_inside = all(self._low <= value / scale <= self._high for value in stated)
        are_small = all(self._low <= value <= self._high for value in stated)
        fits = self(one.key, STATISTICS[0]) if are_small else one
        return are_inside and distance <= _FAR * spread and not self._is_coarse(one.key, fits.statistic)

    def _holders(self, key: str) -> list[System]:
        return [system for system in self._systems if key in system.published]


def _decimals(value: float) -> int:
    """How many decimals a number is published with, at most 12."""
    text = f"{value:.{_DIGITS}f}".rstrip("0")
    return len(text.partition(".")[2])


def _rounding(system: System) -> float:
    """Half a unit of the last decimal of the outcomes: 0 for whole numbers, halves, fifths, quarters, and full doubles."""
    digits = decimals(system.values)
    if not digits:
        return 0.0
    last = np.rint(system.values * 10.0**digits)
    if not np.any(last % 5) or not np.any(last % 2):
        return 0.0
    return 0.5 * 10.0**-digits
