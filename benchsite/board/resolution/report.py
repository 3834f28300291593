"""The resolution of a leaderboard: ranks by mean, adjacent pairs tested and adjusted, groups, and what its numbers lack.

Only neighbors are tested, and rank 1 with every member of its group. Two systems of one group are therefore never called
tied: their difference may be significant although no two neighbors between them differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from benchsite.board.resolution import wording
from benchsite.board.resolution.aggregates import Aggregate, aggregates
from benchsite.board.resolution.outcomes import System
from benchsite.board.resolution.pairs import Comparison, compared
from benchsite.errors import InputError
from benchsite.progress import Progress, silent
from benchsite.stats import holm


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems of adjacent ranks; `holm` is the adjusted p-value, None without common instances."""

    above: str
    below: str
    found: Comparison
    holm: float | None = None

    @property
    def is_separable(self) -> bool:
        """Whether the adjusted p-value is below the level, and the upper rank has the higher mean on common instances."""
        return self.holm is not None and self.holm < wording.LEVEL and (self.found.difference or 0) > 0

    @property
    def record(self) -> dict[str, Any]:
        """The pair as `--json` prints it."""
        return {
            "above": self.above,
            "below": self.below,
            "n": self.found.n,
            "difference": self.found.difference,
            "p": self.found.p,
            "holm": self.holm,
            "separable": self.is_separable,
            "needed": self.found.needed,
        }


@dataclass(frozen=True, slots=True)
class Resolution:
    """What paired tests say of a leaderboard.

    Attributes:
        systems: with outcomes, best mean first; equal means in the order of the file.
        unread: without outcomes.
        pairs: adjacent ranks, from the top.
        aggregate: the published number that is taken for the mean; None without one.
        leader: rank 1 with each other member of the leading group, by name: the adjusted p-value.
        notes: sentences about the file and the tests.
    """

    systems: tuple[System, ...]
    unread: tuple[System, ...]
    pairs: tuple[Pair, ...]
    aggregate: Aggregate | None
    leader: dict[str, float]
    notes: tuple[str, ...] = ()

    @property
    def separable(self) -> int:
        """How many adjacent pairs are separable."""
        return sum(pair.is_separable for pair in self.pairs)

    @property
    def groups(self) -> list[list[str]]:
        """Names of systems in the order of ranks, cut at each separable pair; the first is the leading group."""
        return groups_of([system.name for system in self.systems], self.pairs)

    @property
    def headline(self) -> str:
        """The resolution in a line."""
        return wording.headline(self)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table: a row per system, compared with the row below."""
        return wording.rows(self)

    @property
    def record(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "systems": [self._system(system, rank) for rank, system in enumerate(self.systems, 1)]
            + [self._system(system, None) for system in self.unread],
            "adjacent": len(self.pairs),
            "separable": self.separable,
            "groups": self.groups,
            "pairs": [pair.record for pair in self.pairs],
            "notes": list(self.notes),
        }

    def _system(self, system: System, rank: int | None) -> dict[str, Any]:
        key = self.aggregate.key if self.aggregate else None
        has = self.aggregate is not None and rank is not None and key in system.published
        return {
            "system": system.name,
            "rank": rank,
            "n": len(system.values),
            "mean": None if rank is None else system.mean,
            "published": None if key is None else system.published.get(key),
            "recomputed": self.aggregate.recomputed.get(system.name) if self.aggregate and has else None,
            "reproduced": self.aggregate.reproduced.get(system.name) if self.aggregate and has else None,
            "unread": system.unread or None,
        }


def resolution(
    systems: Sequence[System], name: str, *, notes: Sequence[str] = (), progress: Progress = silent
) -> Resolution:
    """Rank systems by their mean and test the adjacent pairs.

    Args:
        systems: in the order of the leaderboard.
        name: of the file, for messages.
        notes: further sentences, in front.
        progress: told of each test.

    Raises:
        InputError: fewer than two systems have outcomes.
    """
    read = sorted((one for one in systems if not one.unread), key=lambda one: -one.mean)
    if len(read) < 2:
        how_many = "only one system has" if read else "no system has"
        raise InputError(
            f"{name}: {how_many} results per instance", hint="give at least two systems to compare"
        )
    pairs = []
    for done, (above, below) in enumerate(pairwise(read)):
        progress(done, len(read) - 1, f"rank {done + 1} against {done + 2}")
        pairs.append(Pair(above.name, below.name, compared(above, below)))
    tested = [pair.found.p for pair in pairs if pair.found.p is not None]
    adjusted = iter(holm(tested))
    pairs = [pair if pair.found.p is None else replace(pair, holm=next(adjusted)) for pair in pairs]
    size = len(groups_of([one.name for one in read], pairs)[0])
    leader = _leader(read[:size], pairs[0], progress)
    numbers = aggregates(read)
    taken = numbers.taken
    mean = taken[0] if taken and taken[0].statistic.is_mean else None
    unread = tuple(one for one in systems if one.unread)
    found = Resolution(tuple(read), unread, tuple(pairs), mean, leader)
    said = (
        *notes,
        *wording.published(found, numbers),
        *wording.unusable(read),
        *wording.unread(found.unread),
        *wording.equal(_equal(read), len(read)),
        *wording.constant(read),
        *wording.instances(found, max(int(one.places[-1]) for one in read) + 1),
        *wording.tests(found),
        *wording.leading(found),
    )
    return replace(found, notes=said)


def groups_of(names: Sequence[str], pairs: Sequence[Pair]) -> list[list[str]]:
    """Cut names in the order of ranks at each separable pair."""
    groups = [[names[0]]]
    for name, pair in zip(names[1:], pairs, strict=True):
        if pair.is_separable:
            groups.append([])
        groups[-1].append(name)
    return groups


def _leader(group: Sequence[System], first: Pair, progress: Progress) -> dict[str, float]:
    """Adjusted p-values of rank 1 with the others of its group that it shares instances with."""
    found = {}
    for done, other in enumerate(group[1:]):
        progress(done, len(group) - 1, f"rank 1 against {done + 2}")
        p = first.found.p if other.name == first.below else compared(group[0], other).p
        if p is not None:
            found[other.name] = p
    return dict(zip(found, holm(list(found.values())), strict=True))


def _equal(systems: Sequence[System]) -> list[list[System]]:
    """Systems with the same outcomes on the same instances, in groups of two and more."""
    found: defaultdict[tuple[bytes, bytes], list[System]] = defaultdict(list)
    means: defaultdict[tuple[float, int], list[System]] = defaultdict(list)
    for system in systems:
        means[system.mean, len(system.values)].append(system)
    for alike in means.values():
        if len(alike) > 1:
            for system in alike:
                found[system.places.tobytes(), system.values.tobytes()].append(system)
    return [same for same in found.values() if len(same) > 1]
