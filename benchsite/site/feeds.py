"""What machines read to find pages and news: `sitemap.xml` (protocol 0.9) and Atom feeds (RFC 4287) of log, boards and systems.

The day of the build is in none, or every build would differ. The sitemap holds no dates. Atom demands them, and a log
entry has none: a receipt's entry takes the `ranAt` that the receipt states, any other the date of the dated entry before
it, else of the next one after it; in a log without a receipt all take the commit date of the checkpoint. The order of
entries is the log's. Without an address of the site there is no sitemap, and the feeds' links are relative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Final
from urllib.parse import quote

from benchsite import log as public_log
from benchsite.addresses import FEED_PATH, board_path, is_slug, subject_feed_path, subject_path
from benchsite.board import Subject
from benchsite.history import SENTENCES, History
from benchsite.log import Log
from benchsite.site import formats
from benchsite.site.pages.log import Quoted, kind_word, place
from benchsite.site.render import relative_root, site_root
from benchsite.track import Page

MOST_ADDRESSES: Final = 50_000
"""The protocol's limit for one file."""

NEWEST: Final = 50
"""Entries in a feed."""

_NAMESPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
_ATOM: Final = "http://www.w3.org/2005/Atom"


def sitemap(site_url: str, paths: Iterable[str], *, most: int = MOST_ADDRESSES) -> Iterator[Page]:
    """`sitemap.xml` over every page, in order of address; above the limit an index and its parts.

    Args:
        site_url: where the site is; empty where that is unknown, and then nothing is made.
        paths: the site paths of all HTML pages, receipts among them.
        most: addresses a file.
    """
    root = site_root(site_url)
    if not root:
        return
    addresses = [root + quote(path, safe="/~") for path in sorted(set(paths))]
    if len(addresses) <= most:
        yield Page(path="sitemap.xml", data=_xml("urlset", "url", addresses))
        return
    names = []
    for number, start in enumerate(range(0, len(addresses), most), start=1):
        names.append(f"sitemap-{number}.xml")
        yield Page(path=names[-1], data=_xml("urlset", "url", addresses[start : start + most]))
    yield Page(path="sitemap.xml", data=_xml("sitemapindex", "sitemap", [root + name for name in names]))


def _xml(outer: str, inner: str, addresses: Iterable[str]) -> bytes:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<{outer} xmlns="{_NAMESPACE}">',
        *(f"<{inner}><loc>{escape(address)}</loc></{inner}>" for address in addresses),
        f"</{outer}>",
    ]
    return ("\n".join(lines) + "\n").encode()


