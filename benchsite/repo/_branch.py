"""What a branch changes against the branch it is meant for: its commits, their files, the bytes they add.

Owns the merge base and one reading of `git diff-tree` over every commit beyond it. A merge commit counts for the
files that it itself changes (those that differ from all its parents), so that merging the other branch in changes
nothing. Blobs come in pieces: no file is too large to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from benchsite.errors import PrerequisiteError, UsageError
from benchsite.repo._place import to_instance
from benchsite.repo._process import Git

_DEFAULTS: Final = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main")
_DIFF: Final = (
    *("diff-tree", "-r", "-z", "-c", "--root", "--raw", "--no-abbrev", "--no-renames"),
    "--ignore-submodules=none",  # the branch's own .gitmodules could hide one
)
_ABSENT: Final = "000000"
REGULAR: Final = ("100644", "100755")
"""The modes of plain files, executable or not."""
_SUBMODULE: Final = "160000"

Kinship = Literal["related", "unrelated", "shallow", "alone"]


@dataclass(frozen=True, slots=True)
class Change:
    """One file of one commit, before and after; for a merge, before is its first parent.

    `commit` is empty where a difference of two trees is meant. Modes and blob ids are empty for a file that is
    not there.
    """

    commit: str
    path: str
    old_mode: str
    mode: str
    old_blob: str
    blob: str

    @property
    def added(self) -> bool:
        """Whether the file was not there before."""
        return not self.old_mode

    @property
    def removed(self) -> bool:
        """Whether the file is not there afterwards."""
        return not self.mode

    @property
    def is_regular(self) -> bool:
        """Whether the file that is there afterwards is a plain one, no symbolic link or submodule."""
        return self.mode in REGULAR


@dataclass(frozen=True, slots=True)
class Branch:
    """The commits beyond a base.

    Attributes:
        head: the newest commit of the branch.
        base: the merge base, None where everything counts.
        onto: the name of what it is compared with, empty for nothing.
        kinship: `alone` where there is nothing to compare with; `shallow` where a merge base may be missing
            only because the history of this clone is cut off.
    """

    _git: Git
    head: str
    base: str | None
    onto: str
    kinship: Kinship

    @classmethod
    def of(cls, git: Git, head: str | None, onto: str | None) -> Self:
        """Return the branch up to a commit, compared with a revision, else with the default branch of `origin`.

        Raises:
            UsageError: `onto` names no commit.
            PrerequisiteError: nothing was ever committed.
        """
        if head is None:
            git.require_unborn()
            raise PrerequisiteError("nothing was committed yet", hint="commit your change first")
        names = (onto,) if onto is not None else _DEFAULTS
        if onto is None:
            for name in _DEFAULTS:
                git.ref(name)  # a ref that git cannot read is not the same as none
        found = [(name, commit) for name in names if (commit := _commit(git, name))]
        if not found and onto is not None:
            raise UsageError(
                f"no commit is named {onto!r} here", hint="git fetch, or name another: --base origin/main"
            )
        if not found:
            return cls(git, head, None, "", "alone")
        name, other = found[0]
        shown = name.removeprefix("refs/remotes/")
        base = git.line("merge-base", head, other)
        if base is not None:
            return cls(git, head, base, shown, "related")
        cut = git.line("rev-parse", "--is-shallow-repository") == "true"
        return cls(git, head, None, shown, "shallow" if cut else "unrelated")

    def commits(self) -> list[str]:
        """The commits beyond the base, newest first."""
        span = f"{self.base}..{self.head}" if self.base else self.head
        return self._git.run("rev-list", span).decode().split()

    def changes(self) -> Iterator[Change]:
        """Every file that each commit changes, the newest commit first."""
        commits = self.commits()
        if commits:
            listed = "".join(f"{commit}\n" for commit in commits).encode()
            yield from _parsed(self._git.run(*_DIFF, "--stdin", data=listed), self._git.below)

    def difference(self) -> Iterator[Change]:
        """Every file that differs between the base and HEAD; every file of HEAD where there is no base."""
        if self.base is not None:
            yield from _parsed(self._git.run(*_DIFF, self.base, self.head), self._git.below)
            return
        for record in self._git.run("ls-tree", "--full-tree", "-r", "-z", self.head).split(b"\0"):
            if record:
                meta, _, path = record.partition(b"\t")
                mode, _, blob = meta.decode().split(" ")
                name = to_instance(self._git.below, path.decode("utf-8", "surrogateescape"))
                yield Change("", name, "", mode, "", blob)

    def sizes(self, blobs: Sequence[str]) -> dict[str, int]:
        """Blob id to size in bytes, for those that are in this clone."""
        listed = "".join(f"{blob}\n" for blob in blobs).encode()
        out = self._git.run("cat-file", "--batch-check=%(objectname) %(objectsize)", data=listed).decode()
        rows = (line.split(" ") for line in out.splitlines())
        return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}

    def pieces(self, blob: str) -> Iterator[bytes]:
        """The bytes of a blob, at most 1 MiB at a time."""
        return self._git.pieces(blob)


def _commit(git: Git, name: str) -> str | None:
    """The commit a revision names; a name that looks like an option names none."""
    return git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")


def _parsed(out: bytes, below: str) -> Iterator[Change]:
    """The records of `diff-tree -z -c --raw`: a commit's id, or colons and modes and ids, and a path after these.

    A merge's record has a mode and an id for each parent before those of the result.
    """
    commit = ""
    tokens = iter(out.split(b"\0"))
    for token in tokens:
        if not token.startswith(b":"):
            commit = token.decode() or commit
            continue
        meta = token.lstrip(b":").decode().split(" ")
        parents = len(token) - len(token.lstrip(b":"))
        modes, ids = meta[: parents + 1], meta[parents + 1 : 2 * parents + 2]
        there = [mode != _ABSENT for mode in modes]
        yield Change(
            commit,
            to_instance(below, next(tokens).decode("utf-8", "surrogateescape")),
            modes[0] if there[0] else "",
            modes[-1] if there[-1] else "",
            ids[0] if there[0] and modes[0] != _SUBMODULE else "",
            ids[-1] if there[-1] and modes[-1] != _SUBMODULE else "",
        )
