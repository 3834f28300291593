"""Which files of `fixtures/` can be evaluators' sheets: one answer for check and for publish.

A sheet is YAML, whatever folder below `fixtures/` it lies in, and counts once it is committed as a regular file.
"""

from __future__ import annotations

from typing import Final

from benchsite.pipeline.snapshot import Snapshot
from benchsite.repo import REGULAR, TreeFile

__all__ = ["FOLDER", "committed"]

FOLDER: Final = "fixtures"
_ENDINGS: Final = (".yaml", ".yml")


def committed(snapshot: Snapshot, folder: str = FOLDER) -> list[TreeFile]:
    """Return every committed YAML file below a folder, in path order, lists of prompts among them."""
    return [
        item for item in snapshot.tree(f"{folder}/") if item.mode in REGULAR and item.path.endswith(_ENDINGS)
    ]
