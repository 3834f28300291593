"""Running git: one process at a time with its input in a file, and one long-lived reader of objects a process.

Every process runs under the settings and variables of `_neutral`, and this process's own variables are never changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, NoReturn, cast

from benchsite.errors import InputError, PrerequisiteError
from benchsite.repo._neutral import command, environment, program, refuse_killed
from benchsite.repo._place import Places, instance_below
from benchsite.repo._reader import Reader

_LOCK: Final = re.compile(r"'(?P<path>[^'\n]+\.lock)': File exists")
_FULL: Final = re.compile(r"No space left on device|Out of diskspace|Disk quota exceeded")
_MAY_BE_BARE: Final = re.compile(rb"include|bare(?!\s*=\s*false)", re.IGNORECASE)
"""What in a repository's settings may make it one without a working tree."""
_PIECE: Final = 1024 * 1024
_VERIFY: Final = ("rev-parse", "--verify", "--quiet")
_UNBORN: Final = "does not have any commits yet"
"""What git says in its own language, which `_neutral` sets, about a branch without commits."""


_KNOWN: Final = (
    (
        re.compile(r"bad (\w+ )*config "),
        "git cannot read its configuration",
        "correct that line of the file, then re-run the command",
    ),
    (
        re.compile(r"dubious ownership in repository at (?P<place>.+)"),
        "git does not trust this repository",
        "it belongs to another user; if you trust it: git config --global --add safe.directory {place}",
    ),
    (
        re.compile(r"not a git repository"),
        "git does not recognize this repository",
        "if it was moved or damaged, make a new clone",
    ),
)
"""What git says of a repository that it does not read at all: a headline and the next step."""


class GitError(PrerequisiteError):
    """A git command failed; `stderr` is what it said, `code` how it ended."""

    def __init__(self, command: str, stderr: str, code: int = 128) -> None:
        lines = [line.strip() for line in stderr.splitlines()]
        causes = [line for line in lines if line.startswith(("error:", "fatal:"))]
        said = causes[:1] or [line for line in lines if line][-1:]
        self.stderr = stderr
        self.code = code
        self.reason = said[0][:300] if said else "git failed without a message"
        self.command = command
        hint = "run `git status` and `git fsck`"
        if full := _FULL.search(stderr):
            self.reason, hint = full[0], "free space on that disk, then re-run the command"
        if lock := _LOCK.search(stderr):
            self.reason = f"git is locked: {lock['path']}"
            hint = "if no other git is running, a killed one left it: remove that file and re-run the command"
        message = f"git {command}: {self.reason}"
        self.is_known = False
        for pattern, headline, step in _KNOWN:
            if match := pattern.search(self.reason):
                self.is_known = True
                message, hint = f"{headline}: {self.cause}", step.format(**match.groupdict())
                break
        super().__init__(message, hint=hint)

    @property
    def cause(self) -> str:
        """The reason without git's `error:` or `fatal:`."""
        return self.reason.removeprefix("error: ").removeprefix("fatal: ")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.command, self.stderr, self.code)


class HeadError(GitError):
    """Git cannot read the commit that HEAD names: there is one, and it was lost or damaged."""

    next_step = "run `git fsck`, or make a new clone"

    def __init__(self, command: str, stderr: str, code: int = 128) -> None:
        super().__init__(command, stderr, code)
        self.message = f"git cannot read the commit that HEAD names: {self.cause}"
        self.hint = self.next_step


