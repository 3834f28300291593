"""The parts of a track that the pipeline and the command line ask for, as protocols that its modules keep.

`runner` and `command` are parts of every track. `commands`, `sheets`, `fixtures` and `subjects` are parts that a track may
have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track.system import System
from benchsite.track.work import Measurement, Plan, Resolved, RunContext, Work


class Runner(Protocol):
    """The writing part of a track: its module `runner`."""

    def plan(self, work: Work, resolved: Resolved, context: RunContext) -> Plan:
        """Describe the run without measuring anything."""

    def run(self, work: Work, resolved: Resolved, context: RunContext) -> Measurement:
        """Measure. A subject's failure is data; a harness failure is a `BenchsiteError`."""


class Command(Protocol):
    """The command-line part, its module `command`: options for `run <track>`, and the reading of a suite entry."""

    HELP: str

    def parameters(self) -> Sequence[Any]:
        """Click parameters of `run <track>`."""

    def works(self, **options: Any) -> Sequence[Work]:
        """The work that parsed options ask for."""

    def suite(self, entry: Mapping[str, Any], folder: str) -> Work:
        """The work one entry of `extra.benchsite.suite` asks for, its paths as seen from `folder`; raises `InputError`."""

    def measures(self, work: Work, document: Document, methodology: Methodology) -> bool:
        """Whether a receipt is what a piece of work would make: its subject, options, target and methodology.

        A program that is started by a command is known only by the name it gives itself: any name fits it. Tracks with
        the part `sheets` are not asked: their scores are computed again instead.
        """

    def work_of(self, document: Document) -> Work:
        """The work that a receipt records, its subject by the name the receipt states.

        Raises:
            UsageError: the receipt does not record enough to run it again.
        """


class Commands(Protocol):
    """The part of a track with commands of its own, its module `commands`. They get no signing key."""

    def command(self, name: str) -> Any:
        """Return the click command or group of a name in `Track.commands`, imported now."""


class Sheets(Protocol):
    """The part of a track that people score, its module `sheets`: files of ratings instead of programs."""

    def digests(self, document: Document) -> tuple[str, ...]:
        """The sha256 of each file of ratings that a receipt joins."""

    def is_sheet(self, value: object) -> bool:
        """Whether a parsed YAML document is meant as a sheet."""

    def blank(self, rules: Methodology, template: str) -> str:
        """A sheet for an evaluator to fill in; raises `UsageError` where the version has no such template."""


class Described(NamedTuple):
    """What is said of a fixture or benchmark where it is listed and checked.

    Attributes:
        sha256: what receipts and the log name.
        license: under which licence others may pass its texts on.
        source: where it comes from.
        notes: how it was made, and whether models may have seen it.
        counts: what it holds, by the name of a thing in the plural.
        facts: whatever else `fixture list --json` shows.
        warnings: what `fixture validate` warns of in a valid file.
    """

    id: str
    sha256: str
    license: str
    source: str
    notes: str
    counts: Mapping[str, int]
    facts: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


class Imported(NamedTuple):
    """A data set of others as the bytes of a `fixture.json`, and what the importer did, for people and as JSON."""

    data: bytes
    lines: Sequence[str]
    report: Mapping[str, Any]


class DataFormat(NamedTuple):
    """One format of data that is imported: `benchsite fixture import NAME PATH`.

    Attributes:
        help: of its command.
        convert: takes the files of PATH by relative path (one file, where there are no `suffixes`), the options, and `fixture_id`
            where `takes_id`; of a folder also its name as `where`.
        parameters: its click parameters.
        suffixes: endings of the files in the folder PATH; empty where PATH is a file.
        inputs: options that name a file, which `convert` gets as name and bytes; None where it isn't given.
        has_path: whether it takes PATH.
        takes_id: whether the id can be given; `needs_id`: whether it must be.
        large: endings of files in the folder that are too large to be read: they are kept by hash in the user's cache folder, and
            `convert` gets them as `large`, by relative path.
    """

    help: str
    convert: Callable[..., Imported]
    parameters: Sequence[Any] = ()
    suffixes: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    has_path: bool = True
    takes_id: bool = True
    needs_id: bool = False
    large: tuple[str, ...] = ()


