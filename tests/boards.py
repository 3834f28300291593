"""A small record with five systems, and its boards and certificates as pages: for tests of what they say."""

from __future__ import annotations

import re
from typing import Any

from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.board import Board, Boards, boards, track_pages
from benchsite.history import History
from benchsite.site.render import Renderer
from benchsite.track import Bodies, Library, Page, Track
from benchsite.tracks.retrieval import TRACK


def begin(**options: Any) -> SampleRecord:
    return SampleRecord(make_fixture(60), [make_methodology("1.0.0", "## 1 Score\n\nText.")], **options)


def boards_of(track: Track, history: History, bodies: Bodies, library: Library) -> Boards:
    """The leaderboards of one track; what fails in it is raised."""
    found = boards(history, [track], bodies, library)
    for error in found.failures.values():
        raise error
    return found


def pages_of(track: Track, history: History, bodies: Bodies, library: Library) -> list[Page]:
    """Every page of a track but the receipts' own."""
    found = boards_of(track, history, bodies, library).tracks[track.name]
    return list(track_pages(found, bodies, library))


def made(record: SampleRecord) -> dict[str, Page]:
    return {page.path: page for page in pages_of(TRACK, record.history(), record.body, record.library)}


def current(record: SampleRecord) -> tuple[Board, ...]:
    """The boards that the home page quotes."""
    return boards_of(TRACK, record.history(), record.body, record.library).current


def certificate(record: SampleRecord, place: int = 0) -> Page:
    header = record.history().headers[place]
    return TRACK.receipt_page(header, record.body(header.receipt_id), record.library)


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def five_systems() -> SampleRecord:
    found = begin()
    for name, skill in (("good", 0.9), ("fair", 0.6), ("near", 0.58), ("poor", 0.1), ("bm25", 0.5)):
        found.publish(name, skill)
    return found


def renders() -> Renderer:
    return Renderer({"retrieval": TRACK})
