from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from sample_record import SampleRecord

from benchsite.history import SENTENCES
from benchsite.site.feeds import Feeds
from benchsite.site.pages.log import quotes

ATOM = {"a": "http://www.w3.org/2005/Atom"}
RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


COMMITTED = "2026-11-01T09:00:00Z"


def feeds_of(record: SampleRecord, site_url: str = "https://bench.invalid/sub") -> Feeds:
    history = record.history()
    return Feeds(history, record.log, quotes(history, record.scorers), site_url, "a & b", COMMITTED)


def feed_of(record: SampleRecord, site_url: str = "https://bench.invalid/sub") -> ET.Element:
    data = feeds_of(record, site_url).log()
    assert data == feeds_of(record, site_url).log()
    return ET.fromstring(data)  # noqa: S314 - our own output


def texts(root: ET.Element, name: str) -> list[str]:
    return [found.text or "" for found in root.findall(f"a:entry/a:{name}", ATOM)]


def test_what_atom_demands_is_there(published: SampleRecord):
    """RFC 4287, sections 4.1.1 and 4.1.2: id, title and updated in both, an author, unique ids."""
    root = feed_of(published)
    assert root.tag == "{http://www.w3.org/2005/Atom}feed"
    assert root.findtext("a:id", "", ATOM) == "https://sample.invalid/benchsite/log"
    assert root.findtext("a:title", "", ATOM) == "a & b: log"
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
    assert texts(root, "title")[1] == "dataset: other"
    said = [text.splitlines()[-1] for text in texts(root, "content")]
    assert said[:2] == [
        "Run date as stated by the receipt: 2026-11-04T00:00:00Z",
        "The log has no dates. 2026-11-05T00:00:00Z is the run date of a receipt beside this entry",
    ]
    assert set(updated[3:]) == {"2026-11-05T00:00:00Z"}  # before the first receipt: the date of that one
    assert root.findtext("a:updated", "", ATOM) == "2026-11-04T00:00:00Z"


def test_without_a_receipt_dates_are_said_to_be_those_of_the_commit(record: SampleRecord):
    said = {text.splitlines()[-1] for text in texts(feed_of(record), "content")}
    assert said == {f"The log has no dates. {COMMITTED} is the commit date of its checkpoint"}


def test_a_receipt_is_quoted_with_its_measure_and_verdict(published: SampleRecord):
    header = published.history().headers[-1]
    assert header.summary is not None
    root = feed_of(published)
    value = header.summary.headline.value
    assert texts(root, "title")[0] == f"receipt: bm25 1.2.0 on sample-notes-v1: nDCG@10 {value:.3f}"
    assert SENTENCES[header.verdict] in texts(root, "content")[0]
    assert "as stated by the receipt" in texts(root, "content")[0]


def test_the_words_of_strangers_are_inert(record: SampleRecord):
    name = record.publish("one", 0.5)
    record.add({"type": "retract", "receiptId": name, "reason": "<b>\u202e & \ufffe]]>"})
    (said, *_) = texts(feed_of(record), "content")
    assert "<b>\\u202e & \\ufffe]]>" in said


def test_a_feeds_title_and_author_are_inert(record: SampleRecord):
    record.publish("one", 0.5)
    history = record.history()
    name = "<b>\u202e\u2066 & \ufffe]]>" + "x" * 10_000
    feeds = Feeds(history, record.log, quotes(history, record.scorers), "", name, COMMITTED)
    root = ET.fromstring(feeds.log())  # noqa: S314 - our own output
    inert = "<b>\\u202e\\u2066 & \\ufffe]]>" + "x" * 10_000
    assert root.findtext("a:title", "", ATOM) == f"{inert}: log"
    assert root.findtext("a:author/a:name", "", ATOM) == inert


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


def test_a_log_without_receipts_has_the_date_of_its_checkpoint(record: SampleRecord):
    assert set(texts(feed_of(record), "updated")) == {COMMITTED}


def test_a_leaderboard_has_a_feed_of_its_receipts_alone(record: SampleRecord):
    record.publish("one", 0.5, ranAt="2026-11-05T00:00:00Z")
    record.add({"type": "fixture", "id": "other", "sha256": "ab" * 32})
    record.publish("two", 0.5, ranAt="2026-11-04T00:00:00Z")
    (page,) = feeds_of(record).pages()
    assert page.path == "retrieval/sample-notes-v1/feed.xml"
    root = ET.fromstring(page.data or b"")  # noqa: S314 - our own output
    assert [title.split(" ")[:2] for title in texts(root, "title")] == [
        ["receipt:", "two"],
        ["receipt:", "one"],
    ]
    assert texts(root, "updated") == ["2026-11-04T00:00:00Z", "2026-11-05T00:00:00Z"]
    links = {link.get("rel"): link.get("href") for link in root.findall("a:link", ATOM)}
    assert links["alternate"] == "https://bench.invalid/sub/retrieval/sample-notes-v1/"
    assert root.findtext("a:id", "", ATOM) != feed_of(record).findtext("a:id", "", ATOM)
