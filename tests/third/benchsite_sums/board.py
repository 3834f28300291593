"""The leaderboard, from a description."""

from collections.abc import Iterator

from benchsite.board import Leaderboard, leaderboards
from benchsite.history import History
from benchsite.track import Bodies, Library, Page
from benchsite_sums import TRACK

LEADERBOARD = Leaderboard(TRACK, "accuracy", target="fixture", tasks="sums")


def pages(history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
    yield from leaderboards(LEADERBOARD, history, bodies, library)
