"""What a track says of its leaderboards, and everything that the page and the data files of one of them hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchsite.addresses import board_path, is_slug
from benchsite.board import summary_text
from benchsite.board.columns import ORIGIN, RUNS, STANDARD, Column, Facet, Measure, Part
from benchsite.board.ranks import PairedTest, Vector
from benchsite.board.rows import Comparison, Ranking, Row
from benchsite.history import Header, History, Unreported
from benchsite.log import DeclineEntry
from benchsite.methodology import Methodology, version_key
from benchsite.receipt import Document
from benchsite.stats.resample import FLIPS
from benchsite.track import Bodies, DataColumn, Library, Metric, Track
from benchsite.words import amount, sentence_case

if TYPE_CHECKING:
    from benchsite.board.compare import SideBySide
    from benchsite.board.items import Listed
    from benchsite.board.per_item import Evidence
    from benchsite.board.picture import Kind, KindOf, Picture


@dataclass(frozen=True)
class Leaderboard:
    """What a track ranks, by which number and in which words. More is better.

    Attributes:
        headline: the key of the number in `scores` that every board ranks by.
        subject: what is ranked, in the singular; `verb` is what was done with it.
        target: the receipt's member that names what was run.
        tasks: what a target holds, in the plural.
        description, opening: of the index of leaderboards, for search engines and for readers.
        numbers: further keys of `scores` with a column each, named as `Track.metrics` has them.
        fields: the track's own numbers in the data files, from a receipt's body; `described` says what they are.
        columns: the table's own columns, in place of `numbers` and the count of runs.
        facets: the track's own filters, besides the standard ones.
        facts: what these filters read of a receipt's body, by name.
        measures: further metrics that rows can be shown and drawn by; the first costs are drawn over.
        drawn: the metric of the vertical axis of the scatter; else the headline.
        parts: the headline metric by category of tasks, of a row.
        parts_title: the heading of their table.
        interleaved: whether baselines are listed by their value; else below the ranked rows.
        called: what a row is called on the page; else `label`.
        reference_words: what the reference baseline is called behind "better than"; else its label.
        remark: the small line below the headline of a row.
        under: the same as a methodology has it, where its parameters decide what is ranked.
        compared: one number a task, where a paired test makes the ranks; else intervals do.
        items: one number an item, for tables of items by systems; else `compared` gives it.
        item_noun: what an item is, in the plural; else `tasks` says it.
        solved: what a solved item is, in words; empty where that says nothing. solving: the verb and its participle.
        cells: kinds of cells in the picture of items by systems, and the kind of a row's item; else steps of the number.
        categories: the category of each item of a body that has one; `listed` is the page of the items, None without one.
        metrics: keys of which two systems are compared; `evidence` is what the browser's scoring file reads by item.
        once: whether these numbers are of one run a task, 0 or 1: compared by McNemar's exact test.
        flips, level: of that test.
        baselines: names of what is run for comparison and never ranked; the first one is the reference line.
        accepts_baseline: whether a body of this site's own is one of them; without it, the subject's name decides.
        labels: how baselines are written, by name; else by the name.
        imports: whether results of runs made elsewhere are ranked, among themselves.
        programs: whether programs are measured, so that runs are pre-registered and reproduced.
        configured: whether rows of one name differ by version and configuration; else each counts as one.
        besides: whatever else the track's template shows of each row's receipt.
        detail: whatever else it shows of a board.
        expected: a version and its targets that have a page before there is a receipt.
        sent: who submitted a row; `{}` is the name.
        keys: what the subject's name and its configuration are called in the data files.
        rules: what a version is a version of, in titles.
        template, index, comparison: of a leaderboard, of the index and of the comparison; the site's own ones
            serve any track.
        title, lede, sentence, explained: of a board; its sentence and explanation are quoted on the front page.
        tie: what is said of several that share the first rank.
        nothing: what a leaderboard says without a receipt.
        empty, begin: what the index says without a leaderboard, and the commands that make one.
        datasets: what the track's own index lists below the leaderboards.
    """

    track: Track
    headline: str
    subject: str = "system"
    verb: str = "measured"
    target: str = "benchmark"
    tasks: str = "tasks"
    description: str = "One leaderboard per dataset and methodology version, with confidence intervals."
    opening: str = "One leaderboard per dataset and methodology version."
    numbers: Sequence[str] = ()
    fields: Mapping[str, Callable[[Document], Any]] = field(default_factory=dict)
    described: Sequence[DataColumn] = ()
    columns: Sequence[Column] = ()
    facets: Sequence[Facet] = ()
    facts: Callable[[Document], Mapping[str, Sequence[str]]] = lambda _document: {}
    measures: Sequence[Measure] = ()
    drawn: str = ""
    parts: Callable[[Row], Sequence[Part]] = lambda _row: ()
    parts_title: str = "Results by category"
    interleaved: bool = False
    called: Callable[[Row], str] | None = None
    reference_words: str = ""
    remark: Callable[[Row], str] = lambda _row: ""
    under: Callable[[Methodology], Leaderboard] | None = None
    compared: Callable[[Document], Vector] | None = None
    items: Callable[[Document], Vector] | None = None
    item_noun: str = ""
    solved: str = ""
    solving: tuple[str, str] = ("solve", "solved")
    cells: tuple[tuple[Kind, ...], KindOf] | None = None
    categories: Callable[[Document], Mapping[str, str]] = lambda _document: {}
    metrics: Sequence[str] = ()
    evidence: Callable[[Document], Evidence] | None = None
    listed: Callable[[Board], Listed | None] = lambda _board: None
    once: Callable[[Document], bool] = lambda _document: False
    flips: int = FLIPS
    level: float = 0.05
    baselines: Sequence[str] = ()
    accepts_baseline: Callable[[Document], bool] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    imports: bool = False
    programs: bool = True
    configured: bool = True
    besides: Callable[[Document], Any] = lambda _document: None
    detail: Callable[[Board], Any] = lambda _board: None
    expected: Callable[[Library], tuple[str, Sequence[str]]] = lambda _library: ("", ())
    sent: str = "submitted by {}"
    keys: tuple[str, str] = ("subject", "label")
    rules: str = "methodology"
    template: str = "site/board.html.j2"
    index: str = "site/boards.html.j2"
    comparison: str = "site/comparison.html.j2"
    title: Callable[[Board], str] = lambda board: sentence_case(board.target.replace("-", " "))
    lede: Callable[[Board], str] = summary_text.lede
    sentence: Callable[[Board], str] = summary_text.sentence
    explained: Callable[[Board], str] = lambda _board: ""
    tie: str = "share the lead"
    nothing: str = "No results yet."
    empty: str = "A leaderboard appears with the first receipt."
    begin: str = ""
    datasets: Callable[[Library], Sequence[Any]] = lambda _library: ()

    @property
    def target_word(self) -> str:
        """What was run as pages name it: a fixture is a dataset there."""
        return "dataset" if self.target == "fixture" else self.target

    @property
    def items_words(self) -> str:
        """What the items of a comparison are, in the plural."""
        return self.item_noun or self.tasks

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
        return Column(metric.label, lambda row: metric.figure(row.own[key]))

    @property
    def every_facet(self) -> Sequence[Facet]:
        """The filters of a leaderboard, in order."""
        return (*((ORIGIN,) if self.imports else ()), *self.facets, *STANDARD)

    @property
    def reference_name(self) -> str:
        """What the reference baseline is called: `BM25`; empty without baselines."""
        first = self.baselines[0] if self.baselines else ""
        return self.reference_words or self.labels.get(first, first)

    def name(self, row: Row) -> str:
        """What a row is called on the page of its leaderboard."""
        return self.called(row) if self.called is not None else self.label(row)

    def sender(self, header: Header) -> str:
        """Who submitted a receipt, in words; empty where this site ran it."""
        return self.sent.replace("{}", header.sent_by) if header.sent_by else ""

    def repeats(self, header: Header) -> bool:
        """Whether a receipt is listed as a reproduction."""
        return self.programs and header.reproduces is not None

    def label(self, row: Row) -> str:
        """A row's name as the page writes it: `BM25 baseline`."""
        return self.baseline_label(row.name) if row.baseline else row.name

    def baseline_label(self, name: str) -> str:
        """`BM25 baseline`."""
        return f"{self.labels.get(name, name)} baseline"

    def is_baseline(self, name: str, document: Document) -> bool:
        """Whether a body of this site's own is run for comparison."""
        return name in self.baselines and (self.accepts_baseline is None or self.accepts_baseline(document))

    def place_of_baseline(self, row: Row) -> tuple[int, int]:
        """In the order of `baselines`, the newest of a name first."""
        return self.baselines.index(row.name), -(row.header.index or 0)

    def reference(self, baselines: Sequence[Row]) -> Row | None:
        """The newest baseline of the first name with default options; without any, the newest of that name."""
        named = [row for row in baselines if row.name == self.baselines[0]]
        return next((row for row in named if not row.subject.label), next(iter(named), None))


