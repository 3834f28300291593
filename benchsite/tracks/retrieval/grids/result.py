"""A scored grid: the distribution, how far each setting alone moves a score, and each claim as a point on the distribution."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError
from benchsite.receipt import Document
from benchsite.tracks.retrieval.fixture import Fixture, parse
from benchsite.tracks.retrieval.grids.declaration import AXES, Claim, Dataset, Grid, Setting
from benchsite.tracks.retrieval.grids.placing import Placed, Scores, placed, reason_off, same_runs
from benchsite.tracks.retrieval.grids.scores import (
    Ranked,
    Refused,
    Score,
    ranked,
    scope_sizes,
    setting_of,
    system_names,
)
from benchsite.tracks.retrieval.record.verification import label

__all__ = ["Result", "Spread", "scored"]

_NO_RECEIPT: Final = "no receipt on "
_NOT_HERE: Final = " with the labels is not here"
_UNREADING: Final = frozenset({"random", "recency"})
"""Baselines that rank without reading a text: their scores would only widen the distribution."""


class Spread(NamedTuple):
    """How far one setting alone moves the score of one system: over all contexts where each of its values is scored."""

    axis: str
    contexts: int
    least: float
    median: float
    most: float


@dataclass(frozen=True)
class Result:
    """A scored grid.

    Attributes:
        systems: the systems with rankings.
        scores: combination to system to score.
        refused: reason to the combinations that it concerns, counted by system; the system is empty if it concerns all.
        sizes: the least and the largest number of what k counts in a scope, by granularity.
        omitted: baselines that rank without reading a text, and runs that returned nothing for any query. They are scored only if
            they are named, or if nothing else is on the grid's datasets.
    """

    grid: Grid
    systems: tuple[str, ...]
    scores: Scores
    refused: Mapping[str, Mapping[str, int]]
    sizes: Mapping[str | int, tuple[int, int]] = field(default_factory=dict)
    omitted: tuple[str, ...] = ()

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
        return [
            placed(self.grid, self.scores, self.sizes, claim)
            for claim in self.grid.claims
            if not reason_off(self.grid, claim)
        ]

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
            "methodology": {axis: list(found) for axis, found in self.grid.methodology.items()},
            "combinations": self.grid.size,
            "scored": len(self.scores),
            "systems": list(self.systems),
            "omitted": list(self.omitted),
            "distribution": {
                "n": len(values),
                "low": values[0],
                "median": median(values),
                "high": values[-1],
            },
            "spreads": [one._asdict() for one in self.spreads],
            "claims": [{**_stated(one.claim), **one.record} for one in self.placed],
            "sameRun": [one.record for one in same_runs(self.grid)],
            "off": [{**_stated(claim), "reason": why} for claim, why in self.off],
            "refused": [
                {"reason": reason, "count": sum(by.values()), "systems": [name for name in by if name]}
                for reason, by in self.refused.items()
            ],
            "scores": [
                {"settings": setting_of(AXES, setting), "system": system, **score._asdict()}
                for setting, found in self.scores.items()
                for system, score in found.items()
            ],
        }


def _stated(claim: Claim) -> dict[str, Any]:
    return {**claim.model_dump(by_alias=True, exclude={"unplaced"}), "share": claim.share}


def scored(
    grid: Grid, documents: Iterable[Document], data: Callable[[str], bytes | None], *, named: bool = False
) -> Result:
    """Score every combination.

    Args:
        grid: the declaration.
        documents: receipts and drafts whose schema has been checked; each is read once, and its rankings are kept.
        data: the bytes of a dataset by its id; None if it is not here.
        named: the documents were chosen one by one, so none is omitted.

    Raises:
        InputError: no combination can be scored.
    """
    texts: dict[str, str] = {}
    kept = list({one["receiptId"]: _kept(one, texts) for one in documents}.values())
    reading = [
        one for one in kept if not _is_unreading(one) and any(row["retrieved"] for row in one["perQuery"])
    ]
    omitted: list[str] = []
    if not named and any(one["fixture"]["id"] in grid.rankings for one in reading):
        chosen = {id(one) for one in reading}
        omitted = sorted({_name(one) for one in kept if id(one) not in chosen})
        kept = reading
    names = list(system_names(kept, _name))
    known = _Known(list(zip(names, kept, strict=True)), data)
    found: dict[Setting, dict[str, Score]] = {}
    refused: dict[str, Counter[str]] = defaultdict(Counter)
    for combination in sorted(grid.combinations, key=lambda one: _source(grid, one)):
        _score(grid, combination, known, found, refused)
    if not found:
        raise _nothing(grid, refused, known)
    scores = {combination: found[combination] for combination in grid.combinations if combination in found}
    systems = tuple(dict.fromkeys(name for name in names if any(name in some for some in scores.values())))
    return Result(grid, systems, scores, refused, known.sizes(grid), tuple(omitted))


def _nothing(grid: Grid, refused: Mapping[str, Mapping[str, int]], known: _Known) -> InputError:
    """No combination is scored: the labels that are to be imported, else each reason with its systems."""
    lacking = known.lacking(grid)
    if lacking and all(why.startswith(_NO_RECEIPT) or why.endswith(_NOT_HERE) for why in refused):
        return InputError(
            f"no combination can be scored: not on this machine: the labels of {', '.join(lacking)}",
            hint="import each: `benchsite fixture import --help` lists the formats",
        )
    reasons = (f"{', '.join(filter(None, by))}: {why}".removeprefix(": ") for why, by in refused.items())
    why = "; ".join(reasons) or "no receipt is on a dataset of the grid"
    return InputError(
        f"no combination can be scored: {why}", hint=f"give receipts on: {', '.join(sorted(grid.rankings))}"
    )


def _score(
    grid: Grid,
    combination: Setting,
    known: _Known,
    scores: dict[Setting, dict[str, Score]],
    refused: dict[str, Counter[str]],
) -> None:
    """Score one combination for every system, or count why it cannot be scored."""
    setting = setting_of(AXES, combination)
    dataset = grid.dataset(setting)
    if dataset is None:
        refused["no dataset is declared for these settings"][""] += 1
        return
    found: dict[str, Score] = {}
    reasons: dict[str, str] = {}
    for system, one in known.rankings(dataset, setting["errata"]):
        if system in found:
            continue  # rankings that the dataset prefers have answered
        if isinstance(one, str):
            reasons.setdefault(system, one)
            continue
        try:
            found[system] = one.score(
                setting["k"], setting["rule"], grid.questions[setting["questions"]], setting["empty"]
            )
        except Refused as refusal:
            reasons.setdefault(system, str(refusal))
    for system, reason in reasons.items():
        if system not in found:
            refused[reason][system] += 1
    if found:
        scores[combination] = found


def _source(grid: Grid, combination: Setting) -> tuple[int, int]:
    """The places of a combination's dataset and labels: joined rankings of one pair fit in memory, of all they don't."""
    setting = setting_of(AXES, combination)
    dataset = grid.dataset(setting)
    place = -1 if dataset is None else grid.datasets.index(dataset)
    return place, grid.settings.errata.index(setting["errata"])


def _kept(document: Document, texts: dict[str, str]) -> Document:
    """What a grid reads of a receipt; ids are shared between receipts."""
    rows = [
        {
            "queryId": texts.setdefault(row["queryId"], row["queryId"]),
            "retrieved": tuple(texts.setdefault(name, name) for name in row["retrieved"]),
            "error": row.get("error"),
        }
        for row in document["perQuery"]
    ]
    return {name: document[name] for name in ("adapter", "config", "fixture")} | {"perQuery": rows}


class _Known:
    """Rankings joined with labels, the last pair kept; text in place of rankings says why there are none."""

    def __init__(
        self, documents: Sequence[tuple[str, Document]], data: Callable[[str], bytes | None]
    ) -> None:
        self._documents = documents
        self._data = data
        self._fixtures: dict[str, Fixture | None] = {}
        self._last: tuple[Dataset, str] | None = None
        self._made: Sequence[tuple[str, Ranked | str]] = ()

    def rankings(self, dataset: Dataset, errata: str) -> Sequence[tuple[str, Ranked | str]]:
        """Each system with its rankings of a dataset with one set of labels."""
        if self._last != (dataset, errata):
            self._made = ()
            self._made = list(self._join(dataset, errata))
            self._last = dataset, errata
        return self._made

    def sizes(self, grid: Grid) -> Mapping[str | int, tuple[int, int]]:
        """The least and the largest number of what k counts in a scope, by granularity; of labels that are here."""
        found: dict[str | int, tuple[int, int]] = {}
        for dataset in grid.datasets:
            labels = self._labels(dataset.labels[grid.settings.errata[0]])
            if labels is None or dataset.granularity in found:
                continue
            try:
                sizes = scope_sizes(dataset, labels).values()
            except Refused:
                continue  # named where its rankings are joined
            found[dataset.granularity] = min(sizes, default=0), max(sizes, default=0)
        return found

    def lacking(self, grid: Grid) -> Sequence[str]:
        """The datasets with labels that are not here, of which there are rankings."""
        here = {document["fixture"]["id"] for _, document in self._documents}
        wanted = [
            dataset.labels[errata]
            for dataset in grid.datasets
            if not here.isdisjoint(dataset.rankings)
            for errata in grid.settings.errata
        ]
        return [name for name in dict.fromkeys(wanted) if self._labels(name) is None]

    def _labels(self, name: str) -> Fixture | None:
        if name not in self._fixtures:
            found = self._data(name)
            self._fixtures[name] = parse(found, where=name) if found is not None else None
        return self._fixtures[name]

    def _join(self, dataset: Dataset, errata: str) -> Iterator[tuple[str, Ranked | str]]:
        order = {name: place for place, name in enumerate(dataset.rankings)}
        here = [(name, one) for name, one in self._documents if one["fixture"]["id"] in order]
        here.sort(key=lambda one: order[one[1]["fixture"]["id"]])
        if not here:
            yield "", f"{_NO_RECEIPT}{' or '.join(dataset.rankings)}"
            return
        name = dataset.labels[errata]
        labels = self._labels(name)
        if labels is None:
            yield "", f"dataset {name}{_NOT_HERE}"
            return
        for system, document in here:
            try:
                yield system, ranked(document, dataset, labels)
            except Refused as refusal:
                yield system, str(refusal)


def _is_unreading(document: Document) -> bool:
    adapter = document["adapter"]
    return adapter["name"] in _UNREADING and adapter.get("author") == "benchsite"


def _name(document: Document) -> str:
    stated = label(document["adapter"], document["config"])
    return f"{document['adapter']['name']} ({stated})" if stated else str(document["adapter"]["name"])
