"""Everything that evaluators score, as the picture of criteria by agents: six dimensions, and each criterion of each scenario.

A value is the mean over the sessions of the means of their sheets, as `metrics.score` computes a dimension.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from benchsite.addresses import board_path
from benchsite.board import Board, Row
from benchsite.board.items import Listed
from benchsite.board.picture import Kind
from benchsite.methodology.instrument import DIMENSIONS, Instrument
from benchsite.receipt import Document
from benchsite.tracks.rubric import TRACK
from benchsite.tracks.rubric.metrics import item_ratings, mean

__all__ = ["KINDS", "MET", "categories", "kind_of", "listed", "ratings", "texts"]

MET: Final = 4
"""Lowest mean rating that counts as met."""
UNIVERSAL: Final = "universal dimensions"
KINDS: Final = (
    Kind("a", "rating 5", "good", solved=True),
    Kind("b", "≥ 4", "part", solved=True),
    Kind("c", "≥ 3", "some", solved=False),
    Kind("d", "≥ 2", "plain", solved=False),
    Kind("e", "< 2", "dim", solved=False),
)


def ratings(document: Document) -> Mapping[str, float]:
    """Return the mean rating of each criterion, 1 to 5."""
    found: defaultdict[str, defaultdict[int, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    several = {
        name
        for name, sheets in document["domain"].items()
        if any(len(one["questions"]) > 1 for one in sheets)
    }
    for place, sheet in enumerate(document["sheets"]):
        for (name, *question), score in item_ratings(document, place).items():
            found[_id(name, question, several)][sheet["session"]].append(Fraction(score))
    return {item: float(mean([mean(given) for given in by.values()])) for item, by in found.items()}


def categories(document: Document) -> Mapping[str, str]:
    """Return the group of each criterion: the universal dimensions, or its scenario."""
    return {item: UNIVERSAL if item in DIMENSIONS else _scenario(item) for item in ratings(document)}


def kind_of(_row: Row, _item: str, value: float) -> str:
    """Return the letter of a mean rating."""
    steps = {"a": 5, "b": MET, "c": 3, "d": 2}
    return next((key for key, least in steps.items() if value >= least), "e")


def listed(made: Board) -> Listed:
    """Return what the page of a domain's criteria says."""
    path = f"{board_path(TRACK.name, made.target)}criteria/"
    if texts(made):
        return Listed(path, texts=texts_path(made.target))
    return Listed(path, withheld="Criteria are listed by id: their methodology isn't in this repository.")


def texts_path(template: str) -> str:
    """Path of the texts of a domain's criteria."""
    return f"{board_path(TRACK.name, template)}criteria.json"


def texts(made: Board) -> Mapping[str, str]:
    """Return the question or title of each criterion; empty if the methodology is not published here."""
    found = made.library.methodology(TRACK.name, made.methodology)
    instrument: Instrument | None = found.data.instrument if found else None
    template = instrument.template(made.target) if instrument else None
    if instrument is None or template is None:
        return {}
    words: dict[str, str] = {one.id: f"{one.title}: {one.question}" for one in instrument.dimensions}
    scenarios: dict[str, str] = {one.id: one.title for one in template.scenarios}
    criteria = {one.id: one.title for one in template.criteria}
    for item in made.picture.items if made.picture else ():
        if item not in words:
            criterion = item.partition(" ")[2]
            scenario = scenarios.get(_scenario(item), "")
            words[item] = f"{criteria.get(criterion, criterion)}: {scenario}"
    return words


def _id(name: str, question: list[str], several: set[str]) -> str:
    """`U1`, `D1 craft`, or `D1.2 craft` of a scenario with several questions."""
    if not question:
        return name
    number, criterion = question
    return f"{name}.{int(number) + 1} {criterion}" if name in several else f"{name} {criterion}"


def _scenario(item: str) -> str:
    return item.partition(" ")[0].partition(".")[0]
