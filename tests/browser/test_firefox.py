"""The same site in Firefox: no error, no violation of the policy, usable by keyboard, nothing from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browsers import drive_firefox

pytestmark = pytest.mark.browser

BOARD = "retrieval/sample-notes-v1/"


@pytest.fixture(scope="module")
def seen(site: Path, address: str, firefox: str) -> Any:
    """What `tests/js/firefox.js` has seen; it fails where a step of it does."""
    index = json.loads((site / "sub/api/v1/index.json").read_text())["columns"]
    found = index["receiptId"][index["subject"].index("fair")]
    receipt = f"receipts/{found[:2]}/{found}/"
    return drive_firefox(firefox, "firefox.js", address, BOARD, receipt, "120")


def test_it_was_firefox_and_every_step_held(seen: Any):
    assert seen["version"].lower().startswith("firefox")
    assert seen["titles"][BOARD] == "sample-notes-v1: conversational memory retrieval"
    assert len(seen["titles"]) == 6


def test_no_error_no_exception_no_violation_of_the_policy(seen: Any):
    assert seen["trouble"] == []


def test_no_request_leaves_the_site(seen: Any, address: str):
    assert len(seen["requests"]) > 20
    assert [url for url in seen["requests"] if not url.startswith((address, "data:"))] == []


def test_the_dark_scheme_is_the_theme_s_own(seen: Any):
    assert seen["colours"] == {"light": "rgb(251, 250, 246)", "dark": "rgb(18, 20, 22)"}
