"""Files that a measured program must not reach: private keys, expected answers, and the sockets of services.

A service behind a Unix socket (a container daemon, a session bus, an agent that holds keys) would act for the program outside
its namespaces. What is created later is not found here. Refuses more sockets than can be hidden.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from benchsite.errors import PrerequisiteError

__all__ = ["Private", "hidden_argument", "hidden_paths"]

MOST_SOCKETS: Final = 256
_DEPTH: Final = 3
_IN_HOME: Final = (
    *(
        ".config/benchsite",
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".config/gcloud",
        ".config/gh",
        ".docker",
        ".kube",
    ),
    *(".netrc", ".git-credentials", ".config/git/credentials", ".pypirc", ".npmrc"),
)
_FOLDERS: Final = ("/run/user", "/tmp/.X11-unix", "/run/dbus")  # noqa: S108 - a folder of sockets


class Private(NamedTuple):
    """What of this machine a measured program must not read.

    Attributes:
        keys: private key files. If only their owner can read the folder that they are in, the folder is hidden.
        answers: files and folders with expected answers.
        shown: folders that stay visible within hidden ones: the environment of its interpreter.
    """

    keys: Collection[str] = ()
    answers: Collection[str] = ()
    shown: Collection[str] = ()


def hidden_paths(private: Private, needed: Collection[str]) -> list[str]:
    """Return the existing folders, files and sockets to hide, each once; none of them contains a needed path.

    Args:
        private: what is hidden besides the usual folders of keys.
        needed: absolute paths that the harness itself needs in the program's process; a hidden folder that contains
            one is hidden part by part.

    Raises:
        PrerequisiteError: more than 256 sockets would have to be hidden, so that some would stay reachable.
    """
    found = _protected(private, needed)
    sockets = {os.path.realpath(path) for path in _sockets()}
    outside = [path for path in sorted(sockets) if not _is_inside(path, found)]
    if len(outside) > MOST_SOCKETS:
        raise PrerequisiteError(
            f"{len(outside):,} Unix sockets of services: at most {MOST_SOCKETS} can be hidden from a measured program",
            hint="end services that listen on Unix sockets (ss -xl lists them), or measure in a container",
        )
    return [*found, *outside]


def hidden_argument(arguments: Collection[str], private: Private, needed: Collection[str]) -> str | None:
    """Return the first path that resolves to a hidden file or into a hidden folder; None if there is none."""
    real = {path: os.path.realpath(path) for path in arguments}
    found = _protected(private, needed)
    return next((path for path in arguments if _is_inside(real[path], found)), None)


def _protected(private: Private, needed: Collection[str]) -> list[str]:
    needed = {os.path.realpath(path) for path in needed}
    usual = (str(home / name) for home in _homes() for name in _IN_HOME)
    wanted = {*_key_paths(private.keys, needed), *private.answers, *usual, *_FOLDERS}
    found: list[str] = []
    for path in sorted({os.path.realpath(path) for path in wanted if os.path.lexists(path)} - {"/"}):
        if not _is_inside(path, found):
            found += _without(path, needed)
    return found


def _without(path: str, needed: Collection[str]) -> Iterator[str]:
    """Yield a path, or those of its parts that contain no needed path."""
    if not any(_is_inside(one, (path,)) for one in needed):
        yield path
    elif path not in needed:
        with suppress(OSError):
            for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
                if not entry.is_symlink():
                    yield from _without(entry.path, needed)


def _key_paths(keys: Collection[str], needed: Collection[str]) -> Iterator[str]:
    for path in map(Path, keys):
        with suppress(OSError):
            folder = path.resolve(strict=True).parent
            is_private = stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0 and folder not in _homes()
            if is_private and not any(_is_inside(one, (str(folder),)) for one in needed):
                yield str(folder)
            yield str(path)


def _homes() -> set[Path]:
    """Return the home by the environment, and the one of the user's account."""
    found = {Path(os.environ.get("HOME", ""))}
    with suppress(KeyError):
        found.add(Path(pwd.getpwuid(os.getuid()).pw_dir))
    return {home for home in found if home.is_absolute()}


def _is_inside(path: str, folders: Collection[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def _sockets() -> Iterator[str]:
    """Yield Unix sockets that this user may connect to: bound in this network namespace, mounted, or in /run."""
    seen: set[str] = set()
    for path in (*_bound(), *_mounted(), *_walked(Path("/run"), _DEPTH)):
        if path not in seen and path.startswith("/"):
            seen.add(path)
            with suppress(OSError, ValueError):
                if stat.S_ISSOCK(os.stat(path).st_mode) and os.access(path, os.W_OK):  # noqa: PTH116
                    yield path


def _bound() -> Iterator[str]:
    with suppress(OSError):
        for line in Path("/proc/net/unix").read_text("utf-8", "surrogateescape").splitlines()[1:]:
            fields = line.split(maxsplit=7)
            if len(fields) == 8:
                yield fields[7]


def _mounted() -> Iterator[str]:
    with suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines():
            yield line.split(" ")[4]


def _walked(folder: Path, depth: int) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    if depth > 1:
                        yield from _walked(Path(entry.path), depth - 1)
                elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                    yield entry.path
