"""Agents receipts in the browser: run columns from traces that a visitor brings along, on the verify page and in place."""

from __future__ import annotations

import gzip
import hashlib
import random
from collections.abc import Callable
from typing import Any

import pytest
from browser.exhibits import Exhibits, sign
from browser.host import Host
from browser.tab import Tab
from browser.test_verify_in_place import click, page_of
from invented_runs import receipt

from benchsite.tracks.agents.trace import archive

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]
PASSED = "follow from traces.jsonl"


def signed(exhibits: Exhibits, **changes: Any) -> tuple[bytes, bytes]:
    """A receipt of forty invented runs that the site's key signs, and its traces."""
    document, traces = receipt(random.Random(16), 20, 2)  # noqa: S311 - test data
    return sign(document | changes, exhibits.signer), traces


def steps(opened: Tab) -> str:
    return str(opened.page.locator(".result .steps").inner_text())


def test_traces_are_asked_for_and_checked_offline(tab: Open, exhibits: Exhibits, saved: str):
    data, traces = signed(exhibits)
    opened = tab(base=saved)
    assert opened.verdict_of(data)["parts"] == [
        "✓ signature valid",
        "△ not proven to be in the log",
        "✓ scores match",
    ]
    assert "To check this step, drop traces.jsonl on this page." in steps(opened)
    opened.drop((archive.NAME, traces)).result()
    assert PASSED in steps(opened)
    assert "drop traces.jsonl" not in steps(opened)
    for way in ((archive.NAME, traces), ("any.gz", gzip.compress(traces))):
        at_once = tab(base=saved)
        at_once.verdict_of(data, way)
        assert PASSED in steps(at_once)


def test_other_traces_are_not_those_of_the_receipt(tab: Open, exhibits: Exhibits, saved: str):
    data, traces = signed(exhibits)
    opened = tab(base=saved)
    opened.verdict_of(data, (archive.NAME, traces + b"{}\n"))
    assert "traces.jsonl is not at hand" in steps(opened)


def test_columns_that_do_not_follow_are_named(tab: Open, exhibits: Exhibits, saved: str):
    document, traces = receipt(random.Random(16), 20, 2)  # noqa: S311 - test data
    document["runs"]["handoffs"] = [1 + (count or 0) for count in document["runs"]["handoffs"]]
    opened = tab(base=saved)
    said = opened.verdict_of(sign(document, exhibits.signer), (archive.NAME, traces))
    assert said["parts"][2] == "✗ scores differ"
    assert "differ from the traces; first runs.handoffs[0]" in steps(opened)


@pytest.mark.full
def test_traces_are_added_on_the_page_of_a_receipt(tab: Open, exhibits: Exhibits, host: Host):
    data, traces = signed(exhibits, receiptId=exhibits.ids["logged"])
    host.instead[exhibits.path("logged")] = data
    opened = tab(page_of(exhibits, "logged"))
    click(opened)
    with opened.page.expect_file_chooser() as chooser:
        opened.page.get_by_role("button", name="Choose file").first.click()
    opened.page.evaluate("desk.forget()")
    chooser.value.set_files([{"name": archive.NAME, "mimeType": archive.MEDIA_TYPE, "buffer": traces}])
    opened.result()
    assert PASSED in steps(opened)
    assert opened.page.evaluate("document.activeElement.className") == "verdict"
    # Mirrored evidence is never on the site, which is therefore not asked for the traces.
    sha256 = hashlib.sha256(traces).hexdigest()
    assert not [path for path in host.asked if sha256 in path]
