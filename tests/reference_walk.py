"""The `git log` of specs/log.md, "Git audit": what the audit's own walk must show, and what its time is compared with."""

from __future__ import annotations

from typing import Final

SPECIFIED: Final = (
    *("-c", "log.diffMerges=separate", "log", "-z"),
    *("--no-renames", "--ignore-submodules=none", "--no-color"),
    *("-m", "--full-history", "--diff-filter=MDTR", "--raw"),
    *("--no-abbrev", "--format=%H %as %P"),
)
"""The command, without its range and its paths; `-z` and a format of one line, so that a program can read it."""
