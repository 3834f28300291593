"""Which files of `fixtures/` can be evaluators' sheets: one answer for check and for publish.

A sheet is YAML, whatever folder below `fixtures/` it lies in, and counts once HEAD holds it as a regular file.
"""

from __future__ import annotations

from typing import Final

from benchsite.repo import REGULAR, Repository, TreeFile

__all__ = ["FOLDER", "committed"]

FOLDER: Final = "fixtures"
_ENDINGS: Final = (".yaml", ".yml")


def committed(repository: Repository, folder: str = FOLDER) -> list[TreeFile]:
    """Every YAML file below a folder at HEAD, in path order; lists of prompts and the like are among them."""
    return [
        item
        for item in repository.tree(f"{folder}/")
        if item.mode in REGULAR and item.path.endswith(_ENDINGS)
    ]
