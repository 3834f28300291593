"""The resolution of any leaderboard: how many of its adjacent ranks paired tests of its instances separate.

`outcomes` reads results per instance, `aggregates` compares them with published numbers, `pairs` tests two systems, `report`
ranks, tests and groups, and `wording` has the words. Imported by the command `resolution` only, because it needs numpy.
"""

from __future__ import annotations

from benchsite.board.resolution.outcomes import Outcomes, System, read_lines
from benchsite.board.resolution.report import Resolution, resolution

__all__ = ["Outcomes", "Resolution", "System", "read_lines", "resolution"]
