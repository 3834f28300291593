"""A scored grid: the distribution, how far each setting alone moves a score, and each claim as a point on the distribution."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Literal, NamedTuple

from benchsite.errors import InputError
from benchsite.receipt import Document
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.grids.declaration import AXES, UNKNOWN, Claim, Dataset, Grid, Setting
from benchsite.tracks.retrieval.grids.scores import Ranked, Refused, Score, ranked, setting_of, system_names
from benchsite.tracks.retrieval.record.verification import label

__all__ = ["Placed", "Result", "Spread", "scored"]

Verdict = Literal["inside", "above", "below", "not measured"]
_SLACK: Final = 1e-12
"""Of floating-point sums at the edge of what a stated number rounds."""


class Spread(NamedTuple):
    """How far one setting alone moves the score of one system: over all contexts where each of its values is scored."""

    axis: str
    contexts: int
    least: float
    median: float
    most: float


class Placed(NamedTuple):
    """A claim among the scores of the combinations that fit it: their number, ends, and where the claim is."""

    claim: Claim
    scores: int
    low: float | None
    high: float | None
    where: Verdict


@dataclass(frozen=True)
class Result:
    """A scored grid.

    Attributes:
        systems: the systems with rankings.
        scores: combination to system to score.
        refused: reason to the number of combinations and systems that it concerns.
    """

    grid: Grid
    systems: tuple[str, ...]
    scores: Mapping[Setting, Mapping[str, Score]]
    refused: Mapping[str, int]

    @property
    def values(self) -> list[float]:
        """The distribution: every score of every system, ascending."""
        return sorted(score.value for found in self.scores.values() for score in found.values())

    @property
    def unmeasured(self) -> int:
        """Combinations without any score."""
        return self.grid.size - len(self.scores)

    @property
    def spreads(self) -> Sequence[Spread]:
        """The effect of each setting alone, in the order of the axes."""
        return [found for place in range(len(AXES)) if (found := self._spread(place)) is not None]

    def _spread(self, place: int) -> Spread | None:
        contexts: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        for setting, found in self.scores.items():
            if setting[place] == "ndcg":
                continue
            for system, score in found.items():
                contexts[system, *setting[:place], *setting[place + 1 :]].append(score.value)
        # NDCG is another metric, and no rule for recall.
        wanted = len([value for value in self.grid.values[AXES[place]] if value != "ndcg"])
        moves = [max(some) - min(some) for some in contexts.values() if len(some) == wanted > 1]
        if not moves:
            return None
        return Spread(AXES[place], len(moves), min(moves), median(moves), max(moves))

    @property
    def placed(self) -> Sequence[Placed]:
        """The claims that a combination fits, in the order of the file."""
        return [self._place(claim) for claim in self.grid.claims if not reason_off(self.grid, claim)]

    @property
    def off(self) -> Sequence[tuple[Claim, str]]:
        """The claims that no combination fits, each with the reason."""
        return [(claim, why) for claim in self.grid.claims if (why := reason_off(self.grid, claim))]

    @property
    def record(self) -> Mapping[str, Any]:
        """The whole as JSON."""
        values = self.values
        return {
            "title": self.grid.title,
            "benchmark": self.grid.benchmark,
            "corrections": self.grid.corrections,
            "axes": {axis: list(found) for axis, found in self.grid.values.items()},
            "combinations": self.grid.size,
            "scored": len(self.scores),
            "systems": list(self.systems),
            "distribution": {
                "n": len(values),
                "low": values[0],
                "median": median(values),
                "high": values[-1],
            },
            "spreads": [one._asdict() for one in self.spreads],
            "claims": [
                {
                    **_stated(one.claim),
                    "scores": one.scores,
                    "low": one.low,
                    "high": one.high,
                    "where": one.where,
                }
                for one in self.placed
            ],
            "off": [{**_stated(claim), "reason": why} for claim, why in self.off],
            "refused": [{"reason": reason, "count": count} for reason, count in self.refused.items()],
            "scores": [
                {"settings": setting_of(AXES, setting), "system": system, **score._asdict()}
                for setting, found in self.scores.items()
                for system, score in found.items()
            ],
        }

    def _place(self, claim: Claim) -> Placed:
        values = [
            score.value
            for setting, found in self.scores.items()
            if _fits(claim, setting)
            for score in found.values()
        ]
        if not values:
            return Placed(claim, 0, None, None, "not measured")
        low, high = min(values), max(values)
        most, least = claim.share + claim.precision + _SLACK, claim.share - claim.precision - _SLACK
        where: Verdict = "below" if most < low else "above" if least > high else "inside"
        return Placed(claim, len(values), low, high, where)


def _stated(claim: Claim) -> dict[str, Any]:
    return {**claim.model_dump(by_alias=True, exclude={"unplaced"}), "share": claim.share}


def _fits(claim: Claim, setting: Setting) -> bool:
    known = setting_of(AXES, setting)
    return all(value in (UNKNOWN, known[axis]) for axis, value in claim.settings.items())


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


def scored(grid: Grid, documents: Sequence[Document], data: Callable[[str], bytes | None]) -> Result:
    """Score every combination.

    Args:
        grid: the declaration.
        documents: receipts and drafts whose schema has been checked.
        data: the bytes of a dataset by its id; None if it is not here.

    Raises:
        InputError: no combination can be scored.
    """
    names = list(system_names(documents, _name))
    known = _Known(grid, list(zip(names, documents, strict=True)), data)
    scores: dict[Setting, dict[str, Score]] = {}
    refused = Counter[str]()
    for combination in grid.combinations:
        setting = setting_of(AXES, combination)
        dataset = grid.dataset(setting)
        if dataset is None:
            refused["no dataset is declared for these settings"] += 1
            continue
        for found in known.rankings(dataset, setting["errata"]):
            if isinstance(found, str):
                refused[found] += 1
                continue
            try:
                score = found.score(
                    setting["k"], setting["rule"], grid.questions[setting["questions"]], setting["empty"]
                )
            except Refused as refusal:
                refused[str(refusal)] += 1
            else:
                scores.setdefault(combination, {})[found.system] = score
    if not scores:
        why = "; ".join(refused) or "no receipt is on a dataset of the grid"
        raise InputError(
            f"no combination can be scored: {why}",
            hint=f"give receipts on: {', '.join(sorted(grid.rankings))}",
        )
    systems = tuple(dict.fromkeys(name for name in names if any(name in found for found in scores.values())))
    return Result(grid, systems, scores, refused)


class _Known:
    """Rankings joined with labels, each pair once; text in place of rankings says why there are none."""

    def __init__(
        self,
        grid: Grid,
        documents: Sequence[tuple[str, Document]],
        data: Callable[[str], bytes | None],
    ) -> None:
        self._grid = grid
        self._documents = documents
        self._data = data
        self._fixtures: dict[str, Fixture | None] = {}
        self._made: dict[tuple[int, str], list[Ranked | str]] = {}

    def rankings(self, dataset: Dataset, errata: str) -> list[Ranked | str]:
        """The rankings of a dataset with one set of labels."""
        key = self._grid.datasets.index(dataset), errata
        if key not in self._made:
            self._made[key] = list(self._join(dataset, errata))
        return self._made[key]

    def _join(self, dataset: Dataset, errata: str) -> Iterator[Ranked | str]:
        here = [(name, one) for name, one in self._documents if one["fixture"]["id"] in dataset.rankings]
        if not here:
            yield f"no receipt on {' or '.join(dataset.rankings)}"
            return
        name = dataset.labels[errata]
        if name not in self._fixtures:
            found = self._data(name)
            self._fixtures[name] = parse(found, where=name) if found is not None else None
        labels = self._fixtures[name]
        if labels is None:
            yield f"dataset {name} with the labels is not here"
            return
        for system, document in here:
            try:
                yield ranked(system, document, dataset, labels)
            except Refused as refusal:
                yield str(refusal)


def _name(document: Document) -> str:
    stated = label(document["adapter"], document["config"])
    return f"{document['adapter']['name']} ({stated})" if stated else str(document["adapter"]["name"])
