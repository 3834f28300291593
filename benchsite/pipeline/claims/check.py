"""The status of each number that cites a receipt, from the record at one commit.

The first that applies: the receipt isn't in the log; the number isn't the receipt's; the receipt is retracted or superseded; a newer
one replaces it on the leaderboard; the result isn't significantly better than the baseline. Otherwise the number matches.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, NamedTuple

from benchsite.board import Board, Row
from benchsite.errors import BenchsiteError
from benchsite.history import Header, History, Verdict
from benchsite.pipeline.building.pages import bodies
from benchsite.pipeline.claims.numbers import Number, numbers
from benchsite.pipeline.claims.tagged import Tagged, tagged
from benchsite.pipeline.leaderboards import leaderboard
from benchsite.pipeline.snapshot import Snapshot
from benchsite.receipt import Document
from benchsite.track import Bodies, Metric
from benchsite.words import p_value

__all__ = ["Claim", "Status", "Text", "claims"]


class Status(StrEnum):
    """Whether a quoted number still holds."""

    MATCHES = "MATCHES"
    NOT_SIGNIFICANT = "NOT SIGNIFICANT"
    STALE = "STALE"
    OTHER_SETTINGS = "OTHER SETTINGS"
    DIFFERS = "DIFFERS"
    SUPERSEDED = "SUPERSEDED"
    RETRACTED = "RETRACTED"
    NOT_IN_THE_LOG = "NOT IN THE LOG"


class Text(NamedTuple):
    """A file that quotes numbers: its name, its kind (a key of `tagged.KINDS`) and its content."""

    name: str
    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A quoted number, or a badge without one.

    Attributes:
        number: as written; empty for a badge, or a link without a number.
        metric: the label of the metric that it was compared with; empty if it was compared with none.
        detail: the reason for the status in words; empty if it matches without a remark.
    """

    file: str
    line: int
    receipt_id: str
    number: str
    metric: str
    status: Status
    detail: str


_LEADING: Final = re.compile(r"[\s*_`|(:=,–—-]*(?:\b(?:of|is|was|at|to)\b)?[\s*_`|(:=,–—-]*$")
"""What may be between a metric's name and a link."""
_STANDING: Final = (Verdict.LOGGED, Verdict.WITNESSED, Verdict.DISPUTED)
_WITHDRAWN: Final = {Verdict.RETRACTED: Status.RETRACTED, Verdict.SUPERSEDED: Status.SUPERSEDED}


def claims(snapshot: Snapshot, texts: Iterable[Text]) -> Iterator[Claim]:
    """Yield the status of each number in the order of the texts; the record is verified before the first of them."""
    record = _Record(snapshot)
    for text in texts:
        try:
            for one in tagged(text.content, text.kind):
                yield from _claims(record, text.name, one)
        except BenchsiteError as error:
            error.message = f"{text.name}: {error.message}"
            raise


def _claims(record: _Record, file: str, cited: Tagged) -> Iterator[Claim]:
    """Yield a claim for each number of a link; one without a number for a badge."""
    read = list(numbers(_without_names(record, cited)))
    header = record.history.get(cited.receipt_id)
    checked: Sequence[Number | None] = read or [None]
    for number in checked:
        if header is None:
            metric, status, detail = "", Status.NOT_IN_THE_LOG, "no receipt of this record has this id"
        elif header.verdict not in _STANDING and header.verdict not in _WITHDRAWN:
            metric, status, detail = "", Status.NOT_IN_THE_LOG, f"its verdict is {header.verdict}"
        else:
            metric, status, detail = _compared(record, header, cited, number)
        written = number.text if number is not None else ""
        yield Claim(file, cited.line, cited.receipt_id, written, metric, status, detail)


def _compared(
    record: _Record, header: Header, cited: Tagged, number: Number | None
) -> tuple[str, Status, str]:
    """Return metric, status and detail of a number of a receipt in the log."""
    document = record.bodies(cited.receipt_id)
    if "_" in cited.metric and cited.metric not in document["scores"]:
        return cited.metric, Status.DIFFERS, "the receipt has no such metric"
    keys, is_named = record.metrics(cited, header, document)
    key = keys[0]
    if number is not None:
        key = next((one for one in keys if _states(document, one, number, record.metric_of(header, one))), "")
        if not key:
            status, detail = _other(record, header, document, keys[0], number, is_named=is_named)
            withdrawn = _WITHDRAWN.get(header.verdict)
            also = f"; {withdrawn.lower()}" if withdrawn else ""
            return record.label(header, keys[0]), status, f"{detail}{also}"
    return record.label(header, key), *_worth(record, header)


