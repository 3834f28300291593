"""A repository whose branch moves while a command reads it: `git` answers the n-th question by a name at another commit.

What is asked by an object's id has one answer whenever it is asked, so that only questions by a name are counted. Moving
the branch at each of them in turn covers every moment at which a publish could land.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from benchsite.errors import PrerequisiteError
from benchsite.pipeline.workspace import Workspace
from benchsite.repo import _process

T = TypeVar("T")
_ID = re.compile(r"[0-9a-f]{40}")


class MovingHead:
    """Two commits of one repository, and a command that is run while the branch goes from the first to the second."""

    def __init__(self, instance: Workspace, first: str, second: str) -> None:
        self.root = instance.root
        self.first, self.second = first, second
        self.asked = 0
        self._at: int | None = None

    def move(self, commit: str) -> None:
        """Let the branch and the working tree be at a commit."""
        subprocess.run(["git", "-C", str(self.root), "reset", "-q", "--hard", commit], check=True)

    def during(self, command: Callable[[], T], at: int | None) -> T:
        """What a command answers while the branch moves before its question number `at`; never for None."""
        self.move(self.first)
        self.asked, self._at = 0, at
        return command()

    def _counted(self) -> None:
        self.asked += 1
        if self.asked == self._at:
            self.move(self.second)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count the questions of this process that a name is asked with."""
        with pytest.MonkeyPatch.context() as patch:
            resolve, run = _process.Git.resolve, _process.Git.run

            def resolved(git: _process.Git, rev: str) -> str | None:
                if not _ID.match(rev):
                    self._counted()
                return resolve(git, rev)

            def ran(git: _process.Git, *arguments: str, **more: Any) -> bytes:
                self._counted()
                return run(git, *arguments, **more)

            patch.setattr(_process.Git, "resolve", resolved)
            patch.setattr(_process.Git, "run", ran)
            yield


def require_one_commit(head: MovingHead, command: Callable[[], object], moments: Iterable[int]) -> int:
    """Run a command once for each moment, until the branch no longer moves in it; the number of moments.

    Each answer must be the whole answer at the first commit or at the second, or an error that says that something is in
    the way, never one about the record. At one moment at least there must be an answer.
    """
    answers = []
    for commit in (head.first, head.second):
        head.move(commit)
        answers.append(command())
    assert answers[0] != answers[1], "the two commits must differ in what the command says"
    tried = answered = 0
    with head.watching():
        for at in moments:
            try:
                answer = head.during(command, at)
            except PrerequisiteError as error:
                assert error.hint, "an error names the next step"
            else:
                assert answer in answers, f"a mix of two commits: the branch moved at question {at}"
                answered += 1
            if head.asked < at:
                break
            tried += 1
    assert answered, "each moment ended in an error"
    return tried
