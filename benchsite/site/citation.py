"""BibTeX of a receipt, as BibTeX and LaTeX read it (Patashnik, "BibTeXing", 1988, chapter 4).

BibTeX counts braces even behind a backslash, so a brace in foreign text becomes a command with balanced ones. The
author is double-braced: a site's name is not a person's. A symbol such as an emoji becomes its Unicode name, because
LaTeX has no font for it. Letters of every script stay; pdfLaTeX sets Latin ones, XeLaTeX and LuaLaTeX the others. An
entry with others says so in front, where BibTeX ignores text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup, escape

from benchsite.history import Header
from benchsite.site import formats
from benchsite.words import shortened

LONGEST: Final = 300
"""Characters of a name or title that are quoted."""

_COMMANDS: Final = {
    **{char: f"\\{char}" for char in "&%$#_"},
    "\\": "\\textbackslash{}",
    "{": "\\textbraceleft{}",
    "}": "\\textbraceright{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "−": "\\ensuremath{-}",
    "≥": "\\ensuremath{\\geq}",
}
_PLAIN: Final = str.maketrans(_COMMANDS)
_VARIANTS: Final = dict.fromkeys(map(ord, "\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"))
"""What only changes how the emoji before it looks."""


_BEYOND_LATIN: Final = (
    "This entry has letters that pdfLaTeX cannot set: use XeLaTeX or LuaLaTeX, with a font that has them.\n"
)
_LAST_LATIN: Final = "\u024f"
"""The end of Latin Extended-B in Unicode; modifier letters, combining marks and other scripts follow."""


@lru_cache(maxsize=1_024)
def latex(text: str) -> str:
    """Foreign text on one line, at most `LONGEST` characters, with LaTeX's ten special characters as commands."""
    name = formats.plain_name(text.translate(_VARIANTS))
    plain = shortened(name, LONGEST).translate(_PLAIN)
    return plain if plain.isascii() else "".join(map(_symbol, plain))


def _symbol(char: str) -> str:
    """`[fox face]` for an emoji; any other character as it is."""
    is_symbol = unicodedata.category(char) == "So" and char not in "©®°"
    return f"[{unicodedata.name(char, 'symbol').lower()}]" if is_symbol else char


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
    visited = Markup("  urldate = {{<span data-today>{}</span>}},\n").format(day) if site_url else Markup()
    body = "\n".join(lines) + "\n"
    is_latin = body.isascii() or all(
        char <= _LAST_LATIN or unicodedata.category(char)[0] not in "LM" for char in body
    )
    opening = f"{'' if is_latin else _BEYOND_LATIN}@misc{{benchsite-{header.receipt_id[:8]},\n"
    return escape(opening) + escape(body) + visited + escape(f"  note = {{{latex(note)}}}\n}}")
