"""Private keys in what a branch brings: its files, their names and its commit messages.

Every commit counts, whatever a later one removed again. What counts as a private key is said in
`benchsite.pipeline.secrets.keyfinder`. What is found is described and never quoted, and a name that holds a key is not
shown. Large files are read in overlapping pieces, so memory stays bounded; a larger commit object is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from benchsite.pipeline.report import Item, Step, altered, judged, malformed, shown_path
from benchsite.pipeline.secrets.keyfinder import MOST_CANDIDATES, KeyFinder
from benchsite.repo import Branch, Change, Repository
from benchsite.words import amount

__all__ = ["check"]

NAME: Final = "private keys"
_WHOLE: Final = 1024 * 1024
_HINT: Final = (
    "if the branch was pushed, the key is compromised; removing it in a later commit is not enough: "
    "rotate it (keys/ROTATION.md), then send a branch whose commits never held it"
)


def check(
    repository: Repository, branch: Branch, changes: Sequence[Change], public_keys: Collection[bytes]
) -> Step:
    """Look through every message of the branch's commits, and every name and file that any of them adds or changes.

    Args:
        repository: where the objects are.
        branch: the commits.
        changes: what they change, newest first.
        public_keys: those of the log, 32 raw bytes each.
    """
    finder = KeyFinder(public_keys)
    commits = branch.commits()
    names = _names(finder, changes)
    files = {change.blob: change for change in changes if change.blob}  # the oldest commit that has it stays
    items = [
        *_in_messages(finder, repository, branch, commits),
        *(item for item in names.values() if item is not None),
        *_in_files(finder, repository, branch, files, names),
    ]
    good = f"none in {amount(len(files), 'file version')} and {amount(len(commits), 'commit message')}"
    if finder.gave_up:
        good += f" (of what could be keys of this log, only the first {MOST_CANDIDATES:,} were tried)"
    return judged(NAME, items, good)


def _in_messages(
    finder: KeyFinder, repository: Repository, branch: Branch, commits: Sequence[str]
) -> Iterator[Item]:
    sizes = branch.sizes(commits)
    for commit in commits:
        where = f"commit {commit[:12]}"
        if sizes.get(commit, 0) > _WHOLE:
            problem = f"its message has more than {_WHOLE:,} bytes, too long to scan"
            yield malformed(where, problem, "send a branch whose commit messages are shorter")
        elif found := finder.found(repository.blob(commit)):  # the author's name and address included
            yield altered(where, f"{found}, in the message of this commit", _HINT)


def _names(finder: KeyFinder, changes: Iterable[Change]) -> dict[str, Item | None]:
    """Each path that is added or changed, and what is wrong with it as a name."""
    oldest = {change.path: change.commit for change in changes if not change.removed}
    return {path: _named(finder, path, commit) for path, commit in oldest.items()}


def _named(finder: KeyFinder, path: str, commit: str) -> Item | None:
    name = path.encode("utf-8", "surrogateescape")
    # A slash is a character of base64 as well as the end of a folder's name.
    found = finder.found(name) or finder.found(name.replace(b"/", b"\n\n"))
    if found is None:
        return None
    return altered(f"commit {commit[:12]}", f"{found}, as the name of a file or folder that it adds", _HINT)


def _in_files(
    finder: KeyFinder,
    repository: Repository,
    branch: Branch,
    files: dict[str, Change],
    names: dict[str, Item | None],
) -> Iterator[Item]:
    sizes = branch.sizes(list(files))
    for blob, change in files.items():
        where = shown_path(change.path) if names[change.path] is None else "a file whose name holds a key"
        if blob not in sizes:
            problem = f"its content in commit {change.commit[:12]} is not in this clone"
            yield Item(where, problem, "fetch it, or make a new clone without --filter", 5)
        elif found := (
            finder.found(repository.blob(blob))
            if sizes[blob] <= _WHOLE
            else finder.found_in(branch.pieces(blob))
        ):
            yield altered(where, f"{found}, added by commit {change.commit[:12]}", _HINT)
