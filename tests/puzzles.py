"""An invented track without a package of its own, its receipts, and every page of its leaderboards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from repeats import announce
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite import history
from benchsite.board import Boards, Leaderboard
from benchsite.board.boards import track_boards
from benchsite.board.pages import leaderboard_pages
from benchsite.history import Header, Headline, History, Rescore, Subject, Summary, Verdict
from benchsite.site.pages import home
from benchsite.track import Library, Metric, Page, Track

TRACK = Track(
    "puzzles",
    "Puzzles",
    "benchsite.board",  # a package without templates of its own
    metrics={"solved": Metric("Solved", 1, " of 50", 50), "cost": Metric("Cost", 2)},
)
PUZZLES = Leaderboard(TRACK, "solved", subject="solver", target="collection", numbers=("cost",))


def body(value: float) -> dict[str, Any]:
    counted = {"solved": {"num": int(value), "den": 50, "excluded": 1}}
    return {
        "scores": {"solved": value, "cost": value / 10},
        "denominators": counted,
        "intervals": {},
        "environment": {"platform": "linux"},
        "benchVersion": "0.1.0",
        "schemaVersion": "1.0.0",
        "methodology": {"id": "puzzles", "version": "1.0.0", "sha256": "ab" * 32},
    }


def header(name: str, value: float, half: float | None, version: str = "1.0.0", **changes: Any) -> Header:
    ends = (None, None) if half is None else (value - half, value + half)
    summary = Summary(Subject(name, "1", ""), "easy", "cd" * 32, name, name, Headline("solved", value, *ends))
    made = Header(
        f"{name}-{version[0]}",
        "puzzles",
        "p",
        "b",
        "ef" * 32,
        1,
        1,
        Verdict.LOGGED,
        Rescore.MATCHES,
        (),
        summary,
    )
    return replace(made, methodology=version, ran_by="maintainer us", **changes)


def record() -> SampleRecord:
    rules = [
        make_methodology(version, "Text.", track="puzzles", engine="puzzles/1")
        for version in ("1.0.0", "2.0.0")
    ]
    return SampleRecord(make_fixture(10), rules)


def pages(*headers: Header, about: Leaderboard = PUZZLES, **announced: Any) -> dict[str, Page]:
    """Every page by its path; `announced` runs are never reported."""
    kept = record()
    if announced:
        announce(kept, track="puzzles", **announced)
    made = History(history._TOKEN, headers, kept.log)
    values = {one.receipt_id: one.summary.headline.value or 0.0 for one in headers if one.summary}
    library = Library(kept.methodologies, lambda _id, _sha256: None, kept.log.methodologies)
    found = track_boards(about, made, lambda name: body(values[name]), library)
    front = home(made, Boards({"puzzles": found}), site_name="sample")
    return {page.path: page for page in [*leaderboard_pages(found, library), front]}
