"""The concrete track: a name, a package, and its parts imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, TypeVar

from benchsite.errors import BenchsiteError, TrackError
from benchsite.history import Given, Header, History, Judge, Judgement, Summary, Target, UncheckedError
from benchsite.methodology import Methodology
from benchsite.receipt import Document, Receipt, ReceiptError
from benchsite.schema import Schema
from benchsite.track.faces import Command, Fixtures, Runner, Sheets, Subjects
from benchsite.track.page import Bodies, Library, Metric, Page
from benchsite.track.work import Resolved

_OURS: Final = "benchsite.tracks."
T = TypeVar("T")


@dataclass(frozen=True)
class Track:
    """One kind of benchmark: a name, a package, and what pages say of it.

    Attributes:
        name: as receipts state it; the entry point has the same.
        title: as pages and the navigation show it.
        package: the package with the parts: `payload`, `engines`, `verification`, `provenance`, `board`, `receipt_page`,
            `runner` and `command`; `sheets`, `fixtures` and `subjects` where the track has these faces.
        groups: entry-point groups of its plug-ins by role; the first role is the subject's.
        on_files: whether it is run on a folder of `fixtures/`; else its methodology holds the tasks.
        violated: what a receipt's violations say of its numbers: a word in capitals and a sentence.
        limited: why a limited run is not ranked; `{limit}` stands for the number.
        metrics: how numbers are shown, by their key in `scores`; `k` in a key stands for a cut-off.
        browser: name of a JavaScript module in the package that scores again in the browser; empty where there is none.
    """

    name: str
    title: str
    package: str
    groups: Mapping[str, str] = field(default_factory=dict)
    on_files: bool = True
    violated: str = "IMPOSSIBLE. No real measurement gives them"
    limited: str = "limited run: only the first {limit} tasks were run"
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    browser: str = ""

    @property
    def subject_group(self) -> str | None:
        """The entry-point group of what is measured; None where people or nothing installed is."""
        return next(iter(self.groups.values()), None)

    def metric(self, key: str) -> Metric:
        """How a number is shown, by its key in `scores`."""
        return Metric.of(self.metrics, key)

    @property
    def is_own(self) -> bool:
        """Whether it came with benchsite: a bug of ours is a bug, and not contained."""
        return f"{self.package}.".startswith(_OURS)

    def part(self, name: str) -> Any:
        """A module of the track's package; one of others is guarded, so that what it raises by mistake names it.

        Raises:
            TrackError: a package of others has no such module, or fails when it is imported.
        """
        return self._guarded(name, lambda: import_module(f"{self.package}.{name}"))

    def _face(self, name: str) -> Any:
        return self.part(name) if find_spec(f"{self.package}.{name}") is not None else None

    def _guarded(self, part: str, load: Callable[[], Any]) -> Any:
        if self.is_own:
            return load()
        where = f"track {self.name!r} failed in {self.package}.{part}"
        with _contained(where):
            return _Guard(load(), where)

    @property
    def engines(self) -> Mapping[str, type[Schema]]:
        """The scoring engines, each with the model of the parameters that it takes."""
        engines: Any = self.part("engines").ENGINES
        models = engines.values() if isinstance(engines, Mapping) else (None,)
        if not all(isinstance(model, type) and issubclass(model, Schema) for model in models):
            raise TrackError(f"track {self.name!r}: ENGINES does not map names to models of parameters")
        return dict(engines)

    @property
    def _verification(self) -> Judge:
        return self.part("verification")  # type: ignore[no-any-return]

    def check(self, document: Document) -> None:
        """Validate the track's own keys; raises `ReceiptError` naming the field."""
        self._verification.check(document)

    def judge(self, receipt: Receipt, given: Given, *, deep: bool) -> Judgement:
        """Score again from the evidence; `deep` includes what `build` and the browser leave out."""
        return self._made(self._verification.judge(receipt, given, deep=deep), Judgement, "judge")

    def needs(self, document: Document) -> frozenset[str]:
        """SHA-256 of the pinned evidence that the numbers are computed from; what is quoted beside them is not in it."""
        return self._made(self._verification.needs(document), frozenset, "needs")

    def target(self, document: Document) -> Target:
        """What was run."""
        return self._made(self._verification.target(document), Target, "target")

    def summary(self, document: Document, methodology: Methodology | None) -> Summary:
        """What a header keeps of the body; `methodology` is None where its document is not at hand."""
        return self._made(self._verification.summary(document, methodology), Summary, "summary")

    def _made(self, value: T, kind: type[T], name: str) -> T:
        """What a function of `verification` gave, refused where it is something else than promised."""
        if not isinstance(value, kind):
            given = type(value).__name__
            raise TrackError(f"track {self.name!r}: verification.{name} gave {given}, not {kind.__name__}")
        return value

    def hold_against(self, document: Document, resolved: Resolved) -> None:
        """Compare what a draft says of its tasks with the fixture, the benchmark or the methodology.

        Raises:
            IntegrityError: a question, an expected answer, a count, a template or a criterion is not theirs.
        """
        self.part("provenance").hold_against(document, resolved)

    def differing(self, document: Document, again: Document) -> Iterator[tuple[str, str]]:
        """Where the evidence of a repeated run departs from the first one's: (query or task id, what, in words)."""
        yield from self.part("provenance").differing(document, again)

    def receipt_page(self, header: Header, document: Document, library: Library) -> Page:
        """The page of one receipt: a function of the receipt, its status record and its target's texts."""
        return self.part("receipt_page").receipt_page(header, document, library)  # type: ignore[no-any-return]

    def pages(self, history: History, bodies: Bodies, library: Library) -> Iterator[Page]:
        """The leaderboards and every other page of the track."""
        yield from self.part("board").pages(history, bodies, library)

    @property
    def runner(self) -> Runner:
        """The writing face."""
        return self.part("runner")  # type: ignore[no-any-return]

    @property
    def command(self) -> Command:
        """The command-line face."""
        return self.part("command")  # type: ignore[no-any-return]

    @property
    def sheets(self) -> Sheets | None:
        """The face for people's ratings; None where programs are measured."""
        return self._face("sheets")  # type: ignore[no-any-return]

    @property
    def fixtures(self) -> Fixtures | None:
        """The face for data of its own; None where the track has none."""
        return self._face("fixtures")  # type: ignore[no-any-return]

    @property
    def subjects(self) -> Subjects | None:
        """The face for programs that are measured; None where the track has none that could be tested."""
        return self._face("subjects")  # type: ignore[no-any-return]

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the track's own keys."""
        return self.part("payload").Payload.model_json_schema(by_alias=True)  # type: ignore[no-any-return]


