from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from benchsite.site.feeds import sitemap

NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


def locations(data: bytes | None) -> list[str | None]:
    root = ET.fromstring(data or b"")  # noqa: S314 - our own output
    return [found.text for found in root.findall("*/s:loc", NAMES)]


@pytest.mark.parametrize("site_url", ["https://bench.invalid/sub", "https://bench.invalid/sub/"])
def test_every_page_once_in_order_as_a_whole_address(site_url: str):
    (page,) = sitemap(site_url, ["receipts/ab/x/", "", "log/", "log/"])
    assert page.path == "sitemap.xml"
    assert locations(page.data) == [
        "https://bench.invalid/sub/",
        "https://bench.invalid/sub/log/",
        "https://bench.invalid/sub/receipts/ab/x/",
    ]


def test_there_is_no_date_in_it():
    (page,) = sitemap("https://bench.invalid/", ["log/"])
    assert b"lastmod" not in (page.data or b"")


def test_without_an_address_there_is_none():
    assert list(sitemap("", ["log/"])) == []


def test_odd_characters_are_escaped_twice_over():
    (page,) = sitemap("https://bench.invalid/?a&b", ["docs/ä b/"])
    assert locations(page.data) == ["https://bench.invalid/?a&b/docs/%C3%A4%20b/"]


def test_above_the_limit_of_the_protocol_there_is_an_index_over_parts():
    pages = list(sitemap("https://bench.invalid/", [f"p{number}/" for number in range(5)], most=2))
    assert [page.path for page in pages] == ["sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml", "sitemap.xml"]
    parts = [location for page in pages[:-1] for location in locations(page.data)]
    assert parts == [f"https://bench.invalid/p{number}/" for number in range(5)]
    assert locations(pages[-1].data) == [f"https://bench.invalid/sitemap-{part}.xml" for part in (1, 2, 3)]
