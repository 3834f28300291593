"""Methodology pages: every version as a numbered standard, what it changed, and whether a later one stands.

"Superseded" is derived from the versions present, never written in a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.addresses import methodology_path
from benchsite.methodology import Measure, Methodology, version_key
from benchsite.site.prose import Section, sections
from benchsite.track import Page

Since = Literal["", "added", "changed"]
_NUMBER: Final = re.compile(r"^[0-9.]+\s+")


@dataclass(frozen=True, slots=True)
class Clause:
    """A section and what became of it since the version before."""

    section: Section
    since: Since


@dataclass(frozen=True, slots=True)
class Definition:
    """A measure and what became of it since the version before."""

    measure: Measure
    since: Since


def methodology(documents: Sequence[Methodology]) -> Iterator[Page]:
    """The index and a page and a JSON file for each version."""
    ordered = sorted(documents, key=lambda item: (item.data.track, version_key(item.data.version)))
    tracks = [(track, list(found)) for track, found in groupby(ordered, key=lambda item: item.data.track)]
    yield Page(
        path="methodology/",
        title="Methodology",
        description="The rules that receipts are scored under, every version of them.",
        template="site/methodology_index.html.j2",
        context={"tracks": [(track, found[::-1]) for track, found in tracks]},
    )
    for _, found in tracks:
        for place, document in enumerate(found):
            before = found[place - 1] if place else None
            yield _page(document, before, newest=found[-1])
            yield Page(path=f"{_path(document)}methodology.json", data=_json(document))


def _path(document: Methodology) -> str:
    return methodology_path(document.data.track, document.data.version)


def _page(document: Methodology, before: Methodology | None, *, newest: Methodology) -> Page:
    data = document.data
    clauses, rewritten = _clauses(document, before)
    return Page(
        path=_path(document),
        title=data.title,
        description=data.summary,
        template="site/methodology.html.j2",
        context={
            "document": document,
            "clauses": clauses,
            "rewritten": rewritten,
            "definitions": _definitions(document, before),
            "before": before.data.version if before else "",
            "newest": newest if newest is not document else None,
            "newest_path": _path(newest),
        },
    )


def _clauses(document: Methodology, before: Methodology | None) -> tuple[list[Clause], bool]:
    """Sections with their change marks; where none is unchanged the marks would say nothing and are left out."""
    found = sections(document.text)
    if before is None:
        return [Clause(section, "") for section in found], False
    old = {_name(section): section.source.strip() for section in sections(before.text)}
    marked = [Clause(section, _since(old.get(_name(section)), section.source.strip())) for section in found]
    rewritten = not any(clause.since == "" for clause in marked)
    return ([Clause(clause.section, "") for clause in marked] if rewritten else marked), rewritten


def _name(section: Section) -> str:
    return _NUMBER.sub("", str(section.title)).casefold()


def _since(old: str | None, new: str) -> Since:
    if old is None:
        return "added"
    return "" if old == new else "changed"


def _definitions(document: Methodology, before: Methodology | None) -> list[Definition]:
    if before is None:
        return [Definition(measure, "") for measure in document.data.measures]
    old = {measure.name: measure for measure in before.data.measures}
    found = []
    for measure in document.data.measures:
        known = old.get(measure.name)
        since: Since = "added" if known is None else "" if known == measure else "changed"
        found.append(Definition(measure, since))
    return found


def _json(document: Methodology) -> bytes:
    """The document as data, with the digest that receipts pin."""
    value: dict[str, Any] = {
        **document.data.model_dump(mode="json", by_alias=True),
        "sha256": document.sha256,
        "text": document.text,
    }
    return canonical.dumps(value)
