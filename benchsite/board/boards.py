"""The leaderboards of every track as values: made once from the verified history, before any page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchsite.addresses import is_slug
from benchsite.board.board import Board, Leaderboard
from benchsite.board.build_board import board
from benchsite.errors import TrackError
from benchsite.history import Header, History, Unreported
from benchsite.log import DeclineEntry
from benchsite.methodology import version_key
from benchsite.track import Bodies, Library, Track

_Versions = Mapping[str, Sequence[Header]]


@dataclass(frozen=True, slots=True)
class TrackBoards:
    """The leaderboards of one track.

    Attributes:
        boards: every target under every methodology version, by target, then by version.
        waiting: targets of the current version without a receipt, from `Leaderboard.expected`.
        version: that version; empty without one.
        unreported: pre-registered runs without a receipt whose target and version have no board.
        declined: declined subjects whose target has no board, each with its log index.
    """

    about: Leaderboard
    history: History
    boards: tuple[Board, ...] = ()
    waiting: tuple[Board, ...] = ()
    version: str = ""
    unreported: tuple[Unreported, ...] = ()
    declined: tuple[tuple[int, DeclineEntry], ...] = ()

    @property
    def current(self) -> tuple[Board, ...]:
        """The board of each target under the newest methodology version with receipts."""
        return tuple(made for made in self.boards if not made.newer)


@dataclass(frozen=True, slots=True)
class Boards:
    """The leaderboards of a site.

    Attributes:
        tracks: by name, in the order of the site's navigation.
        failures: why a track has no leaderboards, by its name.
    """

    tracks: Mapping[str, TrackBoards] = field(default_factory=dict)
    failures: Mapping[str, TrackError] = field(default_factory=dict)

    @property
    def current(self) -> tuple[Board, ...]:
        """The board of each target under the newest methodology version with receipts, by path."""
        found = (made for of_track in self.tracks.values() for made in of_track.current)
        return tuple(sorted(found, key=lambda made: made.path))

    def without(self, track: str, error: TrackError) -> Boards:
        """Return the same without a track whose pages fail."""
        kept = {name: made for name, made in self.tracks.items() if name != track}
        return replace(self, tracks=kept, failures={**self.failures, track: error})


def boards(history: History, tracks: Iterable[Track], bodies: Bodies, library: Library) -> Boards:
    """Return the leaderboards of these tracks.

    A track of another package that fails is in `failures`; the leaderboards of the others are made without it.
    """
    made: dict[str, TrackBoards] = {}
    failures: dict[str, TrackError] = {}
    for track in tracks:
        try:
            with track.contained("board"):
                made[track.name] = track_boards(_described(track), history, bodies, library)
        except TrackError as error:
            failures[track.name] = error
    return Boards(made, failures)


def track_boards(about: Leaderboard, history: History, bodies: Bodies, library: Library) -> TrackBoards:
    """Return the leaderboards of a track from its description.

    A target of schema 0.0.1 whose name is not a slug has no board, because its name cannot be part of a path.
    """

    def composed(target: str, version: str, versions: _Versions) -> Board:
        return _composed(about, history, bodies, library, target, version, versions)

    by_target = _by_target(about, history)
    current, expected = about.expected(library)
    return TrackBoards(
        about=about,
        history=history,
        boards=tuple(
            composed(target, version, versions)
            for target, versions in sorted(by_target.items())
            for version in sorted(versions, key=version_key)
        ),
        waiting=tuple(composed(target, current, {}) for target in expected if target not in by_target),
        version=current,
        unreported=tuple(_unreported(about, history, by_target)),
        declined=tuple(
            (index, entry)
            for index, entry in history.declined
            if entry.track == about.track.name and entry.target not in by_target
        ),
    )


def one_board(
    track: Track, history: History, bodies: Bodies, library: Library, *, target: str, version: str = ""
) -> Board | None:
    """Return one leaderboard of a track, without receipts if the history has none of it.

    Args:
        track: the track.
        history: the record.
        bodies: receipt bodies by id.
        library: what the board's words are drawn from.
        target: the id of what was run.
        version: the methodology version; empty for the newest one with receipts, and None is returned if there is none.

    Raises:
        TrackError: the track fails.
    """
    with track.contained("board"):
        about = _described(track)
        versions = _by_target(about, history).get(target, {})
        version = version or max(versions, key=version_key, default="")
        return _composed(about, history, bodies, library, target, version, versions) if version else None


def _composed(
    about: Leaderboard,
    history: History,
    bodies: Bodies,
    library: Library,
    target: str,
    version: str,
    versions: _Versions,
) -> Board:
    methodology = library.methodology(about.track.name, version)
    under = about.under(methodology) if about.under and methodology else about
    return board(under, history, bodies, library, target=target, methodology=version, versions=versions)


def _described(track: Track) -> Leaderboard:
    about = track.part("board").LEADERBOARD
    if not isinstance(about, Leaderboard) or about.track.name != track.name:
        raise TrackError(f"track {track.name!r}: board.LEADERBOARD is not a Leaderboard of this track")
    return about


def _by_target(about: Leaderboard, history: History) -> Mapping[str, _Versions]:
    """Target to version to receipts, in log order."""
    found: dict[str, dict[str, list[Header]]] = defaultdict(lambda: defaultdict(list))
    for header in history.of(about.track.name):
        if header.summary is not None and is_slug(header.summary.target):
            found[header.summary.target][header.methodology].append(header)
    return {target: dict(versions) for target, versions in found.items()}


def _unreported(
    about: Leaderboard, history: History, by_target: Mapping[str, _Versions]
) -> Iterator[Unreported]:
    for item in history.unreported:
        without_board = item.methodology not in by_target.get(item.target, {})
        if about.programs and item.track == about.track.name and without_board:
            yield item
