"""A receipt's numbers as rows of a table, and the page of a receipt of any track, from what its boards are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from benchsite.addresses import board_path, is_slug, receipt_page_path
from benchsite.board.board import Leaderboard
from benchsite.board.summary_text import measure_words
from benchsite.history import Header, Subject
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.track import Library, Metric, Newer, Page
from benchsite.words import share, shortened, whole

TEMPLATE: Final = "site/certificate.html.j2"
_LONGEST: Final = 60
"""Characters of a configuration in the title of its receipt."""


class Number(NamedTuple):
    """One metric; `den` is the denominator, with its numerator where the metric is a share."""

    label: str
    keys: tuple[str, ...]
    value: float | None
    low: float | None
    high: float | None
    num: int | None
    den: int | None
    excluded: int | None
    words: str
    metric: Metric

    @property
    def shown(self) -> str:
        """The value with its decimals."""
        return self.metric.figure(self.value)

    @property
    def interval(self) -> str:
        """`[0.489, 0.621]`; empty without an interval."""
        figure = self.metric.figure
        return "" if self.low is None else f"[{figure(self.low)}, {figure(self.high)}]"

    @property
    def counts(self) -> str:
        """The denominator, behind the numerator where the metric is a share."""
        return whole(self.den) if self.num is None else f"{self.num:,}/{whole(self.den)}"

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """Value, CI, n, excluded, definition: as the table shows them."""
        return self.shown, self.interval or "–", self.counts, whole(self.excluded), self.words


def number(document: Document, keys: Sequence[str], metric: Metric, words: str) -> Number:
    """The row of a key in `scores`; of several names of one metric the last one's counts are shown."""
    key = keys[-1]
    interval = document.get("intervals", {}).get(key) or {}
    counted = document.get("denominators", {}).get(key) or {}
    return Number(
        label=metric.label,
        keys=tuple(keys),
        value=document["scores"][key],
        low=interval.get("low"),
        high=interval.get("high"),
        num=counted.get("num"),
        den=counted.get("den"),
        excluded=counted.get("excluded"),
        words=words,
        metric=metric,
    )


def methodology_of(document: Document, library: Library) -> Methodology | None:
    """The methodology that a receipt pins, if the very same is published here."""
    named = document.get("methodology")
    return next((found for found in library.methodologies if found.reference == named), None)


@dataclass(frozen=True, kw_only=True)
class View:
    """What the shared certificate prints of a receipt's body.

    Attributes:
        headline: the label of the number on top.
        board: path of the receipt's leaderboard; empty where the target's id cannot be part of a path.
        here: whether the tasks that were run are published here, by the same hash.
    """

    headline: str
    value: float | None
    low: float | None
    high: float | None
    sentence: str
    newer: Newer | None
    numbers: tuple[Number, ...]
    board: str
    here: bool


def receipt_page(about: Leaderboard, header: Header, document: Document, library: Library) -> Page:
    """The page of a receipt whose numbers may be quoted, for a track without its own page."""
    assert header.summary is not None  # noqa: S101 - the pages of other receipts quote nothing
    headline, track = header.summary.headline, about.track
    methodology = methodology_of(document, library)
    metric = track.metric(headline.metric)
    numbers = tuple(
        number(document, [key], track.metric(key), measure_words(key, methodology))
        for key in document["scores"]
    )
    view = View(
        headline=metric.label,
        value=headline.value,
        low=headline.low,
        high=headline.high,
        sentence=_sentence(about, header, metric, document),
        newer=library.newer(track.name, header.methodology),
        numbers=numbers,
        board=board_of(about, header),
        here=_here(header, methodology, library),
    )
    return page(about, header, document, view)


def board_of(about: Leaderboard, header: Header) -> str:
    """The page of the receipt's board; empty where there is none."""
    target = header.summary.target if header.summary else ""
    return board_path(about.track.name, target, header.methodology) if is_slug(target) else ""


def page(
    about: Leaderboard, header: Header, document: Document, view: View, template: str = TEMPLATE
) -> Page:
    """The page that shows a view."""
    assert header.summary is not None  # noqa: S101 - a view was made of it
    value = (
        "blank"
        if view.value is None
        else about.track.metric(header.summary.headline.metric).figure(view.value)
    )
    return Page(
        path=receipt_page_path(header.receipt_id),
        title=f"{_configured(header.summary.subject)} on {header.summary.target}",
        description=f"{view.headline}: {value}. {view.sentence}",
        template=template,
        context={"about": about, "header": header, "document": document, "view": view},
    )


def _configured(subject: Subject) -> str:
    """A system with its configuration: receipts of two configurations are told apart in a list of search results."""
    return f"{subject.name} ({shortened(subject.label, _LONGEST)})" if subject.label else subject.name


def _sentence(about: Leaderboard, header: Header, metric: Metric, document: Document) -> str:
    """The headline with its counts."""
    assert header.summary is not None  # noqa: S101 - receipt_page() has looked
    headline = header.summary.headline
    counted = (document.get("denominators") or {}).get(headline.metric) or {}
    value = f"{metric.figure(headline.value)}{metric.scale}"
    said = f"{metric.label} {value} on {about.target} {header.summary.target}"
    if counted.get("num") is not None and counted.get("den"):
        said += f": {share(counted['num'], counted['den'])} {about.tasks}"
    left = counted.get("excluded") or 0
    return f"{said}; {left:,} excluded." if left else f"{said}."


def _here(header: Header, methodology: Methodology | None, library: Library) -> bool:
    """Whether the target's data, or the methodology that holds the tasks, are published here by the same hash."""
    assert header.summary is not None  # noqa: S101 - receipt_page() has looked
    sha256 = header.summary.target_sha256
    pinned = methodology is not None and methodology.sha256 == sha256
    return pinned or library.fixture(header.summary.target, sha256) is not None
