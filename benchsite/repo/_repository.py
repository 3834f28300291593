"""A git repository as the rest of benchsite sees it: revisions, trees, bytes, one branch that moves forward."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchsite.errors import PrerequisiteError
from benchsite.repo._branch import Branch
from benchsite.repo._disk import write_atomically
from benchsite.repo._process import Git, GitError, temporary_folder
from benchsite.repo._refs import Tracking

IDENTITY: Final = ("user.name", "user.email")
FALLBACK_IDENTITY: Final = ("benchsite", "benchsite@localhost")
EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_SYMLINK: Final = "120000"
_NAMED: Final = 100
"""How many paths are worth naming to git one by one; all of a commit are listed sooner than more of them."""
_MOVED: Final = ("but expected", "reference already exists", "unable to resolve reference")
"""What git says of a ref that is not where the caller last saw it."""


class MovedError(PrerequisiteError):
    """The branch moved between reading and writing; the caller begins again from the new head."""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a commit's tree."""

    path: str
    blob_id: str
    mode: str

    @property
    def is_symlink(self) -> bool:
        """Whether git holds a symbolic link under this path."""
        return self.mode == _SYMLINK


class Repository(Tracking):
    """A git repository with a working tree."""

    def __init__(self, git: Git) -> None:
        super().__init__(git)
        self.root = git.root

    @classmethod
    def open(cls, path: Path) -> Repository:
        """The repository that holds `path`.

        Raises:
            PrerequisiteError: there is none, or git is not installed.
        """
        return cls(Git.open(path))

    @classmethod
    def create(cls, path: Path) -> Repository:
        """A new repository on branch `main`."""
        return cls(Git.create(path))

    def close(self) -> None:
        """End the helper processes git keeps for reading objects."""
        self._git.close()

    def state(self) -> dict[str, Any]:
        """`{commit, dirty, tag}` as a receipt records them: untracked files count as dirty."""
        # What strangers sent, or somebody is about to send, changes no code.
        paths = (".", ":(exclude)results/inbox")
        dirty = bool(self._git.run("status", "--porcelain", "--untracked-files=all", "--", *paths).strip())
        tag = self._git.line("describe", "--tags", "--exact-match", "HEAD")
        return {"commit": self.head(), "dirty": dirty, "tag": tag}

    def changed_paths(self, *prefixes: str) -> list[str]:
        """Paths under the prefixes that differ from HEAD, untracked ones included, in path order."""
        out = self._git.run(
            "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", *prefixes
        )
        return sorted(item[3:].decode("utf-8", "replace") for item in out.split(b"\0") if item)

    def tree(self, *prefixes: str, rev: str = "HEAD") -> list[TreeFile]:
        """Every file below some folders at a revision, in path order; none on an unborn branch."""
        try:
            out = self._git.run("--literal-pathspecs", "ls-tree", "-r", "-z", rev, "--", *prefixes)
        except GitError:
            if rev == "HEAD" and self.head() is None:
                return []
            raise
        files = []
        for record in out.split(b"\0"):
            if record:
                meta, _, path = record.partition(b"\t")
                mode, _, blob = meta.decode().split(" ")
                files.append(TreeFile(path.decode("utf-8", "surrogateescape"), blob, mode))
        return files

    def top(self, rev: str = "HEAD") -> list[str]:
        """The names directly under the root of a revision, folders and submodules included; none on an unborn branch."""
        try:
            out = self._git.run("ls-tree", "-z", "--name-only", rev)
        except GitError:
            if rev == "HEAD" and self.head() is None:
                return []
            raise
        return [name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name]

    def blob(self, blob_id: str) -> bytes:
        """The bytes of one object; safe to call after a fork."""
        return self._git.object(blob_id)

    def read(self, path: str, *, rev: str = "HEAD") -> bytes | None:
        """The bytes of one path at a revision; None where it is absent or not a regular file."""
        found = [item for item in self.tree(path, rev=rev) if item.path == path and not item.is_symlink]
        return self.blob(found[0].blob_id) if found else None

    def identity(self) -> tuple[str, str]:
        """The configured git name and address, else benchsite's own."""
        name, email = (self._git.line("config", key) for key in IDENTITY)
        return (name or FALLBACK_IDENTITY[0], email or FALLBACK_IDENTITY[1])

    def unset_identity(self) -> tuple[str, ...]:
        """The settings of the git identity that are missing, so that benchsite's own takes their place."""
        return tuple(key for key in IDENTITY if self._git.line("config", key) is None)

    def build_commit(
        self, writes: Mapping[str, bytes], *, removes: Iterable[str] = (), parent: str | None, message: str
    ) -> str:
        """Make a commit object on top of `parent`; nothing points to it yet.

        Args:
            writes: repository path to bytes.
            removes: repository paths to leave out of the new tree.
        """
        name, email = self.identity()
        author = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email}
        committer = {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email}
        with temporary_folder() as folder:
            env = {"GIT_INDEX_FILE": str(folder / "index")}
            self._git.run("read-tree", parent or EMPTY_TREE, env=env) if parent else None
            lines = [f"0 {'0' * 40}\t{path}" for path in removes]
            for path, data in writes.items():
                blob = self._git.run("hash-object", "-w", "--stdin", data=data).decode().strip()
                lines.append(f"100644 {blob}\t{path}")
            index_info = "\0".join(lines).encode("utf-8", "surrogateescape") + b"\0"
            self._git.run("update-index", "-z", "--index-info", data=index_info, env=env)
            tree = self._git.run("write-tree", env=env).decode().strip()
        parents = ("-p", parent) if parent else ()
        out = self._git.run(
            "commit-tree", tree, *parents, "-F", "-", data=message.encode(), env={**author, **committer}
        )
        return out.decode().strip()

    def advance(self, commit: str, *, expected: str | None) -> None:
        """Move the current branch to `commit` if it still is where it was: the commit point.

        Raises:
            MovedError: somebody else moved it first.
        """
        try:
            self._git.run(
                "update-ref", "-m", "benchsite publish", self.branch(), commit, expected or "0" * 40
            )
        except GitError as error:
            if not any(words in error.stderr for words in _MOVED):
                raise
            raise MovedError(
                "the branch moved while publishing", hint="nothing was lost: run the command again"
            ) from None

    def materialise(self, paths: Iterable[str]) -> None:
        """Write these paths of HEAD to the working tree and the index, removing those HEAD lacks."""
        wanted = set(paths)
        held = {path: item for path, item in self._held(wanted).items() if not item.is_symlink}
        self._remove(wanted - held.keys())  # first: a file may have to make room for a folder of its name
        for path in sorted(wanted & held.keys()):
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(OSError):
                target.rmdir()  # a folder that nothing is left in
            write_atomically(target, self.blob(held[path].blob_id), temporaries=self._git.folder)
        self._index("--add", wanted & held.keys())

    def _held(self, paths: Collection[str]) -> dict[str, TreeFile]:
        """What HEAD holds, by path: of these paths, and of more where they are many."""
        listed = () if not paths else self.tree(*sorted(paths)) if len(paths) <= _NAMED else self.tree()
        return {item.path: item for item in listed}

    def _remove(self, paths: Collection[str]) -> None:
        """Take files out of the working tree and the index; where a folder has the name, no file is there."""
        for path in paths:
            with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                (self.root / path).unlink()
        self._index("--force-remove", paths)

    def _index(self, option: str, paths: Collection[str]) -> None:
        """`git update-index` for some paths."""
        if paths:
            self._git.run("update-index", option, "-z", "--stdin", data=_listed(paths))

    def restore(self, paths: Iterable[str]) -> None:
        """Give these paths the content and mode they have at HEAD; those HEAD lacks are removed."""
        wanted = set(paths)
        held = wanted & self._held(wanted).keys()
        self._remove(wanted - held)
        if held:
            taken = ("--pathspec-from-file=-", "--pathspec-file-nul")
            command = ("--literal-pathspecs", "restore", "--source=HEAD", "--staged", "--worktree", *taken)
            self._git.run(*command, data=_listed(held))

    def branch_beyond(self, onto: str | None) -> Branch:
        """What HEAD has beyond a revision, or beyond the default branch of `origin`; raises as `Branch.of`."""
        return Branch.of(self._git, onto)

    def messages(self, base: str, tip: str) -> list[str]:
        """The messages of the commits in `tip` that `base` lacks, newest first."""
        span = f"{base}..{tip}" if base else tip
        out = self._git.run("log", "-z", "--format=%B", span).decode("utf-8", "replace")
        return [message for message in out.split("\0") if message.strip()]

    def differing(self, one: str, other: str) -> list[str]:
        """Paths whose content differs between two commits."""
        out = self._git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other)
        return [path.decode("utf-8", "surrogateescape") for path in out.split(b"\0") if path]

    def move_to(self, commit: str, *, expected: str) -> None:
        """Set the branch and the working tree to another commit, keeping local changes or refusing.

        Raises:
            PrerequisiteError: local changes stand in the way.
        """
        # A file that was only touched is no local change; reading commands leave it to us to find out.
        self._git.line("update-index", "-q", "--refresh")
        try:
            self._git.run("read-tree", "-m", "-u", expected, commit)
        except GitError as error:
            raise PrerequisiteError(
                f"cannot move to the remote's head: {error.reason}",
                hint="commit or stash your changes first",
            ) from None
        self.advance(commit, expected=expected)


def _listed(paths: Collection[str]) -> bytes:
    """Paths as git reads them from a file, each ended by a NUL."""
    return b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in sorted(paths))
