"""The methodologies of an instance: which versions there are, and each of them read when asked for.

A version is a folder `methodology/<track>/<version>/`. What is measured goes by the working tree; what was published is
read from a commit, so that no attribute, filter or link of a working tree changes it. Reading a version parses a long YAML
document, so that nothing is read that is not asked about. Refuses links: a version is three regular files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from benchsite import methodology, yaml_document
from benchsite.errors import BenchsiteError, InputError, PrerequisiteError, UsageError
from benchsite.layout import METHODOLOGY, methodology_folder
from benchsite.methodology import DATA_FILE, FILES, PARAMETERS_FILE, Methodology
from benchsite.methodology import parameters as parameters_file
from benchsite.methodology.status import Pins, version_status
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.repo import REGULAR, Repository
from benchsite.schema import SEMVER, SLUG

_REGULAR: Final = f"a version is three regular files: {', '.join(FILES)}"
_SLUG: Final = re.compile(SLUG)
_SEMVER: Final = re.compile(SEMVER)


class Source(Protocol):
    """Where versions are read from."""

    def folders(self) -> list[tuple[str, str]]:
        """(track, version) of every folder that holds a `methodology.yaml`, by name."""

    def file(self, track: str, version: str, name: str) -> bytes | None:
        """One file of a version; None where it is absent or not a regular file."""


class WorkingTree:
    """The working tree of an instance."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folders(self) -> list[tuple[str, str]]:
        """As `Source`; folders that are links are passed over."""
        found = sorted((self._root / METHODOLOGY).glob(f"*/*/{DATA_FILE}"))
        pairs = ((path.parent.parent.name, path.parent.name) for path in found)
        return [(track, version) for track, version in pairs if not self._linked(track, version)]

    def file(self, track: str, version: str, name: str) -> bytes | None:
        """As `Source`; raises `InputError` where the file is too large, `PrerequisiteError` where it is a link."""
        path = self._root / methodology_folder(track, version) / name
        if path.is_symlink():
            raise PrerequisiteError(
                f"{methodology_folder(track, version)}/{name} is a link",
                hint=f"replace it with the file itself: {_REGULAR}",
            )
        if self._linked(track, version) or not path.is_file():
            return None
        return read_bounded(path, yaml_document.MAX_BYTES)

    def _linked(self, track: str, version: str) -> bool:
        folder = self._root / METHODOLOGY
        return any(path.is_symlink() for path in (folder, folder / track, folder / track / version))


class Committed:
    """The versions of a commit; none of None."""

    def __init__(self, repository: Repository, commit: str | None) -> None:
        self._repository = repository
        self._commit = commit

    def folders(self) -> list[tuple[str, str]]:
        """As `Source`."""
        if self._commit is None:
            return []
        held = self._repository.tree(METHODOLOGY, rev=self._commit)
        parts = [item.path.split("/") for item in held if item.mode in REGULAR]
        return sorted((part[1], part[2]) for part in parts if len(part) == 4 and part[3] == DATA_FILE)

    def file(self, track: str, version: str, name: str) -> bytes | None:
        """As `Source`; raises `InputError` where the file is too large."""
        if self._commit is None:
            return None
        path = f"{methodology_folder(track, version)}/{name}"
        data = self._repository.read(path, rev=self._commit)
        if data is not None and len(data) > yaml_document.MAX_BYTES:
            raise InputError(
                f"{path} is larger than {yaml_document.MAX_BYTES:,} bytes", hint="shorten the document"
            )
        return data


