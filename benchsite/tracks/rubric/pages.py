"""The rubric track's pages: reports, boards with their data files, the list of boards, and the evaluators' forms.

Pure: from the verified history and receipt bodies to paths, templates and contexts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchsite.addresses import board_path, difference_path, receipt_page_path
from benchsite.history import Header, History
from benchsite.methodology import newest, version_key
from benchsite.receipt import Document
from benchsite.track import Bodies, Library, Page
from benchsite.tracks.rubric.board import TRACK, Board, Versions, board
from benchsite.tracks.rubric.board_data import data, stem
from benchsite.tracks.rubric.board_words import leader_words, lede, teaser
from benchsite.tracks.rubric.form import forms
from benchsite.tracks.rubric.report import report


def receipt_page(header: Header, document: Document, library: Library) -> Page:
    """The report of a receipt whose numbers may be quoted."""
    view = report(header, document, library)
    return Page(
        path=receipt_page_path(header.receipt_id),
        title=view.title,
        description=f"{view.headline}: {view.sentence}",
        template="rubric/report.html.j2",
        context={"header": header, "document": document, "view": view},
    )


def pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The list of boards; each board under its newest version and frozen under every version, with its data.

    A domain of the rules in force that nobody was scored on has a page that says how to begin. Every domain of every
    version has its form: old rules stay open to whoever must score under them.
    """
    scored = _scored(history)
    made = []
    for template, versions in sorted(scored.items()):
        boards = {
            version: board(history, template, version, versions, bodies, library) for version in versions
        }
        made.append(boards[newest(boards)])
        yield from _board_pages(boards, library)
    current, waiting = _waiting(history, bodies, library, scored)
    for empty in waiting:
        yield _page(empty, empty.path, (), {})
    yield from forms(library)
    yield Page(
        path=f"{TRACK}/",
        title="Rubric boards",
        description="How well agents do their work, in the judgement of evaluators: a board a field.",
        template="rubric/boards.html.j2",
        context={
            "boards": [(one, leader_words(one.leaders)) for one in made],
            "waiting": waiting,
            "current": current,
        },
    )


def _scored(history: History) -> dict[str, dict[str, list[Header]]]:
    """Template to version to receipts, in log order."""
    found: dict[str, dict[str, list[Header]]] = defaultdict(lambda: defaultdict(list))
    for header in history.of(TRACK):
        if header.summary is not None:
            found[header.summary.target][header.methodology].append(header)
    return found


def _waiting(
    history: History, bodies: Bodies, library: Library, scored: Mapping[str, Versions]
) -> tuple[str, list[Board]]:
    """The version in force, and boards of its domains that no receipt names."""
    present = {rules.data.version: rules for rules in library.methodologies if rules.data.track == TRACK}
    if not present:
        return "", []
    current = library.standing(TRACK, newest(present)).current
    instrument = present[current].data.instrument if current in present else None
    slugs = [template.slug for template in instrument.templates] if instrument else []
    return current, [
        board(history, slug, current, {}, bodies, library) for slug in slugs if slug not in scored
    ]


def _board_pages(boards: Mapping[str, Board], library: Library) -> Iterator[Page]:
    """The pages and data of one template."""
    here = {rules.data.version for rules in library.methodologies if rules.data.track == TRACK}
    ordered = sorted(boards, key=version_key, reverse=True)
    for version in ordered:
        made = boards[version]
        others = [(other, board_path(TRACK, made.template, other)) for other in ordered if other != version]
        differences = {
            other: difference_path(TRACK, other, version)
            for other in ordered
            if other != version and {other, version} <= here
        }
        for path in dict.fromkeys((*((made.path,) if not made.newer else ()), made.frozen_path)):
            yield _page(made, path, others, differences)
            yield from data(made, path)


def _page(made: Board, path: str, others: Sequence[tuple[str, str]], differences: Mapping[str, str]) -> Page:
    frozen = path == made.frozen_path
    context: dict[str, Any] = {
        "board": made,
        "frozen": frozen,
        "others": others,
        "differences": differences,
        "lede": lede(made),
        "data": stem(path),
    }
    if not frozen and (made.ranked or made.unranked):
        context["teaser"] = teaser(made)
    return Page(
        path=path,
        title=f"{made.title}, rubric {made.methodology}" if frozen else made.title,
        description=context["lede"],
        template="rubric/board.html.j2",
        context=context,
    )
