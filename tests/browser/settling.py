"""When a page has come to rest."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

_REQUESTS: Final[WeakKeyDictionary[Any, Requests]] = WeakKeyDictionary()
_IDLE: Final = "() => new Promise(done => requestIdleCallback(() => setTimeout(done, 50)))"
_ENOUGH: Final = 3
"""Times that a page is found idle in turn: a module that has arrived is yet to run, and to request its own."""


class Requests:
    """What a page has requested.

    Attributes:
        begun: how many.
        under_way: those that have not ended.
    """

    def __init__(self, page: Any) -> None:
        self.begun = 0
        self.under_way: set[Any] = set()
        page.on("request", self._starts)
        page.on("requestfinished", self._ends)
        page.on("requestfailed", self._ends)

    def _starts(self, request: Any) -> None:
        self.begun += 1
        self.under_way.add(request)

    def _ends(self, request: Any) -> None:
        self.under_way.discard(request)


def watch(page: Any) -> None:
    """Let `settled` know what a page requests from here on."""
    _REQUESTS[page] = Requests(page)


def settled(page: Any) -> None:
    """Wait until a watched page has nothing to do, and requests nothing.

    Playwright's `networkidle` waits half a second at every visit.
    """
    requests, idle = _REQUESTS[page], 0
    begun = requests.begun
    for _ in range(600):
        page.evaluate(_IDLE)
        is_quiet = not requests.under_way and requests.begun == begun
        begun, idle = requests.begun, idle + 1 if is_quiet else 0
        if idle == _ENOUGH:
            return
    raise AssertionError(f"{page.url} waits for {[request.url for request in requests.under_way]}")
