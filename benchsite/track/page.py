"""What a track gives to the site: pages, and what they are made from besides receipts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from benchsite.addresses import difference_path
from benchsite.methodology import Methodology
from benchsite.methodology.status import Pins, VersionStatus, version_status
from benchsite.receipt import Document
from benchsite.words import difference, figure, percent, points

Bodies = Callable[[str], Document]
"""The verified body of a receipt by its id; read on demand, never kept."""


@dataclass(frozen=True, slots=True)
class Page:
    """A path under the site, a template and its context; nothing else decides what a page shows.

    Attributes:
        path: ends in `/` for an HTML page (`retrieval/locomo-10-turn/`), in a file name for data.
        template: a jinja2 template of the track or of the site.
        many: one of very many in its folder: all of them share a frame that is made once, as receipts' pages do.
        data: the bytes of a data file, instead of a template.
    """

    path: str
    title: str = ""
    description: str = ""
    template: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    many: bool = False
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


class FixtureFiles(NamedTuple):
    """A fixture that the commit holds.

    Attributes:
        id: the name of its folder.
        sha256: of its document, as receipts pin it.
        paths: its files, `fixture.json` among them, in path order.
    """

    id: str
    sha256: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """Documents that pages quote besides receipts.

    Attributes:
        methodologies: every version on disk, oldest first.
        fixture: (id, sha256) to the parsed fixture; None where it is absent, changed, or its licence does
            not allow its texts to be shown.
        pins: the versions that the log pins; none where it has not begun.
        evidence: the sha256 of every document of the record that is served, by what HEAD holds.
        document: the bytes of one of them by its sha256; None where it is not served.
        fixtures: every fixture of the commit that is strict JSON, measured or not, in order of ids.
    """

    methodologies: Sequence[Methodology]
    fixture: Callable[[str, str], Mapping[str, Any] | None]
    pins: Pins = field(default_factory=dict)
    evidence: frozenset[str] = frozenset()
    document: Callable[[str], bytes | None] = lambda _sha256: None
    fixtures: Callable[[], Sequence[FixtureFiles]] = lambda: ()

    def standing(self, track: str, version: str) -> VersionStatus:
        """Whether a version of a track's rules is in force, superseded or proposed."""
        present = [item.data.version for item in self.methodologies if item.data.track == track]
        return version_status(track, version, present=present, pins=self.pins)

    def methodology(self, track: str, version: str) -> Methodology | None:
        """The document of a version; None where it is not on disk."""
        wanted = (track, version)
        known = (item for item in self.methodologies if (item.data.track, item.data.version) == wanted)
        return next(known, None)

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
        percent: a share that is shown as `42.6%`.
    """

    label: str
    digits: int = 3
    scale: str = ""
    most: float = 1.0
    percent: bool = False

    def figure(self, value: float | None) -> str:
        """A number with its decimals; a dash where it is blank."""
        return percent(value) if self.percent else figure(value, self.digits)

    def difference(self, value: float) -> str:
        """A difference of two of these numbers, with its sign: `+0.043`, or `+24.6 pt` of shares."""
        return points(value) if self.percent else difference(value, self.digits)

    @classmethod
    def of(cls, metrics: Mapping[str, Metric], key: str) -> Metric:
        """The entry of a key in `scores`; `ndcg_at_10` is that of `ndcg_at_k`, with its cut-off in the label."""
        family, at, cut = key.rpartition("_at_")
        if key in metrics or not at:
            return metrics.get(key) or cls(key.replace("_", " "))
        general = metrics.get(f"{family}_at_k") or cls(f"{family.replace('_', ' ')}@k")
        return replace(general, label=f"{general.label.removesuffix('k')}{cut}")
