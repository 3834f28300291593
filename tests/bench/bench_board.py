"""A leaderboard verified in Chromium: from the drop of its file to the result, with every receipt re-scored and every row tested.

Each row is an invented system on 200 queries; the first one is a baseline. The time includes a new Worker, the log's replay and
the ranks. The file carries everything, so that no network is measured.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchsite.board.statement import statement
from benchsite.methodology import FILES
from benchsite.pipeline.browser import verifier
from benchsite.site.board_file import carried, with_board
from benchsite.site.trust import trust
from tests.bench.measurement import Gate, Numbers
from tests.boards import current
from tests.sample_record import SampleRecord, make_fixture, make_methodology

UNIT = "rows"
SIZE = 50
TINY = 2
ROUNDS = 5
GATES = {"verdict_ms": Gate(3_000)}
QUERIES = 200
PATIENCE = 60_000


def measure(size: int, rounds: int) -> Numbers:
    """Milliseconds to the result, and the bytes of the file; no time where no Chromium is installed."""
    record = SampleRecord(make_fixture(QUERIES), [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    for number in range(size):
        record.publish("bm25" if number == 0 else f"system-{number}", 0.3 + 0.6 * number / size)
    own = trust(
        record.log, site="s", roots=[record.root.fingerprint], checkpoint=record.checkpoint, witnesses=()
    )
    held = carried(
        statement(current(record)[0]),
        checkpoint=record.checkpoint,
        entries=record.entries,
        receipts=[blob.data for blob in record.blobs],
        documents=[rules.files[name] for rules in record.methodologies for name in FILES],
    )
    with tempfile.TemporaryDirectory() as folder:
        page, file = Path(folder) / "verify.html", Path(folder) / "board.html"
        page.write_bytes(verifier().with_trust(own))
        file.write_bytes(verifier().with_trust(with_board(own, held)))
        times = _timed(page, file, rounds)
        found: dict[str, float] = {"file_bytes": file.stat().st_size}
    return found | ({"verdict_ms": statistics.median(times)} if times else {})


def _timed(page: Path, file: Path, rounds: int) -> list[float]:
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return []
    program = os.environ.get("BENCHSITE_CHROMIUM") or "/usr/bin/chromium"
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        except Error:
            return []
        times = [_round(browser, page, file) for _ in range(rounds)]
        browser.close()
    return times


def _round(browser: Any, page: Path, file: Path) -> float:
    tab = browser.new_page()
    tab.goto(page.as_uri())
    start = time.perf_counter()
    tab.set_input_files("#file", str(file))
    tab.wait_for_selector(".verdict", timeout=PATIENCE)
    took = 1_000 * (time.perf_counter() - start)
    assert "verified" in tab.inner_text(".verdict")
    tab.close()
    return took
