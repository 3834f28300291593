"""What machines read to find pages and news: `sitemap.xml` (protocol 0.9) and the log's Atom feed (RFC 4287).

The day of the build stands in neither, or every build would differ. The sitemap holds no dates at all. Atom demands
them and a log entry has none, so an entry's is the `ranAt` that its receipt claims, and that of the receipt logged
last before it where it is no receipt; before the first receipt it is 1970, which says "unknown". The order of
entries is the log's. Without an address of the site there is no sitemap, and the feed's links are relative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import islice
from typing import Final
from urllib.parse import quote

from benchsite import log as public_log
from benchsite.history import SENTENCES, Header, History
from benchsite.log import Log
from benchsite.site import formats
from benchsite.site.pages.log import FEED_PATH, place
from benchsite.site.render import relative_root, site_root
from benchsite.track import Page, Track

MOST_ADDRESSES: Final = 50_000
"""The protocol's limit for one file."""

NEWEST: Final = 50
"""Entries of the log in its feed."""

_NAMESPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
_ATOM: Final = "http://www.w3.org/2005/Atom"
_UNKNOWN: Final = "1970-01-01T00:00:00Z"


def sitemap(site_url: str, paths: Iterable[str], *, most: int = MOST_ADDRESSES) -> Iterator[Page]:
    """`sitemap.xml` over every page, in order of address; above the limit an index and its parts.

    Args:
        site_url: where the site stands; empty where that is unknown, and then nothing is made.
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


def log_feed(
    history: History, record: Log, *, tracks: Mapping[str, Track], site_url: str, site_name: str
) -> bytes:
    """The newest entries of the log as an Atom feed, newest first.

    Args:
        history: the verified record, for what receipts may be quoted with.
        record: its log.
        tracks: how the numbers of each are shown.
        site_url: where the site stands; empty where that is unknown.
        site_name: the site's title.
    """
    root = site_root(site_url) or relative_root(FEED_PATH)
    dates = _dates(history, record)
    indices = list(islice(reversed(range(record.size)), NEWEST))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<feed xmlns="{_ATOM}">',
        f"<title>{_text(site_name)}: the public log</title>",
        f"<id>https://{_text(record.origin)}</id>",
        f"<updated>{_text(dates[record.size - 1])}</updated>",
        f"<author><name>{_text(site_name)}</name></author>",
        f'<link rel="self" type="application/atom+xml" href="{escape(root)}{FEED_PATH}"/>',
        f'<link rel="alternate" type="text/html" href="{escape(root)}log/"/>',
        *(_entry(history, record, index, root, dates[index], tracks) for index in indices),
        "</feed>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _dates(history: History, record: Log) -> dict[int, str]:
    """Index to the date a feed gives the entry there."""
    claimed = {
        header.index: header.ran_at for header in history if header.index is not None and header.ran_at
    }
    dates, last = {}, _UNKNOWN
    for index in range(record.size):
        last = dates[index] = claimed.get(index, last)
    return dates


def _entry(
    history: History, record: Log, index: int, root: str, date: str, tracks: Mapping[str, Track]
) -> str:
    said = public_log.describe(record.entry(index))
    header = history.get(said.receipt_id) if said.receipt_id else None
    title = f"{said.kind}: {_subject(header, tracks) or said.what}"
    content = "\n".join(
        part
        for part in (
            f"Entry {index} of {record.origin}: {said.kind}, {said.what}",
            said.words,
            said.digest,
            SENTENCES[header.verdict] if header is not None else "",
        )
        if part
    )
    return (
        f"<entry><title>{_text(title)}</title><id>https://{_text(record.origin)}/{index}</id>"
        f"<updated>{_text(date)}</updated>"
        f'<link rel="alternate" type="text/html" href="{escape(root)}{place(index)}"/>'
        f'<content type="text">{_text(content)}</content></entry>'
    )


def _subject(header: Header | None, tracks: Mapping[str, Track]) -> str:
    """What a quotable receipt measured, and its headline; empty where nothing may be quoted."""
    if header is None or header.summary is None:
        return ""
    subject, headline = header.summary.subject, header.summary.headline
    options = f" ({subject.label})" if subject.label else ""
    metric = tracks[header.track].metric(headline.metric)
    figure = f": {metric.label} {formats.score(headline.value, metric)}"
    return f"{subject.name} {subject.version}{options} on {header.summary.target}{figure}"


def _text(text: str) -> str:
    """Foreign text as XML may hold it: nothing invisible, noncharacters among that, and escaped."""
    return escape(formats.visible(text))
