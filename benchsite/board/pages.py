"""Every page of a track's leaderboards, from the verified history and receipt bodies to templates and contexts.

Each leaderboard has a page for its newest version and a permalink for every version, with data; one page is the index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.addresses import board_path, is_slug
from benchsite.board.board import Board, Leaderboard
from benchsite.board.columns import STANDARD, offered
from benchsite.board.composed import board
from benchsite.board.data import data, stem
from benchsite.history import Header, History, Outcome
from benchsite.methodology import newest, version_key
from benchsite.track import Bodies, Library, Page

OUTCOMES: Final[Mapping[Outcome | None, str]] = {
    "identical": "identical: byte-identical scores",
    "differs": "differs: other scores",
    "other source": "does not count: another source digest of the system",
    None: "does not count: not a valid reproduction of that receipt",
}
"""What is said of a receipt that names another one as reproduced."""


def leaderboards(about: Leaderboard, history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    """The leaderboards with their data, then their index.

    A receipt of schema 0.0.1 may call its target anything: what cannot be part of a path has no board.
    """

    def composed(target: str, version: str, versions: Mapping[str, Sequence[Header]]) -> Board:
        methodology = library.methodology(about.track.name, version)
        under = about.under(methodology) if about.under and methodology else about
        return board(under, history, bodies, library, target=target, methodology=version, versions=versions)

    by_target = _by_target(about, history)
    made: list[Board] = []
    for target, versions in sorted(by_target.items()):
        boards = {version: composed(target, version, versions) for version in versions}
        made.append(boards[newest(boards)])
        for version in sorted(versions, key=version_key):
            yield from _pages_of(boards[version])
    current, expected = about.expected(library)
    waiting = [composed(target, current, {}) for target in expected if target not in by_target]
    yield from (_page(empty, empty.path) for empty in waiting)
    yield Page(
        path=f"{about.track.name}/",
        title=f"{about.track.title} leaderboards",
        description=about.description,
        template=about.index,
        context={
            "about": about,
            "boards": made,
            "waiting": waiting,
            "current": current,
            "elsewhere": [
                item
                for item in history.unreported
                if about.programs
                and item.track == about.track.name
                and item.methodology not in by_target.get(item.target, {})
            ],
            "declines": [
                (index, entry)
                for index, entry in history.declined
                if entry.track == about.track.name and entry.target not in by_target
            ],
        },
    )


def _by_target(about: Leaderboard, history: History) -> Mapping[str, Mapping[str, list[Header]]]:
    """Target to version to receipts, in log order."""
    found: dict[str, dict[str, list[Header]]] = defaultdict(lambda: defaultdict(list))
    for header in history.of(about.track.name):
        if header.summary is not None and is_slug(header.summary.target):
            found[header.summary.target][header.methodology].append(header)
    return {target: dict(versions) for target, versions in found.items()}


def _pages_of(made: Board) -> Iterator[Page]:
    for path in (made.frozen_path, *(() if made.newer else (made.path,))):
        yield _page(made, path)
        yield from data(made, path)


def _page(made: Board, path: str) -> Page:
    about, frozen = made.about, path == made.frozen_path
    others = sorted((version for version in made.versions if version != made.methodology), key=version_key)
    context: dict[str, Any] = {
        "board": made,
        "frozen": frozen,
        "others": [
            (version, board_path(about.track.name, made.target, version)) for version in reversed(others)
        ],
        "data": stem(path),
        "facets": offered((*STANDARD, *about.facets), made.rows),
        "outcomes": OUTCOMES,
    }
    if not frozen and made.headers:
        context["teaser"] = made
    return Page(
        path=path,
        title=f"{made.title}, {about.rules} {made.methodology}" if frozen else made.title,
        description=made.lede,
        template=about.template,
        context=context,
    )
