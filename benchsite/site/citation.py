"""BibTeX of a receipt, as BibTeX and LaTeX read it (Patashnik, "BibTeXing", 1988, chapter 4).

BibTeX counts braces even behind a backslash, so a brace in foreign text becomes a command with balanced ones. The
author is double-braced: a site's name is not a person's. A symbol such as an emoji becomes its Unicode name, because
LaTeX has no font for it. Letters of every script stay; pdfLaTeX sets Latin ones, XeLaTeX and LuaLaTeX the others. An
entry with others says so in front, where BibTeX ignores text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup, escape

from benchsite.board.board import Board
from benchsite.history import Header
from benchsite.markup import LONGEST, latex

__all__ = ["LONGEST", "bibtex", "board_bibtex", "latex"]

_BEYOND_LATIN: Final = (
    "This entry has letters that pdfLaTeX cannot set: use XeLaTeX or LuaLaTeX, with a font that has them.\n"
)
_LAST_LATIN: Final = "\u024f"
"""The end of Latin Extended-B in Unicode; modifier letters, combining marks and other scripts follow."""


def bibtex(
    header: Header, document: Mapping[str, Any], title: str, figure: str, path: str, *, site_url: str
) -> Markup:
    """`@misc` for a receipt, as HTML; the day in `urldate` is an element that the page's script sets to today.

    Args:
        header: the verified receipt.
        document: its body.
        title: of its page.
        figure: its headline metric with its value.
        path: of its page, below `site_url`.
        site_url: ends in a slash; empty where it is unknown, and then there is neither `url` nor `urldate`.
    """
    author = (document.get("ranBy") or {}).get("name") or site_url or "unknown"
    entry = f", log entry {header.index}" if header.index is not None else ""
    note = (
        f"benchsite receipt {header.receipt_id}, methodology {header.track} {header.methodology}{entry}, "
        f"SHA-256 {header.sha256}"
    )
    day = header.ran_at[:10]
    lines = [
        f"  title = {{{latex(title)}: {latex(figure)}}},",
        f"  author = {{{{{latex(author)}}}}},",
        f"  year = {{{latex(day[:4])}}},",
        *([f"  url = {{{site_url}{path}}},"] if site_url else ()),
    ]
    return _entry(f"benchsite-{header.receipt_id[:8]}", lines, day if site_url else "", note)


def board_bibtex(board: Board, path: str, *, site_url: str) -> Markup:
    """`@misc` for a leaderboard, as HTML: the newest ranked receipt dates it, and the note says how far it goes.

    Args:
        board: the leaderboard.
        path: of its page, below `site_url`.
        site_url: ends in a slash; empty where it is unknown.
    """
    day = max((row.header.ran_at[:10] for row in board.rows or board.imported.ranked), default="")
    entries = [
        row.header.index for row in board.rows or board.imported.ranked if row.header.index is not None
    ]
    last = f", log entries to {max(entries)}" if entries else ""
    note = (
        f"benchsite leaderboard {board.about.track.name}/{board.target}, methodology {board.methodology}{last}, "
        f"SHA-256 of the {board.about.target_word} {board.sha256 or 'unknown'}"
    )
    lines = [
        f"  title = {{{latex(board.title)}}},",
        f"  author = {{{{{latex(site_url or 'benchsite')}}}}},",
        *([f"  year = {{{latex(day[:4])}}},"] if day else ()),
        *([f"  url = {{{site_url}{path}}},"] if site_url else ()),
    ]
    return _entry(f"benchsite-{board.about.track.name}-{board.target}", lines, day if site_url else "", note)


def _entry(key: str, lines: Sequence[str], day: str, note: str) -> Markup:
    """An entry; `day` is that of `urldate` until the page's script sets today's, empty for none."""
    visited = Markup("  urldate = {{<span data-today>{}</span>}},\n").format(day) if day else Markup()
    body = "\n".join(lines) + "\n"
    is_latin = body.isascii() or all(
        char <= _LAST_LATIN or unicodedata.category(char)[0] not in "LM" for char in body
    )
    opening = f"{'' if is_latin else _BEYOND_LATIN}@misc{{{key},\n"
    return escape(opening) + escape(body) + visited + escape(f"  note = {{{latex(note)}}}\n}}")
