"""Markdown of methodology documents to HTML sections; raw HTML in them is shown, never interpreted.

A methodology may come from a pull request. Links lead to http, https and mailto addresses or stay on the site; others
become plain text. Images are the site's own; a foreign one would tell its host who reads, and becomes its description.
Invisible and reordering characters are written out, those of character references too.

Pages of `content/` take mkdocs' own road; both have their tables put into boxes that scroll.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import count
from typing import Final
from xml.etree.ElementTree import Element

import markdown  # type: ignore[import-untyped]  # its stubs are a package of their own
from markdown.treeprocessors import Treeprocessor  # type: ignore[import-untyped]
from markdown.util import AMP_SUBSTITUTE, ETX, STX  # type: ignore[import-untyped]
from markupsafe import Markup

from benchsite.unseen import escaped, without_invisible

_HEADING = re.compile(r'<h2 id="(?P<id>[^"]+)">(?P<title>.*?)</h2>', re.DOTALL)
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_REFERENCE = re.compile(r"&(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);", re.IGNORECASE)
_SCHEMES: Final = frozenset({"http", "https", "mailto"})
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
    engine.treeprocessors.register(_Addresses(engine), "addresses", _LAST)
    made = engine.convert(_shown(text))
    # Markdown puts these around what it will fill in, and leaves them where an image is not closed; the text has none.
    pieces = _HEADING.split(scrolling_boxes(made.replace(STX, "").replace(ETX, "")))
    sources = re.split(r"(?m)^## +.*$", text)
    found = [Section("", Markup(), _safe(pieces[0]), sources[0])] if pieces[0].strip() else []
    for number, start in enumerate(range(1, len(pieces), 3), 1):
        anchor, title, body = pieces[start : start + 3]
        source = sources[number] if number < len(sources) else ""
        found.append(Section(anchor, _safe(title), _safe(body), source))
    return tuple(found)


_LAST: Final = -10
"""After every processor of markdown's own: what it leaves in the tree is what is written."""


class _Addresses(Treeprocessor):  # type: ignore[misc] # markdown has no types
    """Takes out the addresses that a page must not hold; the words stay."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.tag == "a" and not _may_link(element.get("href", "")):
                element.tag = "span"
                element.attrib.clear()
            elif element.tag == "img" and not _is_own(element.get("src", "")):
                element.tag, element.text = "span", element.get("alt", "")
                element.attrib.clear()


def _may_link(written: str) -> bool:
    scheme = _scheme(_address(written))
    return scheme is None or scheme in _SCHEMES


def _is_own(written: str) -> bool:
    """Whether an address stays on the site; a browser reads a backslash as a slash, and two of them start a host."""
    address = _address(written).replace("\\", "/")
    return _scheme(address) is None and not address.startswith("//")


def _scheme(address: str) -> str | None:
    """The scheme before the first colon, in lower case; None where a path, a query or a fragment starts before it."""
    before, colon, _ = address.partition(":")
    return before.lower() if colon and not re.search(r"[/?#]", before) else None


def _address(written: str) -> str:
    """An address as a browser reads it: references resolved, and without the white space that it skips."""
    read = html.unescape(written.replace(AMP_SUBSTITUTE, "&"))
    return re.sub(r"\s", "", without_invisible(read))


def _shown(text: str) -> str:
    """The source with nothing in it that a reader cannot see; ends of lines in one form, as Markdown takes them."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return escaped(_REFERENCE.sub(_shown_reference, lines))


def _shown_reference(found: re.Match[str]) -> str:
    read = html.unescape(found[0])
    return found[0] if escaped(read) == read else escaped(read)


def scrolling_boxes(page: str) -> str:
    """Tables and code in boxes that scroll on a narrow screen and can be reached by keyboard."""
    number = count(1)

    def box(found: re.Match[str]) -> str:
        at = next(number)
        name = "Table" if at == 1 else f"Table {at}"
        return f'<div class="scroll" role="region" aria-label="{name}" tabindex="0">{found[0]}</div>'

    boxed = _TABLE.sub(box, page)
    return boxed.replace("<pre>", '<pre tabindex="0">')


def _safe(page: str) -> Markup:
    return Markup(page)  # noqa: S704 - made by the Markdown engine with raw HTML switched off