class Fixtures(Protocol):
    """The part of a track that is run on data of its own, its module `fixtures`.

    `noun` is what its data is called: `dataset` or `benchmark`, the name of the command that imports it (datasets:
    `fixture`).
    """

    noun: str
    formats: Mapping[str, DataFormat]

    def described(self, data: bytes, where: str) -> Described:
        """Read a `fixture.json`; raises `InputError` with everything that is wrong."""


class Readable(Protocol):
    """A file of any size, which is never held whole.

    Attributes:
        name: its file name.
        path: where it is, for libraries that open it themselves; never recorded.
        size: in bytes.
    """

    name: str
    path: str
    size: int

    def chunks(self) -> Iterator[bytes]:
        """Yield its bytes from the start; raises `InputError` if it cannot be read."""

    def sha256(self) -> str:
        """Return the SHA-256 of its bytes."""


class Collected(NamedTuple):
    """What a folder of results holds: several pieces of work, and what was found and skipped.

    Attributes:
        works: in order.
        lines: for people.
        report: members that the command adds to its JSON.
    """

    works: Sequence[Work]
    lines: Sequence[str]
    report: Mapping[str, Any]


class Published(NamedTuple):
    """One format of results that others published: its help, its click parameters, and the work that imports them.

    `work` takes the files of a folder by relative path, then the options; where `is_file`, one file by its name instead; where
    `is_stream`, one `Readable`, or the files of a folder if PATH is one and `suffixes` are stated.

    Attributes:
        suffixes: endings of the files in the folder.
        has_where: whether `work` takes the name of the folder as well, as `where`.
        inputs: options that name a JSON file or a folder of them, which `work` gets as the files by relative path; None where it
            isn't given.
    """

    help: str
    parameters: Sequence[Any]
    work: Callable[..., Work | Collected]
    is_file: bool = False
    is_stream: bool = False
    suffixes: tuple[str, ...] = (".csv", ".csv.gz")
    has_where: bool = False
    inputs: tuple[str, ...] = ()


class Results(Protocol):
    """The part of a track that imports results of runs made elsewhere, its module `results`."""

    formats: Mapping[str, Published]


class ScoredRuns(NamedTuple):
    """Run files of others, scored: the value of each instance by system, and sentences about the files."""

    systems: Mapping[str, Mapping[str, float]]
    notes: Sequence[str]


class Outcomes(Protocol):
    """The part of a track that scores run files of others instance by instance, its module `outcomes`.

    `metric` is the default one.
    """

    metric: str

    def of_runs(
        self, runs: Iterable[tuple[str, bytes]], labels: tuple[str, bytes], metric: str
    ) -> ScoredRuns:
        """Score run files, given by name, with a file of labels.

        Raises:
            InputError: a file is malformed.
            UsageError: the track has no such metric.
        """


class PerItem(NamedTuple):
    """The numbers of a receipt by item.

    Attributes:
        items: what an item is, in the plural: `queries`, `tasks`.
        metrics: by name, item id to value; the headline metric first.
        categories: item id to category.
        saturated: metrics that are 1 in any order for some item, because the cut-off reaches the size of its scope.
    """

    items: str
    metrics: Mapping[str, Mapping[str, float]]
    categories: Mapping[str, str]
    saturated: frozenset[str] = frozenset()


class Paired(Protocol):
    """The part of a track that gives numbers by item, so that two receipts can be compared, its module `paired`."""

    def per_item(self, document: Document) -> PerItem:
        """Return the numbers of a receipt; no metric if it does not have them."""

    def settings(self, document: Document) -> Mapping[str, Any]:
        """Return the settings that comparable receipts share, by the words that a person reads."""


