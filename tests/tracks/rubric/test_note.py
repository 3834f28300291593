"""Who rated is said beside a rubric score in lists, the log, feeds and data; the home page is in test_pages.py."""

from __future__ import annotations

import json

import pytest
from rubric_record import RubricRecord, renders

from benchsite.site import pages
from benchsite.site.feeds import Feeds
from benchsite.site.pages.log import quotes
from benchsite.site.pages.receipts import Naming


@pytest.fixture(scope="module")
def record() -> RubricRecord:
    made = RubricRecord("2.0.0")
    made.score("2.0.0")
    return made


def test_receipts_log_feed_and_data_say_who_rated(record: RubricRecord) -> None:
    history = record.history()
    (header,) = history
    assert header.summary is not None
    note = header.summary.note
    assert note == "human-rated"
    render = renders().body
    said = quotes(history, record.scorers)
    assert said[header.receipt_id].subject.endswith(f", {note}")
    listed, data = pages.receipts(history, record.scorers, Naming())
    assert f"Composite, {note}</small>" in render(listed)
    assert json.loads(data.data or b"")["columns"]["note"] == [note]
    log = pages.log(record.log, record.checkpoint, quoted=said)
    assert sum(note in render(page) for page in log if page.data is None) == 2
    feed = Feeds(history, record.log, said, "", "sample", "2026-11-01T09:00:00Z").log()
    assert note.encode() in feed
