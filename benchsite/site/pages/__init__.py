"""The site's own pages: home, methodology, log, index of receipts, subjects, search, and receipts that failed verification.

Each is a pure function of the verified history and the documents it quotes. Boards and certificates belong to
the tracks.
"""

from __future__ import annotations

from benchsite.site.pages.home import home
from benchsite.site.pages.log import log
from benchsite.site.pages.methodology import methodology
from benchsite.site.pages.receipts import receipts, untrusted
from benchsite.site.pages.schemas import shared_schemas, track_schemas
from benchsite.site.pages.search import search
from benchsite.site.pages.subjects import subjects
from benchsite.site.pages.verify import verify

__all__ = [
    "home",
    "log",
    "methodology",
    "receipts",
    "search",
    "shared_schemas",
    "subjects",
    "track_schemas",
    "untrusted",
    "verify",
]
