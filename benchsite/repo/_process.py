"""Running git: one process at a time with its input in a file, and one long-lived reader of objects a process.

The machine's hooks and a caller's `GIT_*` variables do not apply, and replace objects are never followed.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import git
from git.exc import GitCommandError, GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError

from benchsite.errors import InputError, PrerequisiteError

_STEERING: Final = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE"),
)
"""Variables with which a calling git (a hook, say) would steer ours to another repository."""
_LOCK: Final = re.compile(r"'(?P<path>[^'\n]+\.lock)': File exists")


_PIECE: Final = 1024 * 1024


class GitError(PrerequisiteError):
    """A git command failed; `stderr` is what it said."""

    def __init__(self, command: str, stderr: str) -> None:
        # GitPython puts its own quotes around what a git said that said one line.
        lines = [line.strip().removeprefix("stderr: '").strip("'") for line in stderr.splitlines()]
        causes = [line for line in lines if line.startswith(("error:", "fatal:"))]
        said = causes[:1] or [line for line in lines if line][-1:]
        self.stderr = stderr
        self.reason = said[0][:300] if said else "git failed without a word"
        self.command = command
        hint = "`git status` and `git fsck` tell more"
        if lock := _LOCK.search(stderr):
            self.reason = f"{lock['path']} stands in the way"
            hint = (
                "if no other git is running, a killed one left it: remove that file and run the command again"
            )
        super().__init__(f"git {command}: {self.reason}", hint=hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.command, self.stderr)


class Git:
    """One repository with a working tree, as commands and objects."""

    def __init__(self, repo: git.Repo) -> None:
        if repo.working_tree_dir is None:
            raise PrerequisiteError(f"{repo.git_dir} is a bare repository", hint="work in a clone of it")
        for name in _STEERING:
            os.environ.pop(name, None)
        # Every git of this process reads objects as they are, the long-lived reader of blobs included.
        os.environ["GIT_NO_REPLACE_OBJECTS"] = "1"
        self._repo = repo
        self.root = Path(repo.working_tree_dir)
        self.folder = Path(repo.git_dir)
        self._process = os.getpid()
        self._inherited: git.Repo | None = None
        self._listed: tuple[tuple[int, int, int] | None, dict[str, str]] | None = None
        # A reading git takes no lock, so that one that is killed leaves none.
        self._env = {"LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}

    @classmethod
    def open(cls, path: Path) -> Git:
        """The repository that holds `path`; raises `PrerequisiteError` where there is none, or no git."""
        try:
            return cls(git.Repo(path, search_parent_directories=True))
        except (InvalidGitRepositoryError, NoSuchPathError):
            raise PrerequisiteError(
                f"{path} is not in a git repository", hint="`benchsite init DIR` makes one"
            ) from None
        except GitCommandNotFound:
            raise PrerequisiteError("git is not installed", hint="install git 2.30 or newer") from None

    @classmethod
    def create(cls, path: Path) -> Git:
        """A new repository on branch `main`."""
        path.mkdir(parents=True, exist_ok=True)
        return cls(git.Repo.init(path, initial_branch="main"))

    def close(self) -> None:
        """End the helper processes git keeps for reading objects."""
        self._repo.close()

    def run(self, *arguments: str, data: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        """What a command prints on stdout; raises `GitError` where it fails."""
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
                raise GitError(_command(arguments), str(error.stderr or "")) from None

    def line(self, *arguments: str) -> str | None:
        """What a command prints, without the spaces around it; None where it fails or prints nothing."""
        try:
            return self.run(*arguments).decode("utf-8", "replace").strip() or None
        except GitError:
            return None

    def setting(self, name: str) -> str | None:
        """The last value of a setting, spelled as git lists it (`branch.main.remote`); None where it is not set."""
        return self._settings().get(name)

    def remotes(self) -> list[str]:
        """The names of the remotes that have an address."""
        keys = (key for key in self._settings() if key.startswith("remote.") and key.endswith(".url"))
        return sorted(key.removeprefix("remote.").removesuffix(".url") for key in keys)

    def _settings(self) -> dict[str, str]:
        """Every setting, listed once for each state of the repository's own file of them."""
        try:
            found = Path(self._repo.common_dir, "config").stat()
            state = (found.st_mtime_ns, found.st_size, found.st_ino)
        except OSError:
            state = None
        if state is None or self._listed is None or self._listed[0] != state:
            out = self.run("config", "--list", "-z").decode("utf-8", "replace")
            pairs = (item.partition("\n") for item in out.split("\0") if item)
            self._listed = (state, {name: value for name, _, value in pairs})
        return self._listed[1]

    def current_branch(self) -> str | None:
        """The ref that HEAD names, None where it is detached."""
        try:
            text = (self.folder / "HEAD").read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            text = ""
        if text.startswith("ref: ") and not text.rstrip().endswith(
            "/.invalid"
        ):  # as repositories with reftables say
            return text.removeprefix("ref: ").strip()
        return self.line("symbolic-ref", "--quiet", "HEAD")

    def object(self, blob_id: str) -> bytes:
        """The bytes of one object, read through a long-lived `git cat-file --batch`, one for each process."""
        try:
            return self._reader().get_object_data(blob_id)[3]
        except ValueError:
            said = f"object {blob_id} is missing from this repository, or its remote, which a partial clone needs"
            raise GitError("cat-file", said) from None

    def resolve(self, rev: str) -> str | None:
        """The id of the object that a revision names now, None where it names none; starts no process of its own."""
        if "\n" in rev:  # the reader takes one name a line
            return None
        try:
            found: Any = self._reader().get_object_header(rev)[0]  # bytes, whatever its annotation says
        except ValueError:
            return None
        return str(found, "ascii")

    def size(self, object_id: str) -> int:
        """The size of one object in bytes; raises `GitError` where it is missing."""
        try:
            return int(self._reader().get_object_header(object_id)[2])
        except ValueError:
            raise GitError("cat-file", f"object {object_id} is missing from this repository") from None

    def _reader(self) -> git.Git:
        if os.getpid() != self._process:
            # After a fork the helper on the other end of the pipe is the parent's: leave it, unclosed, and start one.
            self._inherited, self._repo = self._repo, git.Repo(self.root)
            self._process = os.getpid()
        return self._repo.git

    def pieces(self, blob_id: str) -> Iterator[bytes]:
        """The bytes of one blob, at most 1 MiB at a time: for files too large to be held whole."""
        with tempfile.TemporaryFile() as spool:
            try:
                self._repo.git.execute(
                    ["git", "cat-file", "blob", blob_id],
                    output_stream=spool,
                    env=self._env,
                )
            except GitCommandError as error:
                raise GitError("cat-file", str(error.stderr or "")) from None
            spool.seek(0)
            while piece := spool.read(_PIECE):
                yield piece


def _command(arguments: tuple[str, ...]) -> str:
    """The git command among its arguments, behind options that stand before it."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] == "-c" else rest[1:]
    return rest[0] if rest else "git"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone afterwards; raises `InputError` where none can be made."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="benchsite-")
    except OSError as error:
        raise no_room(error) from None
    with folder as name:
        yield Path(name)


@contextmanager
def _spool(data: bytes | None) -> Iterator[BinaryIO | None]:
    """Standard input for a git command: a real file, so that large input cannot dead-lock a pipe."""
    if data is None:
        yield None
        return
    try:
        spool = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed below, whatever the caller does
    except OSError as error:
        raise no_room(error) from None
    with spool:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[spool.write(rest) :]
            spool.seek(0)
        except OSError as error:
            raise no_room(error) from None
        yield cast("BinaryIO", spool)


def no_room(error: OSError) -> InputError:
    """The error of a full or read-only temporary folder."""
    return InputError(
        f"cannot write temporary files in {tempfile.gettempdir()}: {error.strerror}",
        hint="free some space, or name another folder with TMPDIR",
    )
