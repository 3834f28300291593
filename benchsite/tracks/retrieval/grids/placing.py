"""Published claims among measured scores: where each is, what it needs beyond the methodology, and claims of one run.

A claim fits a combination if each setting that it states has that value. Refuses to place judged claims and claims without k.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from benchsite.tracks.retrieval.grids.declaration import AXES, UNKNOWN, Claim, Grid, Setting
from benchsite.tracks.retrieval.grids.scores import Score, setting_of

__all__ = ["Placed", "Range", "SameRun", "Scores", "placed", "reason_off", "same_runs"]

Scores: TypeAlias = Mapping[Setting, Mapping[str, Score]]
"""Combination to system to score."""
Where: TypeAlias = Literal["inside", "above", "below", "not measured"]
_SLACK: Final = 1e-12
"""Of floating-point sums at the edge of what a stated number rounds."""
_RECALLS: Final = frozenset({"any", "fraction", "all"})
"""Rules whose score is 1 if everything is returned; nDCG depends on the order."""


class Range(NamedTuple):
    """The scores of some combinations: their number, ends, and where the claim is."""

    scores: int
    low: float | None
    high: float | None
    where: Where


class Placed(NamedTuple):
    """A claim among the scores of the combinations that fit it.

    Attributes:
        needs: the stated settings that the methodology doesn't score.
        methodology: the same claim with the methodology's values in place of those; None if the grid declares none.
        saturated: the least and the largest number of items in a scope, if k returns all: any order scores 1.
    """

    claim: Claim
    range: Range
    needs: Mapping[str, str | int]
    methodology: Range | None
    saturated: tuple[int, int] | None

    @property
    def record(self) -> dict[str, Any]:
        """What was found, as JSON; without the claim."""
        return {
            **self.range._asdict(),
            "needs": dict(self.needs),
            "methodology": self.methodology._asdict() if self.methodology is not None else None,
            "saturated": list(self.saturated) if self.saturated is not None else None,
        }


class SameRun(NamedTuple):
    """Claims of one run that differ in the rule alone, the lowest first."""

    claims: Sequence[Claim]

    @property
    def record(self) -> dict[str, Any]:
        """System, shared settings, the share by rule, and how far the rule moves it."""
        first, last = self.claims[0], self.claims[-1]
        shared = {axis: value for axis, value in first.settings.items() if axis != "rule"}
        rules = {str(one.settings["rule"]): one.share for one in self.claims}
        return {
            "system": first.system,
            "settings": shared,
            "rules": rules,
            "difference": last.share - first.share,
        }


def reason_off(grid: Grid, claim: Claim) -> str:
    """Why a claim is on no place of the axis; empty if it has one."""
    if claim.kind == "judged":
        return "judged by a language model: no setting of rankings gives it"
    if claim.unplaced:
        return claim.unplaced
    for axis in ("granularity", "k"):
        if claim.settings.get(axis, UNKNOWN) == UNKNOWN:
            return f"{axis} is not stated"
    for axis, value in claim.settings.items():
        if value != UNKNOWN and value not in grid.values[axis]:
            return f"{axis} = {value} is not declared in this grid"
    return ""


def placed(grid: Grid, scores: Scores, sizes: Mapping[str | int, tuple[int, int]], claim: Claim) -> Placed:
    """Place a claim that has a place.

    Args:
        grid: the declaration.
        scores: of every combination.
        sizes: the least and the largest number of what k counts in a scope, by granularity.
        claim: without a `reason_off`.
    """
    stated = {axis: value for axis, value in claim.settings.items() if value != UNKNOWN}
    own: Mapping[str, Sequence[str | int]] = grid.methodology
    needs = {axis: value for axis, value in stated.items() if axis in own and value not in own[axis]}

    def fits(known: Mapping[str, str | int]) -> bool:
        return all(known[axis] == value for axis, value in stated.items())

    def fits_own(known: Mapping[str, str | int]) -> bool:
        rest = (axis for axis in stated if axis not in needs)
        return all(known[axis] in values for axis, values in own.items()) and all(
            known[axis] == stated[axis] for axis in rest
        )

    # Another cut-off or unit is another quantity, and no other reading of this one.
    can_own = bool(own) and not {"k", "granularity"} & needs.keys()
    methodology = _range(claim, scores, fits_own) if can_own else Range(0, None, None, "not measured")
    size = sizes.get(stated["granularity"])
    k = stated["k"]
    is_saturated = size is not None and isinstance(k, int) and k >= size[1] and stated.get("rule") in _RECALLS
    return Placed(
        claim,
        _range(claim, scores, fits),
        needs,
        methodology if own else None,
        size if is_saturated else None,
    )


def _range(claim: Claim, scores: Scores, fits: Callable[[Mapping[str, str | int]], bool]) -> Range:
    values = [
        score.value
        for setting, found in scores.items()
        if fits(setting_of(AXES, setting))
        for score in found.values()
    ]
    if not values:
        return Range(0, None, None, "not measured")
    low, high = min(values), max(values)
    most, least = claim.share + claim.precision + _SLACK, claim.share - claim.precision - _SLACK
    where: Where = "below" if most < low else "above" if least > high else "inside"
    return Range(len(values), low, high, where)


def same_runs(grid: Grid) -> Iterator[SameRun]:
    """Claims of one run under several rules, the other settings being equal."""
    groups: dict[tuple[Any, ...], list[Claim]] = defaultdict(list)
    for claim in grid.claims:
        if claim.run and "rule" in claim.settings and not reason_off(grid, claim):
            rest = sorted((axis, str(value)) for axis, value in claim.settings.items() if axis != "rule")
            groups[claim.run, *rest].append(claim)
    for claims in groups.values():
        ordered = sorted(claims, key=lambda one: one.share)
        # NDCG is another metric, and no rule for recall.
        recalls = [one for one in ordered if one.settings["rule"] in _RECALLS]
        if len({one.settings["rule"] for one in recalls}) > 1:
            yield SameRun(recalls)