def _worth(record: _Record, header: Header) -> tuple[Status, str]:
    """Return status and detail of a number that is the receipt's."""
    if header.verdict in _WITHDRAWN:
        by = f"by receipt {header.superseded_by}" if header.superseded_by else ""
        return _WITHDRAWN[header.verdict], by
    if header.unranked and not header.imported and header.reproduces is None:
        return Status.OTHER_SETTINGS, f"not ranked: {header.unranked[0]}"
    if newer := record.newer(header):
        return Status.STALE, newer
    row = record.row(header)
    if (
        row is not None
        and row.to_baseline is not None
        and (row.to_baseline.tied or row.to_baseline.delta < 0)
    ):
        said = "not significantly better than" if row.to_baseline.tied else "significantly worse than"
        return Status.NOT_SIGNIFICANT, f"{said} the baseline (Holm-adjusted {p_value(row.to_baseline.holm)})"
    return Status.MATCHES, "disputed" if header.verdict is Verdict.DISPUTED else ""


def _states(document: Document, key: str, number: Number, metric: Metric) -> bool:
    """Whether a receipt states a number for a metric: as its score, a bound of its CI, or its counts."""
    if number.kind == "count":
        counts = document.get("denominators", {}).get(key, {})
        return (counts.get("num"), counts.get("den")) == (int(number.value), number.denominator)
    if number.kind == "value":
        score = document["scores"].get(key)
        return score is not None and number.equals(score, full=metric.most)
    bound = document.get("intervals", {}).get(key, {}).get(number.kind)
    return bound is not None and any(
        number._replace(percent=percent).equals(bound, full=metric.most) for percent in (False, True)
    )


def _other(
    record: _Record, header: Header, document: Document, key: str, number: Number, *, is_named: bool
) -> tuple[Status, str]:
    """Return where a number comes from that isn't the receipt's value of the metric."""
    if not is_named:
        for other in document["scores"]:
            metric = record.metric_of(header, other)
            if _states(document, other, number, metric):
                return Status.OTHER_SETTINGS, f"it is {metric.label}: name the metric beside the number"
    for relative in record.relatives(header):
        if _states(record.bodies(relative.receipt_id), key, number, record.metric_of(relative, key)):
            return (
                Status.OTHER_SETTINGS,
                f"it is the number of receipt {relative.receipt_id}, with other settings",
            )
    if number.kind in ("low", "high"):
        interval = document.get("intervals", {}).get(key)
        metric = record.metric_of(header, key)
        shown = (
            f"[{metric.figure(interval['low'])}, {metric.figure(interval['high'])}]"
            if interval
            else "not stated"
        )
        return Status.DIFFERS, f"the receipt's CI is {shown}"
    stated = document["scores"].get(key)
    shown = "no value" if stated is None else record.metric_of(header, key).figure(stated)
    return Status.DIFFERS, f"the receipt states {shown}"


def _without_names(record: _Record, cited: Tagged) -> str:
    """The text of a link without the labels of metrics, which may contain digits."""
    text = cited.text
    for label in record.labels(cited.receipt_id):
        text = text.replace(label, " ")
    return text


