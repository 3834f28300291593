"""The answers of a leaderboard's tray: two rows compared, before a reader opens the page of the comparison.

Each answer is a pair of `board.compare`, with the category in which the two differ most and the first cost that both have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite import canonical
from benchsite.board.board import Board, Leaderboard
from benchsite.board.compare import Pair
from benchsite.board.rows import Row
from benchsite.board.view import widest_part
from benchsite.track import Page

__all__ = ["tray_page"]


def tray_page(made: Board, path: str) -> Page:
    """Return the file with an answer for each pair of the systems side by side, the better one first."""
    compared = made.side_by_side
    value: dict[str, Any] = {
        "v": 1,
        "test": compared.test if compared else "",
        "receipts": [row.header.receipt_id for row in compared.rows] if compared else [],
        "pairs": [_answer(made.about, pair) for pair in compared.pairs] if compared else [],
    }
    return Page(path=path, data=canonical.dumps(value))


def _answer(about: Leaderboard, pair: Pair) -> Mapping[str, Any]:
    return {
        **pair.record,
        "category": _category(about, pair),
        "cost": _cost(about, pair.first, pair.second),
    }


def _category(about: Leaderboard, pair: Pair) -> Mapping[str, str] | None:
    """The category in which two rows differ most; None if they differ in none."""
    found = widest_part(about, pair.first, pair.second)
    if found is None or found[0].value == found[1].value:
        return None
    metric = found[0].metric or about.metric
    return {
        "label": found[0].label,
        "first": metric.figure(found[0].value),
        "second": metric.figure(found[1].value),
    }


def _cost(about: Leaderboard, first: Row, second: Row) -> Mapping[str, str] | None:
    """The first cost that both rows state."""
    for one in about.measures:
        values = [row.estimates[one.key].value for row in (first, second)]
        if one.is_cost and None not in values and not (one.is_timed and first.machine != second.machine):
            metric = one.metric or about.track.metric(one.key)
            shown = [f"{metric.figure(value)}{metric.scale}" for value in values]
            return {"label": one.label or metric.label, "first": shown[0], "second": shown[1]}
    return None
