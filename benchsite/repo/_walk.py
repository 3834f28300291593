"""The past of a repository in one pass: every file that a commit changed or removed, against each of its parents.

Owns one streaming `git log` (specs/log.md, "Git audit"), the reading of many blobs at once, and the few questions an
audit asks about single commits. What is merely added is left out: whatever a file's versions were, each of them but
the last is the old side of a later change or removal, and the last one stands in HEAD.

Git compares whole trees, and paths outside the audit are left out here: given paths, git takes 1.6 times as long. It would
show the same changes, because with `--full-history` it omits only commits that differ from none of their parents.

The machine's own settings do not blind the pass: no replace object and no commit-graph is believed, merges are compared with every
parent whatever `log.diffMerges` says, submodules are never ignored. In a clone without blobs those that are asked for
are fetched in one go.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import BinaryIO, Final, NamedTuple, cast

from benchsite.errors import PrerequisiteError
from benchsite.repo._neutral import command, environment, refuse_killed
from benchsite.repo._place import from_top, to_instance
from benchsite.repo._process import Git, GitError

_PIECE: Final = 256 * 1024
_AHEAD: Final = 64
"""Pieces that git is ahead of the audit at most: 16 MiB, the changes of some 30,000 commits that publish a receipt."""
_BUFFER: Final = 64 * 1024
_PIPE: Final = 1024 * 1024
"""What a pipe from git holds: the usual 64 KiB take a third longer, because both sides wait for each other more often."""
_MOMENT_S: Final = 0.01
_LOG: Final = (
    *("-c", "log.diffMerges=separate", "log", "-z"),
    *("--no-renames", "--ignore-submodules=none", "--no-color"),
)
WALK: Final = (
    *_LOG,
    "-m",
    "--full-history",
    "--raw",
    "--no-abbrev",
    "--format=%H %as %P",
)
"""The pass, without its range. Given a filter, git would not show the commits that it leaves nothing of."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A commit as people name one: its id and the day its author gave it."""

    commit: str
    day: str


class Revision(NamedTuple):
    """One file as one commit left it, against one of the commit's parents.

    `status` is M (other bytes or another mode), D (gone) or T (another type); modes and blob ids of the absent side
    are zeros.
    """

    commit: str
    day: str
    parents: tuple[str, ...]
    path: str
    status: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str


class Walk(Iterator[Revision]):
    """What git prints of a walk, as far as it is about one of these files or about a file below these folders.

    The paths are those of an instance in the folder `below`.

    `commits` counts the commits printed so far: at the end of a walk of the whole history, all of them.
    """

    def __init__(self, tokens: Iterator[str], paths: Sequence[str], below: str) -> None:
        self.commits = 0
        self._below = below
        named = [from_top(below, path) for path in paths]
        self._revisions = self._parsed(tokens, frozenset(named), tuple(f"{path}/" for path in named))

    def __next__(self) -> Revision:
        return next(self._revisions)

    def _parsed(
        self, tokens: Iterator[str], files: AbstractSet[str], folders: tuple[str, ...]
    ) -> Iterator[Revision]:
        commit, day = "", ""
        parents: tuple[str, ...] = ()
        for token in tokens:
            text = token.lstrip("\n")
            if text.startswith(":"):
                path = next(tokens, "")
                if not text.endswith("A") and (path.startswith(folders) or path in files):
                    old_mode, new_mode, old_id, new_id, status = text[1:].split(" ")
                    path = to_instance(self._below, path)
                    yield Revision(commit, day, parents, path, status[0], old_mode, new_mode, old_id, new_id)
            elif text:
                shown, day, *rest = text.split(" ")
                # A merge is printed once for each parent that it differs from.
                self.commits += shown != commit
                commit, parents = shown, tuple(rest)