class _Record:
    """What claims are compared with: the verified history and the leaderboards of quoted receipts, each when first needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._boards: dict[tuple[str, str, str], Board | None] = {}

    @cached_property
    def history(self) -> History:
        """The verified history."""
        return self._snapshot.history()

    @cached_property
    def bodies(self) -> Bodies:
        """The receipts by id."""
        return bodies(self._snapshot, self.history)

    def metric_of(self, header: Header, key: str) -> Metric:
        """How a number of the receipt's track is shown."""
        return self._snapshot.tracks[header.track].metric(key)

    def label(self, header: Header, key: str) -> str:
        """The label of a metric."""
        return self.metric_of(header, key).label

    def labels(self, receipt_id: str) -> Sequence[str]:
        """The labels of every score of a receipt, the longest first; none for a receipt that can't be quoted."""
        header = self.history.get(receipt_id)
        if header is None or not header.quotable:
            return ()
        return sorted(
            {self.label(header, key) for key in self.bodies(receipt_id)["scores"]}, key=len, reverse=True
        )

    def metrics(self, cited: Tagged, header: Header, document: Document) -> tuple[Sequence[str], bool]:
        """Return the keys that a number may be the value of, and whether the citation itself names the metric.

        The address's fragment names it, then the link's text, then the words right before the link. Otherwise it is the last
        one in the text before the link, or the headline. A name without a cut-off may mean any.
        """
        assert header.summary is not None  # noqa: S101 - a receipt in good standing has one
        scores: Mapping[str, Any] = document["scores"]
        if cited.metric in scores:
            return [cited.metric], True
        labels = [(self.label(header, key).lower(), key) for key in scores]
        before = _LEADING.sub("", cited.context.lower())
        for text, is_end in ((cited.text.lower(), False), (before, True)):
            if own := _last(labels, text, is_end=is_end):
                return own, True
        return [*_last(labels, before), header.summary.headline.metric], False

    def relatives(self, header: Header) -> Iterator[Header]:
        """Yield the other quotable receipts of the same subject and target."""
        for other in self.history.of(header.track):
            if (
                other.summary is not None
                and header.summary is not None
                and other.receipt_id != header.receipt_id
                and other.summary.subject.name == header.summary.subject.name
                and other.summary.target == header.summary.target
            ):
                yield other

    def newer(self, header: Header) -> str:
        """The reason why a receipt is no longer the current one of its row, or empty."""
        latest = self._latest.get((_board(header), *_row(header)))
        if latest is not None and latest.receipt_id != header.receipt_id:
            return f"receipt {latest.receipt_id} is newer"
        board = self._board(header)
        successor = board.newer if board is not None else ""
        return f"methodology {header.methodology} was succeeded by {successor}" if successor else ""

    @cached_property
    def _latest(self) -> Mapping[tuple[Any, ...], Header]:
        """The newest receipt of each row of a leaderboard."""
        by_board: dict[tuple[str, ...], list[Header]] = defaultdict(list)
        for header in self.history:
            if header.summary is not None:
                by_board[_board(header)].append(header)
        return {
            (board, *_row(found.header)): found.header
            for board, headers in by_board.items()
            for imported in (False, True)
            for found in self.history.rows(headers, imported=imported)
        }

    def _board(self, header: Header) -> Board | None:
        """The leaderboard of a receipt."""
        track, target, version = key = _board(header)
        if key not in self._boards:
            self._boards[key] = leaderboard(
                self._snapshot, self.history, track=track, target=target, version=version
            )
        return self._boards[key]

    def row(self, header: Header) -> Row | None:
        """The row of a receipt on its leaderboard; None if it isn't ranked there."""
        board = self._board(header)
        rows = (*board.ranked, *board.imported.ranked) if board is not None else ()
        return next((row for row in rows if row.header.receipt_id == header.receipt_id), None)


def _last(labels: Sequence[tuple[str, str]], text: str, *, is_end: bool = False) -> list[str]:
    """Return the keys of the label that ends last in a text, the longest of those; empty for none.

    Args:
        labels: label in lower case and key.
        text: in lower case.
        is_end: whether the text must end with the label.
    """
    families = [(label.partition("@")[0].strip(), key) for label, key in labels]
    for known in (labels, families):
        found = [(place.end(), len(label), label) for label, _ in known for place in _named(label, text)]
        if found and (not is_end or max(found)[0] == len(text)):
            return [key for label, key in known if label == max(found)[2]]
    return []


def _named(label: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<!\w){re.escape(label)}(?![\w@])", text)


def _board(header: Header) -> tuple[str, str, str]:
    """The leaderboard of a receipt that can be quoted."""
    assert header.summary is not None  # noqa: S101 - the caller has looked
    return header.track, header.summary.target, header.methodology


def _row(header: Header) -> tuple[str, str]:
    """The row of its leaderboard."""
    assert header.summary is not None  # noqa: S101 - the caller has looked
    return header.summary.row, header.sent_by
