"""What axe-core finds on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

_SCRIPT: Final = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
installed: Final = pytest.mark.skipif(
    not _SCRIPT.is_file(), reason="axe-core is not installed: npm ci in tests/js"
)
_RUN: Final = "options => axe.run({...options, resultTypes: ['violations']}).then(found => found.violations)"


def violations(page: Any) -> list[tuple[str, str, str]]:
    """The rules that a page breaks, with every part of it open, in light and dark: rule, first element, what is wrong.

    Args:
        page: loaded, in a context that bypasses the content security policy. It ends in the dark scheme.
    """
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.add_script_tag(path=str(_SCRIPT))
    page.emulate_media(color_scheme="light")
    found = page.evaluate(_RUN, {})
    page.emulate_media(color_scheme="dark")  # in which only colors are others
    found += page.evaluate(_RUN, {"runOnly": ["cat.color"]})
    return [
        (one["id"], one["nodes"][0]["html"][:160], one["nodes"][0]["failureSummary"][:300]) for one in found
    ]
