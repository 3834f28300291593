"""The page of a leaderboard's items: the picture of items by systems, its tables, and what a script needs to filter it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import comparison_path
from benchsite.board.board import Board
from benchsite.board.data import stem
from benchsite.track import Page

__all__ = ["LISTED", "Listed", "items_page", "per_item", "per_item_path"]

LISTED: Final = 2_000
"""Items up to which the page lists each of them without script."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a track says of the page of its items.

    Attributes:
        path: of the page; a page of an item, if there is one, is below it.
        texts: path of the data file with the items' texts; empty if they are not shown.
        linked: the page of an item; empty without one.
        withheld: why texts are not shown, in a sentence; empty if they are.
        importable: whether importing the data would show them.
        others: items that no ranked system ran.
    """

    path: str
    texts: str = ""
    linked: Callable[[str], str] = lambda _item: ""
    withheld: str = ""
    importable: bool = False
    others: Sequence[str] = field(default_factory=tuple)


def items_page(made: Board, listed: Listed) -> Page:
    """Return the page of the items of a leaderboard."""
    noun = made.about.items_words
    return Page(
        path=listed.path,
        title=f"{noun[:1].upper()}{noun[1:]} of {made.target}",
        description=f"Every one of the {noun} of {made.target} with the result of each {made.about.subject}.",
        template="site/items.html.j2",
        context={
            "board": made,
            "picture": made.picture,
            "listed": listed,
            "compare": comparison_path(made.about.track.name, made.target) if made.side_by_side else "",
            "data": per_item_path(made),
            "fully": made.picture is not None and len(made.picture.items) <= LISTED,
        },
    )


def per_item_path(made: Board) -> str:
    """`api/v1/retrieval/locomo-10-turn/per-query.json`: the results of each item."""
    return f"{stem(made.path)}/per-query.json"


def per_item(made: Board) -> Page | None:
    """Return the data file of the picture; None without one."""
    found = made.picture
    if found is None:
        return None
    about = made.about
    value: Mapping[str, Any] = {
        "v": 1,
        "track": about.track.name,
        about.target: {"id": made.target, "sha256": made.sha256},
        "methodology": made.methodology,
        "metric": about.headline,
        "items": {
            "id": list(found.items),
            "categories": [{"name": group.name, "items": group.size} for group in found.groups],
        },
        "kinds": [
            {"key": kind.key, "words": kind.words, "tone": kind.tone, "solved": kind.solved}
            for kind in found.kinds
        ],
        "step": found.step,
        "gap": found.gap,
        "systems": [
            {
                "receiptId": row.header.receipt_id,
                "name": about.label(row),
                "version": row.subject.version,
                "label": row.subject.label,
                "baseline": row.baseline,
                "cells": cells,
            }
            for row, cells in zip(found.rows, found.cells, strict=True)
        ],
    }
    return Page(path=per_item_path(made), data=canonical.dumps(value))
