"""What a track says of its leaderboards, and everything that the page and the data files of one of them hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchsite.addresses import board_path
from benchsite.board import words
from benchsite.board.ranks import PairedTest, Standing, Vector, against_floor, by_interval, by_test
from benchsite.board.rows import Row, best_first
from benchsite.history import Header, History, Unreported
from benchsite.history import Row as LatestRow
from benchsite.log import DeclineEntry
from benchsite.methodology import Methodology, version_key
from benchsite.receipt import Document
from benchsite.stats.resample import FLIPS
from benchsite.track import Bodies, Library, Metric, Track
from benchsite.words import figure, sentence_case


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table besides rank, subject, headline and receipt.

    Attributes:
        text: what a cell says.
        under: the small line below it; empty for none.
        words: what the column means, for "How to read this table".
    """

    heading: str
    text: Callable[[Row], str]
    under: Callable[[Row], str] = lambda _row: ""
    words: str = ""


RUNS = Column(
    "runs",
    lambda row: f"{row.runs:,}",
    words="How many receipts of this very line are published here. The row shows the latest.",
)


@dataclass(frozen=True)
class Leaderboard:
    """What a track ranks, by which number and in which words. More is better.

    Attributes:
        headline: the key of the number in `scores` that every board ranks by.
        subject: what is ranked, in the singular; `verb` is what was done with it.
        target: the receipt's member that names what was run; also its word.
        tasks: what a target holds, in the plural.
        description, opening: of the list of boards, for search engines and for readers.
        numbers: further keys of `scores` with a column each, named as `Track.metrics` has them.
        fields: the track's own numbers in the data files, from a receipt's body.
        columns: the table's own columns, in place of `numbers` and the count of runs.
        under: the same as a methodology has it, where its parameters decide what is ranked.
        compared: one number a task, where a paired test makes the ranks; else intervals do.
        flips, level: of that test.
        floors: names of what is run for comparison and never ranked; the first one is the reference line.
        is_floor: whether a body of this site's own is one of them; without it, the subject's name decides.
        programs: whether programs are measured, so that runs are announced and repeated.
        configured: whether rows of one name are told apart by version and configuration; else each counts as one.
        besides: whatever else the track's template shows of each row's receipt.
        detail: whatever else it shows of a board.
        expected: a version and its targets that have a page before there is a receipt.
        sent: who sent a row, where `{}` stands for the name.
        keys: what the subject's name and its configuration are called in the data files.
        rules: what a version is a version of, in titles.
        template, index: of a board and of the list of boards; the site's own ones serve any track.
        title, lede, sentence, explained: of a board; its sentence and explanation are quoted on the front page.
        tie: what is said of several that share the first rank.
        nothing: what a board says without a receipt.
        empty, begin: what the list says without a board, and the commands that make one.
        idle: what it says of a board where nothing is ranked.
    """

    track: Track
    headline: str
    subject: str = "system"
    verb: str = "measured"
    target: str = "benchmark"
    tasks: str = "tasks"
    description: str = "What leads, and how sure that is: a board a set of tasks."
    opening: str = "A board is one set of tasks under one version of the rules."
    numbers: Sequence[str] = ()
    fields: Mapping[str, Callable[[Document], Any]] = field(default_factory=dict)
    columns: Sequence[Column] = ()
    under: Callable[[Methodology], Leaderboard] | None = None
    compared: Callable[[Document], Vector] | None = None
    flips: int = FLIPS
    level: float = 0.05
    floors: Sequence[str] = ()
    is_floor: Callable[[Document], bool] | None = None
    programs: bool = True
    configured: bool = True
    besides: Callable[[Document], Any] = lambda _document: None
    detail: Callable[[Board], Any] = lambda _board: None
    expected: Callable[[Library], tuple[str, Sequence[str]]] = lambda _library: ("", ())
    sent: str = "run by {}, not by us"
    keys: tuple[str, str] = ("subject", "label")
    rules: str = "methodology"
    template: str = "site/board.html.j2"
    index: str = "site/boards.html.j2"
    title: Callable[[Board], str] = lambda board: sentence_case(board.target.replace("-", " "))
    lede: Callable[[Board], str] = words.lede
    sentence: Callable[[Board], str] = words.sentence
    explained: Callable[[Board], str] = lambda _board: ""
    tie: str = "share the lead"
    nothing: str = "Nothing has been measured here yet."
    empty: str = "A board appears with the first receipt."
    begin: str = ""
    idle: str = "not ranked"

    @property
    def metric(self) -> Metric:
        """How the headline number is shown."""
        return self.track.metric(self.headline)

    @property
    def own_fields(self) -> Mapping[str, Callable[[Document], Any]]:
        """What a row keeps of a body."""
        return {key: _score(key) for key in self.numbers} | dict(self.fields)

    @property
    def shown(self) -> Sequence[Column]:
        """The table's own columns."""
        return self.columns or (*(self._number(key) for key in self.numbers), RUNS)

    def _number(self, key: str) -> Column:
        metric = self.track.metric(key)
        return Column(metric.label, lambda row: figure(row.own[key], metric.digits))

    def sender(self, header: Header) -> str:
        """Who sent a receipt, in words; empty where this site ran it."""
        return self.sent.replace("{}", header.sent_by) if header.sent_by else ""

    def repeats(self, header: Header) -> bool:
        """Whether a receipt is listed as a reproduction."""
        return self.programs and header.reproduces is not None

    def is_baseline(self, name: str, document: Document) -> bool:
        """Whether a body of this site's own is run for comparison."""
        return name in self.floors and (self.is_floor is None or self.is_floor(document))

    def place_of_floor(self, row: Row) -> tuple[int, int]:
        """In the order of `floors`, the newest of a name first."""
        return self.floors.index(row.name), -(row.header.index or 0)

    def reference(self, floors: Sequence[Row]) -> Row | None:
        """The newest floor of the first name with default options."""
        return next((row for row in floors if row.name == self.floors[0] and not row.subject.label), None)


