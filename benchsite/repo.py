"""The one door to git: bytes in and out, and a create-only append whose commit point is one ref update.

Commits are built beside the working tree (objects, a temporary index, a commit object) and become real by a
compare-and-swap of the branch; only then are their paths, and no others, written to disk. Hooks and signing
settings of the machine do not apply to them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import git
from git.exc import GitCommandError, GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError

from benchsite.errors import InputError, PrerequisiteError

FALLBACK_IDENTITY: Final = ("benchsite", "benchsite@localhost")
_STEERING: Final = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE"),
)
"""Variables with which a calling git (a hook, say) would steer ours to another repository."""
EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_SYMLINK: Final = "120000"


class GitError(PrerequisiteError):
    """A git command failed; `stderr` is what it said."""

    def __init__(self, command: str, stderr: str) -> None:
        lines = [line.strip().strip("'") for line in stderr.splitlines() if line.strip()]
        self.stderr = stderr
        self.reason = lines[-1][:300] if lines else "git failed without a word"
        self.command = command
        super().__init__(f"git {command}: {self.reason}", hint="`git status` and `git fsck` tell more")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.command, self.stderr)


class MovedError(PrerequisiteError):
    """The branch moved between reading and writing; the caller begins again from the new head."""


class PushRejectedError(PrerequisiteError):
    """The remote has commits this clone has not; nothing was lost, the caller begins again."""


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


class Repository:
    """A git repository with a working tree."""

    def __init__(self, repo: git.Repo) -> None:
        if repo.working_tree_dir is None:
            raise PrerequisiteError(f"{repo.git_dir} is a bare repository", hint="work in a clone of it")
        for name in _STEERING:
            os.environ.pop(name, None)
        # Every git of this process reads objects as they are, the long-lived reader of blobs included.
        os.environ["GIT_NO_REPLACE_OBJECTS"] = "1"
        self._repo = repo
        self.root = Path(repo.working_tree_dir)
        self._process = os.getpid()
        self._inherited: git.Repo | None = None
        self._env = {"LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0"}

    @classmethod
    def open(cls, path: Path) -> Repository:
        """The repository that holds `path`.

        Raises:
            PrerequisiteError: there is none, or git is not installed.
        """
        try:
            return cls(git.Repo(path, search_parent_directories=True))
        except (InvalidGitRepositoryError, NoSuchPathError):
            raise PrerequisiteError(
                f"{path} is not in a git repository", hint="`benchsite init DIR` makes one"
            ) from None
        except GitCommandNotFound:
            raise PrerequisiteError("git is not installed", hint="install git 2.30 or newer") from None

    @classmethod
    def create(cls, path: Path) -> Repository:
        """A new repository on branch `main`."""
        path.mkdir(parents=True, exist_ok=True)
        return cls(git.Repo.init(path, initial_branch="main"))

    def close(self) -> None:
        """End the helper processes git keeps for reading objects."""
        self._repo.close()

    def _git(self, *arguments: str, data: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        with _spool(data) as source:
            try:
                return self._repo.git.execute(
                    ["git", "-c", "core.hooksPath=/dev/null", *arguments],
                    istream=source,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    env={**self._env, **(env or {})},
                )
            except GitCommandError as error:
                raise GitError(arguments[0], str(error.stderr or "")) from None

    def _line(self, *arguments: str) -> str | None:
        try:
            return self._git(*arguments).decode("utf-8", "replace").strip() or None
        except GitError:
            return None

    def head(self) -> str | None:
        """The commit HEAD names, None on an unborn branch."""
        found = self._line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if found is None:
            self._git("rev-parse", "--git-dir")  # an unborn branch is no error, an unusable repository is
        return found

    def branch(self) -> str:
        """The ref that a commit advances: the current branch, or HEAD itself when detached."""
        return self._line("symbolic-ref", "--quiet", "HEAD") or "HEAD"

    def state(self) -> dict[str, Any]:
        """`{commit, dirty, tag}` as a receipt records them: untracked files count as dirty."""
        dirty = bool(self._git("status", "--porcelain", "--untracked-files=normal").strip())
        tag = self._line("describe", "--tags", "--exact-match", "HEAD")
        return {"commit": self.head(), "dirty": dirty, "tag": tag}

    def changed_paths(self, *prefixes: str) -> list[str]:
        """Paths under the prefixes that differ from HEAD, untracked ones included, in path order."""
        out = self._git(
            "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", *prefixes
        )
        return sorted(item[3:].decode("utf-8", "replace") for item in out.split(b"\0") if item)

    def tree(self, prefix: str, *, rev: str = "HEAD") -> list[TreeFile]:
        """Every file below a folder at a revision, in path order; none on an unborn branch."""
        if rev == "HEAD" and self.head() is None:
            return []
        out = self._git("ls-tree", "-r", "-z", rev, "--", prefix)
        files = []
        for record in out.split(b"\0"):
            if record:
                meta, _, path = record.partition(b"\t")
                mode, _, blob = meta.decode().split(" ")
                files.append(TreeFile(path.decode("utf-8", "surrogateescape"), blob, mode))
        return files

    def blob(self, blob_id: str) -> bytes:
        """The bytes of one object, read through a long-lived `git cat-file --batch`, one for each process."""
        if os.getpid() != self._process:
            # After a fork the helper on the other end of the pipe is the parent's: leave it, unclosed, and start one.
            self._inherited, self._repo = self._repo, git.Repo(self.root)
            self._process = os.getpid()
        try:
            return self._repo.git.get_object_data(blob_id)[3]
        except ValueError:
            raise GitError("cat-file", f"object {blob_id} is missing from this repository") from None

    def read(self, path: str, *, rev: str = "HEAD") -> bytes | None:
        """The bytes of one path at a revision; None where it is absent or not a regular file."""
        found = [item for item in self.tree(path, rev=rev) if item.path == path and not item.is_symlink]
        return self.blob(found[0].blob_id) if found else None

    def identity(self) -> tuple[str, str]:
        """The configured git name and address, else benchsite's own."""
        name, email = self._line("config", "user.name"), self._line("config", "user.email")
        return (name or FALLBACK_IDENTITY[0], email or FALLBACK_IDENTITY[1])

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
        with tempfile.TemporaryDirectory(prefix="benchsite-index-") as folder:
            env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self._git("read-tree", parent or EMPTY_TREE, env=env) if parent else None
            lines = [f"0 {'0' * 40}\t{path}" for path in removes]
            for path, data in writes.items():
                blob = self._git("hash-object", "-w", "--stdin", data=data).decode().strip()
                lines.append(f"100644 {blob}\t{path}")
            index_info = "\0".join(lines).encode("utf-8", "surrogateescape") + b"\0"
            self._git("update-index", "-z", "--index-info", data=index_info, env=env)
            tree = self._git("write-tree", env=env).decode().strip()
        parents = ("-p", parent) if parent else ()
        out = self._git(
            "commit-tree", tree, *parents, "-F", "-", data=message.encode(), env={**author, **committer}
        )
        return out.decode().strip()

    def advance(self, commit: str, *, expected: str | None) -> None:
        """Move the current branch to `commit` if it still is where it was: the commit point.

        Raises:
            MovedError: somebody else moved it first.
        """
        try:
            self._git("update-ref", "-m", "benchsite publish", self.branch(), commit, expected or "0" * 40)
        except GitError:
            raise MovedError(
                "the branch moved while publishing", hint="nothing was lost: run the command again"
            ) from None

    def materialise(self, paths: Iterable[str]) -> None:
        """Write these paths of HEAD to the working tree and the index, removing those HEAD lacks."""
        for path in sorted(set(paths)):
            target = self.root / path
            data = self.read(path)
            if data is None:
                target.unlink(missing_ok=True)
                self._git("update-index", "--force-remove", "--", path)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, data, temporaries=Path(self._repo.git_dir))
            self._git("update-index", "--add", "--", path)

    def has_remote(self) -> bool:
        """Whether any remote is configured, whatever the branch follows."""
        return self._line("remote") is not None

    def upstream(self) -> tuple[str, str] | None:
        """(remote, branch name there) that the current branch follows, else `origin` and its own name."""
        branch = self.branch().removeprefix("refs/heads/")
        remote = self._line("config", f"branch.{branch}.remote")
        merge = self._line("config", f"branch.{branch}.merge")
        if remote is not None and merge is not None:
            return remote, merge.removeprefix("refs/heads/")
        remotes = (self._line("remote") or "").split()
        return ("origin", branch) if "origin" in remotes and branch != "HEAD" else None

    def fetch(self) -> str | None:
        """Fetch the upstream branch and return its commit, None where it has none yet.

        Raises:
            PrerequisiteError: the remote cannot be reached.
        """
        where = self.upstream()
        if where is None:
            return None
        remote, name = where
        try:
            self._git("fetch", "--quiet", "--no-tags", remote)
        except GitError as error:
            raise PrerequisiteError(
                f"cannot fetch from {remote}: {error.reason}",
                hint="check the network and your access, or publish locally with --no-push",
            ) from None
        return self._line("rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}/{name}")

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`."""
        try:
            self._git("merge-base", "--is-ancestor", older, newer)
        except GitError:
            return False
        return True

    def fork_point(self, ours: str, theirs: str) -> str:
        """The newest commit both contain; the empty string where they share none."""
        return self._line("merge-base", ours, theirs) or ""

    def messages(self, base: str, tip: str) -> list[str]:
        """The messages of the commits in `tip` that `base` lacks, newest first."""
        span = f"{base}..{tip}" if base else tip
        out = self._git("log", "-z", "--format=%B", span).decode("utf-8", "replace")
        return [message for message in out.split("\0") if message.strip()]

    def differing(self, one: str, other: str) -> list[str]:
        """Paths whose content differs between two commits."""
        out = self._git("diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other)
        return [path.decode("utf-8", "surrogateescape") for path in out.split(b"\0") if path]

    def move_to(self, commit: str, *, expected: str) -> None:
        """Set the branch and the working tree to another commit, keeping local changes or refusing.

        Raises:
            PrerequisiteError: local changes stand in the way.
        """
        try:
            self._git("read-tree", "-m", "-u", expected, commit)
        except GitError as error:
            raise PrerequisiteError(
                f"cannot move to the remote's head: {error.reason}",
                hint="commit or stash your changes first",
            ) from None
        self.advance(commit, expected=expected)

    def push(self) -> None:
        """Push the current branch to its upstream, never by force.

        Raises:
            PushRejectedError: the remote moved on.
            PrerequisiteError: it cannot be reached.
        """
        where = self.upstream()
        if where is None:
            return
        remote, name = where
        try:
            self._git("push", "--quiet", "--no-verify", remote, f"HEAD:refs/heads/{name}")
        except GitError as error:
            if "[rejected]" in error.stderr:
                raise PushRejectedError(f"{remote} has newer commits", hint="run publish again") from None
            raise PrerequisiteError(
                f"cannot push to {remote}: {_refusal(error)}",
                hint="the commit is on this machine; when the remote takes it, publish again",
            ) from None

    def public_url(self) -> str | None:
        """Where the remote lives, for the last line of `publish`; credentials in it are never shown."""
        url = self._line("remote", "get-url", "origin")
        if url is None or ("//" in url and "@" in url.split("//", 1)[1].split("/", 1)[0]):
            return None
        return url


def write_atomically(path: Path, data: bytes, *, temporaries: Path | None = None) -> None:
    """Replace a file so that a reader or a crash sees the old bytes or the new, never a part.

    Args:
        path: the file.
        data: its new content.
        temporaries: a folder of the same file system for the unfinished file, where a crash may leave it;
            beside the file by default.

    Raises:
        InputError: the place cannot be written (full disk, read-only folder, not a folder).
    """
    temporary = (temporaries or path.parent) / f".{path.name}.{os.getpid()}.tmp"
    try:
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(
            f"cannot write {path}: {error.strerror}", hint="free some space or fix its mode"
        ) from None


def _refusal(error: GitError) -> str:
    """The remote's own words where it has any."""
    said = [
        line
        for line in error.stderr.splitlines()
        if "[remote rejected]" in line or line.startswith("remote:")
    ]
    return " ".join(" ".join(said).split())[:300] or error.reason


@contextmanager
def _spool(data: bytes | None) -> Iterator[BinaryIO | None]:
    """Standard input for a git command: a real file, so that large input cannot dead-lock a pipe."""
    if data is None:
        yield None
        return
    with tempfile.TemporaryFile() as spool:
        spool.write(data)
        spool.seek(0)
        yield cast("BinaryIO", spool)
