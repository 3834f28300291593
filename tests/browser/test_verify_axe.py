"""axe on verify.html, with the results of its verdicts open, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browser import axe
from browser.exhibits import WORD_OF, Exhibits
from browser.tab import Tab
from browser.test_verify_agents import PASSED, signed

from benchsite.tracks.agents.trace import archive

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]


@axe.installed
@pytest.mark.parametrize(
    "names",
    [("witnessed", "suspect", "differs"), pytest.param((*WORD_OF, "differs"), marks=pytest.mark.full)],
    ids=["some", "all"],
)
def test_axe_finds_nothing_on_any_verdict_in_light_and_dark(
    tab: Open, exhibits: Exhibits, names: tuple[str, ...]
):
    opened = tab(bypass_csp=True)
    found = []
    shown = [("nothing yet", None), *((name, exhibits.files[name]) for name in names)]
    for name, data in shown:
        if data is not None:
            opened.verdict_of(data)
        found += [(name, *broken) for broken in axe.violations(opened.page)]
    assert found == [], "\n".join(map(str, found))
    assert re.search(r"color-scheme: dark", (exhibits.site / "verify.html").read_text())


@pytest.mark.full
@axe.installed
def test_axe_finds_nothing_where_traces_are_asked_for_and_where_they_were_brought(
    tab: Open, exhibits: Exhibits
):
    data, traces = signed(exhibits)
    opened = tab(bypass_csp=True)
    opened.verdict_of(data)
    found = axe.violations(opened.page)
    opened.drop((archive.NAME, traces)).result()
    assert PASSED in opened.page.locator(".result .steps").inner_text()
    found += axe.violations(opened.page)
    assert found == [], "\n".join(map(str, found))
