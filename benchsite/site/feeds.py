"""The list of pages that search engines read: `sitemap.xml`, after the sitemaps protocol 0.9.

Holds no dates: when a page last changed is not part of the record, and the day of the build would make every
build differ. Refuses nothing; without an address of the site there is no sitemap, because it needs whole ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final
from urllib.parse import quote

from benchsite.site.render import site_root
from benchsite.track import Page

MOST_ADDRESSES: Final = 50_000
"""The protocol's limit for one file."""

_NAMESPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"


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
