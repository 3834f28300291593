"""What became of a subject's receipts, and how it did on a leaderboard over the log.

The horizontal order is that of log entries, which can't be changed later. Nothing is dropped: retracted and superseded
values stay with their state. Values under two methodology versions aren't comparable, so a leader is found, and points
are joined, within one version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, Literal, NamedTuple

from benchsite.board.board import Board
from benchsite.board.boards import Boards
from benchsite.history import SENTENCES, Header, History, Verdict
from benchsite.history.ranking import IMPORTED
from benchsite.log import RetractEntry, SupersedeEntry

State = Literal["current", "archived", "older", "superseded", "retracted", "reproduction", "unranked"]
"""What a receipt is now: a row of a current leaderboard, a row of an archived one, replaced by a later run, or never a row."""

_GONE: Final = frozenset({SENTENCES[Verdict.RETRACTED], SENTENCES[Verdict.SUPERSEDED]})
_EVENTS: Final = (RetractEntry, SupersedeEntry)


class Point(NamedTuple):
    """A receipt on a leaderboard, and what it is now; `series` is its configuration, submitter included."""

    header: Header
    state: State
    series: tuple[str, str]


class Step(NamedTuple):
    """The leading value from a log entry on; None if nothing was ranked."""

    entry: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a timeline under one methodology version.

    Attributes:
        start: index of the log entry that pins the version, or of the first receipt under it if nothing does.
        baseline: of the version's leaderboard; None without one.
        leader: the leading value, by the entry that changed it.
    """

    methodology: str
    start: int
    baseline: float | None
    leader: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The receipts of a subject on one target in log order; `board` is its leaderboard under the newest version."""

    board: Board
    points: tuple[Point, ...]
    spans: tuple[Span, ...]
    size: int

    @property
    def last(self) -> int:
        """The newest entry of the log."""
        return max(self.size - 1, max((point.header.index or 0 for point in self.points), default=0))


class Past:
    """The leaderboards of a site and its history, asked for what became of one subject after another."""

    def __init__(self, boards: Boards, history: History) -> None:
        self.history: Final = history
        self._versions: Final[dict[tuple[str, str], list[Board]]] = defaultdict(list)
        self._rows: Final[dict[str, Board]] = {}
        self._latest: Final[dict[tuple[str, ...], Header]] = {}
        self._leaders: Final[dict[str, tuple[Step, ...]]] = {}
        for of_track in boards.tracks.values():
            for made in of_track.boards:
                self._versions[made.about.track.name, made.target].append(made)
                for row in (*made.rows, *made.imported.ranked):
                    self._rows[row.header.receipt_id] = made
                    self._latest[_row(row.header)] = row.header

    def timelines(self, headers: Sequence[Header]) -> tuple[Timeline, ...]:
        """The history of a subject on each leaderboard, by leaderboard.

        Args:
            headers: its receipts in log order.
        """
        found: dict[tuple[str, str], list[Header]] = defaultdict(list)
        for header in headers:
            if header.summary is not None and header.index is not None:
                found[header.track, header.summary.target].append(header)
        made = (self._timeline(key, of_target) for key, of_target in found.items())
        return tuple(sorted((one for one in made if one), key=lambda one: one.board.path))

    def _timeline(self, key: tuple[str, str], headers: Sequence[Header]) -> Timeline | None:
        versions = self._versions.get(key)
        if not versions:
            return None  # a target whose name can't be part of a path has no leaderboard
        begun = min(_place(one) for one in headers)
        used = {one.methodology for one in headers}
        spans = [
            Span(made.methodology, start, made.baseline, self._leader(made))
            for made in versions
            if made.headers and ((start := self._start(made)) > begun or made.methodology in used)
        ]
        points = tuple(Point(one, self.state(one), _series(one)) for one in headers)
        size = self.history.log.size if self.history.log is not None else 0
        return Timeline(versions[-1], points, tuple(spans), size)

    def _start(self, made: Board) -> int:
        """The entry from which a version is in force; the first receipt under it if the log doesn't pin it."""
        log = self.history.log
        pin = log.methodologies.get((made.about.track.name, made.methodology)) if log is not None else None
        return min(_place(one) for one in made.headers) if pin is None else pin.index

    def _leader(self, made: Board) -> tuple[Step, ...]:
        """The leading values of a leaderboard, found once for all subjects."""
        if made.frozen_path not in self._leaders:
            self._leaders[made.frozen_path] = tuple(_leading(made, self.history))
        return self._leaders[made.frozen_path]

    def state(self, header: Header) -> State:
        """What a receipt is now."""
        if header.verdict is Verdict.RETRACTED:
            return "retracted"
        if header.verdict is Verdict.SUPERSEDED:
            return "superseded"
        if header.reproduces is not None:
            return "reproduction"
        if (made := self._rows.get(header.receipt_id)) is not None:
            return "archived" if made.newer else "current"
        return "older" if self.later(header) is not None else "unranked"

    def later(self, header: Header) -> Header | None:
        """The later run that is shown as the row of a receipt; None without one."""
        if not (header.ranked or header.imported) or header.summary is None:
            return None
        found = self._latest.get(_row(header))
        return found if found is not None and _place(found) > _place(header) else None


