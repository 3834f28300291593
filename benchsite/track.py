"""What a track is, what it is given, and what it gives back.

A track looks nothing up: the pipeline resolves fixtures, subjects and methodologies and passes them in. The
writing face (`runner`) and the command-line options (`command`) are loaded only when asked for, so that
building the site imports neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol

from benchsite.addresses import difference_path
from benchsite.history import Header, History, Judge
from benchsite.methodology import Methodology
from benchsite.methodology.standing import Pins, Standing, stand
from benchsite.receipt import Document

__all__ = [
    "NOTHING",
    "Bodies",
    "Command",
    "Evidence",
    "Grant",
    "Library",
    "Measurement",
    "Metric",
    "Newer",
    "Page",
    "Plan",
    "Resolved",
    "RunContext",
    "Runner",
    "Track",
    "Work",
]

Bodies = Callable[[str], Document]
"""The verified body of a receipt by its id; read on demand, never kept."""


@dataclass(frozen=True, slots=True)
class Page:
    """A path under the site, a template and its context; nothing else decides what a page shows.

    Attributes:
        path: ends in `/` for an HTML page (`retrieval/locomo-10-turn/`), in a file name for data.
        template: a jinja2 template of the track or of the site.
        data: the bytes of a data file, instead of a template.
    """

    path: str
    title: str = ""
    description: str = ""
    template: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Newer:
    """The version that superseded another one.

    Attributes:
        version: the one in force.
        changes: the page of their differences; empty where one of the two does not lie here.
    """

    version: str
    changes: str


@dataclass(frozen=True, slots=True)
class Library:
    """Documents that pages quote besides receipts.

    Attributes:
        methodologies: every version on disk, oldest first.
        fixture: (id, sha256) to the parsed fixture; None where it is absent, changed, or its licence does
            not allow its texts to be shown.
        pins: the versions that the log pins; none where it has not begun.
        evidence: the sha256 of every document of the record that is served, by what HEAD holds.
    """

    methodologies: Sequence[Methodology]
    fixture: Callable[[str, str], Mapping[str, Any] | None]
    pins: Pins = field(default_factory=dict)
    evidence: frozenset[str] = frozenset()

    def standing(self, track: str, version: str) -> Standing:
        """Whether a version of a track's rules is in force, superseded or proposed."""
        present = [item.data.version for item in self.methodologies if item.data.track == track]
        return stand(track, version, present=present, pins=self.pins)

    def newer(self, track: str, version: str) -> Newer | None:
        """What superseded a version; None where nothing did."""
        standing = self.standing(track, version)
        if not standing.superseded:
            return None
        here = {item.data.version for item in self.methodologies if item.data.track == track}
        both = {version, standing.current} <= here
        return Newer(standing.current, difference_path(track, version, standing.current) if both else "")


@dataclass(frozen=True, slots=True)
class Metric:
    """How a number of a receipt is shown.

    Attributes:
        label: its name.
        digits: its decimals.
        scale: what follows it (` of 100`).
        most: a full score; drawings of anything but shares run from 0 to it.
    """

    label: str
    digits: int = 3
    scale: str = ""
    most: float = 1.0

    @classmethod
    def of(cls, metrics: Mapping[str, Metric], key: str) -> Metric:
        """The entry of a key in `scores`; `ndcg_at_10` is that of `ndcg_at_k`, with its cut-off in the label."""
        family, at, cut = key.rpartition("_at_")
        if key in metrics or not at:
            return metrics.get(key) or cls(key.replace("_", " "))
        general = metrics.get(f"{family}_at_k") or cls(f"{family.replace('_', ' ')}@k")
        return replace(general, label=f"{general.label.removesuffix('k')}{cut}")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a maintainer grants a measured program; a program grants itself nothing.

    Attributes:
        network: whether it may reach the network.
        environment: names of the variables passed on where they exist; never one of `BENCHSITE_*`.
        memory_mb: how many megabytes it and what it starts may hold together.
    """

    network: bool = False
    environment: tuple[str, ...] = ()
    memory_mb: int = 8192

    def extended(self, other: Grant) -> Grant:
        """What either of two grants names, with this one's memory."""
        environment = tuple(dict.fromkeys((*self.environment, *other.environment)))
        return replace(self, network=self.network or other.network, environment=environment)


NOTHING: Final = Grant()


