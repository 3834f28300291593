from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from boards import begin, boards_of

from benchsite.board import subjects
from benchsite.site.feeds import Feeds, sitemap
from benchsite.tracks.retrieval import TRACK

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


def test_a_system_has_a_feed_of_its_receipts_and_of_what_the_log_says_of_them_later():
    record = begin()
    good = record.publish("good", 0.9)
    record.publish("fair", 0.5)
    record.add({"type": "retract", "receiptId": good, "reason": "a <stale> index"})
    history = record.history()
    made = boards_of(TRACK, history, record.body, record.library)
    feeds = Feeds(history, record.log, {}, "https://bench.invalid/sub", "tried", "2026-11-02T00:00:00Z")
    found = {page.path: page.data or b"" for page in feeds.pages(subjects(made, history, {}))}
    assert sorted(found) == [
        "retrieval/sample-notes-v1/feed.xml",
        "systems/fair/feed.xml",
        "systems/good/feed.xml",
    ]
    root = ET.fromstring(found["systems/good/feed.xml"])  # noqa: S314 - our own output
    atom = {"a": "http://www.w3.org/2005/Atom"}
    last = record.log.size - 1
    assert [entry.text for entry in root.findall("a:entry/a:id", atom)] == [
        f"https://{record.log.origin}/{last}",
        f"https://{record.log.origin}/{last - 2}",
    ]
    assert "a <stale> index" in (root.findall("a:entry/a:content", atom)[0].text or "")
    links = {link.get("rel"): link.get("href") for link in root.findall("a:link", atom)}
    assert links["alternate"] == "https://bench.invalid/sub/systems/good/"
    assert links["self"] == "https://bench.invalid/sub/systems/good/feed.xml"