@contextmanager
def _contained(where: str, handed_on: tuple[type[BenchsiteError], ...] = (BenchsiteError,)) -> Iterator[None]:
    """Turn what a package of others raises by mistake into a `TrackError`."""
    try:
        yield
    except (Exception, SystemExit) as error:
        if isinstance(error, (*handed_on, TrackError)):
            raise
        raise TrackError(f"{where}: {type(error).__name__}: {error}"[:500]) from error


_VERDICTS: Final[tuple[type[BenchsiteError], ...]] = (ReceiptError, UncheckedError)
"""What checking and scoring raise on purpose; any other error of theirs is one of the track."""


class _Guard:
    """A module of others; each of its functions is contained, and so is what they yield."""

    def __init__(self, module: Any, where: str) -> None:
        self._module = module
        self._where = where

    def __getattr__(self, name: str) -> Any:
        where = f"{self._where}.{name}"
        with _contained(where):
            value = getattr(self._module, name)
        if not callable(value) or isinstance(value, type):
            return value
        handed_on = _VERDICTS if self._where.endswith(".verification") else (BenchsiteError,)
        return _guarded(value, where, handed_on)


def _guarded(
    function: Callable[..., Any], where: str, handed_on: tuple[type[BenchsiteError], ...]
) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        with _contained(where, handed_on):
            result = function(*arguments, **options)
        return _each(result, where) if isinstance(result, Iterator) else result

    return call


def _each(items: Iterator[Any], where: str) -> Iterator[Any]:
    with _contained(where):
        yield from items