@dataclass(frozen=True, slots=True)
class RunContext:
    """All a runner may know of the outside: a clock, the load, where to report progress, a scratch folder.

    Attributes:
        grants: what the maintainer grants a subject, by the name the work gives it.
        sealed: folders that a measured program must not write to.
        watched: files and folders whose change during a measurement spoils it, where writing cannot be prevented.
    """

    now: Callable[[], str]
    perf_counter_ns: Callable[[], int]
    load_average: Callable[[], float | None]
    cores: int
    progress: Callable[[int, int, str], None]
    temp_dir: str
    grants: Callable[[str], Grant] = lambda _subject: NOTHING
    sealed: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """One thing to measure.

    Attributes:
        subject: the plug-in's name (`sqlite-fts5`) or `command:...`.
        target: a fixture or benchmark id.
        methodology: the version to score under; empty means the newest.
        request: the track's own settings, opaque to the pipeline.
    """

    track: str
    subject: str
    target: str
    methodology: str
    request: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Resolved:
    """What the pipeline looked up for a piece of work.

    Attributes:
        rules: the methodology to score under.
        reference: the subject's `module:attribute`; None for a command, and in tracks whose subjects are no plug-ins.
        target: the bytes of the fixture or benchmark; empty in tracks whose tasks stand in the rules.
    """

    rules: Methodology
    reference: str | None = None
    target: bytes = b""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would measure, known before it starts.

    Attributes:
        identity: what its receipt's `Summary.identity` would be, so that `--changed` can compare.
        subject: (name, version) as the subject states them.
        config: its receipt's `config`, the digest of the subject's source included.
        target: (id, sha256) of the fixture or benchmark.
        cost: how much work it is, in words.
    """

    identity: str
    subject: tuple[str, str]
    config: Mapping[str, Any]
    target: tuple[str, str]
    cost: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A document kept beside the receipt, by the sha256 of its bytes."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Measurement:
    """A finished run.

    Attributes:
        config: the receipt's `config`.
        payload: the track's own keys.
        notes: for the person who runs it.
        evidence: the receipt's `evidence`, each entry with the bytes it pins.
        simulated: whether a simulated model produced it.
        origin: `native`, or where else it was measured.
    """

    config: Mapping[str, Any]
    payload: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    simulated: bool = False
    origin: Literal["native", "external-run", "import"] = "native"


class Runner(Protocol):
    """The writing face of a track."""

    def plan(self, work: Work, resolved: Resolved, context: RunContext) -> Plan:
        """Describe the run without measuring anything."""

    def run(self, work: Work, resolved: Resolved, context: RunContext) -> Measurement:
        """Measure. A subject's failure is data; a harness failure is a `BenchsiteError`."""


class Command(Protocol):
    """The command-line face: options for `run <track>`, and the reading of a suite entry."""

    help: str

    def parameters(self) -> Sequence[Any]:
        """Click parameters of `run <track>`."""

    def works(self, **options: Any) -> Sequence[Work]:
        """The work that parsed options ask for."""

    def suite(self, entry: Mapping[str, Any], folder: str) -> Work:
        """The work one entry of `extra.benchsite.suite` asks for, its paths as seen from `folder`; raises `InputError`."""

    def measures(self, work: Work, document: Document) -> bool:
        """Whether a receipt is what a piece of work would make: its subject, options, target and methodology.

        A program that is started by a command is known only by the name it gives itself: any name fits it. Tracks of
        which `Track.judgements` gives digests are not asked: their scores are computed again instead.
        """

    def again(self, document: Document) -> Work:
        """The work that a receipt records, its subject by the name the receipt states.

        Raises:
            UsageError: the receipt does not record enough to run it again.
        """


class Track(Judge, Protocol):
    """One kind of benchmark.

    Attributes:
        plugin_group: the entry points of its subjects; None where subjects are no plug-ins.
        on_fixtures: whether it is run on fixtures or benchmarks; else its tasks stand in the rules.
        violated: what a receipt's violations say of its numbers: a word in capitals and a sentence.
        metrics: how numbers are shown, by their key in `scores`; `k` in a key stands for a cut-off.
    """

    name: str
    title: str
    package: str
    plugin_group: str | None
    on_fixtures: bool
    violated: str
    metrics: Mapping[str, Metric]

    def metric(self, key: str) -> Metric:
        """How a number is shown, by its key in `scores`."""

    def hold_against(self, document: Document, resolved: Resolved) -> None:
        """Compare what a draft says of its tasks with the fixture, the benchmark or the rules themselves.

        Raises:
            IntegrityError: a question, an expected answer, a count, a template or a criterion is not theirs.
        """

    def differing(self, document: Document, again: Document) -> Iterator[tuple[str, str]]:
        """Where the evidence of a repeated run departs from the first one's: (query or task id, what, in words)."""

    def judgements(self, document: Document) -> tuple[str, ...] | None:
        """The sha256 of each file of people's judgements that a receipt joins; None where programs are measured."""

    def parameters(self, version: str) -> Mapping[str, Any] | None:
        """What `parameters` of a version's document must say, because the code goes by it; None where none does."""

    def blank_sheet(self, rules: Methodology, template: str) -> str:
        """A sheet for an evaluator to fill in.

        Raises:
            UsageError: people fill no sheets in this track, or the version has no such template.
        """

    def receipt_page(self, header: Header, document: Document, library: Library) -> Page:
        """The certificate: a function of the receipt, its status record and its fixture's texts."""

    def pages(self, history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
        """The leaderboards and every other page of the track."""

    def runner(self) -> Runner:
        """The writing face, imported on demand."""

    def command(self) -> Command:
        """The command-line face, imported on demand."""

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the track's own keys."""