class Folder:
    """One folder with the files of a version, wherever it is; its name does not matter, its digest does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def folders(self) -> list[tuple[str, str]]:
        """As `Source`: the track and version that `parameters.json` declares, if it can be read."""
        data = self._bytes(PARAMETERS_FILE)
        try:
            found = parameters_file.read(data, PARAMETERS_FILE) if data is not None else None
        except BenchsiteError:
            return []
        return [(found.track, found.version)] if found is not None else []

    def file(self, track: str, version: str, name: str) -> bytes | None:  # noqa: ARG002 - it holds one version
        """As `Source`."""
        return self._bytes(name)

    def _bytes(self, name: str) -> bytes | None:
        try:
            return read_bounded(self._folder / name, yaml_document.MAX_BYTES)
        except BenchsiteError:
            return None


class MethodologyStore:
    """What is in `methodology/`; each version is read once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._read: dict[tuple[str, str], Methodology] = {}
        self._digests: dict[str, Methodology] | None = None

    def versions(self, track: str) -> list[str]:
        """The versions of a track, oldest first."""
        found = [version for name, version in self._source.folders() if name == track]
        return sorted(filter(_SEMVER.fullmatch, found), key=methodology.version_key)

    def of_digest(self, sha256: str) -> Methodology | None:
        """What re-scoring goes by in the version of a digest; None where there is none, whatever its folder is called."""
        if self._digests is None:
            self._digests = {found.sha256: found for found in self._pinned()}
        return self._digests.get(sha256)

    def _pinned(self) -> Iterator[Methodology]:
        """Every version of which re-scoring can read what it needs; folders with a link or too large a file have none."""
        for place in self._source.folders():
            with suppress(BenchsiteError):
                files = self._files(*place)
                found = methodology.pinned(files) if len(files) == len(FILES) else None
                if found is not None:
                    yield found

    def _files(self, track: str, version: str) -> dict[str, bytes]:
        """The files of a version that are there."""
        read = {name: self._source.file(track, version, name) for name in FILES}
        return {name: data for name, data in read.items() if data is not None}

    def every(self) -> tuple[Methodology, ...]:
        """Every version of every track, by track and version.

        Raises:
            InputError: one is malformed, or in a folder that is no version's.
        """
        places = []
        for track, version in self._source.folders():
            if not (_SLUG.fullmatch(track) and _SEMVER.fullmatch(version)):
                raise InputError(
                    f"{methodology_folder(track, version)} is not a methodology version",
                    hint="name the folder methodology/<track>/<version>, for example methodology/retrieval/1.0.0",
                )
            places.append((track, methodology.version_key(version), version))
        return tuple(self.read(track, version) for track, _, version in sorted(places))

    def read(self, track: str, version: str) -> Methodology:
        """One version.

        Raises:
            UsageError: there is none of this number.
            InputError: it is malformed, or the track has no version at all.
        """
        if (track, version) not in self._read:
            known = self.versions(track)
            if not known:
                raise InputError(
                    f"no methodology version: methodology/{track}",
                    hint="run `benchsite init` in an empty folder for the packaged versions",
                )
            if version not in known:
                raise UsageError(f"no methodology {track} {version}", hint=f"available: {', '.join(known)}")
            where = methodology_folder(track, version)
            files = self._files(track, version)
            for name in FILES:
                if name not in files:
                    raise InputError(
                        f"cannot read {where}/{name}: no such file, or not a regular one", hint=_REGULAR
                    )
            self._read[track, version] = _parsed(*(files[name] for name in FILES), where)
        return self._read[track, version]

    def current(self, track: str, pins: Pins) -> Methodology:
        """The version in force: the newest that the log pins, or the newest there is where it pins none."""
        known = self.versions(track)
        newest = methodology.newest(known) if known else ""
        return self.read(
            track, version_status(track, newest, present=known, pins=pins).current if known else ""
        )


def read_methodology(folder: Path, where: str) -> Methodology:
    """The version of a folder; `where` names it in messages. Raises `InputError` where it is malformed."""
    return _parsed(*(read_bounded(folder / name, yaml_document.MAX_BYTES) for name in FILES), where)


@lru_cache(maxsize=64)
def _parsed(data: bytes, parameters: bytes, text: bytes, where: str) -> Methodology:
    """Parse three files once: a check compares a version with each of its siblings."""
    document = yaml_document.load(data, f"{where}/{DATA_FILE}")
    files = dict(zip(FILES, (data, parameters, text), strict=True))
    return methodology.parse(document.value, files=files, where=where)
