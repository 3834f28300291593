"""Where each receipt is on its leaderboard, in words: its range of ranks and the test with the reference baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchsite.board.board import Board
from benchsite.board.boards import Boards
from benchsite.board.rows import Row
from benchsite.words import p_value

__all__ = ["of_board", "standings"]


def standings(boards: Boards, *, counted: bool = False) -> Mapping[str, str]:
    """Return a line for each receipt that a leaderboard ranks, or would rank without a later run, by its id.

    Args:
        counted: say of how many rows. Receipt pages do not, as a new row would render each of them once more.
    """
    made = (one for of_track in boards.tracks.values() for one in of_track.boards)
    return dict(line for board in made for line in of_board(board, counted=counted))


def of_board(made: Board, *, counted: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (receipt id, line): `rank 1–2; not significantly better than the BM25 baseline (p = 0.21)`."""
    rows = (*made.ranked, *made.imported.ranked, *made.baselines)
    latest = {_line(row): row.header.receipt_id for row in rows}
    for row in made.ranked:
        yield row.header.receipt_id, _ranked(made, row, made.ranked, counted)
    for row in made.imported.ranked:
        yield (
            row.header.receipt_id,
            f"{_ranked(made, row, made.imported.ranked, counted)}; among imported results",
        )
    for row in made.baselines:
        yield row.header.receipt_id, "run as a baseline, not ranked"
    for header in made.headers:
        newer = latest.get((header.summary.row, header.sent_by)) if header.summary is not None else None
        if header.ranked and newer is not None and newer != header.receipt_id:
            yield (
                header.receipt_id,
                f"not ranked: a later run of the same configuration is, receipt {newer[:8]}",
            )


def _line(row: Row) -> tuple[str, str]:
    assert row.header.summary is not None  # noqa: S101 - rows are quotable
    return row.header.summary.row, row.header.sent_by


def _ranked(made: Board, row: Row, rows: Sequence[Row], counted: bool) -> str:  # noqa: FBT001 - passed on
    of = f" of {len(rows)}" if counted else ""
    place = f"rank {row.rank}{of}" if row.rank else f"one{of} without a rank" if counted else "without a rank"
    return "; ".join([place, *_tested(made, row)])


def _tested(made: Board, row: Row) -> Iterator[str]:
    """The unadjusted test with the reference baseline; nothing without one."""
    found, reference = row.to_baseline, made.about.reference(made.baselines) if made.baselines else None
    if found is None or reference is None:
        return
    way = "not significantly better"
    if not found.tied:
        way = f"significantly {'better' if found.delta >= 0 else 'worse'}"
    yield f"{way} than the {made.about.label(reference)} ({p_value(found.p)})"
