"""axe on verify.html, with the results of its verdicts open, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browser.exhibits import WORD_OF, Exhibits
from browser.tab import Tab
from browser.test_verify_agents import PASSED, signed

from benchsite.tracks.agents.trace import archive

pytestmark = pytest.mark.browser

Open = Callable[..., Tab]
AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"


def violations(opened: Tab, name: str) -> list[tuple[str, str, str, str]]:
    """What axe finds on the page as it is, each part of it open, in both schemes."""
    found = []
    opened.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    for scheme in ("light", "dark"):
        opened.page.emulate_media(color_scheme=scheme)
        broken = opened.page.evaluate("axe.run()")["violations"]
        found += [(name, scheme, one["id"], one["nodes"][0]["html"][:120]) for one in broken]
    return found


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm ci in tests/js")
@pytest.mark.parametrize(
    "names",
    [("witnessed", "suspect", "differs"), pytest.param((*WORD_OF, "differs"), marks=pytest.mark.full)],
    ids=["some", "all"],
)
def test_axe_finds_nothing_on_any_verdict_in_light_and_dark(
    tab: Open, exhibits: Exhibits, names: tuple[str, ...]
):
    opened = tab(bypass_csp=True)
    opened.page.add_script_tag(path=str(AXE))
    found = []
    shown = [("nothing yet", None), *((name, exhibits.files[name]) for name in names)]
    for name, data in shown:
        if data is not None:
            opened.verdict_of(data)
        found += violations(opened, name)
    assert found == [], "\n".join(map(str, found))
    assert re.search(r"color-scheme: dark", (exhibits.site / "verify.html").read_text())


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm ci in tests/js")
def test_axe_finds_nothing_where_traces_are_asked_for_and_where_they_were_brought(
    tab: Open, exhibits: Exhibits
):
    data, traces = signed(exhibits)
    opened = tab(bypass_csp=True)
    opened.page.add_script_tag(path=str(AXE))
    opened.verdict_of(data)
    found = violations(opened, "without traces")
    opened.drop((archive.NAME, traces)).result()
    assert PASSED in opened.page.locator(".result .steps").inner_text()
    found += violations(opened, "with traces")
    assert found == [], "\n".join(map(str, found))
