"""Markdown of methodology documents to HTML sections; raw HTML in them is shown, never interpreted.

Pages of `content/` take mkdocs' own road; both have their tables put into boxes that scroll.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count

import markdown  # type: ignore[import-untyped]  # its stubs are a package of their own
from markupsafe import Markup

_HEADING = re.compile(r'<h2 id="(?P<id>[^"]+)">(?P<title>.*?)</h2>', re.DOTALL)
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_EXTENSIONS = ("tables", "fenced_code", "toc", "sane_lists", "def_list")


@dataclass(frozen=True, slots=True)
class Section:
    """One numbered clause: its anchor, heading and body; the first may have neither anchor nor heading."""

    anchor: str
    title: Markup
    body: Markup
    source: str


def sections(text: str) -> tuple[Section, ...]:
    """Cut a document at its second-level headings."""
    engine = markdown.Markdown(
        extensions=[*_EXTENSIONS],
        extension_configs={"tables": {"use_align_attribute": True}},
        output_format="html",
    )
    engine.preprocessors.deregister("html_block")
    engine.inlinePatterns.deregister("html")
    pieces = _HEADING.split(scrolling_boxes(engine.convert(text)))
    sources = re.split(r"(?m)^## +.*$", text)
    found = [Section("", Markup(), _safe(pieces[0]), sources[0])] if pieces[0].strip() else []
    for number, start in enumerate(range(1, len(pieces), 3), 1):
        anchor, title, body = pieces[start : start + 3]
        source = sources[number] if number < len(sources) else ""
        found.append(Section(anchor, _safe(title), _safe(body), source))
    return tuple(found)


def scrolling_boxes(html: str) -> str:
    """Tables and code in boxes that scroll on a narrow screen and can be reached by keyboard."""
    number = count(1)

    def box(found: re.Match[str]) -> str:
        at = next(number)
        name = "Table" if at == 1 else f"Table {at}"
        return f'<div class="scroll" role="region" aria-label="{name}" tabindex="0">{found[0]}</div>'

    boxed = _TABLE.sub(box, html)
    return boxed.replace("<pre>", '<pre tabindex="0">')


def _safe(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - made by the Markdown engine with raw HTML switched off