@dataclass(frozen=True, slots=True)
class Feeds:
    """What every feed of a site is made from.

    Attributes:
        history: the verified record, for what its receipts may be quoted with.
        record: its log.
        quoted: what is said of receipts, by id.
        site_url: where the site is; empty where that is unknown.
        site_name: the site's title.
        committed: when the checkpoint was committed, in UTC.
    """

    history: History
    record: Log
    quoted: Mapping[str, Quoted]
    site_url: str
    site_name: str
    committed: str

    def pages(self, subjects: Iterable[Subject] = ()) -> Iterator[Page]:
        """Yield a feed for each leaderboard and each subject; `benchsite.site.pages.log` serves that of the log."""
        dates = self._dates()
        found: dict[tuple[str, str], list[int]] = {}
        for header in self.history:
            if header.summary is not None and header.index is not None and is_slug(header.summary.target):
                found.setdefault((header.track, header.summary.target), []).append(header.index)
        for (track, target), indices in sorted(found.items()):
            yield Page(path=board_feed(track, target), data=self._board(track, target, indices, dates))
        for subject in subjects:
            if indices := self._about(subject):
                path, page = subject_feed_path(subject.id), subject_path(subject.id)
                title = f"{self.site_name}: {subject.title}"
                yield Page(path=path, data=self._feed(path, page, title, _newest(indices), dates))

    def _about(self, subject: Subject) -> list[int]:
        """The entries of a subject's receipts, and of what the log says of them later."""
        names = [(one.receipt_id, one.index) for one in subject.headers if one.index is not None]
        events = (index for name, _ in names for index, _ in self.record.events_about(name))
        return [*(index for _, index in names), *events]

    def log(self) -> bytes:
        """The newest entries of the log, newest first."""
        dates = self._dates()
        indices = list(islice(reversed(range(self.record.size)), NEWEST))
        return self._feed(FEED_PATH, "log/", f"{self.site_name}: log", indices, dates)

    def _board(self, track: str, target: str, indices: Iterable[int], dates: Mapping[int, str]) -> bytes:
        path, page = board_feed(track, target), board_path(track, target)
        return self._feed(path, page, f"{self.site_name}: {target}", _newest(indices), dates)

    def _feed(
        self, path: str, page: str, title: str, indices: Sequence[int], dates: Mapping[int, str]
    ) -> bytes:
        root = site_root(self.site_url) or relative_root(path)
        identity = f"https://{self.record.origin}" + ("" if path == FEED_PATH else f"/{page.rstrip('/')}")
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<feed xmlns="{_ATOM}">',
            f"<title>{_text(title)}</title>",
            f"<id>{_text(identity)}</id>",
            f"<updated>{_text(dates[indices[0]])}</updated>",
            f"<author><name>{_text(self.site_name)}</name></author>",
            f'<link rel="self" type="application/atom+xml" href="{escape(root)}{path}"/>',
            f'<link rel="alternate" type="text/html" href="{escape(root)}{page}"/>',
            *(self._entry(index, root, dates[index]) for index in indices),
            "</feed>",
        ]
        return ("\n".join(lines) + "\n").encode()

    @property
    def _is_dated(self) -> bool:
        """Whether any entry of the log has a date of its own."""
        return any(header.index is not None and header.ran_at for header in self.history)

    def _dates(self) -> dict[int, str]:
        """Index to the date a feed gives the entry there."""
        stated = {
            header.index: header.ran_at
            for header in self.history
            if header.index is not None and header.ran_at
        }
        dates, last = {}, stated[min(stated)] if stated else self.committed
        for index in range(self.record.size):
            last = dates[index] = stated.get(index, last)
        return dates

    def _entry(self, index: int, root: str, date: str) -> str:
        said = public_log.describe(self.record.entry(index))
        header = self.history.get(said.receipt_id) if said.receipt_id else None
        of = self.quoted.get(said.receipt_id)
        kind = kind_word(said.kind)
        title = f"{kind}: {(of.subject if of is not None else '') or said.what}"
        content = "\n".join(
            part
            for part in (
                f"Entry {index} of {self.record.origin}: {kind}, {said.what}",
                said.words,
                said.digest,
                SENTENCES[header.verdict] if header is not None else "",
                f"Run date as stated by the receipt: {date}"
                if header and header.index == index
                else f"The log has no dates. {date} is the run date of a receipt beside this entry"
                if self._is_dated
                else f"The log has no dates. {date} is the commit date of its checkpoint",
            )
            if part
        )
        return (
            f"<entry><title>{_text(title)}</title><id>https://{_text(self.record.origin)}/{index}</id>"
            f"<updated>{_text(date)}</updated>"
            f'<link rel="alternate" type="text/html" href="{escape(root)}{place(index)}"/>'
            f'<content type="text">{_text(content)}</content></entry>'
        )


def board_feed(track: str, target: str) -> str:
    """`retrieval/locomo-10-turn/feed.xml`: the receipts of a leaderboard, whatever methodology they are under."""
    return f"{board_path(track, target)}feed.xml"


def _newest(indices: Iterable[int]) -> list[int]:
    """The newest entries of a feed, newest first."""
    return sorted(set(indices))[: -NEWEST - 1 : -1]


def _text(text: str) -> str:
    """Foreign text as XML may hold it: nothing invisible, noncharacters among that, and escaped."""
    return escape(formats.visible(text))