def _score(key: str) -> Callable[[Document], Any]:
    return lambda document: document["scores"].get(key)


@dataclass(frozen=True, slots=True)
class Board:
    """One target under one methodology version.

    Attributes:
        bodies: of receipts, by id.
        versions: every receipt of the target by methodology version, ranked or not, in log order.
        newest: the body of the newest ranked receipt; None where there is none.
        test: of any two rows.
        tested: whether rows have ranks.
        side_by_side: the systems compared with each other; None for an older version and without numbers by item.
        picture: the items by systems; None for an older version, and for a track that does not say what solved is.
        imported: results of runs made elsewhere, ranked among themselves, with the baselines as compared with them.
        resolution: how many adjacent ranks are separable, in a line; empty without a paired test.
        detail: the track's own; it and the words are made with the board, so that what fails in a track fails there.
    """

    about: Leaderboard
    history: History
    library: Library
    target: str
    methodology: str
    bodies: Bodies
    versions: Mapping[str, Sequence[Header]]
    newest: Document | None
    test: PairedTest
    ranked: tuple[Row, ...]
    baselines: tuple[Row, ...]
    tested: bool
    side_by_side: SideBySide | None = None
    picture: Picture | None = None
    imported: Ranking = field(default_factory=Ranking)
    detail: Any = None
    title: str = ""
    lede: str = ""
    sentence: str = ""
    explained: str = ""
    resolution: str = ""

    @property
    def standing(self) -> Comparison | None:
        """The first row with the reference baseline; None where no test could be made."""
        return self.ranked[0].to_baseline if self.ranked and self.tested else None

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
        return summary_text.measure_words(self.about.headline, methodology)

    @property
    def leading(self) -> str:
        """Who leads, in words; empty where no subject is ranked."""
        return summary_text.leader_words(self.about, self.leaders)

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
        """Ranked subjects, best first, then baselines."""
        return self.ranked + self.baselines

    @property
    def missing_baselines(self) -> tuple[str, ...]:
        """Baselines that this site has not run."""
        return tuple(
            name for name in self.about.baselines if name not in {row.name for row in self.baselines}
        )

    @property
    def reproductions(self) -> tuple[Header, ...]:
        """Receipts that repeat another one, where programs are measured."""
        return tuple(one for one in self.headers if self.about.repeats(one))

    @property
    def unranked(self) -> tuple[Header, ...]:
        """Receipts that are listed and not ranked, each with its reasons."""
        others = (one for one in self.headers if not one.ranked and not self.about.repeats(one))
        return tuple(one for one in others if not (self.about.imports and one.imported))

    @property
    def corrected(self) -> tuple[tuple[str, str], ...]:
        """Other datasets whose labels the rankings of this board were scored by, each with its leaderboard's path."""
        names = {one.receipt_id for one in self.headers}
        targets = {
            one.summary.target
            for one in self.history.of(self.about.track.name)
            if one.derived_from in names and one.summary is not None
        }
        others = sorted(targets - {self.target})
        return tuple((name, board_path(self.about.track.name, name)) for name in others if is_slug(name))

    @property
    def unreported(self) -> tuple[Unreported, ...]:
        """Pre-registered runs on this target, under this version, that no receipt reports."""
        here, registered = (self.about.track.name, self.target, self.methodology), self.history.unreported
        return tuple(one for one in registered if (one.track, one.target, one.methodology) == here)

    @property
    def declined(self) -> tuple[tuple[int, DeclineEntry], ...]:
        """Subjects that are not measured on this target, each with the index of the entry that says why."""
        here = (self.about.track.name, self.target)
        found = self.history.declined
        return tuple((at, entry) for at, entry in found if (entry.track, entry.target) == here)

    @property
    def intervals(self) -> bool:
        """Whether any row has an interval."""
        return any(row.low is not None for row in self.rows)

    @property
    def baseline(self) -> float | None:
        """Position of the reference line: the newest baseline of the first name with default options."""
        row = self.about.reference(self.baselines)
        return row.value if row else None

    @property
    def values(self) -> list[float]:
        """What the shared scale must hold: the intervals of the ranked subjects, and of the first baseline."""
        drawn = (
            row
            for row in self.baselines
            if row.name == self.about.baselines[0] or not (self.ranked or self.imported.ranked)
        )
        rows = (*self.ranked, *self.imported.ranked, *drawn)
        return [bound for row in rows for bound in (row.value, row.low, row.high) if bound is not None]

    @property
    def contenders(self) -> tuple[Row, ...]:
        """The ranked rows; where nothing that was run here is ranked, those of results of runs made elsewhere."""
        return self.ranked or self.imported.ranked

    @property
    def leaders(self) -> tuple[Row, ...]:
        """The subjects that may be first."""
        return tuple(row for row in self.contenders if row.first == 1)

    @property
    def subjects(self) -> int:
        """How many subjects are ranked, one in several configurations counted once."""
        return len({row.name for row in self.contenders})

    @property
    def composition(self) -> str:
        """`2 configurations, 3 baselines`: the rows, where they are not one a subject."""
        ranked = len(self.contenders)
        rows = amount(ranked, "configuration") if ranked != self.subjects else ""
        baselines = amount(len(self.baselines), "baseline") if self.baselines else ""
        return ", ".join(part for part in (rows, baselines) if part)
