"""`recency`: the newest items first, whatever is asked; the baseline for questions about the present."""

from __future__ import annotations

from collections.abc import Sequence

from benchsite.tracks.retrieval.adapter import About, Hit, Item
from benchsite.tracks.retrieval.timestamps import instant

__all__ = ["Recency"]

_OLDEST = (-1, "")


class Recency:
    """Items by timestamp, newest first; null timestamps are oldest and ties keep the order of ingest."""

    about = About("recency", author="benchsite", version="1.0.0")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the scope."""
        self._items: list[Item] = []

    def ingest(self, items: Sequence[Item]) -> None:
        """Keep the items in time order, newest first."""
        self._items = sorted([*self._items, *items], key=_moment, reverse=True)

    def query(self, q: str, k: int, when: str | None) -> list[Hit]:  # noqa: ARG002 - the question is ignored
        """The k newest items; the score falls evenly from 1 with the place among all items."""
        total = len(self._items)
        return [
            Hit(item.id, (total - place) / total, item.content) for place, item in enumerate(self._items[:k])
        ]


def _moment(item: Item) -> tuple[int, str]:
    moment = instant(item.timestamp) if item.timestamp is not None else None
    return moment or _OLDEST