class Moved(NamedTuple):
    """An item whose number a correction changed.

    Attributes:
        before, after: None if the item isn't scored.
        why: in words: `labels changed`.
    """

    item: str
    before: float | None
    after: float | None
    why: str


class Corrected(NamedTuple):
    """Stored evidence scored by other labels or under another methodology version.

    Attributes:
        measurement: what the new receipt states.
        metrics: the headline metric before and after.
        scores: the mean of each.
        moved: every item whose number changed.
        relabeled: items with other labels, dropped ones among them.
    """

    measurement: Measurement
    metrics: tuple[str, str]
    scores: tuple[float | None, float | None]
    moved: Sequence[Moved]
    relabeled: int


class Corrections(Protocol):
    """The part of a track whose stored evidence can be scored another way, its module `corrections`."""

    def rescored(
        self,
        document: Document,
        data: tuple[bytes, bytes] | None,
        rules: Methodology,
        earlier: Methodology | None,
    ) -> Corrected:
        """Score a receipt's evidence by corrected data, given with the data that it was run on, or under another version.

        Raises:
            InputError: the evidence cannot answer that; the message names the reason.
        """

    def require_same_evidence(self, original: Document, derived: Document) -> None:
        """Refuse a derived receipt of another run; raises `InputError` with the first difference."""


class ScoredGrid(Protocol):
    """A settings grid with the scores of stored rankings."""

    @property
    def record(self) -> Mapping[str, Any]:
        """The whole as JSON: distribution, claims, effect of each setting, and what cannot be scored."""


class DeclaredGrid(Protocol):
    """A settings grid as its file declares it."""

    @property
    def rankings(self) -> frozenset[str]:
        """Ids of the datasets whose receipts count."""


class Grids(Protocol):
    """The part of a track with settings grids, its module `grids`: every contested setting scored from stored evidence."""

    def packaged(self) -> Mapping[str, bytes]:
        """Return the grids of the package by name."""

    def read(self, data: bytes, where: str) -> Any:
        """Read the file of a grid, a `DeclaredGrid`; raises `InputError` with the place at fault."""

    def scored(
        self,
        grid: Any,
        documents: Iterable[Document],
        data: Callable[[str], bytes | None],
        *,
        named: bool = False,
    ) -> ScoredGrid:
        """Score every combination; `data` gives a dataset's bytes by its id; `named`: each document was chosen.

        Raises:
            InputError: no combination can be scored.
        """


class Traces(Protocol):
    """The part of a track whose runs are recorded as traces, its module `traces`."""

    def described(self, data: bytes, name: str) -> Iterable[Mapping[str, Any]]:
        """What each run of a trace file shows; raises `InputError` with the line at fault."""

    def summary(self, runs: list[Mapping[str, Any]]) -> Iterable[str]:
        """The same of all runs, in lines for people."""


class Clause(NamedTuple):
    """One rule of a contract and how a subject does by it."""

    name: str
    state: Literal["pass", "fail", "warning", "not checked"]
    detail: str
    hint: str = ""


class Subjects(Protocol):
    """The part of a track whose subjects are programs of others, its module `subjects`."""

    timeout_s: float
    systems: Sequence[System]
    """Third-party systems that the track has an adapter for."""

    def installed_with(self, name: str) -> Sequence[System]:
        """The systems that are installed with one, itself first, or those of a group; raises `UsageError`."""

    def examined(
        self,
        subject: str,
        reference: str | None,
        options: Mapping[str, Any],
        context: RunContext,
        timeout_s: float,
    ) -> Sequence[Clause]:
        """Hold an installed subject, or `command:PROGRAM ARGS`, against the contract."""

    def scaffold(self, name: str, language: str) -> Mapping[str, str]:
        """The files of a new subject that keeps the contract, by their path in its folder."""
