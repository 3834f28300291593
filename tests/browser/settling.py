"""When a page has come to rest."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

_UNDER_WAY: Final[WeakKeyDictionary[Any, set[Any]]] = WeakKeyDictionary()
_IDLE: Final = "() => new Promise(done => requestIdleCallback(() => setTimeout(done, 50)))"


def watch(page: Any) -> None:
    """Let `settled` know what a page requests from here on."""
    under_way = _UNDER_WAY[page] = set()

    def starts(request: Any) -> None:
        under_way.add(request)

    def ends(request: Any) -> None:
        under_way.discard(request)

    page.on("request", starts)
    page.on("requestfinished", ends)
    page.on("requestfailed", ends)


def settled(page: Any) -> None:
    """Wait until a watched page has nothing to do and no request is under way.

    Playwright's `networkidle` waits half a second longer, at every visit.
    """
    for _ in range(600):
        page.evaluate(_IDLE)
        if not _UNDER_WAY[page]:
            return
    raise AssertionError(f"{page.url} waits for {[request.url for request in _UNDER_WAY[page]]}")
