"""Pictures of leaderboards and systems for link previews: the best rows with their ranks, values and intervals.

They are of the same values as the pages, and have the light scheme's colors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from benchsite.addresses import card_path, subject_path
from benchsite.board import Board, Row, Subject
from benchsite.site.cards.canvas import HEIGHT, WIDTH, Canvas, Color, Style, fitted, width
from benchsite.site.charts import Scale
from benchsite.site.formats import plain_name
from benchsite.track import Page
from benchsite.words import amount

__all__ = ["board_picture", "pictures", "subject_picture"]

_INSET: Final = 30
_LEFT: Final = 76
_RIGHT: Final = WIDTH - _LEFT
_TOP: Final = 258
_STEP: Final = 58
_ROWS: Final = 5
"""Rows of a picture; the last one of a leaderboard is the reference baseline."""


def pictures(boards: Iterable[Board], subjects: Iterable[Subject], *, site: str) -> Iterator[Page]:
    """The picture of each current leaderboard and system with a result; `site` is the name of the site."""
    for board in boards:
        if board.contenders:
            yield Page(path=card_path(board.path), data=board_picture(board, site))
    for subject in subjects:
        if subject.results:
            yield Page(path=card_path(subject_path(subject.id)), data=subject_picture(subject, site))


def board_picture(board: Board, site: str) -> bytes:
    """Draw the best rows of a leaderboard and its reference baseline on one scale."""
    about, metric = board.about, board.about.metric
    told = [f"{metric.label}{', 95% CI' if board.intervals else ''}", amount(board.subjects, about.subject)]
    canvas = _framed(board.title, " · ".join([*told, f"{about.rules} {board.methodology}"]), site)
    reference = about.reference(board.baselines)
    rows = [*board.contenders[: _ROWS - (reference is not None)], *([reference] if reference else [])]
    scale = Scale.around(board.values, board.baseline, metric)
    plot = (640, _RIGHT)
    if board.baseline is not None:
        x = _place(board.baseline, scale, plot)
        for y in range(_TOP - 34, _TOP - 34 + _STEP * len(rows), 12):
            canvas.fill(x - 1, y, 2, 7, "baseline")
    for y, row in zip(range(_TOP, HEIGHT, _STEP), rows, strict=False):
        color: Color = "soft" if row.baseline else "ink"
        canvas.text(_LEFT, y, row.rank, "figure", color)
        name = about.name(row) if about.track.is_own else row.name
        canvas.text(_LEFT + 92, y, fitted(plain_name(name), "bold", 320), "bold", color)
        _ending(canvas, 610, y, metric.figure(row.value), "figure", color)
        _interval(canvas, row, y, scale, plot)
    _ending(canvas, _RIGHT, _TOP - 10 + _STEP * len(rows), scale.words, "text", "soft")
    return canvas.png()


def subject_picture(subject: Subject, site: str) -> bytes:
    """Draw the results of a system, each on the scale of its leaderboard."""
    found = len(subject.results)
    said = f"{amount(found, 'result')} on leaderboards with 95% CIs, ranks by paired tests"
    canvas = _framed(subject.title, said, site)
    plot = (800, _RIGHT)
    for y, (board, row) in zip(range(_TOP, HEIGHT, _STEP), subject.results[:_ROWS], strict=False):
        among = board.imported.ranked if row.header.imported else board.ranked
        rank = f"{row.rank} of {len(among)}" if row.rank else "baseline" if row.baseline else ""
        canvas.text(_LEFT, y, fitted(board.title, "bold", 340), "bold")
        _ending(canvas, 610, y, rank, "text", "soft")
        _ending(canvas, 770, y, board.about.metric.figure(row.value), "figure")
        scale = Scale.around(board.values, board.baseline, board.about.metric)
        if board.baseline is not None:
            canvas.fill(_place(board.baseline, scale, plot) - 1, y - 26, 2, 34, "baseline")
        _interval(canvas, row, y, scale, plot)
    return canvas.png()


def _framed(title: str, said: str, site: str) -> Canvas:
    canvas = Canvas()
    wide, high = WIDTH - 2 * _INSET, HEIGHT - 2 * _INSET
    for x, y, w, h in (
        (_INSET, _INSET, wide, 2),
        (_INSET, HEIGHT - _INSET - 2, wide, 2),
        (_INSET, _INSET, 2, high),
        (WIDTH - _INSET - 2, _INSET, 2, high),
    ):
        canvas.fill(x, y, w, h, "accent")
    room = _RIGHT - _LEFT
    canvas.text(_LEFT, 122, fitted(plain_name(title), "title", room), "title")
    canvas.text(_LEFT, 172, fitted(said, "text", room), "text", "soft")
    canvas.fill(_LEFT, 198, room, 2, "rule")
    canvas.text(_LEFT, 570, fitted(plain_name(site), "name", room / 2), "name", "accent")
    _ending(canvas, _RIGHT, 570, "signed receipts, public log", "text", "soft")
    return canvas


def _ending(canvas: Canvas, x: float, y: float, words: str, style: Style, color: Color = "ink") -> None:
    """Write a line that ends at `x`."""
    canvas.text(x - width(words, style), y, words, style, color)


def _place(value: float, scale: Scale, plot: tuple[int, int]) -> float:
    share = (value - scale.low) / ((scale.high - scale.low) or 1)
    return plot[0] + min(1.0, max(0.0, share)) * (plot[1] - plot[0])


def _interval(canvas: Canvas, row: Row, y: float, scale: Scale, plot: tuple[int, int]) -> None:
    if row.value is None:
        return
    color: Color = "baseline" if row.baseline else "accent"
    middle = y - 10
    if row.low is not None and row.high is not None:
        low, high = (_place(bound, scale, plot) for bound in (row.low, row.high))
        canvas.fill(low, middle - 1, high - low, 3, color)
    canvas.dot(_place(row.value, scale, plot), middle, 7, color)
