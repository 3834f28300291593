"""The folder that a build writes: where it may be, what stands beside it meanwhile, and the swap.

One build at a time makes a site: the unfinished folder is locked, and a second build of the same site waits. What a build
that was killed left there is removed by the next one, and the site that stood keeps standing.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from benchsite.errors import InputError, IntegrityError, PrerequisiteError
from benchsite.pipeline.workspace import Workspace

MARKER: Final = ".benchsite-site"
REPORT: Final = "report it to the maintainers of the track that made the page"
_OURS: Final = frozenset(
    {"results", "keys", "methodology", "fixtures", "content", "theme", ".git", ".benchsite"}
)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
_MADE: Final = "made by benchsite build; the next build replaces this folder\n"


def checked(workspace: Workspace, output: Path) -> Path:
    """The folder that `output` names, resolved.

    Raises:
        InputError: it holds the repository, sources, another repository or files that no build made, or is inside a site.
        PrerequisiteError: its parent does not exist.
    """
    target = Path(os.path.realpath(output))
    if target == workspace.root or workspace.root.is_relative_to(target):
        raise InputError(f"{output} holds the repository itself", hint="name another folder with --output")
    inside = target.relative_to(workspace.root).parts[0] if target.is_relative_to(workspace.root) else ""
    if inside in _OURS:
        raise InputError(
            f"{output} is in {inside}/, which holds sources", hint="name another folder with --output"
        )
    if os.path.lexists(target) and not target.is_dir():  # a loop of links too
        raise InputError(f"{output} is not a folder", hint="name another folder with --output")
    if target.is_dir() and any(target.iterdir()) and not (target / MARKER).is_file():
        raise InputError(
            f"{output} holds files that no build made", hint="name an empty folder with --output"
        )
    if (target / ".git").exists():
        raise InputError(
            f"{output} is a git repository, which a build would replace",
            hint="build into another folder, and copy the site",
        )
    if any((above / MARKER).is_file() for above in target.parents):
        raise InputError(
            f"{output} is inside a built site, which the next build replaces",
            hint="name another folder with --output",
        )
    if not target.parent.is_dir():
        raise PrerequisiteError(f"{target.parent} does not exist", hint="create it first")
    return target


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """An empty folder beside a site, locked; it is removed in the end unless it was swapped in."""
    staging = target.with_name(f".{target.name}.staging")
    handle = _locked(staging, target)
    try:
        yield staging
    finally:
        if _is_at(handle, staging):
            shutil.rmtree(staging, ignore_errors=True)
        os.close(handle)


def _locked(staging: Path, target: Path) -> int:
    """A lock on the folder that has this name once it is ours; it is empty then."""
    while True:
        with suppress(FileExistsError):
            staging.mkdir()
        try:
            handle = os.open(staging, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:  # the other build has just ended
            continue
        fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_at(handle, staging):
            break
        os.close(handle)
    try:
        _put_back(target)
        for item in list(staging.iterdir()):
            if item.is_dir() and not item.is_symlink():
                shutil.rmtree(item)
            else:
                item.unlink()
    except BaseException:
        os.close(handle)
        raise
    return handle


def _is_at(handle: int, path: Path) -> bool:
    """Whether a path still names the open folder."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    return False


def swap(staging: Path, target: Path) -> None:
    """Put the new site in place of the old one, which is put aside first: `_put_back` has it if the swap fails."""
    (staging / MARKER).write_text(_MADE)
    old = _aside(target)
    shutil.rmtree(old, ignore_errors=True)
    try:
        if target.exists():
            target.rename(old)
        staging.rename(target)
    except BaseException:
        _put_back(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _put_back(target: Path) -> None:
    """Give the old site its name again if a swap put it aside and did not finish."""
    old = _aside(target)
    if not target.exists() and _is_folder(old):
        old.rename(target)


def _is_folder(path: Path) -> bool:
    """Whether a path is a folder itself, and no link to one."""
    with suppress(OSError):
        return stat.S_ISDIR(os.lstat(path).st_mode)
    return False


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


def write(staging: Path, path: str, data: bytes) -> None:
    """One file of the site. Bare system calls: a `Path` and a buffered file cost as much as what they do here."""
    target = _inside(staging, path)
    try:
        file = os.open(target, _NEW, 0o666)
    except FileNotFoundError:  # the first file in its folder
        _folder(target.rpartition("/")[0])
        file = os.open(target, _NEW, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
    finally:
        os.close(file)


def _folder(path: str) -> None:
    """Make a folder, and those above it where they are missing."""
    try:
        os.mkdir(path)  # noqa: PTH102 - see `write`
    except FileNotFoundError:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # made by another process meanwhile
        Path(path).mkdir(exist_ok=True)


def content(path: Path) -> bytes | None:
    """The bytes of a regular file of an earlier build; None where there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            return None
        data = os.read(handle, about.st_size + 1)
        while 0 < len(data) < about.st_size and (more := os.read(handle, about.st_size + 1 - len(data))):
            data += more  # one read may give less than it was asked for
        return data if len(data) == about.st_size else None
    except OSError:
        return None
    finally:
        os.close(handle)


def _inside(staging: Path, path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise IntegrityError(f"a page would be written outside the site: {path!r}", hint=REPORT)
    return f"{staging}/{path}"


def within_limit(workspace: Workspace, staging: Path) -> None:
    """Refuse a site above `site_size_limit_mb`; raises `InputError`."""
    size = _size(str(staging))
    limit = workspace.config.benchsite.site_size_limit_mb * 1_000_000
    if size > limit:
        raise InputError(
            f"the site has {size / 1e6:,.0f} MB, above site_size_limit_mb ({limit / 1e6:,.0f})",
            hint="raise extra.benchsite.site_size_limit_mb if your host allows it",
        )


def _size(folder: str) -> int:
    """Return the bytes of every file below a folder."""
    size = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            size += _size(entry.path) if is_folder else entry.stat(follow_symlinks=False).st_size
    return size


def require_urls(content_folder: Path, staging: Path, *, but: str = "") -> None:
    """Check that each URL in `content/urls.txt` still answers in the new site; raises `InputError`.

    URLs that start with `but`, unless it is empty, are not checked.
    """
    promised = content_folder / "urls.txt"
    if not promised.is_file():
        return
    for number, line in enumerate(promised.read_text(encoding="utf-8").splitlines(), start=1):
        path = line.strip()
        if path.startswith("#") or (but and path.startswith(but)):
            continue
        if path and not _answers(staging, path):
            raise InputError(
                f"content/urls.txt, line {number}: /{path} was promised and is not built",
                hint="restore the page, or add one there that links to the new URL",
            )


def _answers(site: Path, path: str) -> bool:
    return (site / path / "index.html" if path.endswith("/") else site / path).is_file()