class Past:
    """The history of a repository."""

    def __init__(self, root: Path) -> None:
        self._git = Git.open(root)
        self._ahead: tuple[str, Queue[bytes], ExitStack] | None = None

    def require_whole(self) -> None:
        """Raise `PrerequisiteError` where commits are missing from this clone, or grafts put others in their place."""
        if self._git.line("rev-parse", "--is-shallow-repository") == "true":
            raise PrerequisiteError(
                "shallow clone: its history is not complete, so it cannot be audited",
                hint="git fetch --unshallow",
            )
        grafts = self._git.line("rev-parse", "--git-path", "info/grafts")
        if grafts is not None and (self._git.root / grafts).exists():
            raise PrerequisiteError(
                f"grafts replace the parents of commits: {grafts}",
                hint="remove it, then re-run benchsite audit",
            )

    def commit(self, rev: str) -> str | None:
        """The commit that a revision names, None where this clone has none of that name."""
        return self._git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")

    def count(self, since: str | None, *, head: str) -> int:
        """How many commits `head` contains, without those that `since` contains."""
        return int(self._git.run("rev-list", "--count", *_span(head, since)))

    @contextmanager
    def ahead(self, head: str | None) -> Iterator[None]:
        """Let git start on the whole history of a commit, so that the next walk finds it done or under way."""
        with ExitStack() as started:
            if head is not None:
                self._ahead = head, started.enter_context(self._printed([*WALK, head])), started
            yield

    @contextmanager
    def walk(self, paths: Sequence[str], *, head: str, since: str | None = None) -> Iterator[Walk]:
        """Every change, removal and change of type below these paths, newest commit first; git runs ahead.

        A merge gives one revision for each parent that its file differs from.
        """
        with ExitStack() as stack:
            if self._ahead is not None and self._ahead[0] == head and since is None:
                _, pieces, started = self._ahead
                self._ahead = None
                stack.push(started.pop_all())
            else:
                # A merge that changes nothing against the parents after `since` is not shown, which only git can tell.
                limit = ("--", *paths) if since is not None else ()
                pieces = stack.enter_context(self._printed([*WALK, *_span(head, since), *limit]))
            yield Walk(_tokens(pieces), paths, self._git.below)

    @contextmanager
    def _printed(self, arguments: Sequence[str]) -> Iterator[Queue[bytes]]:
        """What a `git log` prints, piece by piece as it comes; an empty piece is the end."""
        with self._started("log", arguments) as process:
            pieces: Queue[bytes] = Queue(_AHEAD)
            # A pipe holds little: without a reader of its own git would wait for whatever comes before the pass.
            reader = Thread(target=_drain, args=(cast("BinaryIO", process.stdout), pieces))
            reader.start()
            try:
                yield pieces
            except BaseException:
                process.kill()
                raise
            finally:
                while reader.is_alive():
                    with suppress(Empty):  # it may wait for room in the queue
                        pieces.get_nowait()
                    reader.join(_MOMENT_S)

    @contextmanager
    def _started(
        self, name: str, arguments: Sequence[str], source: BinaryIO | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                command(*arguments),
                cwd=self._git.root,
                env=environment(os.environ),
                stdin=source if source is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                bufsize=_BUFFER,
            )
            try:
                _widen(cast("BinaryIO", process.stdout))
                yield process
                refuse_killed(name, process.wait())
                if process.returncode:
                    said.seek(0)
                    raise GitError(name, said.read().decode("utf-8", "replace"))
            finally:
                process.kill()
                process.wait()
                cast("BinaryIO", process.stdout).close()

    def blobs(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """(id, bytes) of many blobs, in the order given, one at a time.

        Raises:
            GitError: one is missing, or what it names is no blob.
        """
        wanted = list(ids)
        self.prefetch(wanted)
        with tempfile.TemporaryFile() as source:
            source.write("".join(f"{item}\n" for item in wanted).encode("ascii"))
            source.seek(0)
            arguments = ["cat-file", "--batch", "--buffer"]
            with self._started("cat-file", arguments, cast("BinaryIO", source)) as process:
                found = cast("BinaryIO", process.stdout)
                for item in wanted:
                    line = found.readline()
                    if not line:  # git has ended; how, its exit code says
                        refuse_killed("cat-file", process.wait())
                    yield item, found.read(_blob_size(item, line))
                    found.read(1)

    def growing(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """(id, bytes) of many blobs as `blobs` yields them, faster if most of them are prefixes of the one before.

        A prefix is recognized by its size and git's id of its bytes, and is not read.

        Raises:
            GitError: one is missing, or what it names is no blob.
        """
        wanted = list(ids)
        self.prefetch(wanted)
        names = "".join(f"{item}\n" for item in wanted).encode("ascii")
        headers = self._git.run("cat-file", "--batch-check", "--buffer", data=names).split(b"\n")
        data = b""
        for item, header in zip(wanted, headers, strict=False):
            prefix = data[: _blob_size(item, header)]
            data = prefix if self.blob_id(prefix) == item else self._git.object(item)
            yield item, data

    def prefetch(self, ids: Iterable[str]) -> None:
        """In a clone without blobs: fetch those of these that are not here, in one go; elsewhere nothing."""
        if not self._lazy:
            return
        listed = self._git.run(
            "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"
        )
        missing = set(ids) - set(listed.decode("ascii").split())
        if missing:
            self._git.run(
                *("-c", "fetch.negotiationAlgorithm=noop", "fetch", self._lazy, "--quiet", "--no-tags"),
                *("--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin"),
                data="".join(f"{item}\n" for item in sorted(missing)).encode("ascii"),
            )

    def blob_id(self, data: bytes | memoryview) -> str:
        """The id git gives to these bytes in this repository."""
        digest = self._hash(b"blob %d\0" % len(data), usedforsecurity=False)
        digest.update(data)
        return digest.hexdigest()

    def additions(self, commit: str) -> list[tuple[str, str]]:
        """(path, blob id) of the files that a commit adds, against any of its parents."""
        out = self._git.run(
            *("diff-tree", "-r", "-z", "-m", "--root", "--no-renames", "--diff-filter=A", "--raw"),
            *("--no-abbrev", "--no-commit-id", "--ignore-submodules=none", commit),
        )
        tokens = iter(out.decode("utf-8", "surrogateescape").split("\0"))
        found = [(next(tokens), meta.split(" ")[3]) for meta in tokens if meta.startswith(":")]
        return [(to_instance(self._git.below, path), blob_id) for path, blob_id in found]

    def mentions(self, path: str, head: str, *, limit: int, added: bool = False) -> list[Mention]:
        """The newest commits that changed a path (or only those that added it), newest first.

        A merge counts only where it has of the path what none of its parents has, not where it takes one side's.
        """
        which = ("--full-history", "--diff-filter=A") if added else ()
        out = self._git.run(
            *("--literal-pathspecs", *_LOG, "--format=%H %as", f"--max-count={limit}"),
            *(*which, head, "--", path),
        )
        return [Mention(*line.split(" ")) for line in out.decode("ascii").split("\0") if line]

    @cached_property
    def _hash(self) -> Callable[..., hashlib._Hash]:
        # By its name, which is faster than `hashlib.new`: an audit hashes each version of a segment.
        return getattr(hashlib, self._git.line("rev-parse", "--show-object-format") or "sha1")  # type: ignore[no-any-return]

    @cached_property
    def _lazy(self) -> str | None:
        """The remote that holds what this clone left out, None for a clone that has everything."""
        found = self._git.line("config", "--name-only", "--get-regexp", r"^remote\..*\.promisor$")
        return found.splitlines()[0].removeprefix("remote.").removesuffix(".promisor") if found else None


def _blob_size(item: str, header: bytes) -> int:
    """Return the size that `git cat-file` says; raise `GitError` unless the object is a blob."""
    _, _, said = header.decode("utf-8", "replace").rstrip("\n").partition(" ")
    kind, _, size = said.partition(" ")
    if kind != "blob":
        raise GitError("cat-file", f"object {item} is {said or 'missing'}, expected a blob")
    return int(size)


def _span(head: str, since: str | None) -> tuple[str, ...]:
    return (head, f"^{since}") if since is not None else (head,)


def _widen(pipe: BinaryIO) -> None:
    """Let a pipe hold more, where the kernel can."""
    if sys.platform == "linux":
        with suppress(OSError):  # a user's pipes hold so much together
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _drain(stream: BinaryIO, pieces: Queue[bytes]) -> None:
    """Take everything from a pipe as it comes; an empty piece is the end."""
    while piece := stream.read(_PIECE):
        pieces.put(piece)
    pieces.put(b"")


def _tokens(pieces: Queue[bytes]) -> Iterator[str]:
    """What ends in NUL bytes; of a git that was killed, the rest is no token."""
    rest = b""
    while piece := pieces.get():
        whole, end, rest = (rest + piece).rpartition(b"\0")
        if end:
            yield from whole.decode("utf-8", "surrogateescape").split("\0")
