"""The log pages, as values and as HTML."""

from __future__ import annotations

import re

import pytest
from sample_record import SampleRecord
from watching import NAMES, line, watched, witness

from benchsite.log import Note, Witnessing
from benchsite.site import pages
from benchsite.site.pages.log import quotes
from benchsite.site.render import Renderer
from benchsite.track import Page
from benchsite.tracks.retrieval import TRACK

ONE, TWO, STRANGER = NAMES


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer({"retrieval": TRACK})


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def made(record: SampleRecord, witnessing: Witnessing | None = None, feed: bytes = b"") -> dict[str, Page]:
    quoted = quotes(record.history(), record.scorers)
    made = pages.log(record.log, record.checkpoint, quoted=quoted, witnessing=witnessing, feed=feed)
    return {page.path: page for page in made}


def test_the_page_quotes_the_checkpoint_verbatim_and_serves_it(published: SampleRecord, renderer: Renderer):
    found = made(published)
    assert found["log/checkpoint"].data == published.checkpoint
    body = renderer.body(found["log/"])
    note = re.search(r'<pre tabindex="0"><code>(.*?)</code></pre>', body, re.DOTALL)
    assert note is not None
    assert note[1].encode() == published.checkpoint
    for record in published.log.keyring:
        assert record.fingerprint in body


def test_every_kind_of_entry_is_described(record: SampleRecord, renderer: Renderer):
    one, two = record.publish("one", 0.5), record.publish("two", 0.6)
    record.add({"type": "supersede", "receiptId": one, "by": two})
    record.add({"type": "retract", "receiptId": two, "reason": "read a <stale> index"})
    record.add({"type": "dispute", "receiptId": two, "url": "https://bench.invalid/issue/1"})
    record.add({"type": "withdraw-evidence", "sha256": "ab" * 32, "reason": "a token"})
    found = made(record)
    for path in ("log/", "log/entries/000000/"):
        body = renderer.body(found[path])
        for words in (
            two,
            "read a &lt;stale&gt; index",
            "https://bench.invalid/issue/1",
            "a token",
            "root key enters service",
            "retrieval 1.0.0",
            "sample-notes-v1",
        ):
            assert words in body
        assert 'data-module="log"' in body


def test_a_long_log_shows_its_newest_hundred_and_leads_to_every_entry(
    record: SampleRecord, renderer: Renderer
):
    for number in range(record.log.size, 600):
        record.add({"type": "fixture", "id": f"f{number}", "sha256": "ab" * 32})
    found = made(record)
    first = found["log/"]
    assert [row.index for row in first.context["lines"]] == list(range(599, 499, -1))
    parts = [path for path in found if path.startswith("log/entries/")]
    # 600 entries are two segments of 256 and one of 88, named as their files are.
    assert parts == [f"log/entries/{number:06}/" for number in range(3)]
    body = renderer.body(first)
    assert "The newest 100 of 600" in text_of(body)
    for path in parts:
        assert f'href="../{path}"' in body
    held = [row.index for path in parts for row in reversed(found[path].context["lines"])]
    assert held == list(range(600))
    middle = renderer.body(found[parts[1]])
    assert re.findall(r'<tr id="e(\d+)">', middle) == [str(index) for index in range(511, 255, -1)]
    assert 'href="../../../log/entries/000002/">Newer: 512 to 599' in middle
    assert 'href="../../../log/entries/000000/">Older: 0 to 255' in middle
    assert "Newer" not in renderer.body(found[parts[2]])
    assert "Older" not in renderer.body(found[parts[0]])


def test_the_window_of_a_key_leads_to_the_entries_that_open_it(record: SampleRecord, renderer: Renderer):
    body = renderer.body(made(record)["log/"])
    for index in (0, 1, 2):
        assert f'href="../log/entries/000000/#e{index}">{index}</a>' in body


@pytest.mark.parametrize("witnessing", [None, "nobody"])
def test_without_witnesses_the_page_says_what_that_costs(
    published: SampleRecord, renderer: Renderer, witnessing: str | None
):
    found = made(published, watched(published.log, trusted=()) if witnessing else None)
    body = text_of(renderer.body(found["log/"]))
    assert "Witnesses: 0 configured." in body
    assert "first-time visitor cannot detect a split view" in body
    assert "log/cosignatures" not in found


def test_witnesses_are_counted_for_the_served_checkpoint_only(published: SampleRecord, renderer: Renderer):
    log = published.log
    lines = [
        line(log, ONE, log.size, "2026-11-20T10:30:00Z"),
        line(log, TWO, log.size - 1, "2026-11-19T00:00:00Z"),
        line(log, STRANGER, log.size, "2026-11-21T00:00:00Z"),
    ]
    found = made(published, watched(log, *lines))
    body = renderer.body(found["log/"])
    assert "Witnesses: 1 of 2 cosigned" in text_of(body)
    assert "this page only counts them" in text_of(body)
    assert "2026-11-20 10:30 UTC" in body
    assert STRANGER not in body
    for name in (ONE, TWO):
        assert str(witness(name)) in body
    served = found["log/checkpoint"].data
    assert served == published.checkpoint + str(lines[0].line).encode()
    assert [signature.name for signature in Note.parse(served).signatures] == [log.origin, ONE]
    assert found["log/cosignatures"].data == "".join(map(str, lines)).encode()


def test_a_head_without_a_cosignature_is_not_called_witnessed(published: SampleRecord, renderer: Renderer):
    log = published.log
    found = made(published, watched(log, line(log, ONE, 3, "2026-11-01T00:00:00Z")))
    body = text_of(renderer.body(found["log/"]))
    assert "Witnesses: 0 of 2 cosigned" in body
    assert "None has cosigned the newest checkpoint yet" in body
    assert found["log/checkpoint"].data == published.checkpoint


def test_the_feed_is_linked_where_there_is_one(published: SampleRecord, renderer: Renderer):
    assert "feed.xml" not in renderer.body(made(published)["log/"])
    found = made(published, feed=b"<feed/>")
    assert found["log/feed.xml"].data == b"<feed/>"
    assert 'href="../log/feed.xml" type="application/atom+xml"' in renderer.body(found["log/"])


def test_the_entry_of_a_receipt_names_subject_dataset_value_and_the_stated_date(
    record: SampleRecord, renderer: Renderer
):
    name = record.publish("one", 0.5, ranAt="2026-11-05T00:00:00Z")
    header = record.history().headers[0]
    assert header.summary is not None
    record.add({"type": "retract", "receiptId": name, "reason": "wrong"})
    page = made(record)["log/"]
    body, rows = renderer.body(page), page.context["lines"][:2]
    value = f"{header.summary.headline.value:.3f}"
    assert f"one 1.2.0 on sample-notes-v1: nDCG@10 {value}" in text_of(body)
    assert name in body
    assert "Dates are as stated by the receipts." in text_of(body)
    # Only the entry of the receipt has its date: when it was retracted the log does not say.
    assert [row.date for row in rows] == ["", "2026-11-05T00:00:00Z"]
