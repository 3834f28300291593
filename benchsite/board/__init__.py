"""Leaderboards: one shape for every track, from a description of what the track ranks (specs/retrieval.md, "Boards").

A `Leaderboard` says what is ranked, by which number and in which words. `boards` makes the leaderboards of all tracks from
the verified history, once; every page and data file is made from these values. A row is the latest receipt of a subject,
version and configuration, never the best; submitted receipts have their own rows. No number is averaged across boards.
"""

from benchsite.board.board import Board, Leaderboard
from benchsite.board.boards import Boards, TrackBoards, boards, one_board
from benchsite.board.columns import RUNS, Column, Facet, Measure, Part
from benchsite.board.compare import Pair, pair
from benchsite.board.pages import track_pages
from benchsite.board.past import Past, Timeline
from benchsite.board.ranks import Vector
from benchsite.board.receipt_view import receipt_page
from benchsite.board.rows import Estimate, Row
from benchsite.board.standing import Standing, standings
from benchsite.board.subjects import Declared, Result, Subject, subjects

__all__ = [
    "RUNS",
    "Board",
    "Boards",
    "Column",
    "Declared",
    "Estimate",
    "Facet",
    "Leaderboard",
    "Measure",
    "Pair",
    "Part",
    "Past",
    "Result",
    "Row",
    "Standing",
    "Subject",
    "Timeline",
    "TrackBoards",
    "Vector",
    "boards",
    "one_board",
    "pair",
    "receipt_page",
    "standings",
    "subjects",
    "track_pages",
]
