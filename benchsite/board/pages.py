"""The pages and data files of leaderboards, made from their values.

Each leaderboard has a page for its newest version and a permalink for every version, with data; one page is the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import board_path, comparison_path, sheet_path
from benchsite.board.board import Board
from benchsite.board.boards import TrackBoards
from benchsite.board.data import comparison_data, data, stem
from benchsite.board.per_item import per_item, per_item_path
from benchsite.board.sheets import sheets
from benchsite.board.statement import statement, statement_path
from benchsite.board.tables import tables
from benchsite.board.tray import tray_page
from benchsite.board.versus import interval, versus
from benchsite.board.view import View, data_page, view
from benchsite.history import Outcome
from benchsite.methodology import version_key
from benchsite.track import Bodies, Library, Page
from benchsite.words import p_value

OUTCOMES: Final[Mapping[Outcome | None, str]] = {
    "identical": "identical: byte-identical scores",
    "differs": "differs: other scores",
    "other source": "does not count: another source digest of the system",
    None: "does not count: not a valid reproduction of that receipt",
}
"""What is said of a receipt that names another one as reproduced."""


def track_pages(made: TrackBoards, bodies: Bodies, library: Library) -> Iterator[Page]:
    """Every page of a track but the receipts' own: its leaderboards, then what its part `board` adds.

    Raises:
        TrackError: the track fails, or makes a page twice or outside its own folders.
    """
    track = made.about.track
    yield from track.own_pages(chain(leaderboard_pages(made, library), track.pages(made, bodies, library)))


def leaderboard_pages(made: TrackBoards, library: Library) -> Iterator[Page]:
    """The leaderboards of a track with their data, then their index."""
    for one in made.boards:
        shown = view(one)
        for path in (one.frozen_path, *(() if one.newer else (one.path,))):
            yield from (_page(one, path, sheet) for sheet in sheets(shown))
            yield from data(one, path)
            yield from tables(one, shown, stem(path))
            yield data_page(one, shown, f"{stem(path)}/view.json")
            if one.history.log is not None:
                yield Page(path=statement_path(path), data=canonical.dumps(statement(one)))
        yield from _comparison(one)
    yield from (_page(empty, empty.path, view(empty)) for empty in made.waiting)
    about = made.about
    yield Page(
        path=f"{about.track.name}/",
        title=f"{about.track.title} leaderboards",
        description=about.description,
        template=about.index,
        context={
            "about": about,
            "boards": made.current,
            "waiting": made.waiting,
            "current": made.version,
            "elsewhere": made.unreported,
            "declines": made.declined,
            "datasets": about.datasets(library),
        },
    )


def _comparison(made: Board) -> Iterator[Page]:
    """The page of the systems side by side, and its data."""
    if made.side_by_side is None:
        return
    metric, target, subject = made.about.metric.label, made.target, made.about.subject
    yield Page(
        path=comparison_path(made.about.track.name, target),
        title=f"Compare {subject}s on {target}",
        description=f"Differences of {metric.lower()} between two to five {subject}s of {target}, by metric, category and item.",
        template=made.about.comparison,
        context={
            "board": made,
            "versus": versus(made),
            "interval": interval,
            "p_value": p_value,
            "values": per_item_path(made),
            "data": stem(made.path),
            "listed": made.about.listed(made),
        },
    )
    yield from comparison_data(made)
    yield per_item(made, made.side_by_side)
    yield tray_page(made, f"{stem(made.path)}/pairs.json")


def _page(made: Board, path: str, shown: View) -> Page:
    about, frozen = made.about, path == made.frozen_path
    others = sorted((version for version in made.versions if version != made.methodology), key=version_key)
    context: dict[str, Any] = {
        "board": made,
        "frozen": frozen,
        "others": [
            (version, board_path(about.track.name, made.target, version)) for version in reversed(others)
        ],
        "data": stem(path),
        "data_current": stem(made.path),
        "view": shown,
        "sheets": [(number, sheet_path(path, number)) for number in range(1, shown.sheets + 1)],
        "outcomes": OUTCOMES,
    }
    title = f"{made.title}, {about.rules} {made.methodology}" if frozen else made.title
    return Page(
        path=sheet_path(path, shown.sheet),
        title=title if shown.sheet == 1 else f"{title}, page {shown.sheet}",
        description=made.lede,
        template=about.template,
        context=context,
    )
