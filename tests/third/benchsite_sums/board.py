"""The leaderboard, from a description."""

from benchsite.board import Leaderboard
from benchsite_sums import TRACK

LEADERBOARD = Leaderboard(TRACK, "accuracy", target="fixture", tasks="sums")
