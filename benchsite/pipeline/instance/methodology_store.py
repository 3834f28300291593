"""The methodologies of an instance's working tree: which versions there are, and each of them read when asked for.

A version is a folder `methodology/<track>/<version>/`. Reading one parses a long YAML document, so that nothing is read
that nobody asks about.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from benchsite import methodology, yaml_document
from benchsite.errors import InputError, UsageError
from benchsite.methodology import DATA_FILE, TEXT_FILE, Methodology
from benchsite.methodology.standing import Pins, stand
from benchsite.pipeline.instance.files import read_bounded
from benchsite.schema import SEMVER, SLUG

_SLUG: Final = re.compile(SLUG)
_SEMVER: Final = re.compile(SEMVER)


class Rulebook:
    """What lies in `methodology/`; each version is read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[tuple[str, str], Methodology] = {}

    def versions(self, track: str) -> list[str]:
        """The versions of a track, oldest first."""
        found = [path.parent.name for path in self._folder(track).glob("*/methodology.yaml")]
        return sorted(filter(_SEMVER.fullmatch, found), key=methodology.version_key)

    def every(self) -> tuple[Methodology, ...]:
        """Every version of every track, by track and version.

        Raises:
            InputError: one is malformed, or lies in a folder that is no version's.
        """
        places = []
        for path in sorted((self._root / "methodology").glob("*/*/methodology.yaml")):
            track, version = path.parent.parent.name, path.parent.name
            if not (_SLUG.fullmatch(track) and _SEMVER.fullmatch(version)):
                raise InputError(
                    f"methodology/{track}/{version} is no version of a track's rules",
                    hint="a folder is called methodology/<track>/<version>, the version as 1.0.0",
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
                raise InputError(f"methodology/{track} holds no version", hint="`benchsite init` writes ours")
            if version not in known:
                raise UsageError(f"no methodology {track} {version}", hint=f"known: {', '.join(known)}")
            self._read[track, version] = read_methodology(
                self._folder(track) / version, f"methodology/{track}/{version}"
            )
        return self._read[track, version]

    def current(self, track: str, pins: Pins) -> Methodology:
        """The version in force: the newest that the log pins, or the newest there is where it pins none."""
        known = self.versions(track)
        newest = methodology.newest(known) if known else ""
        return self.read(track, stand(track, newest, present=known, pins=pins).current if known else "")

    def digest(self, track: str, version: str) -> str | None:
        """The digest of a version as it lies there, whatever it says; None where it is not whole."""
        paths = {name: self._folder(track) / version / name for name in (DATA_FILE, TEXT_FILE)}
        if not all(path.is_file() for path in paths.values()):
            return None
        files = {name: read_bounded(path, yaml_document.MAX_BYTES) for name, path in paths.items()}
        return methodology.digest(files)

    def _folder(self, track: str) -> Path:
        return self._root / "methodology" / track


def read_methodology(folder: Path, where: str) -> Methodology:
    """The version of a folder; `where` names it in messages. Raises `InputError` where it is malformed."""
    data, text = (read_bounded(folder / name, yaml_document.MAX_BYTES) for name in (DATA_FILE, TEXT_FILE))
    return _parsed(data, text, where)


@lru_cache(maxsize=64)
def _parsed(data: bytes, text: bytes, where: str) -> Methodology:
    """What two files say; a check holds a version against its siblings, and would parse it once for each of them."""
    document = yaml_document.load(data, f"{where}/{DATA_FILE}")
    return methodology.parse(document.value, files={DATA_FILE: data, TEXT_FILE: text}, where=where)
