"""A record as tables: every receipt that verified, and its evidence row by row.

Receipts stream past one at a time, so the size of a record doesn't matter. Excluded, with a count: receipts whose file
can't be trusted to name a number. Receipts that are superseded, retracted or not ranked are included, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from benchsite import canonical
from benchsite.board.dictionary import item_columns, receipt_values
from benchsite.history import Header, History
from benchsite.pipeline.building.body import document
from benchsite.pipeline.snapshot import Snapshot
from benchsite.progress import Progress, silent
from benchsite.receipt import Document
from benchsite.track import DataColumn, Track

__all__ = ["ExportedRecord", "Row", "flat", "scores"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ExportedRecord:
    """The verified receipts of a record.

    Attributes:
        headers: of the receipts that are exported, in log order.
        excluded: number of receipts that failed verification.
        size: number of log entries; 0 without a log.
        root: root hash of these entries, in hexadecimal; empty without a log.
    """

    snapshot: Snapshot
    history: History
    headers: Sequence[Header]
    excluded: int
    size: int
    root: str

    @classmethod
    def of(cls, snapshot: Snapshot, size: int | None = None) -> Self:
        """Verify a record.

        Args:
            snapshot: the record.
            size: as the record was with this many log entries; all by default.

        Raises:
            UsageError: the log does not have that many entries.
            IntegrityError: the log does not verify.
        """
        history = snapshot.history(size=size)
        headers = [header for header in history if header.quotable]
        log = history.log
        return cls(
            snapshot,
            history,
            headers,
            len(history) - len(headers),
            log.size if log is not None else 0,
            log.root().hex() if log is not None else "",
        )

    @property
    def ranked(self) -> Self:
        """The same with ranked receipts and baselines only."""
        return replace(self, headers=[header for header in self.headers if header.ranked])

    @property
    def tracks(self) -> Sequence[Track]:
        """The tracks of the exported receipts, by name."""
        return [self.snapshot.tracks[name] for name in sorted({header.track for header in self.headers})]

    @property
    def columns(self) -> Sequence[DataColumn]:
        """The columns of `items`."""
        return item_columns(self.tracks)

    def bodies(self, progress: Progress = silent) -> Iterator[tuple[Header, Document]]:
        """Yield each receipt with its body, one at a time."""
        contents = self.snapshot.repository.blobs([header.blob_id for header in self.headers])
        for done, (header, data) in enumerate(zip(self.headers, contents, strict=True), start=1):
            yield header, document(header, data)
            progress(done, len(self.headers), "exporting receipts")

    def items(self, header: Header, body: Document) -> Iterator[Row]:
        """Yield a receipt's rows of `items`, each with every column."""
        part, summary = self.snapshot.tracks[header.track].items, header.summary
        if part is None or summary is None:
            return
        blank = dict.fromkeys(column.name for column in self.columns)
        shared = {
            **blank,
            "receiptId": header.receipt_id,
            "track": header.track,
            "target": summary.target,
            "methodology": header.methodology,
            "subject": summary.subject.name,
            "version": summary.subject.version,
            "label": summary.subject.label,
            "verdict": str(header.verdict),
            "ranked": header.ranked,
        }
        for row in part.rows(body, summary.headline.metric):
            yield {**shared, **row}

    def receipt(self, header: Header) -> Row:
        """Return a receipt's row of `receipts`."""
        keys = self.snapshot.tracks[header.track].part("board").LEADERBOARD.keys
        return receipt_values(header, has_vendor=keys[1] == "vendor")


def flat(value: Any) -> Any:
    """Return a value as a cell holds it: a list as JSON text."""
    return canonical.dumps(value).decode() if isinstance(value, list) else value


def scores(header: Header, body: Document) -> Iterator[Row]:
    """Yield a receipt's rows of `scores`."""
    denominators, intervals = body.get("denominators", {}), body.get("intervals", {})
    for metric, value in body["scores"].items():
        counted, interval = denominators.get(metric, {}), intervals.get(metric, {})
        yield {
            "receiptId": header.receipt_id,
            "metric": metric,
            "value": value,
            **{name: counted.get(name) for name in ("num", "den", "excluded")},
            **{name: interval.get(name) for name in ("low", "high", "method")},
        }
