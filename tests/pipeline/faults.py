"""Run benchsite here and die at a chosen boundary; started by test_faults.py as a process of its own.

    python faults.py PLAN ARGUMENTS...

A boundary lies before each git command and before each change to a file below `root`; what precedes one is done,
what follows is not. PLAN is JSON: `root`; `at`, the boundary to die at, counted from 1; `linger`, seconds to live
on from there, so that the git just started dies half-way; `before`, words of a git command to die before; `race`, a clone to push just before our own first push;
`count`, a file for the number of boundaries of a process that lived.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Boundaries:
    """An audit hook that counts, and kills the whole process group when the count is reached."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.root = plan["root"] + os.sep
        self.at: int | None = plan.get("at")
        self.linger: float | None = plan.get("linger")
        self.before: list[str] = plan.get("before", [])
        self.race: str | None = plan.get("race")
        self.reached = 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            command = list(map(str, arguments[1]))
            if self.before and set(self.before) <= set(command):
                die()
            self._overtake(command)
            self._reach()
        elif (event == "open" and arguments[2] & WRITING and self._below_root(arguments[0])) or (
            event in CHANGES and any(map(self._below_root, arguments[:2]))
        ):
            self._reach()

    def _below_root(self, path: object) -> bool:
        return isinstance(path, str | bytes | Path) and str(Path.cwd() / os.fsdecode(path)).startswith(
            self.root
        )

    def _overtake(self, command: list[str]) -> None:
        if self.race is not None and "push" in command:
            clone, self.race, at, self.at = self.race, None, self.at, None
            subprocess.run(["git", "-C", clone, "push", "-q", "origin", "main"], check=True)
            self.reached, self.at = self.reached - 1, at

    def _reach(self) -> None:
        self.reached += 1
        if self.reached == self.at:
            if self.linger is None:
                die()
            threading.Timer(self.linger, die).start()


def die() -> None:
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main(plan: dict[str, Any], arguments: list[str]) -> None:
    boundaries = Boundaries(plan)
    from benchsite.cli.main import main as benchsite

    sys.addaudithook(boundaries)
    try:
        benchsite(arguments)
    finally:
        if "count" in plan:
            Path(plan["count"]).write_text(str(boundaries.reached))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
