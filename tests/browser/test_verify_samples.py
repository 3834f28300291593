"""A visitor without a receipt: the site's sample, the same with one score changed, and the way to the logged one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser.exhibits import Exhibits
from browser.host import Host
from browser.tab import Tab

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]


@pytest.mark.smoke
def test_a_tampered_sample_fails_and_leads_to_the_logged_receipt(tab: Open) -> None:
    opened = tab()
    opened.page.get_by_role("button", name="Try a valid receipt").click()
    valid = opened.result()
    assert valid["verdict"] in ("✓ Logged", "✓ Witnessed")
    assert valid["parts"][2] == "✓ scores match"
    opened.page.evaluate("() => desk.forget()")
    opened.page.get_by_role("button", name="Try a tampered one").click()
    tampered = opened.result()
    assert tampered["verdict"] == "✗ Invalid"
    assert tampered["parts"] == ["✗ signature does not match", "✗ not as logged", "✗ scores differ"]
    assert "tampered copy, scores." in opened.page.locator("#given").inner_text()
    opened.page.get_by_role("link", name="Verify the logged receipt").click()
    assert opened.result()["verdict"] == valid["verdict"]


def test_a_page_opened_from_a_folder_has_no_samples(tab: Open, exhibits: Exhibits, saved: str) -> None:
    opened = tab(base=saved)
    assert opened.verdict_of(exhibits.files["logged"])["verdict"]
    assert not opened.page.locator("#samples").is_visible()


def test_a_sample_without_a_score_to_change_is_not_verified_in_its_place(tab: Open, host: Host) -> None:
    opened = tab()
    opened.page.get_by_role("button", name="Try a valid receipt").click()
    opened.result()
    opened.page.evaluate("() => desk.forget()")
    path = next(path for path in host.asked if path.startswith("results/published/"))
    host.instead[path] = b'{"scores":{"nested":{"a":0.5}}}'
    opened.page.get_by_role("button", name="Try a tampered one").click()
    opened.status("No tampered copy")
    assert opened.page.locator("#result").inner_text() == ""