class Git:
    """One repository with a working tree, as commands and objects.

    Attributes:
        top: the top folder of its working tree.
        below: the instance's folder as git names it, ended by a slash; empty at the top.
        root: the instance's folder, in which every command runs.
        folder: git's own folder.
    """

    def __init__(self, places: Places, below: str = "") -> None:
        self.top, self.below = places.top, below
        self.root = places.top / below if below else places.top
        self.folder = places.folder
        self._reader = Reader(self.root)
        self._common = places.common
        self._settings_file = places.common / "config"
        self._listed: tuple[tuple[int, int, int] | None, dict[str, str]] | None = None

    @classmethod
    def open(cls, path: Path) -> Git:
        """The repository that holds `path`; raises `PrerequisiteError` where there is none, or no git."""
        places = _above(path)
        return cls(places, instance_below(places.top, path))

    @classmethod
    def within(cls, folder: Path) -> Git:
        """The repository that a folder is in, its commands run in that folder, which is made."""
        found = folder.resolve()
        places = _above(next(place for place in (found, *found.parents) if place.is_dir()))
        below = found.relative_to(places.top.resolve()).as_posix()
        if below == ".":
            raise PrerequisiteError(f"{folder} is the top of its repository", hint="choose a folder in it")
        found.mkdir(parents=True, exist_ok=True)
        return cls(places, f"{below}/")

    @classmethod
    def create(cls, path: Path) -> Git:
        """A new repository on branch `main`."""
        path.mkdir(parents=True, exist_ok=True)
        _finished(path, ("init", "--quiet", "--initial-branch=main"))
        return cls.open(path)

    def close(self) -> None:
        """End the helper processes git keeps for reading objects."""
        self._reader.close()

    def run(self, *arguments: str, data: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        """What a command prints on stdout; raises `GitError` where it fails."""
        with _spool(data) as source:
            return _finished(self.root, arguments, source=source, env=env)

    def line(self, *arguments: str, absent: int = 1) -> str | None:
        """Return what a command prints, stripped; None if it prints nothing or git says that there is none.

        Args:
            arguments: the command.
            absent: the exit code by which the command says so; with any other git has not answered.

        Raises:
            GitError: git cannot tell.
        """
        try:
            return self.run(*arguments).decode("utf-8", "replace").strip() or None
        except GitError as error:
            if error.code != absent:
                raise
            return None

    def ref(self, name: str) -> str | None:
        """Return the object that a ref names, None if there is no such ref.

        Raises:
            GitError: there is one, and git cannot read what it names.
        """
        found = self.resolve(name)
        there = found is None and ((self._common / name).is_file() or self.line(*_VERIFY, name) is not None)
        if there:
            self.refuse(name)
        return found

    def refuse(self, name: str) -> NoReturn:
        """Raise `GitError` with git's own reason why it cannot read the object of this name."""
        try:
            self.run("cat-file", "-e", name)
        except GitError as error:
            if error.stderr.strip():
                raise
        raise GitError("cat-file", f"fatal: {name} names no object that is here")

    def require_unborn(self) -> None:
        """Raise `HeadError` if HEAD names a commit, which git cannot read; a branch without commits is not an error."""
        try:
            self.run("log", "-1", "--format=%H")
        except GitError as error:
            if _UNBORN in error.stderr:
                return
            if error.is_known:
                raise
            raise HeadError(error.command, error.stderr, error.code) from None
        raise HeadError("log", "fatal: its tree cannot be read")

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
            found = self._settings_file.stat()
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
        # A repository with reftables says ".invalid" here, and git knows.
        if text.startswith("ref: ") and not text.rstrip().endswith("/.invalid"):
            return text.removeprefix("ref: ").strip()
        return self.line("symbolic-ref", "--quiet", "HEAD")

    def object(self, blob_id: str) -> bytes:
        """The bytes of one object, read through a long-lived `git cat-file`; raises `GitError` where it is missing."""
        return _present(blob_id, self._reader.content(blob_id))

    def objects(self, blob_ids: Sequence[str]) -> Iterator[bytes]:
        """The bytes of many objects in their order; raises `GitError` where one is missing."""
        yield from map(_present, blob_ids, self._reader.contents(blob_ids))

    def resolve(self, rev: str) -> str | None:
        """The id of the object that a revision names now, None where it names none; starts no process of its own."""
        found = self._reader.header(rev)
        return found[0] if found is not None else None

    def size(self, object_id: str) -> int:
        """The size of one object in bytes; raises `GitError` where it is missing."""
        found = self._reader.header(object_id)
        if found is None:
            raise GitError("cat-file", f"object {object_id} is missing from this repository")
        return found[1]

    def pieces(self, blob_id: str) -> Iterator[bytes]:
        """The bytes of one blob, at most 1 MiB at a time: for files too large to be held whole."""
        with tempfile.TemporaryFile() as spool:
            _finished(self.root, ("cat-file", "blob", blob_id), output=spool)
            spool.seek(0)
            while piece := spool.read(_PIECE):
                yield piece


def _above(path: Path) -> Places:
    """The repository that holds a path: the nearest one."""
    start = Path(os.path.abspath(path))  # noqa: PTH100 - links stay, as GitPython leaves them
    for folder in (start, *start.parents):
        if (places := _at_top(folder)) is not None:
            return places
        if os.path.lexists(folder / ".git"):
            break  # of another kind, or damaged
    return _found(path)


def _at_top(path: Path) -> Places | None:
    """The repository whose top folder this is, if it is the usual kind; None leaves the question to `_found`."""
    root = Path(os.path.abspath(path))  # noqa: PTH100 - links stay, as GitPython leaves them
    folder = root / ".git"
    try:
        settings = (folder / "config").read_bytes()
    except OSError:
        return None
    whole = (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    usual = whole and not folder.is_symlink() and not _MAY_BE_BARE.search(settings)
    return Places(root, folder, folder) if usual and shutil.which(program()) else None


def _found(path: Path) -> Places:
    """The repository that holds a path, of whatever kind."""
    try:
        import git  # noqa: PLC0415 - takes as long as a short command, and starts git twice
        from git.exc import GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError  # noqa: PLC0415
    except ImportError:  # it looks for git when it is imported
        if shutil.which(program()) is not None:
            raise
        raise _no_git() from None
    try:
        with closing(git.Repo(path, search_parent_directories=True)) as repo:
            if repo.working_tree_dir is None:
                raise PrerequisiteError(f"{repo.git_dir} is a bare repository", hint="work in a clone of it")
            return Places(Path(repo.working_tree_dir), Path(repo.git_dir), Path(repo.common_dir))
    except (InvalidGitRepositoryError, NoSuchPathError):
        if any((folder / ".git").exists() for folder in (path.absolute(), *path.absolute().parents)):
            _finished(path, ("rev-parse", "--git-dir"))  # git says why it does not take this one
        raise PrerequisiteError(
            f"{path} is not in a git repository", hint="`benchsite init DIR` makes one"
        ) from None
    except GitCommandNotFound:
        raise _no_git() from None


def _present(blob_id: str, data: bytes | None) -> bytes:
    if data is None:
        said = f"object {blob_id} is missing from this repository, or its remote, which a partial clone needs"
        raise GitError("cat-file", said)
    return data


def _finished(
    folder: Path,
    arguments: tuple[str, ...],
    *,
    source: BinaryIO | None = None,
    output: IO[bytes] | int = subprocess.PIPE,
    env: Mapping[str, str] | None = None,
) -> bytes:
    """What a command prints on stdout, if that is no file; raises `GitError` where it fails."""
    try:
        done = subprocess.run(
            command(*arguments),
            cwd=folder,
            env=environment(os.environ, env),
            stdin=source if source is not None else subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            check=False,
        )
    except FileNotFoundError:
        raise _no_git() if folder.is_dir() else GitError(_command(arguments), f"{folder} is gone") from None
    refuse_killed(_command(arguments), done.returncode)
    if done.returncode:
        raise GitError(_command(arguments), done.stderr.decode("utf-8", "replace"), done.returncode)
    return done.stdout or b""


def _no_git() -> PrerequisiteError:
    return PrerequisiteError("git is not installed", hint="install git 2.30 or newer and add it to PATH")


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
