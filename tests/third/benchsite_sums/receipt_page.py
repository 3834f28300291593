"""The page of a receipt, from the same description."""

from benchsite import board
from benchsite.history import Header
from benchsite.receipt import Document
from benchsite.track import Library, Page
from benchsite_sums.board import LEADERBOARD


def receipt_page(header: Header, document: Document, library: Library) -> Page:
    return board.receipt_page(LEADERBOARD, header, document, library)
