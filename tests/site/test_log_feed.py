from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from sample_record import SampleRecord

from benchsite.site.feeds import log_feed

ATOM = {"a": "http://www.w3.org/2005/Atom"}
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def feed_of(record: SampleRecord, site_url: str = "https://bench.invalid/sub") -> ET.Element:
    history = record.history()
    assert history.log is not None
    data = log_feed(history, history.log, tracks=record.judges, site_url=site_url, site_name="a & b")
    assert data == log_feed(
        record.history(), record.log, tracks=record.judges, site_url=site_url, site_name="a & b"
    )
    return ET.fromstring(data)  # noqa: S314 - our own output


def texts(root: ET.Element, name: str) -> list[str]:
    return [found.text or "" for found in root.findall(f"a:entry/a:{name}", ATOM)]


def test_what_atom_demands_is_there(published: SampleRecord):
    """RFC 4287, sections 4.1.1 and 4.1.2: id, title and updated in both, an author, unique ids."""
    root = feed_of(published)
    assert root.tag == "{http://www.w3.org/2005/Atom}feed"
    assert root.findtext("a:id", "", ATOM) == "https://sample.invalid/benchsite/log"
    assert root.findtext("a:title", "", ATOM) == "a & b: the public log"
    assert root.findtext("a:author/a:name", "", ATOM) == "a & b"
    assert RFC_3339.fullmatch(root.findtext("a:updated", "", ATOM))
    size = published.log.size
    ids = texts(root, "id")
    assert ids == [f"https://sample.invalid/benchsite/log/{index}" for index in reversed(range(size))]
    assert all(RFC_3339.fullmatch(text) for text in texts(root, "updated"))
    assert len(texts(root, "title")) == len(texts(root, "content")) == size
    links = {link.get("rel"): link.get("href") for link in root.findall("a:link", ATOM)}
    assert links == {
        "self": "https://bench.invalid/sub/log/feed.xml",
        "alternate": "https://bench.invalid/sub/log/",
    }


def test_dates_are_those_that_receipts_claim(record: SampleRecord):
    record.publish("one", 0.5, ranAt="2026-11-05T00:00:00Z")
    record.add({"type": "fixture", "id": "other", "sha256": "ab" * 32})
    record.publish("two", 0.5, ranAt="2026-11-04T00:00:00Z")
    root = feed_of(record)
    updated = texts(root, "updated")
    assert updated[:3] == ["2026-11-04T00:00:00Z", "2026-11-05T00:00:00Z", "2026-11-05T00:00:00Z"]
    assert set(updated[3:]) == {"1970-01-01T00:00:00Z"}
    assert root.findtext("a:updated", "", ATOM) == "2026-11-04T00:00:00Z"


def test_a_receipt_is_quoted_with_its_measure_and_verdict(published: SampleRecord):
    header = published.history().headers[-1]
    assert header.summary is not None
    root = feed_of(published)
    value = header.summary.headline.value
    assert texts(root, "title")[0] == f"receipt: bm25 1.2.0 on sample-notes-v1: nDCG@10 {value:.3f}"
    assert "Signed and in the public list, unchanged since." in texts(root, "content")[0]


def test_the_words_of_strangers_are_inert(record: SampleRecord):
    name = record.publish("one", 0.5)
    record.add({"type": "retract", "receiptId": name, "reason": "<b>\u202e & \ufffe]]>"})
    (said, *_) = texts(feed_of(record), "content")
    assert "<b>\\u202e & \\ufffe]]>" in said


def test_only_the_newest_fifty_are_there(record: SampleRecord):
    while record.log.size < 60:
        record.add({"type": "fixture", "id": f"f{record.log.size}", "sha256": "ab" * 32})
    assert [text.rpartition("/")[2] for text in texts(feed_of(record), "id")] == [
        str(index) for index in range(59, 9, -1)
    ]


def test_without_an_address_links_are_relative_to_the_feed(record: SampleRecord):
    root = feed_of(record, site_url="")
    assert [link.get("href") for link in root.findall("a:link", ATOM)] == ["../log/feed.xml", "../log/"]
    (first, *_) = root.findall("a:entry/a:link", ATOM)
    assert first.get("href") == f"../log/entries/000000/#e{record.log.size - 1}"
