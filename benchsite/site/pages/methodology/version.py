"""The page of one version: what an evaluator and a reader need, section by section, and the same as data.

The instrument and the measures come from the document's data, the rest from its prose; a section that a track has
nothing for is excluded. What changed since the version before is marked in place.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import difference_path, evaluate_path, methodology_path
from benchsite.methodology import Measure, Methodology, Reference
from benchsite.methodology.difference import Kind, compare, headed, leaves, marks
from benchsite.methodology.lineage import descendants, predecessor
from benchsite.methodology.status import VersionStatus
from benchsite.site.pages.log import place
from benchsite.site.prose import Section, sections
from benchsite.track import Library, Page

_NUMBER: Final = re.compile(r"^[0-9.]+\s+")
_CARDS: Final = ("composite_score", "universal_score", "domain_score", "raw_composite", "penalty")
"""Measures that the first section shows as formulas, the one that ranks first."""
_WEIGHTS: Final = {"universal_score": "universalWeight", "domain_score": "domainWeight"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A section and what became of it since the version before."""

    section: Section
    since: Kind | None


@dataclass(frozen=True, slots=True)
class Card:
    """A measure with its formula; `weight` is its share of the composite in words, or empty."""

    measure: Measure
    weight: str


@dataclass(frozen=True, slots=True)
class Source:
    """A reference, and which of its topics this version is about."""

    reference: Reference
    bearing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """Another version of the track, with what became of this one in it (`there`), and the way here (`back`)."""

    version: str
    standing: VersionStatus
    there: str
    back: str


def version_pages(
    documents: Sequence[Methodology], library: Library, pages: Container[str]
) -> Iterator[Page]:
    """The page of every version of a track, its JSON file, and its own files, from which a browser re-scores."""
    for document in documents:
        data = document.data
        path = methodology_path(data.track, data.version)
        standing = library.standing(data.track, data.version)
        before = predecessor(document, documents)
        since = marks(compare(before, document)) if before is not None else {}
        clauses, rewritten = _clauses(document, before)
        current = next((item for item in documents if item.data.version == standing.current), None)
        yield Page(
            path=path,
            title=data.title,
            description=data.summary,
            template="site/methodology.html.j2",
            context={
                "document": document,
                "standing": standing,
                "current_path": methodology_path(data.track, standing.current) if current else "",
                "entry": place(standing.pin.index) if standing.pin is not None else "",
                "clauses": clauses,
                "rewritten": rewritten,
                "since": since,
                "cards": _cards(data.measures, data.parameters) if data.instrument is not None else (),
                "sources": _sources(document),
                "parameters": list(leaves(data.parameters)),
                "forms": _forms(document, pages),
                "before": before,
                "later": descendants(document, documents),
                "others": _others(document, documents, library),
            },
        )
        yield Page(path=f"{path}methodology.json", data=_json(document, standing))
        for name, content in document.files.items():
            yield Page(path=f"{path}{name}", data=content)


def _others(document: Methodology, documents: Sequence[Methodology], library: Library) -> dict[str, Other]:
    """Every other version of the track by its number, the latest first."""
    track, here = document.data.track, document.data.version
    numbers = [item.data.version for item in reversed(documents) if item is not document]
    return {
        number: Other(
            number,
            library.standing(track, number),
            difference_path(track, here, number),
            difference_path(track, number, here),
        )
        for number in numbers
    }


def _forms(document: Methodology, pages: Container[str]) -> dict[str, str]:
    """Template to the path of its evaluator form, where the track made one."""
    instrument = document.data.instrument
    made = {
        item.slug: evaluate_path(item.slug, document.data.version)
        for item in (instrument.templates if instrument is not None else ())
    }
    own = f"{document.data.track}/"
    return {slug: path for slug, path in made.items() if path.startswith(own) and path in pages}


def _clauses(document: Methodology, before: Methodology | None) -> tuple[list[Clause], bool]:
    """Sections with their change marks; where none is unchanged the marks would say nothing and are left out."""
    found = sections(document.text)
    if before is None:
        return [Clause(section, None) for section in found], False
    old = {name: body.strip() for name, (_, body) in headed(before.text).items()}
    marked = [Clause(section, _since(old.get(_name(section)), section.source.strip())) for section in found]
    rewritten = bool(marked) and all(clause.since for clause in marked)
    return ([Clause(clause.section, None) for clause in marked] if rewritten else marked), rewritten


def _name(section: Section) -> str:
    return _NUMBER.sub("", str(section.title)).casefold()


def _since(old: str | None, new: str) -> Kind | None:
    if old is None:
        return "added"
    return None if old == new else "changed"


def _cards(measures: Sequence[Measure], parameters: Mapping[str, Any]) -> list[Card]:
    known = {measure.name: measure for measure in measures}
    return [Card(known[name], _weight(name, parameters)) for name in _CARDS if name in known]


def _weight(name: str, parameters: Mapping[str, Any]) -> str:
    """`40%` for the weight 2/5; empty where the document gives none that reads so."""
    try:
        share = Fraction(str(parameters[_WEIGHTS[name]])) * 100
    except (KeyError, ValueError, ZeroDivisionError):
        return ""
    return f"{share.numerator}%" if share.denominator == 1 else f"{float(share):g}%"


def _sources(document: Methodology) -> list[Source]:
    about = document.data.topics
    return [
        Source(item, tuple(topic for topic in item.topics if topic in about))
        for item in document.data.references
    ]


def _json(document: Methodology, standing: VersionStatus) -> bytes:
    """The document as data, with the digest that receipts pin and the log entry that pins it, null where none does."""
    pin = standing.pin
    value: dict[str, Any] = {
        **document.data.model_dump(mode="json", by_alias=True),
        "logEntry": pin.index if pin is not None and pin.sha256 == document.sha256 else None,
        "sha256": document.sha256,
        "text": document.text,
    }
    return canonical.dumps(value)
