"""What tests of `check` share: a branch made commit by commit, and the answer to it step by step."""

from __future__ import annotations

import os
import subprocess

from builders import commit
from snapshots import at_head

from benchsite.pipeline import check as checking
from benchsite.pipeline.workspace import Workspace
from benchsite.repo.head import resolve_head

IDENTITY = ("-c", "user.name=stranger", "-c", "user.email=stranger@tests.invalid")


class Work:
    """Commits of a stranger on top of where the instance stood."""

    def __init__(self, instance: Workspace) -> None:
        self.instance = instance
        head = resolve_head(instance.repository)
        assert head is not None
        self.base = head

    def adds(self, files: dict[str, bytes], *, removes: tuple[str, ...] = ()) -> str:
        commit(self.instance, files, removes=removes)
        return resolve_head(self.instance.repository) or ""

    def links(self, path: str, target: str) -> None:
        place = self.instance.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)
        self.git("add", "-A", path)
        self.git("commit", "-qm", "a link")

    def git(self, *arguments: str | bytes) -> str:
        line = [b"git", b"-C", os.fsencode(self.instance.root), *map(os.fsencode, (*IDENTITY, *arguments))]
        return subprocess.run(line, capture_output=True, check=True).stdout.decode().strip()

    def checked(self, *, build: bool = False, onto: str | None = None) -> checking.Report:
        return checking.check(*at_head(self.instance.root), onto=onto or self.base, build=build)

    def step(self, name: str) -> checking.Step:
        return next(step for step in self.checked().steps if step.name == name)


def states(report: checking.Report) -> dict[str, str]:
    return {step.name: step.state for step in report.steps}


def failing(report: checking.Report) -> dict[str, list[tuple[str, int]]]:
    """Name of each failed step to (where, exit code) of its items."""
    return {
        step.name: [(item.where, item.code) for item in step.items]
        for step in report.steps
        if step.state == "fail"
    }
