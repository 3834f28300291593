"""The index of receipts, as a page and as data, and the pages of files that cannot be quoted.

The index is columnar (`/api/v1/index.json`), so that ten thousand receipts stay one small download and never
enter the search index; the page itself shows the newest hundred without script.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from benchsite import canonical
from benchsite.addresses import board_path, is_slug, receipt_page_path
from benchsite.board import Boards, Subject
from benchsite.board.dictionary import RECEIPTS, receipt_values
from benchsite.history import SENTENCES, Header, History
from benchsite.track import Page, Track

PER_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class Naming:
    """How the index names what a receipt measured.

    Attributes:
        ids: the id of each subject by track and name.
        vendors: tracks whose receipts name a vendor where others name a configuration.
    """

    ids: Mapping[tuple[str, str], str] = field(default_factory=dict)
    vendors: Collection[str] = ()

    @classmethod
    def of(cls, boards: Boards, subjects: Sequence[Subject]) -> Self:
        """Return it from the leaderboards and the subjects of a site."""
        ids = {name: one.id for one in subjects for name in one.names}
        return cls(ids, [track for track, made in boards.tracks.items() if made.about.keys[1] == "vendor"])


def receipts(history: History, tracks: Mapping[str, Track], naming: Naming) -> Iterator[Page]:
    """The index page and its data; `tracks` say how their numbers are shown."""
    shown = {(header.track, header.summary.headline.metric) for header in history if header.summary}
    metrics = {f"{track} {key}": tracks[track].metric(key) for track, key in sorted(shown)}
    newest = list(reversed(history.headers))[:PER_PAGE]
    yield Page(
        path="receipts/",
        title="Receipts",
        description="Every receipt of this site, newest first, with its verdict.",
        template="site/receipts.html.j2",
        context={
            "headers": newest,
            "total": len(history),
            "board": _board,
            "metrics": {
                name: [metric.label, metric.digits, metric.percent] for name, metric in metrics.items()
            },
        },
    )
    yield Page(path="api/v1/index.json", data=index(history, naming))


def _board(header: Header) -> str:
    """The leaderboard of a receipt; empty if a target's name can't be part of a path."""
    target = header.summary.target if header.summary is not None else ""
    return board_path(header.track, target) if is_slug(target) else ""


def index(history: History, naming: Naming) -> bytes:
    """`/api/v1/index.json`: one array a column, in log order; JCS, so two builds agree byte for byte."""
    rows = [_row(header, naming) for header in history]
    return canonical.dumps(
        {
            "v": 1,
            "origin": history.log.origin if history.log is not None else None,
            "count": len(history),
            "columns": {column.name: [row[column.name] for row in rows] for column in RECEIPTS},
        }
    )


def _row(header: Header, naming: Naming) -> Mapping[str, Any]:
    name = header.summary.subject.name if header.summary is not None else ""
    return receipt_values(
        header,
        subject_id=naming.ids.get((header.track, name), ""),
        has_vendor=header.track in naming.vendors,
    )


def untrusted(header: Header) -> Page:
    """The page of a file nothing may be quoted from: what failed, where, and the bytes as they are."""
    name = header.receipt_id
    return Page(
        path=receipt_page_path(name),
        title=f"Receipt {name[:8]}",
        description=SENTENCES[header.verdict],
        template="site/untrusted.html.j2",
        context={"header": header, "sentence": SENTENCES[header.verdict]},
    )
