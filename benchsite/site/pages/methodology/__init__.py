"""Methodology pages: every version as a numbered standard, its status, and its diff with every other.

The status follows from the log (`benchsite.methodology.status`); no document says it of itself.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from benchsite.addresses import difference_path, methodology_path, methodology_track_path
from benchsite.methodology import Methodology, Reference, version_key
from benchsite.methodology.lineage import predecessor
from benchsite.methodology.status import VersionStatus
from benchsite.site.pages.log import place
from benchsite.site.pages.methodology.differences import differences
from benchsite.site.pages.methodology.version import version_pages
from benchsite.track import Library, Page

__all__ = ["methodology"]


@dataclass(frozen=True, slots=True)
class Line:
    """A version in its track's history; `since` is the path of its comparison with the version it is based on."""

    document: Methodology
    standing: VersionStatus
    path: str
    since: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A source and the versions that name it."""

    reference: Reference
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrackHistory:
    """A track's versions, the latest first, and everything they cite."""

    track: str
    lines: tuple[Line, ...]
    cited: tuple[Cited, ...]

    @property
    def current(self) -> Line:
        """The version in force; the latest one if none is."""
        return next((line for line in self.lines if line.standing.word == "current"), self.lines[0])

    @property
    def versions(self) -> tuple[str, ...]:
        """Numbers, oldest first."""
        return tuple(line.document.data.version for line in reversed(self.lines))


def methodology(library: Library, *, pages: Container[str] = ()) -> Iterator[Page]:
    """The index; for each track all its versions; for each version its page and JSON file; for each two versions of a track both comparisons.

    Args:
        library: the documents, and what the log pins.
        pages: paths that tracks have made, so that forms are linked where there are any.
    """
    ordered = sorted(
        library.methodologies, key=lambda item: (item.data.track, version_key(item.data.version))
    )
    tracks = {track: list(found) for track, found in groupby(ordered, key=lambda item: item.data.track)}
    histories = [_history(track, found, library) for track, found in tracks.items()]
    yield Page(
        path="methodology/",
        title="Methodology",
        description="Versioned scoring rules; each receipt pins a version by hash.",
        template="site/methodology_index.html.j2",
        context={"tracks": histories, "entry": place, "track_path": methodology_track_path},
    )
    for one in histories:
        yield Page(
            path=methodology_track_path(one.track),
            title=f"Methodology: {one.track}",
            description=f"Every version of the scoring rules of track {one.track}, with its SHA-256 and log entry.",
            template="site/methodology_track.html.j2",
            context={"t": one, "entry": place, "difference_path": difference_path},
        )
    for found in tracks.values():
        yield from version_pages(found, library, pages)
        yield from differences(found, library)


def _history(track: str, documents: Sequence[Methodology], library: Library) -> TrackHistory:
    lines = []
    for document in documents:
        version, before = document.data.version, predecessor(document, documents)
        since = difference_path(track, before.data.version, version) if before else ""
        lines.append(
            Line(document, library.standing(track, version), methodology_path(track, version), since)
        )
    return TrackHistory(track, tuple(reversed(lines)), tuple(_cited(documents)))


def _cited(documents: Sequence[Methodology]) -> Iterator[Cited]:
    """Every source once, by its title, as the latest version that names it describes it."""
    versions: dict[str, list[str]] = {}
    latest: dict[str, Reference] = {}
    for document in documents:
        for reference in document.data.references:
            versions.setdefault(reference.title, []).append(document.data.version)
            latest[reference.title] = reference
    for title, named in versions.items():
        yield Cited(latest[title], tuple(named))
