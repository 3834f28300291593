"""A git repository as the rest of benchsite sees it: revisions, trees, bytes, one branch that moves forward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.repo._branch import Branch
from benchsite.repo._disk import write_atomically
from benchsite.repo._process import Git, GitError, temporary_folder

FALLBACK_IDENTITY: Final = ("benchsite", "benchsite@localhost")
EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_SYMLINK: Final = "120000"
_MOVED: Final = ("but expected", "reference already exists", "unable to resolve reference")
"""What git says of a ref that is not where the caller last saw it."""
_UNMOVED: Final = (
    *("(failed to update ref)", "(incorrect old value provided)", "(cannot lock ref", "(failed to lock)"),
)
"""What a remote says whose branch did not move: overtaken by another push, or broken."""


class MovedError(PrerequisiteError):
    """The branch moved between reading and writing; the caller begins again from the new head."""


class PushRejectedError(PrerequisiteError):
    """The remote has commits this clone has not; nothing was lost, the caller begins again."""


class RewrittenError(IntegrityError):
    """The remote took back commits that it had shown before."""


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

    def __init__(self, git: Git) -> None:
        self._git = git
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

    def head(self) -> str | None:
        """The commit HEAD names, None on an unborn branch."""
        found = self._git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if found is None:
            self._git.run("rev-parse", "--git-dir")  # an unborn branch is no error, an unusable repository is
        return found

    def branch(self) -> str:
        """The ref that a commit advances: the current branch, or HEAD itself when detached."""
        return self._git.line("symbolic-ref", "--quiet", "HEAD") or "HEAD"

    def state(self) -> dict[str, Any]:
        """`{commit, dirty, tag}` as a receipt records them: untracked files count as dirty."""
        dirty = bool(self._git.run("status", "--porcelain", "--untracked-files=normal").strip())
        tag = self._git.line("describe", "--tags", "--exact-match", "HEAD")
        return {"commit": self.head(), "dirty": dirty, "tag": tag}

    def changed_paths(self, *prefixes: str) -> list[str]:
        """Paths under the prefixes that differ from HEAD, untracked ones included, in path order."""
        out = self._git.run(
            "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", *prefixes
        )
        return sorted(item[3:].decode("utf-8", "replace") for item in out.split(b"\0") if item)

    def tree(self, prefix: str, *, rev: str = "HEAD") -> list[TreeFile]:
        """Every file below a folder at a revision, in path order; none on an unborn branch."""
        if rev == "HEAD" and self.head() is None:
            return []
        out = self._git.run("ls-tree", "-r", "-z", rev, "--", prefix)
        files = []
        for record in out.split(b"\0"):
            if record:
                meta, _, path = record.partition(b"\t")
                mode, _, blob = meta.decode().split(" ")
                files.append(TreeFile(path.decode("utf-8", "surrogateescape"), blob, mode))
        return files

    def blob(self, blob_id: str) -> bytes:
        """The bytes of one object; safe to call after a fork."""
        return self._git.object(blob_id)

    def read(self, path: str, *, rev: str = "HEAD") -> bytes | None:
        """The bytes of one path at a revision; None where it is absent or not a regular file."""
        found = [item for item in self.tree(path, rev=rev) if item.path == path and not item.is_symlink]
        return self.blob(found[0].blob_id) if found else None

    def identity(self) -> tuple[str, str]:
        """The configured git name and address, else benchsite's own."""
        name, email = self._git.line("config", "user.name"), self._git.line("config", "user.email")
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
        for path in sorted(set(paths)):
            target = self.root / path
            data = self.read(path)
            if data is None:
                target.unlink(missing_ok=True)
                self._git.run("update-index", "--force-remove", "--", path)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, data, temporaries=self._git.folder)
            self._git.run("update-index", "--add", "--", path)

    def restore(self, paths: Iterable[str]) -> None:
        """Give these paths the content and mode they have at HEAD; those HEAD lacks are removed."""
        held = {item.path for path in paths for item in self.tree(path) if item.path == path}
        for path in set(paths) - held:
            (self.root / path).unlink(missing_ok=True)
            self._git.run("update-index", "--force-remove", "--", path)
        if held:
            self._git.run(
                "--literal-pathspecs",
                "restore",
                "--source=HEAD",
                "--staged",
                "--worktree",
                "--",
                *sorted(held),
            )

    def has_remote(self) -> bool:
        """Whether any remote is configured, whatever the branch follows."""
        return self._git.line("remote") is not None

    def upstream(self) -> tuple[str, str] | None:
        """(remote, branch name there) that the current branch follows, else `origin` and its own name."""
        branch = self.branch().removeprefix("refs/heads/")
        remote = self._git.line("config", f"branch.{branch}.remote")
        merge = self._git.line("config", f"branch.{branch}.merge")
        if remote is not None and merge is not None:
            return remote, merge.removeprefix("refs/heads/")
        remotes = (self._git.line("remote") or "").split()
        return ("origin", branch) if "origin" in remotes and branch != "HEAD" else None

    def fetch(self) -> str | None:
        """Fetch the upstream branch and return its commit, None where it has none yet.

        Raises:
            RewrittenError: the branch no longer contains the commit it had when it was fetched last.
            PrerequisiteError: the remote cannot be reached.
        """
        where = self.upstream()
        if where is None:
            return None
        remote, name = where
        seen = f"refs/remotes/{remote}/{name}"
        try:
            # Without the usual +, git refuses to move `seen` to a commit that does not contain it.
            self._git.run(
                *("fetch", "--no-progress", "--no-tags", "--refmap=", remote, f"refs/heads/{name}:{seen}")
            )
        except GitError as error:
            if "couldn't find remote ref" in error.stderr:
                return None
            if "non-fast-forward" in error.stderr:
                raise RewrittenError(
                    f"{remote}/{name} was rewritten: it no longer contains {self._git.line('rev-parse', seen)}",
                    hint="publish nothing; ask who rewrote it, and restore it from a clone that has that commit",
                ) from None
            raise PrerequisiteError(
                f"cannot fetch from {remote}: {error.reason}",
                hint="check the network and your access, or publish locally with --no-push",
            ) from None
        return self._git.line("rev-parse", "--verify", "--quiet", seen)

    def public_head(self) -> str | None:
        """The newest commit of this branch that the remote had when it was last asked; HEAD where there is no remote."""
        where = self.upstream()
        head = self.head()
        seen = (
            self._git.line("rev-parse", "--verify", "--quiet", "refs/remotes/" + "/".join(where))
            if where
            else None
        )
        return self.fork_point(head, seen) or head if head and seen else head

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`."""
        try:
            self._git.run("merge-base", "--is-ancestor", older, newer)
        except GitError:
            return False
        return True

    def fork_point(self, ours: str, theirs: str) -> str:
        """The newest commit both contain; the empty string where they share none."""
        return self._git.line("merge-base", ours, theirs) or ""

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
            self._git.run("push", "--quiet", "--no-verify", remote, f"HEAD:refs/heads/{name}")
        except GitError as error:
            if "[rejected]" in error.stderr or self._overtaken(error):
                raise PushRejectedError(f"{remote} has newer commits", hint="run publish again") from None
            raise PrerequisiteError(
                f"cannot push to {remote}: {_refusal(error)}",
                hint="the commit is on this machine; when the remote takes it, publish again",
            ) from None

    def _overtaken(self, refusal: GitError) -> bool:
        """Whether a remote that could not move its branch has another head by now: two pushes met there."""
        if not any(words in refusal.stderr for words in _UNMOVED):
            return False
        theirs, ours = self.fetch(), self.head()
        return theirs is not None and ours is not None and not self.is_ancestor(theirs, ours)

    def public_url(self) -> str | None:
        """Where the remote lives, for the last line of `publish`; credentials in it are never shown."""
        url = self._git.line("remote", "get-url", "origin")
        if url is None or ("//" in url and "@" in url.split("//", 1)[1].split("/", 1)[0]):
            return None
        return url


def _refusal(error: GitError) -> str:
    """The remote's own words where it has any."""
    lines = [line.strip() for line in error.stderr.splitlines()]
    cause = [line for line in lines if line.startswith("error: remote unpack failed")]
    said = cause or [line for line in lines if "[remote rejected]" in line or line.startswith("remote:")]
    return " ".join(" ".join(said).split())[:300] or error.reason
