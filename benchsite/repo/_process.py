"""Running git: one process at a time with its input in a file, and one long-lived reader of objects a process.

Every process runs under the settings and variables of `_neutral`, and this process's own variables are never changed.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, cast

import git
from git.exc import GitCommandNotFound, InvalidGitRepositoryError, NoSuchPathError

from benchsite.errors import InputError, PrerequisiteError
from benchsite.repo._neutral import command, environment

_LOCK: Final = re.compile(r"'(?P<path>[^'\n]+\.lock)': File exists")


_PIECE: Final = 1024 * 1024


class GitError(PrerequisiteError):
    """A git command failed; `stderr` is what it said."""

    def __init__(self, command: str, stderr: str) -> None:
        lines = [line.strip() for line in stderr.splitlines()]
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
        self.root = Path(repo.working_tree_dir)
        self.folder = Path(repo.git_dir)
        self._process = os.getpid()
        self._reader: subprocess.Popen[bytes] | None = None
        self._inherited: list[subprocess.Popen[bytes]] = []

    @classmethod
    def open(cls, path: Path) -> Git:
        """The repository that holds `path`; raises `PrerequisiteError` where there is none, or no git."""
        try:
            with closing(git.Repo(path, search_parent_directories=True)) as found:
                return cls(found)
        except (InvalidGitRepositoryError, NoSuchPathError):
            raise PrerequisiteError(
                f"{path} is not in a git repository", hint="`benchsite init DIR` makes one"
            ) from None
        except GitCommandNotFound:
            raise _no_git() from None

    @classmethod
    def create(cls, path: Path) -> Git:
        """A new repository on branch `main`."""
        path.mkdir(parents=True, exist_ok=True)
        _finished(path, ("init", "--quiet", "--initial-branch=main"))
        return cls.open(path)

    def close(self) -> None:
        """End the helper process git keeps for reading objects."""
        if self._process == os.getpid() and self._reader is not None:
            _end(self._reader, self._process)
            self._reader = None

    def run(self, *arguments: str, data: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        """What a command prints on stdout; raises `GitError` where it fails."""
        with _spool(data) as source:
            return _finished(self.root, arguments, source=source, env=env)

    def line(self, *arguments: str) -> str | None:
        """What a command prints, without the spaces around it; None where it fails or prints nothing."""
        try:
            return self.run(*arguments).decode("utf-8", "replace").strip() or None
        except GitError:
            return None

    def object(self, blob_id: str) -> bytes:
        """The bytes of one object, read through a long-lived `git cat-file --batch`, one for each process."""
        reader = self._objects()
        asked, found = cast("BinaryIO", reader.stdin), cast("BinaryIO", reader.stdout)
        try:
            asked.write(f"{blob_id}\n".encode())
            asked.flush()
            *_, size = found.readline().decode("utf-8", "replace").split(" ")
            data = found.read(int(size))
            found.read(1)
        except (OSError, ValueError):
            said = f"object {blob_id} is missing from this repository, or its remote, which a partial clone needs"
            raise GitError("cat-file", said) from None
        return data

    def _objects(self) -> subprocess.Popen[bytes]:
        """This process's `git cat-file --batch`."""
        if os.getpid() != self._process:
            # After a fork the helper on the other end of the pipe is the parent's: leave it, unclosed, and start one.
            self._inherited += [self._reader] if self._reader is not None else []
            self._reader, self._process = None, os.getpid()
        if self._reader is None or self._reader.poll() is not None:
            self._reader = subprocess.Popen(
                command("cat-file", "--batch"),
                cwd=self.root,
                env=environment(os.environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            weakref.finalize(self, _end, self._reader, self._process)
        return self._reader

    def pieces(self, blob_id: str) -> Iterator[bytes]:
        """The bytes of one blob, at most 1 MiB at a time: for files too large to be held whole."""
        with tempfile.TemporaryFile() as spool:
            _finished(self.root, ("cat-file", "blob", blob_id), output=spool)
            spool.seek(0)
            while piece := spool.read(_PIECE):
                yield piece


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
    if done.returncode:
        raise GitError(_command(arguments), done.stderr.decode("utf-8", "replace"))
    return done.stdout or b""


def _end(reader: subprocess.Popen[bytes], owner: int) -> None:
    """End a reader and release its pipes, in the process that started it only."""
    if os.getpid() == owner:
        reader.kill()
        reader.wait()
        for pipe in (reader.stdin, reader.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _no_git() -> PrerequisiteError:
    return PrerequisiteError("git is not installed", hint="install git 2.30 or newer")


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
        raise _no_room(error) from None
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
        raise _no_room(error) from None
    with spool:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[spool.write(rest) :]
            spool.seek(0)
        except OSError as error:
            raise _no_room(error) from None
        yield cast("BinaryIO", spool)


def _no_room(error: OSError) -> InputError:
    return InputError(
        f"cannot write temporary files in {tempfile.gettempdir()}: {error.strerror}",
        hint="free some space, or name another folder with TMPDIR",
    )
