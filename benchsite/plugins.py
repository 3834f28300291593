"""The one reader of entry points. Ours are registered the same way as those of other packages.

Tracks are loaded; subjects are only looked up, as `module:attribute`, because nothing that measures or is
measured may be imported by a process that can hold a key.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import PurePosixPath
from typing import NoReturn

from benchsite.errors import PrerequisiteError, TrackError, UsageError
from benchsite.track import Track, registry
from benchsite.track._guard import described, protect

TRACKS = "benchsite.tracks"
_LARGEST = 1_000_000
"""Bytes of all browser modules of a track: verify.html carries them."""


@cache
def _group(group: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        earlier = found.setdefault(entry.name, entry)
        if earlier.value != entry.value:
            raise PrerequisiteError(
                f"two installed packages register {entry.name!r} in {group}: {earlier.value} and {entry.value}",
                hint="uninstall one of them",
            )
    return found


@contextmanager
def without_exit() -> Iterator[None]:
    """Make `os._exit` an error for a while: the process would end with 0 and say nothing. Not in its children."""
    real, own = os._exit, os.getpid()

    def refused(status: int) -> NoReturn:
        if os.getpid() != own:
            real(status)
        raise SystemExit(f"os._exit({status})")

    os._exit = refused
    try:
        yield
    finally:
        os._exit = real


@cache
def _loaded() -> tuple[dict[str, Track], dict[str, TrackError]]:
    """Every track that can be loaded, in name order, and why the others cannot."""
    found: dict[str, Track] = {}
    failed: dict[str, TrackError] = {}
    protect(without_exit)
    for name, entry in sorted(_group(TRACKS).items()):
        try:
            with without_exit():
                track = entry.load()
                if isinstance(track, Track):
                    import_module(track.package)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a package of others may raise anything
            failed[name] = TrackError(f"track {name!r} cannot be loaded: {described(error)}")
            continue
        if isinstance(track, Track) and track.name == name:
            found[name] = track
        else:
            failed[name] = TrackError(
                f"track {name!r} cannot be loaded: {entry.value} is not a Track of this name"
            )
    return found, failed


def tracks() -> dict[str, Track]:
    """Every installed track by name, in name order; one that cannot be loaded is left out."""
    return _loaded()[0]


def failures() -> dict[str, TrackError]:
    """The tracks that are installed and cannot be loaded, and why."""
    return _loaded()[1]


def track(name: str) -> Track:
    """One track.

    Raises:
        TrackError: it is installed and cannot be loaded.
        UsageError: there is none; the near misses are named.
    """
    if name in failures():
        raise failures()[name]
    return tracks()[_known(name, sorted(tracks()), "track")]


def browser_modules(track: Track) -> dict[str, str]:
    """What a track of another package brings along for the browser: the texts of `<role>-<name>.js`, by file name.

    They are in the folder of the module that the track names.

    Raises:
        TrackError: a module is not UTF-8, cannot be read, or all of them are too large for a page.
    """
    folder = files(track.package).joinpath(str(PurePosixPath(track.browser).parent))
    found: dict[str, str] = {}
    left = _LARGEST
    for file in sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else ():
        if not file.name.endswith(f"-{track.name}.js") or not file.is_file():
            continue
        try:
            with file.open("rb") as stream:
                data = stream.read(left + 1)
            found[file.name] = data.decode()
        except (OSError, UnicodeDecodeError) as error:
            why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
            raise TrackError(f"track {track.name!r}: {file.name} cannot be read: {why}") from error
        left -= len(data)
        if left < 0:
            raise TrackError(
                f"track {track.name!r}: {file.name} is too large: {_LARGEST:,} bytes for all modules"
            )
    return found


def subjects(group: str) -> dict[str, str]:
    """Plug-in name to `module:attribute`, in name order, without importing any of them."""
    return {name: entry.value for name, entry in sorted(_group(group).items())}


registry.connect(subjects)


def reference(group: str, name: str) -> str:
    """The `module:attribute` of one plug-in; `UsageError` with the near misses where there is none."""
    known = subjects(group)
    return known[_known(name, list(known), group.rsplit(".", 1)[-1].removesuffix("s"))]


def _known(name: str, known: list[str], kind: str) -> str:
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"available: {', '.join(known) or 'none'}"
    raise UsageError(f"no installed {kind} named {name!r}", hint=hint)
