"""verify.html and leaderboards in both browsers: the served one, a saved file offline, every forgery named, plain http."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from board.test_statement import FORGERIES, small
from boards import current
from browser import stubs
from browser.conftest import write_site
from browser.tab import Tab, carried
from browsers import drive_firefox
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite.board.statement import statement
from benchsite.methodology import FILES
from benchsite.pipeline.browser import verifier
from benchsite.site.board_file import carried as carried_board
from benchsite.site.board_file import with_board
from benchsite.site.trust import trust

pytestmark = pytest.mark.browser


class Saved:
    """A saved verify page of a small record, and files of its leaderboard."""

    def __init__(self, record: SampleRecord, folder: Path) -> None:
        self.record = record
        self.stated = statement(current(record)[0])
        self.trust = trust(
            record.log,
            site="small",
            roots=[record.root.fingerprint],
            checkpoint=record.checkpoint,
            witnesses=(),
        )
        self.page = folder / "verify.html"
        self.page.write_bytes(verifier().with_trust(self.trust))

    def file(self, stated: dict[str, Any]) -> bytes:
        """The leaderboard's file, with another statement in it."""
        record = self.record
        held = carried_board(
            stated,
            checkpoint=record.checkpoint,
            entries=record.entries,
            receipts=[blob.data for blob in record.blobs],
            documents=[rules.files[name] for rules in record.methodologies for name in FILES],
        )
        return verifier().with_trust(with_board(self.trust, held))

    @property
    def files(self) -> dict[str, bytes]:
        """The true one first, then each with one thing forged."""
        forged = {name: self.file(forge(self.stated)) for name, (forge, _, _) in FORGERIES.items()}
        return {"true": self.file(self.stated), **forged}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    return Saved(small(), tmp_path_factory.mktemp("saved"))


def judge(name: str, found: dict[str, Any]) -> None:
    """A true file is verified; of a forged one the forgery is named, and nothing else."""
    if name == "true":
        assert found["verdict"] == "✓ Leaderboard verified"
        assert found["plainly"] == "No receipt is missing up to entry 11."
        assert found["notices"] == []
        return
    assert found["verdict"] == "✗ Leaderboard differs from the record", name
    (notice,) = found["notices"]
    assert FORGERIES[name][2] in notice


@pytest.mark.smoke
def test_a_file_verifies_offline_and_each_forgery_is_named(chromium: Any, saved: Saved) -> None:
    tab = Tab(chromium.new_context(offline=True))
    tab.page.goto(saved.page.as_uri())
    for name, data in saved.files.items():
        judge(name, tab.drop(("board.html", data)).result())
    assert tab.trouble == []
    assert {address.partition(":")[0] for address in tab.requests} <= {"file", "blob", "data"}


@pytest.mark.full
def test_the_same_in_firefox(firefox: str, saved: Saved) -> None:
    files = saved.files
    steps = [["drop", carried([("board.html", data)])] for data in files.values()]
    visits = [{"name": "board", "address": saved.page.as_uri(), "steps": steps}]
    told = drive_firefox(firefox, "firefox-verify.js", given={"visits": visits, "proxy": ["127.0.0.1", 9]})
    found = told["visits"]["board"]
    for name, result in zip(files, found["results"], strict=True):
        judge(name, result)
    assert found["trouble"] == []


def test_a_served_leaderboard_is_replayed_from_the_log(chromium: Any, address: str) -> None:
    tab = Tab(chromium.new_context())
    page = tab.page
    page.goto(f"{address}verify.html?board=retrieval/sample-notes-v1")
    page.locator(".plainly", has_text="No receipt is missing up to entry").wait_for()
    assert "a stale index" not in page.locator(".result").inner_text()
    rows = page.get_by_role("region", name="Leaderboard as recomputed").inner_text()
    assert "Baseline, unadjusted p" in rows
    assert re.search(r"(?<!not )better, p < 0\.001|(?<!not )better, p = 0\.0", rows)
    excluded = page.get_by_role("region", name="Not ranked").inner_text()
    assert "Retracted by the publisher" in excluded
    assert tab.trouble == []