def _place(header: Header) -> int:
    return header.index or 0


def _row(header: Header) -> tuple[str, ...]:
    """What a row of a leaderboard has in common with earlier runs of it."""
    assert header.summary is not None  # noqa: S101 - rows are quotable
    found = header.summary
    return header.track, found.target, header.methodology, found.row, header.sent_by


def _series(header: Header) -> tuple[str, str]:
    assert header.summary is not None  # noqa: S101 - the caller has looked
    return header.summary.subject.label, header.sent_by


def _leading(made: Board, history: History) -> Iterator[Step]:
    """The best of the latest run of each row, as it was after each entry that changed it."""
    changes = sorted(_changes(made, history), key=lambda change: change[:2])
    active: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    best: list[tuple[float, str, str]] = []
    shown: float | None = None
    for index, gone, header in changes:
        assert header.summary is not None and header.summary.headline.value is not None  # noqa: S101, PT018
        row, value = "\0".join(_row(header)), header.summary.headline.value
        if gone:
            active[row] = [one for one in active[row] if one[1] != header.receipt_id]
        else:
            active[row].append((index, header.receipt_id, value))
        if active[row]:
            heappush(best, (-active[row][-1][2], row, active[row][-1][1]))
        while best and (not active[best[0][1]] or active[best[0][1]][-1][1] != best[0][2]):
            heappop(best)
        leading = -best[0][0] if best else None
        if leading != shown:
            shown = leading
            yield Step(index, leading)


def _changes(made: Board, history: History) -> Iterator[tuple[int, bool, Header]]:
    """When each receipt became a contender of a leaderboard, and when it was no more: (entry, gone, header)."""
    is_import = not made.ranked and bool(made.imported.ranked)
    baselines = {row.header.receipt_id for row in made.baselines}
    for header in made.headers:
        left = {reason for reason in header.unranked if reason not in _GONE}
        if header.index is None or header.summary is None or header.summary.headline.value is None:
            continue
        if left != ({IMPORTED} if is_import else set()) or _is_baseline(made, header, baselines):
            continue
        yield header.index, False, header
        events = history.log.events_about(header.receipt_id) if history.log is not None else ()
        if (
            ended := min((index for index, event in events if isinstance(event, _EVENTS)), default=None)
        ) is not None:
            yield ended, True, header


def _is_baseline(made: Board, header: Header, known: frozenset[str] | set[str]) -> bool:
    """Whether a receipt is or was a baseline of the leaderboard; one that isn't a row any more by its body."""
    if header.receipt_id in known:
        return True
    assert header.summary is not None  # noqa: S101 - the caller has looked
    if header.sent_by or header.summary.subject.name not in made.about.baselines:
        return False
    return made.about.is_baseline(header.summary.subject.name, made.bodies(header.receipt_id))
