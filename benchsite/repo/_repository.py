"""A git repository as the rest of benchsite sees it: revisions, trees, bytes, one branch that moves forward."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, Final

from benchsite.errors import PrerequisiteError
from benchsite.repo._branch import REGULAR, Branch
from benchsite.repo._disk import write_atomically
from benchsite.repo._place import from_top, to_instance
from benchsite.repo._process import Git, GitError, no_room, temporary_folder
from benchsite.repo._refs import Tracking
from benchsite.repo._trees import FOLDER, TreeFile, Trees

IDENTITY: Final = ("user.name", "user.email")
FALLBACK_IDENTITY: Final = ("benchsite", "benchsite@localhost")
EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_NAMED: Final = 100
"""How many paths are worth naming to git one by one; all of a commit are listed sooner than more of them."""
_MOVED: Final = ("but expected", "reference already exists", "unable to resolve reference")
"""What git says of a ref that is not where the caller last saw it."""


class MovedError(PrerequisiteError):
    """The branch moved between reading and writing; the caller begins again from the new head."""


class Repository(Tracking):
    """A git repository with a working tree.

    Attributes:
        root: the folder of the instance: the top of the working tree, or a folder below it.
        below: that folder as git names it, ended by a slash; empty at the top. Paths are relative to it.
    """

    def __init__(self, git: Git) -> None:
        super().__init__(git)
        self.root, self.below = git.root, git.below
        self._trees = Trees(git)

    @classmethod
    def open(cls, path: Path) -> Repository:
        """The repository that holds `path`.

        Raises:
            PrerequisiteError: there is none, or git is not installed.
        """
        return cls(Git.open(path))

    @classmethod
    def within(cls, folder: Path) -> Repository:
        """The repository that a folder is in, with paths relative to the folder, which need not exist yet.

        Raises:
            PrerequisiteError: there is none, or the folder is its top.
        """
        return cls(Git.within(folder))

    @classmethod
    def create(cls, path: Path) -> Repository:
        """A new repository on branch `main`."""
        return cls(Git.create(path))

    def close(self) -> None:
        """End the helper processes git keeps for reading objects."""
        self._git.close()

    def copied(self, path: Path) -> Repository:
        """Return a clone of this repository in a new folder, without a remote and without shared files."""
        self._git.run("clone", "--quiet", "--no-hardlinks", str(self._git.top), str(path))
        copy = Repository.open(path / self.below)
        copy._git.run("remote", "remove", "origin")  # noqa: SLF001 - of the same class
        return copy

    def state(self, commit: str | None) -> dict[str, Any]:
        """Return `{commit, dirty, tag}` as a receipt records them; untracked files, and a HEAD elsewhere, are dirty."""
        # Untrusted drafts, committed or not, change no code.
        paths = (":/", ":(exclude)results/inbox")
        dirty = bool(self._git.run("status", "--porcelain", "--untracked-files=all", "--", *paths).strip())
        tag = self._git.line("describe", "--tags", "--exact-match", commit, absent=128) if commit else None
        return {"commit": commit, "dirty": dirty or self._head() != commit, "tag": tag}

    def git_folders(self) -> tuple[Path, ...]:
        """Where git keeps its own files: a second folder in a linked worktree."""
        common = self.root / (self._git.line("rev-parse", "--git-common-dir") or "")
        return tuple(dict.fromkeys(path.resolve() for path in (self._git.folder, common)))

    def changed_paths(self, *prefixes: str) -> list[str]:
        """Paths under the prefixes that differ from HEAD, untracked ones included, in path order."""
        out = self._git.run(
            *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--"),
            *(prefixes or (".",)),
        )
        names = (item[3:].decode("utf-8", "replace") for item in out.split(b"\0") if item)
        return sorted(to_instance(self.below, name) for name in names)

    def tree(self, *prefixes: str, rev: str) -> list[TreeFile]:
        """Return every file below some folders at a revision, in path order."""
        top = self._top_tree(rev)
        found = {
            item.path: item
            for path in prefixes or ("",)
            for item in self._trees.files(top, from_top(self.below, path))
        }
        if self.below:
            named = ((to_instance(self.below, path), item) for path, item in found.items())
            found = {path: item._replace(path=path) for path, item in named}
        return [found[path] for path in sorted(found)]

    def tracked_paths(self, *, rev: str | None) -> frozenset[str]:
        """Every path that a revision or the index holds."""
        listed = self._git.run("ls-files", "-z").split(b"\0")
        staged = {item.decode("utf-8", "surrogateescape") for item in listed if item}
        return frozenset({item.path for item in self.tree(rev=rev)} | staged if rev is not None else staged)

    def top_names(self, *, rev: str) -> list[str]:
        """Return the names at the top of the instance at a revision, files and folders."""
        top = self._top_tree(rev)
        found = self._trees.find(top, self.below) if self.below else None
        if self.below and (found is None or found.mode != FOLDER):
            return []
        return self._trees.names(found.object_id if found is not None else top)

    def _top_tree(self, rev: str) -> str:
        found = self._git.resolve(f"{rev}^{{tree}}")
        if found is None:
            self._git.refuse(f"{rev}^{{tree}}")
        return found

    def blob(self, blob_id: str) -> bytes:
        """The bytes of one object; safe to call after a fork."""
        return self._git.object(blob_id)

    def blobs(self, blob_ids: Sequence[str]) -> Iterator[bytes]:
        """The bytes of many objects in their order, faster than one by one; safe to call after a fork."""
        return self._git.objects(blob_ids)

    def size(self, blob_id: str) -> int:
        """The size of one object in bytes, without reading it."""
        return self._git.size(blob_id)

    def read(self, path: str, *, rev: str) -> bytes | None:
        """The bytes of one path at a revision; None where it is absent or not a regular file."""
        found = self._trees.find(self._top_tree(rev), from_top(self.below, path))
        return self.blob(found.object_id) if found is not None and found.mode in REGULAR else None

    def identity(self) -> tuple[str, str]:
        """The configured git name and address, else benchsite's own."""
        name, email = (self._git.setting(key) for key in IDENTITY)
        return (name or FALLBACK_IDENTITY[0], email or FALLBACK_IDENTITY[1])

    def unset_identity(self) -> tuple[str, ...]:
        """The settings of the git identity that are missing, so that benchsite's own takes their place."""
        return tuple(key for key in IDENTITY if not self._git.setting(key))

    def build_commit(
        self,
        writes: Mapping[str, bytes],
        *,
        removes: Iterable[str] = (),
        parent: str | None,
        message: str,
        sign: bool = False,
    ) -> str:
        """Make a commit object on top of `parent`; nothing points to it yet.

        Args:
            writes: repository path to bytes.
            removes: repository paths to leave out of the new tree.
            parent: the commit before; None for none.
            message: of the commit.
            sign: let git sign it if `commit.gpgsign` is on.
        """
        with temporary_folder() as folder:
            env = {"GIT_INDEX_FILE": str(folder / "index")}
            self._git.run("read-tree", parent or EMPTY_TREE, env=env) if parent else None
            lines = [f"0 {'0' * 40}\t{from_top(self.below, path)}" for path in removes]
            blobs = self._stored(folder, writes.values())
            names = [from_top(self.below, path) for path in writes]
            lines += [f"100644 {blob}\t{name}" for name, blob in zip(names, blobs, strict=True)]
            index_info = "\0".join(lines).encode("utf-8", "surrogateescape") + b"\0"
            self._git.run("update-index", "-z", "--index-info", data=index_info, env=env)
            tree = self._git.run("write-tree", env=env).decode().strip()
        return self._committed(tree, parent, message, sign=sign and self._signs_commits())

    def _committed(self, tree: str, parent: str | None, message: str, *, sign: bool) -> str:
        """Make a commit object."""
        name, email = self.identity()
        author = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email}
        committer = {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email}
        options = (*(("-S",) if sign else ()), *(("-p", parent) if parent else ()))
        env = {**author, **committer}
        out = self._git.run("commit-tree", *options, "-F", "-", tree, data=message.encode(), env=env)
        return out.decode().strip()

    def require_commit_signing(self) -> None:
        """Check that git can sign a commit if `commit.gpgsign` asks for signatures.

        Raises:
            PrerequisiteError: git cannot.
        """
        if not self._signs_commits():
            return
        try:
            self._committed("HEAD^{tree}", None, "benchsite: can this commit be signed?", sign=True)
        except GitError as error:
            raise PrerequisiteError(
                f"commit.gpgsign is on, and git cannot sign a commit: {error.reason}",
                hint="set user.signingkey and gpg.format for your key; or, to publish unsigned commits: "
                "git config commit.gpgsign false",
            ) from None

    def _signs_commits(self) -> bool:
        """Whether `commit.gpgsign` asks for signed commits."""
        return self._git.line("config", "--type=bool", "--get", "commit.gpgsign") == "true"

    def _stored(self, folder: Path, contents: Iterable[bytes]) -> list[str]:
        """Write objects to the repository in one go, by way of files in a folder of our own; their ids."""
        paths = []
        try:
            for number, data in enumerate(contents):
                paths.append(folder / str(number))
                paths[-1].write_bytes(data)
        except OSError as error:
            raise no_room(error) from None
        listed = "".join(f"{path}\n" for path in paths).encode()
        return (
            self._git.run("hash-object", "-w", "--no-filters", "--stdin-paths", data=listed).decode().split()
        )

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
                "the branch moved while publishing", hint="nothing was lost: re-run the command"
            ) from None

    def materialise(self, paths: Iterable[str], commit: str) -> None:
        """Write these paths of a commit to the working tree and the index, removing those it lacks.

        A path below a link is passed over: what it leads to is outside the record, and often outside the repository.
        """
        wanted = {path for path in paths if self._is_inside(path)}
        held = {path: item for path, item in self._held(wanted, commit).items() if not item.is_symlink}
        self._remove(wanted - held.keys())  # first: a file may have to make room for a folder of its name
        for path in sorted(wanted & held.keys()):
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(OSError):
                target.rmdir()  # a folder that nothing is left in
            write_atomically(target, self.blob(held[path].blob_id), temporaries=self._git.folder)
        self._index("--add", wanted & held.keys())

    def _is_inside(self, path: str) -> bool:
        """Whether no folder between the repository's root, which may be a link, and a path is one."""
        return not any((self.root / parent).is_symlink() for parent in PurePosixPath(path).parents[:-1])

    def _held(self, paths: Collection[str], commit: str) -> dict[str, TreeFile]:
        """Return the files of a commit by path: at least those of these paths that it has."""
        outside = (path for path in paths if path.startswith("../"))
        named = sorted(paths) if len(paths) <= _NAMED else ("", *outside)
        listed = self.tree(*named, rev=commit) if paths else ()
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

    def restore(self, paths: Iterable[str], commit: str) -> None:
        """Give these paths the content and mode of a commit; those it lacks are removed, as `materialise` does."""
        wanted = {path for path in paths if self._is_inside(path)}
        held = wanted & self._held(wanted, commit).keys()
        self._remove(wanted - held)
        if held:
            taken = ("--pathspec-from-file=-", "--pathspec-file-nul")
            command = (
                "--literal-pathspecs",
                "restore",
                f"--source={commit}",
                "--staged",
                "--worktree",
                *taken,
            )
            self._git.run(*command, data=_listed(held))

    def branch_beyond(self, head: str | None, onto: str | None) -> Branch:
        """Return what a commit has beyond a revision, or the default branch of `origin`; raises as `Branch.of`."""
        return Branch.of(self._git, head, onto)

    def commits(self, base: str, tip: str) -> list[tuple[str, str]]:
        """Return (id, message) of the commits in `tip` that `base` lacks, oldest first."""
        span = f"{base}..{tip}" if base else tip
        out = self._git.run("log", "-z", "--reverse", "--topo-order", "--format=%H%n%B", span)
        found = [item.partition("\n") for item in out.decode("utf-8", "replace").split("\0") if item]
        return [(commit, message) for commit, _, message in found]

    def differing(self, one: str, other: str) -> list[str]:
        """Paths whose content differs between two commits."""
        out = self._git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other)
        names = [path.decode("utf-8", "surrogateescape") for path in out.split(b"\0") if path]
        return [to_instance(self.below, name) for name in names]

    def move_to(self, commit: str, *, expected: str) -> None:
        """Set the branch and the working tree to another commit, keeping local changes or refusing.

        Raises:
            PrerequisiteError: local changes stand in the way.
        """
        # A file that was only touched is no local change; reading commands leave it to us to find out.
        with suppress(GitError):  # what keeps git from it, such as a lock, is named by the next command
            self._git.run("update-index", "-q", "--refresh")
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
