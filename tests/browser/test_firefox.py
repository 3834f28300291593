"""The same site in Firefox: no error, no violation of the policy, usable by keyboard, nothing from elsewhere."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SCRIPTS = Path(__file__).parents[1] / "js"
BOARD = "retrieval/sample-notes-v1/"


@pytest.fixture(scope="module")
def seen(site: Path, address: str, firefox: str) -> Any:
    """What `tests/js/firefox.js` has seen; it fails where a step of it does."""
    node = shutil.which("node")
    if node is None or not (SCRIPTS / "node_modules" / "puppeteer-core").is_dir():
        pytest.skip("FIREFOX NOT DRIVEN: it takes node and `npm ci` in tests/js")
    index = json.loads((site / "sub/api/v1/index.json").read_text())["columns"]
    found = index["receiptId"][index["subject"].index("fair")]
    run = subprocess.run(
        [node, "firefox.js", firefox, address, BOARD, f"receipts/{found[:2]}/{found}/", "120"],
        cwd=SCRIPTS,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_it_was_firefox_and_every_step_held(seen: Any):
    assert seen["version"].lower().startswith("firefox")
    assert seen["titles"][BOARD] == "Finding the right turn in sample notes"
    assert len(seen["titles"]) == 6


def test_no_error_no_exception_no_violation_of_the_policy(seen: Any):
    assert seen["trouble"] == []


def test_no_request_leaves_the_site(seen: Any, address: str):
    assert len(seen["requests"]) > 20
    assert [url for url in seen["requests"] if not url.startswith((address, "data:"))] == []


def test_the_dark_scheme_is_the_theme_s_own(seen: Any):
    assert seen["colours"] == {"light": "rgb(251, 250, 246)", "dark": "rgb(18, 20, 22)"}
