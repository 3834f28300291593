"""The page of a leaderboard's items: the picture of items by systems, its tables, and what a script needs to filter it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from benchsite.addresses import comparison_path
from benchsite.board.board import Board
from benchsite.board.per_item import per_item_path
from benchsite.track import Page

__all__ = ["LISTED", "Listed", "items_page"]

LISTED: Final = 2_000
"""Items up to which the page lists each of them without script."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a track says of the page of its items.

    Attributes:
        path: of the page; a page of an item, if there is one, is below it.
        texts: path of the data file with the items' texts; empty if they are not shown.
        root: the page of an item up to its id; ends in `/` or, as a query, in `=`. Empty without one.
        withheld: why texts are not shown, in a sentence; empty if they are.
        importable: whether importing the data would show them.
        others: items that no ranked system ran.
    """

    path: str
    texts: str = ""
    root: str = ""
    withheld: str = ""
    importable: bool = False
    others: Sequence[str] = field(default_factory=tuple)

    def linked(self, item: str) -> str:
        """Return the page of an item; empty without one."""
        if not self.root or self.root.endswith("/"):
            return f"{self.root}{item}/" if self.root else ""
        return f"{self.root}{quote(item, safe='')}"


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
