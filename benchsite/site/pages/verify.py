"""Verification for visitors: verify.html, the modules that the site's own pages load, and what both start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchsite.log import Log
from benchsite.site.trust import PATH, lookup
from benchsite.site.verifier import FONTS, Verifier
from benchsite.track import Page


def verify(
    verifier: Verifier, files: Mapping[str, str], trust: bytes, log: Log | None, root: str = ""
) -> Iterator[Page]:
    """The page, `verify/` with modules and styles, the trust data, and the log index of each receipt.

    Args:
        verifier: the page, made of those files.
        files: name below `theme/verify/` to text, as it came with this release.
        trust: what `benchsite.site.trust.trust` made.
        log: the verified log, if there is one.
        root: where the site is, ending in a slash; empty where that is unknown.
    """
    yield Page(path="verify.html", data=verifier.with_trust(trust, root))
    yield Page(path=PATH, data=trust)
    for name, text in files.items():
        if not name.endswith(".html") and name != FONTS:
            yield Page(path=f"verify/{name}", data=text.encode())
    if log is not None:
        yield from lookup(log)