@pytest.mark.full
def test_a_file_may_be_larger_than_a_receipt(chromium: Any, saved: Saved) -> None:
    """A leaderboard carries every receipt of the log: 15 MB for that of this repository."""
    start = b"<!doctype html>"
    data = saved.file(saved.stated)
    assert data.startswith(start)
    tab = Tab(chromium.new_context(offline=True))
    tab.page.goto(saved.page.as_uri())
    large = start + b"<!--" + b" " * (9 * 1024 * 1024) + b"-->" + data.removeprefix(start)
    assert tab.drop(("board.html", large)).result()["verdict"] == "✓ Leaderboard verified"


def test_a_leaderboard_of_fewer_entries_says_how_many_are_later(chromium: Any, tmp_path: Path) -> None:
    """Rolling back is the simplest way to drop a row."""
    record = small()
    before = statement(current(record)[0])
    record.publish("later", 0.9)
    saved = Saved(record, tmp_path)
    tab = Tab(chromium.new_context(offline=True))
    tab.page.goto(saved.page.as_uri())
    found = tab.drop(("board.html", saved.file(before))).result()
    assert found["plainly"] == (
        "No receipt is missing up to entry 11. Later entries of the log, not in this leaderboard: 1."
    )


def test_an_older_methodology_is_not_taken_for_the_current_leaderboard(
    chromium: Any, root: Path, tmp_path: Path
) -> None:
    rules = [make_methodology(version, "## 1 Score\n\nText.") for version in ("0.9.0", "1.0.0")]
    record = SampleRecord(make_fixture(60), rules)
    record.publish("bm25", 0.4, version="0.9.0")
    record.publish("bm25", 0.5)
    write_site(record, tmp_path, root)
    stated = "api/v1/retrieval/sample-notes-v1"

    def answer(route: Any) -> None:
        path = urlsplit(route.request.url).path.lstrip("/")
        path = f"{stated}/0.9.0/proof.json" if path == f"{stated}/proof.json" else path
        file = tmp_path / "sub" / path
        if file.is_file():
            route.fulfill(path=file)
        else:
            route.fulfill(status=404)

    tab = Tab(chromium.new_context())
    tab.page.route("**/*", answer)
    tab.page.goto("https://bench.invalid/verify.html?board=retrieval/sample-notes-v1")
    found = tab.result()
    assert found["verdict"] == "✗ Leaderboard not verified"
    assert found["plainly"] == (
        "the statement served for retrieval/sample-notes-v1 is of methodology 0.9.0; the record has receipts under 1.0.0"
    )
    tab.page.goto("https://bench.invalid/verify.html?board=retrieval/sample-notes-v1/0.9.0")
    assert tab.result()["verdict"] == "✓ Leaderboard verified"


def test_an_earlier_size_ranks_what_was_retracted_later(chromium: Any, address: str, site: Path) -> None:
    pinned = json.loads((site / "sub/api/v1/retrieval/sample-notes-v1/proof.json").read_bytes())["log"]
    page = Tab(chromium.new_context()).page
    page.goto(f"{address}verify.html?board=retrieval/sample-notes-v1&at={pinned['size'] - 1}")
    page.locator(".plainly", has_text=f"as of entry {pinned['size'] - 2}, recomputed").wait_for()
    assert page.get_by_role("region", name="Not ranked").count() == 0


def test_plain_http_is_named_as_the_reason(chromium: Any, saved: Saved) -> None:
    tab = Tab(chromium.new_context(), stubs.in_the_worker(stubs.WITHOUT_SUBTLE))
    tab.page.goto(saved.page.as_uri())
    found = tab.drop(("board.html", saved.file(saved.stated))).result()
    assert found["verdict"] == "– Not checked"
    assert found["plainly"] == "this browser offers no cryptography on http:// pages"
    assert "Open the site over https" in found["notices"][0]


def test_a_file_that_is_opened_says_whose_keys_count(chromium: Any, saved: Saved, tmp_path: Path) -> None:
    path = tmp_path / "board.html"
    path.write_bytes(saved.file(saved.stated))
    tab = Tab(chromium.new_context(offline=True))
    tab.page.goto(path.as_uri())
    found = tab.result()
    assert found["verdict"] == "✓ Leaderboard verified"
    assert "keys in this file come from its author" in found["notices"][0]
