"""The index of receipts, as a page and as data, and the pages of files that cannot be quoted.

The index is columnar (`/api/v1/index.json`), so that ten thousand receipts stay one small download and never
enter the search index; the page itself shows the newest hundred without script.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from benchsite import canonical
from benchsite.addresses import receipt_page_path
from benchsite.board import Boards, Subject
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
            "metrics": {
                name: [metric.label, metric.digits, metric.percent] for name, metric in metrics.items()
            },
        },
    )
    yield Page(path="api/v1/index.json", data=index(history, naming))


def index(history: History, naming: Naming) -> bytes:
    """`/api/v1/index.json`: one array a column, in log order; JCS, so two builds agree byte for byte."""
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    for header in history:
        for name, value in zip(_COLUMNS, _row(header, naming), strict=True):
            columns[name].append(value)
    return canonical.dumps(
        {
            "v": 1,
            "origin": history.log.origin if history.log is not None else None,
            "count": len(history),
            "columns": columns,
        }
    )


_COLUMNS: Final = (
    "receiptId",
    "track",
    "subject",
    "subjectId",
    "version",
    "label",
    "vendor",
    "target",
    "methodology",
    "metric",
    "value",
    "low",
    "high",
    "note",
    "ranAt",
    "verdict",
    "rescore",
    "ranked",
    "imported",
    "sentBy",
    "index",
    "sha256",
    "path",
)


def _row(header: Header, naming: Naming) -> tuple[Any, ...]:
    summary = header.summary
    subject = ("",) * 6 if summary is None else (*_subject(header, naming), summary.target)
    figure = (
        ("", None, None, None, "")
        if summary is None
        else (
            summary.headline.metric,
            summary.headline.value,
            summary.headline.low,
            summary.headline.high,
            summary.note,
        )
    )
    return (
        header.receipt_id,
        header.track,
        *subject,
        header.methodology,
        *figure,
        header.ran_at,
        str(header.verdict),
        str(header.rescore),
        header.ranked,
        header.imported,
        header.sent_by,
        header.index,
        header.sha256,
        header.path,
    )


def _subject(header: Header, naming: Naming) -> tuple[str, str, str, str, str]:
    assert header.summary is not None  # noqa: S101 - the caller has looked
    subject = header.summary.subject
    key = naming.ids.get((header.track, subject.name), "")
    vendor = header.track in naming.vendors
    label, of = ("", subject.label) if vendor else (subject.label, "")
    return subject.name, key, subject.version, label, of


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
