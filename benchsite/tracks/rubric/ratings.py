"""What the sheets of a receipt say, sheet by sheet: scores, notes, and the evidence they rest on.

A function of the receipt, its status record and its rules. Whatever an evaluator or an agent wrote stays plain text: the
templates escape it, and nothing here shortens it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite.addresses import evidence_page_path
from benchsite.history import Header
from benchsite.methodology.instrument import DIMENSIONS, SCENARIOS, Instrument
from benchsite.receipt import Document
from benchsite.tracks.rubric.metrics import metric, scenario
from benchsite.tracks.rubric.payload import TESTS

_TITLES: Final = {
    "standardisedTask": "Standardized task",
    "hallucination": "Hallucination stress test",
    "invalidInput": "Invalid input",
}
"""Where the rules are not at hand."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A piece of evidence: the words quoted from it, and where its document is served.

    Attributes:
        name: the document's file name; empty where the excerpt stands for itself.
        path: where it is served; empty where there is no document, or it was withdrawn, or it is not here.
        withdrawn: why its document is gone, or empty.
    """

    excerpt: str
    name: str
    path: str
    withdrawn: str


@dataclass(frozen=True, slots=True)
class Said:
    """One sheet's score of a dimension, or its outcome of a required test."""

    who: str
    score: int | str
    note: str
    evidence: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class DimensionScores:
    """A universal dimension: `anchors` are those of the scores given, as (score, its words, how many sheets)."""

    id: str
    title: str
    question: str
    mean: float | None
    low: float
    high: float
    anchors: tuple[tuple[int, str, int], ...]
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """One sheet's scores of one question: (criterion, score, note) each; `question` is empty unless averaged."""

    question: str
    ratings: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class ScenarioSaid:
    """One sheet's scores of a scenario."""

    who: str
    value: float
    questions: tuple[Answered, ...]
    evidence: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class ScenarioScores:
    """A scenario of the domain."""

    id: str
    title: str
    task: str
    mean: float | None
    low: float
    high: float
    said: tuple[ScenarioSaid, ...]


@dataclass(frozen=True, slots=True)
class TestOutcomes:
    """A required test with what came of it on each sheet."""

    title: str
    instruction: str
    desired: str
    said: tuple[Said, ...]


def sheet_names(document: Document) -> tuple[str, ...]:
    """What tells the sheets of a receipt apart, and no more: `session 2, pass 1`."""
    sheets, evaluators = document["sheets"], document["evaluators"]
    sessions = len({sheet["session"] for sheet in sheets}) > 1
    passes = len({sheet["pass"] for sheet in sheets}) > 1
    names = []
    for sheet in sheets:
        parts = [f"session {sheet['session']}"] if sessions else []
        if len(evaluators) > 1 or not (sessions or passes):
            parts.append(evaluators[sheet["evaluator"]]["name"])
        if passes:
            parts.append(f"pass {sheet['pass']}")
        names.append(", ".join(parts))
    return tuple(names)


class ReceiptRatings:
    """Reads one receipt with its rules, if they are at hand; `served` are the documents that there are."""

    def __init__(
        self,
        header: Header,
        document: Document,
        instrument: Instrument | None,
        *,
        served: frozenset[str],
    ) -> None:
        self._document = document
        self._instrument = instrument
        self._served = served
        self._who = sheet_names(document)
        self._names = {item["sha256"]: item["name"] for item in document.get("evidence") or ()}
        self._gone = {step.field: step.detail for step in header.steps if step.name == "evidence"}

    def dimensions(self) -> tuple[DimensionScores, ...]:
        """U1 to U6."""
        return tuple(self._dimension(place, name) for place, name in enumerate(DIMENSIONS))

    def scenarios(self) -> tuple[ScenarioScores, ...]:
        """D1 to D5."""
        return tuple(self._scenario(place, name) for place, name in enumerate(SCENARIOS))

    def tests(self) -> tuple[TestOutcomes, ...]:
        """The required tests; none where the version required none."""
        recorded = self._document["requiredTests"]
        if recorded is None:
            return ()
        known = {item.id: item for item in self._instrument.required_tests} if self._instrument else {}
        return tuple(
            TestOutcomes(
                title=known[name].title if name in known else _TITLES[name],
                instruction=known[name].instruction if name in known else "",
                desired=known[name].desired if name in known else "",
                said=tuple(
                    Said(who, result["outcome"], result["note"], self.cited(result["evidence"]))
                    for who, result in zip(self._who, recorded[name], strict=True)
                ),
            )
            for name in TESTS
        )

    def cited(self, items: Sequence[Mapping[str, Any]]) -> tuple[Cited, ...]:
        """Evidence as a page shows it."""
        return tuple(self._cited(item["sha256"], item["excerpt"] or "") for item in items)

    def _cited(self, sha256: str, excerpt: str) -> Cited:
        name = self._names.get(sha256, "")
        if not name:
            return Cited(excerpt, "", "", "")
        said = self._gone.get(sha256, "")
        # `entry 12: notes.txt withdrawn: a private address`: the reason is quoted, the digest says whose it is.
        withdrawn = said.partition(f": {name} withdrawn: ")[2] or said
        here = not withdrawn and sha256 in self._served
        return Cited(excerpt, name, evidence_page_path(sha256) if here else "", withdrawn)

    def _dimension(self, place: int, name: str) -> DimensionScores:
        ratings = self._document["universal"][name]
        rules = self._instrument.dimensions[place] if self._instrument else None
        given = sorted((rating["score"] for rating in ratings), reverse=True)
        anchors: Mapping[Any, str] = rules.anchors if rules else {}
        return DimensionScores(
            id=name,
            title=rules.title if rules else "",
            question=rules.question if rules else "",
            mean=self._document["scores"].get(metric(name)),
            low=given[-1],
            high=given[0],
            anchors=tuple(
                (score, anchors[str(score)], given.count(score))
                for score in dict.fromkeys(given)
                if str(score) in anchors
            ),
            said=tuple(
                Said(who, rating["score"], rating["note"], self.cited(rating["evidence"]))
                for who, rating in zip(self._who, ratings, strict=True)
            ),
        )

    def _scenario(self, place: int, name: str) -> ScenarioScores:
        template = self._instrument.template(self._document["template"]["slug"]) if self._instrument else None
        rules = template.scenarios[place] if template else None
        titles = {item.id: item.title for item in template.criteria} if template else {}
        said = tuple(
            ScenarioSaid(
                who=who,
                value=float(scenario(found)),
                questions=tuple(
                    Answered(
                        asked["question"] or "",
                        tuple(
                            (titles.get(key, key), rating["score"], rating["note"])
                            for key, rating in _in_order(asked["criteria"], titles)
                        ),
                    )
                    for asked in found["questions"]
                ),
                evidence=self.cited(found["evidence"]),
            )
            for who, found in zip(self._who, self._document["domain"][name], strict=True)
        )
        return ScenarioScores(
            id=name,
            title=rules.title if rules else "",
            task=rules.task if rules else "",
            mean=self._document["scores"].get(metric(name)),
            low=min(one.value for one in said),
            high=max(one.value for one in said),
            said=said,
        )


def _in_order(
    criteria: Mapping[str, Mapping[str, Any]], titles: Mapping[str, str]
) -> list[tuple[str, Mapping[str, Any]]]:
    """Criteria as the template orders them; canonical JSON sorts them by name."""
    places = {key: place for place, key in enumerate(titles)}
    return sorted(criteria.items(), key=lambda item: (places.get(item[0], len(places)), item[0]))
