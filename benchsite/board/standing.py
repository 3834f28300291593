"""Where each receipt is on its leaderboard, in words: its range of ranks and the test with the reference baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchsite.board.board import Board
from benchsite.board.boards import Boards
from benchsite.board.rows import Row

__all__ = ["Standing", "of_board", "standings", "worth"]


class Standing(NamedTuple):
    """The place of a receipt: `words` of its page, and the same in `short` for its badge; empty if its reason is shown."""

    words: str
    short: str = ""


def standings(boards: Boards, *, counted: bool = False) -> Mapping[str, Standing]:
    """Return the place of each receipt that a leaderboard ranks, or would rank without a later run, by its id.

    Args:
        counted: say of how many rows. Receipt pages do not, as a new row would render each of them once more.
    """
    made = (one for of_track in boards.tracks.values() for one in of_track.boards)
    return dict(found for board in made for found in of_board(board, counted=counted))


def of_board(made: Board, *, counted: bool = False) -> Iterator[tuple[str, Standing]]:
    """Yield receipt id and place: `rank 1–2; not significantly better than the BM25 baseline (Holm-adjusted)`."""
    rows = (*made.ranked, *made.imported.ranked, *made.baselines)
    latest = {_line(row): row.header.receipt_id for row in rows}
    for row in made.ranked:
        yield row.header.receipt_id, Standing(_ranked(made, row, made.ranked, counted), worth(made, row))
    for row in made.imported.ranked:
        words = f"{_ranked(made, row, made.imported.ranked, counted)}; among imported results"
        yield row.header.receipt_id, Standing(words, worth(made, row))
    for row in made.baselines:
        yield row.header.receipt_id, Standing("run as a baseline, not ranked", "baseline")
    for header in made.headers:
        newer = latest.get((header.summary.row, header.sent_by)) if header.summary is not None else None
        if header.ranked and newer is not None and newer != header.receipt_id:
            words = f"not ranked: a later run of the same configuration is, receipt {newer[:8]}"
            yield header.receipt_id, Standing(words, "later run exists")


def worth(made: Board, row: Row, *, of: int = 0) -> str:
    """What a value is worth, for a badge: `rank 1–2, n.s. vs BM25`; of how many rows, unless that is 0."""
    if row.baseline:
        return "baseline"
    place = f"rank {row.rank}" + (f" of {of:,}" if of else "") if row.rank else "no rank"
    found, name = row.to_baseline, made.about.baselines[0] if made.about.baselines else ""
    if found is None:
        return place
    way = "n.s. vs" if found.tied else "better than" if found.delta >= 0 else "worse than"
    return f"{place}, {way} {made.about.labels.get(name, name)}"


def _line(row: Row) -> tuple[str, str]:
    assert row.header.summary is not None  # noqa: S101 - rows are quotable
    return row.header.summary.row, row.header.sent_by


def _ranked(made: Board, row: Row, rows: Sequence[Row], counted: bool) -> str:  # noqa: FBT001 - passed on
    of = f" of {len(rows)}" if counted else ""
    place = f"rank {row.rank}{of}" if row.rank else f"one{of} without a rank" if counted else "without a rank"
    return "; ".join([place, *_tested(made, row)])


def _tested(made: Board, row: Row) -> Iterator[str]:
    """The adjusted test with the reference baseline, or that none was run; nothing if the track has none.

    Without the p-value: each new row of the leaderboard changes it, and would render every receipt page once more.
    """
    found, reference = row.to_baseline, made.about.reference(made.baselines) if made.baselines else None
    if made.about.baselines and not made.baselines:
        yield "no baseline was run"
    if found is None or reference is None:
        return
    way = "not significantly better"
    if not found.tied:
        way = f"significantly {'better' if found.delta >= 0 else 'worse'}"
    yield f"{way} than the {made.about.label(reference)} (Holm-adjusted)"
