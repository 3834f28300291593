"""Log commits that the remote overtook: its branch, as last fetched, has commits that this clone's branch lacks.

Log commits are never merged or rebased, so the refusal names the commands that redo them. They are private until a
ref of a remote contains one of them; only `audit` asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchsite.errors import PrerequisiteError
from benchsite.layout import CHECKPOINT_PATH, RECORD
from benchsite.pipeline.record.commit import TRAILER
from benchsite.repo import Repository
from benchsite.words import amount, shown_path


@dataclass(frozen=True, slots=True)
class Overtaken:
    """Log commits of this branch that the remote's branch will never contain.

    Attributes:
        base: the newest commit that both branches contain.
        theirs: the remote's commit.
        appends: (commit, message) of the log commits, oldest first.
        own: the other commits of this branch, oldest first.
        reset: the revision to reset to.
    """

    base: str
    theirs: str
    appends: Sequence[tuple[str, str]]
    own: Sequence[str]
    reset: str

    @property
    def message(self) -> str:
        """Return what happened, with the subject of each log commit."""
        subjects = "; ".join(_subject(message) for _, message in self.appends)
        return f"the remote overtook {amount(len(self.appends), 'log commit')} of this clone: {subjects}"

    @property
    def steps(self) -> list[str]:
        """Return the commands that redo the log commits."""
        subjects = [_subject(message) for _, message in self.appends]
        events = [subject for subject in subjects if not subject.startswith("publish: ")]
        return [
            f"git reset --keep {self.reset}",
            *([f"git cherry-pick {' '.join(commit[:12] for commit in self.own)}"] if self.own else []),
            "benchsite publish",
            *([f"then repeat: {'; '.join(events)}"] if events else []),
        ]


def overtaken(repository: Repository, ours: str | None) -> Overtaken | None:
    """Return the log commits that the remote overtook, None if there are none.

    Raises:
        PrerequisiteError: the branches have diverged, and this one has no log commit, or they share no commit.
    """
    theirs = repository.remote_head()
    if not ours or not theirs or repository.is_ancestor(theirs, ours) or repository.is_ancestor(ours, theirs):
        return None
    base = repository.fork_point(ours, theirs)
    commits = repository.commits(base, ours)
    appends = [item for item in commits if _is_append(repository, *item)]
    if not base or not appends:
        touched = not base or any(map(_is_written_by_us, repository.differing(base, ours)))
        raise PrerequisiteError(
            "your branch and the remote's have diverged",
            hint="move your commits to a separate branch, then retry: the record is never rebased"
            if touched
            else "git pull --rebase, then retry",
        )
    own = [item[0] for item in commits if item not in appends]
    reset = "@{u}" if repository.tracked() == theirs else theirs[:12]
    return Overtaken(base, theirs, appends, own, reset)


def require_not_overtaken(repository: Repository, ours: str | None) -> None:
    """Check that a commit of this branch contains the remote's as last fetched, or is contained in it.

    Raises:
        PrerequisiteError: neither; the hint has the commands that redo the log commits of this branch.
    """
    found = overtaken(repository, ours)
    if found is not None:
        raise PrerequisiteError(
            found.message,
            hint="\n       ".join(["redo it on the remote's head; drafts are kept:", *found.steps]),
        )


def _is_append(repository: Repository, commit: str, message: str) -> bool:
    """Whether a commit is one of ours by its message and by its content: anyone can write the message."""
    return f"\n{TRAILER}: " in message and CHECKPOINT_PATH in repository.differing(f"{commit}^", commit)


def _subject(message: str) -> str:
    """Return the first line of a commit message, safe to print."""
    return shown_path(message.strip().partition("\n")[0])


def _is_written_by_us(path: str) -> bool:
    """Whether nobody but benchsite writes a file; `keys/ROTATION.md` is prose."""
    return path.split("/", maxsplit=1)[0] in RECORD and not path.endswith(".md")