def _score(key: str) -> Callable[[Document], Any]:
    return lambda document: document["scores"].get(key)


@dataclass(frozen=True, slots=True)
class Board:
    """One target under one methodology version.

    Attributes:
        versions: every receipt of the target by methodology version, ranked or not, in log order.
        newest: the body of the newest ranked receipt; None where there is none.
        tested: whether rows have ranks.
        standing: how the leader stands against the first floor; None where no test could be made.
        detail: the track's own; it and the words are made with the board, so that what fails in a track fails there.
    """

    about: Leaderboard
    history: History
    library: Library
    target: str
    methodology: str
    versions: Mapping[str, Sequence[Header]]
    newest: Document | None
    ranked: tuple[Row, ...]
    floors: tuple[Row, ...]
    tested: bool
    standing: Standing | None
    detail: Any = None
    title: str = ""
    lede: str = ""
    sentence: str = ""
    explained: str = ""

    @property
    def headers(self) -> Sequence[Header]:
        """The receipts of this board, ranked or not."""
        return self.versions.get(self.methodology, ())

    @property
    def sha256(self) -> str:
        """Of the target, as the newest receipt here has it; empty without one."""
        return next((found.summary.target_sha256 for found in reversed(self.headers) if found.summary), "")

    @property
    def newer(self) -> str:
        """A later version under which this target was measured too, or empty."""
        latest = max(self.versions, key=version_key, default=self.methodology)
        return latest if version_key(latest) > version_key(self.methodology) else ""

    @property
    def current(self) -> str:
        """The version in force, where that is a later one; else empty."""
        newer = self.library.newer(self.about.track.name, self.methodology)
        return "" if newer is None else newer.version

    @property
    def measure(self) -> str:
        """What the headline number means, as the methodology has it; empty where it says nothing."""
        methodology = self.library.methodology(self.about.track.name, self.methodology)
        return words.measure_words(self.about.headline, methodology)

    @property
    def leading(self) -> str:
        """Who leads, in words; empty where no subject is ranked."""
        return words.leader_words(self.about, self.leaders)

    @property
    def path(self) -> str:
        """The permanent page of the target; it shows the newest methodology version with receipts."""
        return board_path(self.about.track.name, self.target)

    @property
    def frozen_path(self) -> str:
        """The permanent page of the target under this methodology version."""
        return board_path(self.about.track.name, self.target, self.methodology)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Ranked subjects, best first, then floors."""
        return self.ranked + self.floors

    @property
    def missing_floors(self) -> tuple[str, ...]:
        """Floors that this site has not run."""
        return tuple(name for name in self.about.floors if name not in {row.name for row in self.floors})

    @property
    def reproductions(self) -> tuple[Header, ...]:
        """Receipts that repeat another one, where programs are measured."""
        return tuple(one for one in self.headers if self.about.repeats(one))

    @property
    def unranked(self) -> tuple[Header, ...]:
        """Receipts that are listed apart, each with its reasons."""
        return tuple(one for one in self.headers if not one.ranked and not self.about.repeats(one))

    @property
    def unreported(self) -> tuple[Unreported, ...]:
        """Announced runs on this target, under this version, that no receipt reports."""
        here = (self.about.track.name, self.target, self.methodology)
        announced = self.history.unreported
        return tuple(one for one in announced if (one.track, one.target, one.methodology) == here)

    @property
    def declined(self) -> tuple[tuple[int, DeclineEntry], ...]:
        """Subjects that are not measured on this target, each with the index of the entry that says why."""
        here = (self.about.track.name, self.target)
        return tuple(
            (at, entry) for at, entry in self.history.declined if (entry.track, entry.target) == here
        )

    @property
    def intervals(self) -> bool:
        """Whether any row has an interval."""
        return any(row.low is not None for row in self.rows)

    @property
    def floor(self) -> float | None:
        """Where the reference line stands: the newest floor of the first name with default options."""
        row = self.about.reference(self.floors)
        return row.value if row else None

    @property
    def values(self) -> list[float]:
        """What the shared scale must hold: the intervals of the ranked subjects, and of the first floor."""
        drawn = (row for row in self.floors if row.name == self.about.floors[0] or not self.ranked)
        rows = (*self.ranked, *drawn)
        return [bound for row in rows for bound in (row.value, row.low, row.high) if bound is not None]

    @property
    def leaders(self) -> tuple[Row, ...]:
        """The subjects that may be first."""
        return tuple(row for row in self.ranked if row.first == 1)

    @property
    def subjects(self) -> int:
        """How many subjects are ranked, one in several configurations counted once."""
        return len({row.name for row in self.ranked})


def board(
    about: Leaderboard,
    history: History,
    bodies: Bodies,
    library: Library,
    *,
    target: str,
    methodology: str,
    versions: Mapping[str, Sequence[Header]],
) -> Board:
    """Compose the board of receipts that share a target and a methodology version.

    Args:
        about: what the track says of its boards.
        history: where the newest receipt of each row is found.
        bodies: receipt bodies by id.
        library: what the board's words are drawn from.
        target: the id of what was run.
        methodology: the version.
        versions: every receipt of the target by version, ranked or not, in log order.
    """
    latest = history.rows(versions.get(methodology, ()))
    last = max(latest, key=lambda row: row.header.index or 0, default=None)
    rows, vectors, newest = [], {}, None
    for found in latest:
        document = bodies(found.header.receipt_id)
        rows.append(_row(about, found, document))
        vectors[found.header.receipt_id] = about.compared(document) if about.compared is not None else {}
        newest = document if found is last else newest
    contenders = sorted((row for row in rows if not row.floor), key=best_first)
    floors = sorted((row for row in rows if row.floor), key=about.place_of_floor)
    test = PairedTest(vectors, about.flips, about.level)
    ranked, tested = by_interval(contenders), True
    if about.compared is not None:
        ranked, tested = by_test(contenders, test)
    reference = about.reference(floors)
    made = Board(
        about=about,
        history=history,
        library=library,
        target=target,
        methodology=methodology,
        versions=versions,
        newest=newest,
        ranked=ranked,
        floors=tuple(floors),
        tested=tested,
        standing=against_floor(ranked[0], reference, test) if ranked and tested else None,
    )
    made = replace(made, detail=about.detail(made))
    return replace(
        made,
        title=about.title(made),
        lede=about.lede(made),
        sentence=about.sentence(made),
        explained=about.explained(made),
    )


def _row(about: Leaderboard, found: LatestRow, document: Document) -> Row:
    """The line of a receipt whose numbers may be quoted."""
    header = found.header
    assert header.summary is not None  # noqa: S101 - History.rows gives quotable headers only
    headline = header.summary.headline
    row = Row(
        header=header,
        runs=found.runs,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        own={key: read(document) for key, read in about.own_fields.items()},
        besides=about.besides(document),
        sent=about.sender(header),
        floor=not header.sent_by and about.is_baseline(header.summary.subject.name, document),
    )
    return replace(row, cells=tuple((column.text(row), column.under(row)) for column in about.shown))
