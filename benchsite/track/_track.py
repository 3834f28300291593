"""The concrete track: a name, a package, and its parts imported when they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from benchsite.addresses import receipt_page_path, schema_path
from benchsite.errors import TrackError, UsageError
from benchsite.history import Given, Header, Rescoring, Scorer, Summary, Target
from benchsite.methodology import Methodology
from benchsite.receipt import (
    LEGACY_VERSION,
    SCHEMA_VERSION,
    UNNAMED,
    Document,
    Receipt,
    envelope_schema,
    legacy_schema,
)
from benchsite.schema import Schema
from benchsite.track import registry
from benchsite.track._guard import Guard, contained, protected
from benchsite.track.exported import Exports
from benchsite.track.page import Bodies, Library, Metric, Page
from benchsite.track.page_path import misplaced
from benchsite.track.parts import (
    Command,
    Commands,
    Corrections,
    Fixtures,
    Grids,
    Outcomes,
    Paired,
    Results,
    Runner,
    Sheets,
    Subjects,
    Traces,
)
from benchsite.track.table import EveryEvalEver, Items
from benchsite.track.work import Resolved
from benchsite.unseen import escaped

_OURS: Final = "benchsite.tracks."
_FOLDERS: Final = {
    "payload": "record",
    "provenance": "record",
    "sentences": "record",
    "verification": "record",
    "engines": "scores",
    "board": "pages",
    "receipt_page": "pages",
    "command": "run",
    "runner": "run",
}
"""The folder of a part, in packages that have it; elsewhere, and for every other part, the package itself."""


@dataclass(frozen=True)
class Track:
    """One kind of benchmark: a name, a package, and what pages say of it.

    Attributes:
        name: as receipts state it; the entry point has the same.
        title: as pages and the navigation show it.
        package: the package with the parts: `payload`, `verification` and `provenance`, in a small package at its top, in a
            large one in its folder `record`; `engines` (`scores`); `board` and `receipt_page` (`pages`); `runner` and `command`
            (`run`). Always at its top, if the track has them: `sheets`, `fixtures`, `results`, `exports`, `outcomes`, `paired`, `items`, `eee`, `corrections`, `grids`, `traces` and
            `subjects`.
        groups: entry-point groups of its plug-ins by role; the first role is the subject's.
        on_files: whether it is run on a folder of `fixtures/`; else its methodology holds the tasks.
        granted: what its subjects are called in the plural if a maintainer can grant them the network and variables; empty where
            they get neither.
        violated: what a receipt's violations say of its numbers: a word in capitals and a sentence.
        limited: why a limited run is not ranked; `{limit}` stands for the number.
        metrics: how numbers are shown, by their key in `scores`; `k` in a key stands for a cut-off.
        browser: name of a JavaScript module in the package that scores again in the browser; empty where there is none.
        commands: commands of its own, as `benchsite <name>`: their line in `--help` by name. The part `commands` has them.
    """

    name: str
    title: str
    package: str
    groups: Mapping[str, str] = field(default_factory=dict)
    on_files: bool = True
    granted: str = ""
    violated: str = "IMPOSSIBLE. No real measurement gives them"
    limited: str = "limited run: only the first {limit} tasks were run"
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    browser: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what would fail at the first use: a package of others is not type-checked here."""
        texts = (self.name, self.title, self.package, self.granted, self.violated, self.limited, self.browser)
        commands = (*self.commands, *self.commands.values())
        names = (*self.groups, *self.groups.values(), *self.metrics, *commands, *texts)
        if not all(isinstance(text, str) for text in names):
            raise TypeError("a Track's names and words are text")
        if not all(isinstance(metric, Metric) for metric in self.metrics.values()):
            raise TypeError("a Track's metrics are of class Metric")

    @property
    def subject_group(self) -> str | None:
        """The entry-point group of what is measured; None where people or nothing installed is."""
        return next(iter(self.groups.values()), None)

    def metric(self, key: str) -> Metric:
        """How a number is shown, by its key in `scores`."""
        return Metric.of(self.metrics, key)

    def plugins(self, role: str) -> Mapping[str, str]:
        """Return the `module:attribute` of each installed plug-in of a role, by name."""
        return registry.installed(self.groups[role])

    def plugin(self, role: str, name: str) -> Any:
        """Import a plug-in of a role that is part of the harness, as readers of benchmarks are; never a subject.

        Raises:
            TrackError: its package fails when it is imported.
            UsageError: none of this name is installed.
        """
        known = self.plugins(role)
        if name not in known:
            raise UsageError(
                f"no installed {role} named {name!r}", hint=f"available: {', '.join(known) or 'none'}"
            )
        module, _, attribute = known[name].partition(":")
        if f"{module}.".startswith(_OURS):
            return getattr(import_module(module), attribute)
        with contained(f"{role} {name!r} cannot be loaded from {module}"):
            return getattr(import_module(module), attribute)

    @property
    def is_own(self) -> bool:
        """Whether it came with benchsite: a bug of ours is a bug, and not contained."""
        return f"{self.package}.".startswith(_OURS)

    def part(self, name: str) -> Any:
        """A module of the track's package; one of others is guarded, so that what it raises by mistake names it.

        Raises:
            TrackError: a package of others has no such module, or fails when it is imported.
        """
        if self.is_own:
            module = _module(self.package, name)
            return sys.modules.get(module) or import_module(module)
        with contained(f"{self._whose}.{name}"), protected():
            return Guard(import_module(_module(self.package, name)), name, self._whose)

    def contained(self, part: str) -> AbstractContextManager[None]:
        """Turn what a package of others raises by mistake into a `TrackError` that names this part."""
        return nullcontext() if self.is_own else contained(f"{self._whose}.{part}")

    @property
    def _whose(self) -> str:
        """What messages about the package begin with."""
        return f"track {self.name!r} failed in {self.package}"

    def _face(self, name: str) -> Any:
        with contained(f"{self._whose}.{name}"):
            there = find_spec(f"{self.package}.{name}") is not None
        return self.part(name) if there else None

    @property
    def engines(self) -> Mapping[str, type[Schema]]:
        """The scoring engines, each with the model of the parameters that it takes."""
        engines: Any = self.part("engines").ENGINES
        models = engines.values() if isinstance(engines, Mapping) else (None,)
        if not all(isinstance(model, type) and issubclass(model, Schema) for model in models):
            raise TrackError(f"track {self.name!r}: ENGINES does not map names to models of parameters")
        return dict(engines)

    @property
    def _verification(self) -> Scorer:
        return self.part("verification")  # type: ignore[no-any-return]

    def check(self, document: Document) -> None:
        """Validate the track's own keys; raises `ReceiptError` naming the field."""
        self._verification.check(document)

    def rescore(self, receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
        """Score again from the evidence; `deep` includes what `build` and the browser leave out."""
        return self._verification.rescore(receipt, given, deep=deep)

    def needs(self, document: Document) -> frozenset[str]:
        """SHA-256 of the pinned evidence that the numbers are computed from; what is quoted beside them is not in it."""
        return self._verification.needs(document)

    def target(self, document: Document) -> Target:
        """What was run."""
        return self._verification.target(document)

    def summary(self, document: Document, methodology: Methodology | None) -> Summary:
        """What a header keeps of the body; `methodology` is None where its document is not at hand."""
        return self._verification.summary(document, methodology)

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
        """The page of one receipt: a function of the receipt, its status record and its target's texts.

        Raises:
            TrackError: the track fails, or makes a page of another receipt.
        """
        page: Page = self.part("receipt_page").receipt_page(header, document, library)
        if page.path != receipt_page_path(header.receipt_id):
            raise TrackError(f"{self._whose}.receipt_page: /{page.path} is not the receipt's own page")
        return page

    def pages(self, boards: Any, bodies: Bodies, library: Library) -> Iterator[Page]:
        """The pages that the part `board` makes besides the leaderboards; none without its function `pages`.

        Args:
            boards: the track's `benchsite.board.TrackBoards`.
            bodies: receipt bodies by id.
            library: what pages may quote.
        """
        part = self.part("board")
        if "pages" in dir(part):
            yield from part.pages(boards, bodies, library)

    def own_pages(self, pages: Iterable[Page]) -> Iterator[Page]:
        """Yield these pages, each below the track's own folders and once.

        Raises:
            TrackError: a page is elsewhere, is made twice, or fails in a package of others.
        """
        files: set[str] = set()
        folders: set[str] = set()
        with self.contained("board"):
            for page in pages:
                if wrong := misplaced(page.path, self.name, files, folders):
                    raise TrackError(f"{self._whose}.board: /{escaped(page.path[:200])} {wrong}")
                yield page

    @property
    def runner(self) -> Runner:
        """The writing part."""
        return self.part("runner")  # type: ignore[no-any-return]

    @property
    def command(self) -> Command:
        """The command-line part."""
        return self.part("command")  # type: ignore[no-any-return]

    def own_command(self, name: str) -> Any:
        """Return the click command that the track adds under one of the names in `commands`.

        Raises:
            TrackError: a package of others fails.
        """
        part: Commands = self.part("commands")
        return part.command(name)

    @property
    def sheets(self) -> Sheets | None:
        """The part for people's ratings; None where programs are measured."""
        return self._face("sheets")  # type: ignore[no-any-return]

    @property
    def fixtures(self) -> Fixtures | None:
        """The part for data of its own; None where the track has none."""
        return self._face("fixtures")  # type: ignore[no-any-return]

    @property
    def results(self) -> Results | None:
        """The part for results of runs made elsewhere; None where the track imports none."""
        return self._face("results")  # type: ignore[no-any-return]

    @property
    def exports(self) -> Exports | None:
        """The part for files of other programs; None where the track writes none."""
        return self._face("exports")  # type: ignore[no-any-return]

    @property
    def outcomes(self) -> Outcomes | None:
        """The part for run files of others, scored by instance; None where the track reads none."""
        return self._face("outcomes")  # type: ignore[no-any-return]

    @property
    def paired(self) -> Paired | None:
        """The part for two receipts side by side; None where receipts have no numbers by item."""
        return self._face("paired")  # type: ignore[no-any-return]

    @property
    def items(self) -> Items | None:
        """The part for tables of evidence; None where receipts are not read row by row."""
        return self._face("items")  # type: ignore[no-any-return]

    @property
    def eee(self) -> EveryEvalEver | None:
        """The part for the format of Every Eval Ever; None where the track has none."""
        return self._face("eee")  # type: ignore[no-any-return]

    @property
    def corrections(self) -> Corrections | None:
        """The part that scores stored evidence another way; None where only a new run can."""
        return self._face("corrections")  # type: ignore[no-any-return]

    @property
    def grids(self) -> Grids | None:
        """The part for settings grids; None where the track has none."""
        return self._face("grids")  # type: ignore[no-any-return]

    @property
    def traces(self) -> Traces | None:
        """The part for recorded traces; None where runs have none."""
        return self._face("traces")  # type: ignore[no-any-return]

    @property
    def subjects(self) -> Subjects | None:
        """The part for programs that are measured; None where the track has none that could be tested."""
        return self._face("subjects")  # type: ignore[no-any-return]

    @property
    def charts(self) -> Mapping[str, Callable[..., str]]:
        """The charts that templates of the track draw by `chart("<track>.<name>", ...)`: functions that return SVG."""
        part = self._face("charts")
        found: Any = part.CHARTS if part is not None else {}
        if not isinstance(found, Mapping) or not all(map(callable, found.values())):
            raise TrackError(f"track {self.name!r}: CHARTS does not map names to functions")
        return found

    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        """JSON Schemas of the track's receipts, by schema version."""
        newest = {SCHEMA_VERSION: self.schema()}
        return {LEGACY_VERSION: legacy_schema(), **newest} if self.name == UNNAMED else newest

    def schema(self) -> Mapping[str, Any]:
        """JSON Schema (2020-12) of the track's receipts: the shared envelope and the track's own keys in one object.

        Its `$id` is relative to a site.
        """
        with contained(f"{self._whose}.payload"):
            payload = self.part("payload")
            shared = envelope_schema()
            own = payload.Payload.model_json_schema(by_alias=True)
            config = payload.Config.model_json_schema(by_alias=True)
        described = {"description": shared["properties"]["config"]["description"], "$ref": "#/$defs/Config"}
        return {
            **shared,
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"/{schema_path(f'receipt-{SCHEMA_VERSION}', self.name)}",
            "title": f"{self.title} receipt {SCHEMA_VERSION}",
            "description": f"A signed receipt of the {self.name} track.",
            "$defs": {
                **shared.get("$defs", {}),
                **config.pop("$defs", {}),
                **own.get("$defs", {}),
                "Config": config,
            },
            "properties": {**shared["properties"], **own["properties"], "config": described},
            "required": sorted({*shared["required"], *own["required"]}),
        }


@cache
def _module(package: str, part: str) -> str:
    """Return the name of a part's module: in the part's folder if the package has it there, else at its top."""
    folder = f"{package}.{_FOLDERS[part]}" if part in _FOLDERS else ""
    if folder and find_spec(folder) is not None and find_spec(f"{folder}.{part}") is not None:
        return f"{folder}.{part}"
    return f"{package}.{part}"
