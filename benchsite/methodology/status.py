"""The status of a methodology version: current, superseded or proposed.

Derived, never written in a document: the log pins the digest of a version when it is published, and a version is
superseded as soon as the log pins a later one of its track. "Later" is by version number, not by place in the log, so
that old rules pinned late, as a receipt made under them does, take no pinned version out of force. Where the log pins
no version of a track, as before the first publication, the newest present is current; the first version pinned then is
in force, whatever its number, until the log pins a later one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from benchsite.methodology import newest, version_key

__all__ = ["Pin", "Pins", "VersionStatus", "version_status"]

Word = Literal["current", "superseded", "proposed"]


class Pin(Protocol):
    """The log entry that fixed a version's content: `benchsite.log.contents.Named` is one."""

    @property
    def index(self) -> int:
        """The entry's place in the log."""

    @property
    def sha256(self) -> str:
        """The digest it names."""


Pins = Mapping[tuple[str, str], Pin]
"""(track, version) to the entry that pins it: `Log.methodologies` is one."""


@dataclass(frozen=True, slots=True)
class VersionStatus:
    """What became of a version.

    Attributes:
        word: `proposed` is later than every version that the log pins: nothing here was scored under it yet.
        current: the version of the same track that is in force; this one's own number where it is.
        pin: the log entry that pins this version; None where there is none yet.
    """

    word: Word
    current: str
    pin: Pin | None

    @property
    def superseded(self) -> bool:
        """Whether a later version is in force: pages open with the notice then."""
        return self.word == "superseded"

    @property
    def proposed(self) -> bool:
        """Whether the log pins other versions of the track, and none as late as this."""
        return self.word == "proposed"


def version_status(track: str, version: str, *, present: Iterable[str], pins: Pins) -> VersionStatus:
    """The status of a version.

    Args:
        track: its track.
        version: its number; it need not be among those present.
        present: the versions of the track on disk.
        pins: what the log pins, of any track.
    """
    pinned = [number for name, number in pins if name == track]
    current = newest(pinned or {*present, version})
    word: Word = "current"
    if version_key(version) < version_key(current):
        word = "superseded"
    elif version != current:
        word = "proposed"
    return VersionStatus(word, current, pins.get((track, version)))
