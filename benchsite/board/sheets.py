"""A long leaderboard on several pages, so that none of them outgrows a browser: each has every baseline and its own rows.

Ranks, ties and tests are those of the whole leaderboard. Data files have every row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchsite.board.view import Group, PartTable, View

__all__ = ["sheets"]

ROWS: Final = 40
"""Most systems of a page."""
_NODES: Final = 1_900
"""About as many elements of rows leave room for the rest of a page of 3,000."""
_ROW: Final = 32
_PART: Final = 3


def sheets(shown: View) -> tuple[View, ...]:
    """Return what each page of a leaderboard shows, the best rows first; the view itself if one page has room."""
    ranked = [row.header.receipt_id for row in shown.rows if not row.baseline]
    parts = len(shown.parts.heads) if shown.parts else 0
    most = min(ROWS, _NODES // (_ROW + _PART * parts))
    if len(ranked) <= most:
        return (shown,)
    starts = range(0, len(ranked), most)
    return tuple(
        _sheet(shown, set(ranked[start : start + most]), number, len(starts))
        for number, start in enumerate(starts, 1)
    )


def _sheet(shown: View, kept: set[str], number: int, of: int) -> View:
    groups = [
        Group(
            group.title,
            group.gloss,
            [row for row in group.rows if row.baseline or row.header.receipt_id in kept],
        )
        for group in shown.groups
    ]
    ids = {row.header.receipt_id for group in groups for row in group.rows}
    return replace(
        shown,
        groups=[group for group in groups if any(row.header.receipt_id in kept for row in group.rows)],
        parts=_lines(shown.parts, ids),
        plots=shown.plots if number == 1 else (),
        sheet=number,
        sheets=of,
    )


def _lines(parts: PartTable | None, ids: set[str]) -> PartTable | None:
    if parts is None:
        return None
    return parts._replace(lines=[line for line in parts.lines if line[0].header.receipt_id in ids])
