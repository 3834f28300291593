"""The words of a leaderboard's resolution: the line, the notes and the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from benchsite.board.resolution.aggregates import Aggregate, Found
from benchsite.board.resolution.outcomes import MEMBERS, TEXT, System
from benchsite.board.resolution.pairs import SEED, flips
from benchsite.board.summary_text import separable
from benchsite.stats.power import FEWEST
from benchsite.words import amount, difference, one_line, p_value, rank, rounded, shortened

if TYPE_CHECKING:
    from benchsite.board.resolution.report import Pair, Resolution

COLUMNS: Final = ("rank", "group", "system", "n", "mean", "difference", "p", "Holm", "needed")
_LONGEST: Final = 44
_FRACTION: Final = 10
_MOST: Final = 10
LEVEL: Final = 0.05


def headline(found: Resolution) -> str:
    """`4 of 24 adjacent ranks separable; rank 1 against 2 would need 224,000 instances`."""
    first = found.pairs[0].found
    adjacent = [pair.is_separable for pair in found.pairs]
    return separable(adjacent, first.n, first.difference, first.p, first.needed, ("instance", "instances"))


def published(found: Resolution, numbers: Found) -> Iterator[str]:
    """Yield which published numbers the instances reproduce, and both numbers if they do not."""
    for one in numbers.taken:
        total = len(one.reproduced)
        key = "number" if one.key in MEMBERS else _name(one.key)
        if one.count:
            yield f"published {key} is the {one.statistic.name}: {one.count:,} of {total:,} reproduced"
        else:
            yield f"published {key}: reproduced for no system; compared with the {one.statistic.name}, the nearest"
        yield from _contradicted(found, one)
    for one in numbers.unlike:
        yield f"published {_name(one.key)}: reproduced for no system; if it is a mean, the {one.statistic.name} differs"
        lines = list(_contradicted(found, one))
        yield from lines[:_MOST]
        if len(lines) > _MOST:
            yield f"published {_name(one.key)}: {len(lines) - _MOST:,} more systems"
    if numbers.others:
        names = [_name(key) for key in numbers.others]
        yield f"published, reproduced by no statistic of the instances: {_listed(names)}"


def unusable(systems: Sequence[System]) -> Iterator[str]:
    """Which published values are no numbers: all but text that no system has a number for."""
    numbers = {key for system in systems for key in system.published} | set(MEMBERS)
    names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for system in systems:
        for key, kind in system.unusable.items():
            if kind != TEXT or key in numbers:
                names[key, kind].append(_name(system.name))
    for (key, kind), those in names.items():
        which = "number" if key in MEMBERS else _name(key)
        yield f"published {which} is {kind}, so not compared: {_listed(those)}"


def _contradicted(found: Resolution, one: Aggregate) -> Iterator[str]:
    for system in found.systems:
        if one.reproduced.get(system.name, True):
            continue
        value, stated = one.recomputed.get(system.name), system.published[one.key]
        digits = _digits(stated, value)
        given = "do not define it" if value is None else f"give {value:.{digits}g}"
        moved = ""
        if one.statistic.is_mean and one.count:
            others = [other for other in found.systems if other is not system]
            first = 1 + sum(_published(other, one) > stated for other in others)
            then = 1 + sum(other.mean > system.mean for other in others)
            moved = f": rank {first:,} as published, {then:,} by the instances" if first != then else ""
        key = "" if one.key in MEMBERS else f"{_name(one.key)} "
        yield f"{_name(system.name)}: published {key}{stated:.{digits}g}, the instances {given}{moved}"


def _published(system: System, one: Aggregate) -> float:
    """What is published of a system, else its mean in the published unit."""
    return system.published.get(one.key, one.statistic.scale * system.mean)


def _digits(stated: float, value: float | None) -> int:
    """As many digits, at least six, as tell two numbers apart."""
    return next((n for n in range(6, 17) if value is None or f"{stated:.{n}g}" != f"{value:.{n}g}"), 17)


def unread(systems: Sequence[System]) -> Iterator[str]:
    """Which systems cannot be read, by reason."""
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for system in systems:
        reasons[system.unread].append(_name(system.name))
    for reason, names in reasons.items():
        yield f"{amount(len(names), 'system')} not read, {reason}: {_listed(names)}"


def equal(groups: Sequence[Sequence[System]], total: int) -> Iterator[str]:
    """Which systems have identical outcomes."""
    for same in groups:
        which = "all systems" if len(same) == total else _listed([_name(system.name) for system in same])
        yield f"identical outcomes on {amount(len(same[0].values), 'instance')}: {which}"


def constant(systems: Sequence[System]) -> Iterator[str]:
    """Which systems have one outcome on every instance."""
    for system in systems:
        if len(system.values) > 1 and np.all(system.values == system.values[0]):
            yield f"constant: {_name(system.name)} is {system.values[0]:.6g} on every instance"


def instances(found: Resolution, total: int) -> Iterator[str]:
    """Where systems differ in their instances."""
    counts = [len(system.values) for system in found.systems]
    if min(counts) < total:
        yield (
            f"systems have {rank(min(counts), max(counts))} of {amount(total, 'instance')}: "
            "each pair is compared on its common instances"
        )
    for place, pair in enumerate(found.pairs, 1):
        if not pair.found.n:
            yield f"rank {place} against {place + 1}: no common instances, so not tested"
        elif (pair.found.difference or 0) < 0:
            significant = " significantly" if pair.holm is not None and pair.holm < LEVEL else ""
            yield (
                f"rank {place} against {place + 1}: on common instances, the lower rank has the{significant} higher mean"
            )
    if max(pair.found.n for pair in found.pairs) < FEWEST:
        yield f"fewer than {FEWEST} common instances: no exact two-sided test is below 0.05"


def tests(found: Resolution) -> Iterator[str]:
    """Which tests were made."""
    tested = [pair.found for pair in found.pairs if pair.found.n]
    exact = sum(one.is_binary for one in tested)
    drawn = sorted({flips(one.n) for one in tested if not one.is_binary})
    if exact:
        yield f"McNemar's exact test: {amount(exact, 'pair')} of outcomes 0 or 1"
    if drawn:
        number = " or ".join(f"{one:,}" for one in drawn)
        yield f"paired sign-flip test, {number} flips, seed {SEED}: {amount(len(tested) - exact, 'pair')}"
        if len(tested) / (1 + drawn[0]) >= 0.05:
            yield f"with {drawn[0]:,} flips, no p-value of {len(tested):,} pairs is below 0.05 after Holm"
    if not tested:
        return
    yield (
        f"Holm over {amount(len(tested), 'adjacent pair')}, level 0.05; "
        "needed: instances for 80% power of one unadjusted test"
    )


def leading(found: Resolution) -> Iterator[str]:
    """How many groups there are, and rank 1 with the others of its group."""
    count, size = len(found.groups), len(found.groups[0])
    untested = any(not pair.found.n for pair in found.pairs)
    if size == 1:
        yield f"{amount(count, 'group')}: rank 1 is the leading group alone"
        return
    is_turned = any(
        pair.holm is not None and pair.holm < LEVEL and (pair.found.difference or 0) < 0
        for pair in found.pairs
    )
    if is_turned:
        said = "no rank in a group is significantly above the next"
    else:
        said = (
            f"no two neighbors in a group {'that could be tested ' if untested else ''}differ significantly"
        )
    yield f"{amount(count, 'group')}, the leading one ranks {rank(1, size)}: {said}"
    if size == 2 or not found.leader:
        return
    places = {system.name: place for place, system in enumerate(found.systems, 1)}
    differing = [places[name] for name, p in found.leader.items() if p < 0.05]
    over = f"rank 1 against each other in its group, Holm over {amount(len(found.leader), 'comparison')}"
    first = f", the first is rank {min(differing):,}" if differing else ""
    yield f"{over}: {len(differing):,} of {len(found.leader):,} differ significantly{first}"


def rows(found: Resolution) -> list[tuple[str, ...]]:
    """A row per system, with the test against the row below."""
    group = {name: str(number) for number, names in enumerate(found.groups, 1) for name in names}
    made: list[tuple[str, ...]] = []
    for place, system in enumerate(found.systems):
        head = (
            str(place + 1),
            group[system.name],
            shortened(_name(system.name), _LONGEST),
            f"{len(system.values):,}",
            _figure(system.mean),
        )
        made.append(head + (_tested(found.pairs[place]) if place < len(found.pairs) else ("",) * 4))
    return made


def _tested(pair: Pair) -> tuple[str, str, str, str]:
    found = pair.found
    if found.p is None or found.difference is None or pair.holm is None:
        return "–", "–", "–", "–"
    return (
        difference(found.difference, 4) if abs(found.difference) < _FRACTION else f"{found.difference:+.4g}",
        _p(found.p),
        _p(pair.holm),
        "–" if found.needed is None else rounded(found.needed),
    )


def _listed(names: Sequence[str]) -> str:
    """Join at most 10 names, and count the others."""
    more = len(names) - _MOST
    return ", ".join(names[:_MOST]) + (f" and {more:,} more" if more > 0 else "")


def _p(p: float) -> str:
    return p_value(p).removeprefix("p ").removeprefix("= ")


def _figure(value: float) -> str:
    return f"{value:.4f}" if abs(value) < _FRACTION else f"{value:.6g}"


def _name(name: str) -> str:
    return one_line(name, 200)
