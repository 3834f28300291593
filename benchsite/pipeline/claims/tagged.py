r"""Links to receipts in Markdown, HTML and LaTeX, with the text that they mark.

    [0.534](https://example.org/receipts/3f/3f25…/)          Markdown, CommonMark with tables
    <a href="…/receipts/3f/3f25…/#recall_at_5">0.61</a>      HTML, also inside Markdown
    \href{…/receipts/3f/3f25…/}{0.534}                       LaTeX

An address cites a receipt if it contains an id, or has the form of a receipt page. Its fragment may name a metric. Pure: text in, values out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchsite.errors import InputError

__all__ = ["KINDS", "Tagged", "tagged"]

_ID: Final = re.compile(
    r"(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f-])"
)
_PAGE: Final = re.compile(r"receipts/[^/?#\s]{2}/([^/?#\s]{1,200})")
"""A receipt page's address, whose id may be mistyped."""
_FRONT_MATTER: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HREF: Final = re.compile(r"\\href\s{0,9}(?:\[[^\]\n]{0,400}\]\s{0,9})?\{([^{}]{0,4000})\}\s{0,9}\{")
_COMMENT: Final = re.compile(r"(?<!\\)%.*")
_ELEMENT: Final = re.compile(
    r"<(?P<name>a|img)\b[^<>]{0,4000}?\s(?:href|src)\s*=\s*"
    r"""(?:"(?P<double>[^"<>]{0,4000})"|'(?P<single>[^'<>]{0,4000})'|(?P<bare>[^\s"'<>]{1,4000}))[^<>]{0,4000}>""",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(r"</?a\b", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]{0,4000}>")
_BRACE: Final = re.compile(r"(?<!\\)[{}]")
_LONGEST_GROUP: Final = 1_000
_LARGEST_BLOCK: Final = 100_000
_CONTEXT: Final = 80
"""Characters before a link in which a metric may be named."""


class Tagged(NamedTuple):
    """Text that cites a receipt.

    Attributes:
        line: from 1.
        text: what the link marks; empty for a picture.
        context: the text before it in the same block.
        metric: the key in the address's fragment, or empty.
    """

    line: int
    text: str
    context: str
    receipt_id: str
    metric: str


def tagged(text: str, kind: str) -> Iterator[Tagged]:
    """Yield every citation of a receipt in order; `kind` is a key of `KINDS`."""
    yield from KINDS[kind](text.replace("\r\n", "\n"))


def _cited(address: str) -> tuple[str, str] | None:
    """Return the receipt id and the metric that an address names; None for another address."""
    plain = unquote(address)
    found = _ID.search(plain.lower()) or _PAGE.search(plain)
    if found is None:
        return None
    try:
        fragment = urlsplit(address).fragment
    except ValueError:  # such as an IPv6 host without its bracket
        fragment = ""
    return found[found.lastindex or 0], unquote(fragment)


def _markdown(text: str) -> Iterator[Tagged]:
    """Yield the citations of a text; only blocks that contain a receipt id are parsed to the end."""
    front = _FRONT_MATTER.match(text)
    if front is not None:
        text = "\n" * front[0].count("\n") + text[front.end() :]
    reader = MarkdownIt("commonmark").enable("table")
    reader.core.ruler.disable("inline")
    defined: dict[str, Any] = {}
    blocks = reader.parse(text, defined)
    reader.core.ruler.enable("inline")
    by_reference = any(_cited(str(one["href"])) for one in defined.get("references", {}).values())
    for block in blocks:
        line = block.map[0] + 1 if block.map is not None else 1
        if block.type == "html_block":
            yield from _html(block.content, line)
        elif block.type == "inline" and (
            _cited(block.content) is not None or (by_reference and "[" in block.content)
        ):
            if len(block.content) > _LARGEST_BLOCK:
                raise InputError(
                    f"line {line}: a paragraph of {len(block.content):,} characters",
                    hint=f"split it; at most {_LARGEST_BLOCK:,} are read",
                )
            for parsed in reader.parseInline(block.content, defined):
                yield from _inline(parsed.children or [], line)


def _inline(children: list[Token], line: int) -> Iterator[Tagged]:
    """Yield the citations of one block; links are not nested in CommonMark."""
    before, marked, address, start = "", "", None, line
    markup: list[str] = []
    for token in children:
        if token.type in ("softbreak", "hardbreak"):
            line += 1
        if token.type == "link_open":
            address, marked, start = _cited(str(token.attrs.get("href", ""))), "", line
        elif token.type == "link_close":
            if address is not None:
                yield Tagged(start, marked.strip(), before[-_CONTEXT:], *address)
            before, address = before + marked, None
        elif token.type == "image" and address is None and (shown := _cited(str(token.attrs.get("src", "")))):
            yield Tagged(line, "", before[-_CONTEXT:], *shown)
        elif token.type == "html_inline":
            markup.append(token.content)
        else:
            said = (
                " "
                if token.type in ("softbreak", "hardbreak")
                else token.content
                if token.type != "image"
                else ""
            )
            marked, before = (marked + said, before) if address is not None else (marked, before + said)
            markup.append(said)
    if any("<a" in part.lower() for part in markup):
        yield from _html("".join(markup), line)


def _html(text: str, first: int = 1) -> Iterator[Tagged]:
    """Yield the citations of anchors, and of pictures outside any; comments are not read."""
    text = _without_comments(text)
    line, seen, end = first, 0, 0
    for found in _ELEMENT.finditer(text):
        if found.start() < end:  # a picture inside an anchor
            continue
        line, seen = line + text.count("\n", seen, found.start()), found.start()
        address = found["double"] or found["single"] or found["bare"] or ""
        if (cited := _cited(unescape(address))) is None:
            continue
        marked = ""
        if found["name"].lower() == "a":
            closing = _CLOSING.search(text, found.end())
            end = closing.start() if closing is not None else len(text)
            marked = _plain(text[found.end() : end])
        yield Tagged(
            line,
            marked,
            _plain(text[max(0, found.start() - 4 * _CONTEXT) : found.start()])[-_CONTEXT:],
            *cited,
        )


def _without_comments(text: str) -> str:
    """HTML with its comments replaced by as many line breaks as they have."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0:
        stop = text.find("-->", start + 4)
        stop = len(text) if stop < 0 else stop + 3
        kept += [text[at:start], "\n" * text.count("\n", start, stop)]
        at = stop
    return "".join([*kept, text[at:]])


def _plain(text: str) -> str:
    """HTML without its tags, references resolved, white space collapsed."""
    return " ".join(unescape(_TAG.sub("", text)).split())


def _latex(text: str) -> Iterator[Tagged]:
    r"""Yield the citations of `\href`; comments are not read."""
    text = _COMMENT.sub(lambda found: " " * len(found[0]), text.replace(r"\%", "\0"))
    line, seen, ends = 1, 0, _closing_braces(text)
    for found in _HREF.finditer(text):
        line, seen = line + text.count("\n", seen, found.start()), found.start()
        address = found[1].replace("\0", "%").replace(r"\#", "#").replace(r"\_", "_")
        if cited := _cited(address):
            end = min(ends.get(found.end() - 1, len(text)), found.end() + _LONGEST_GROUP)
            context = _words(text[max(0, found.start() - _CONTEXT) : found.start()])
            yield Tagged(line, _words(text[found.end() : end]), context, *cited)


def _closing_braces(text: str) -> dict[int, int]:
    """Return the place of the closing brace of each opening one that has one."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif opened:
            closed[opened.pop()] = found.start()
    return closed


def _words(text: str) -> str:
    """LaTeX without its commands and braces."""
    text = re.sub(r"(?<=\d)\{?\\,\}?(?=\d{3})|(?<=\d)\{,\}(?=\d)", ",", text)
    plain = re.sub(r"\\[,;! ]|~|\}\s*\{", " ", text).replace(r"\_", "_")
    return " ".join(re.sub(r"\\[A-Za-z]+\*?|[{}$]", "", plain).replace("\0", "%").split())


KINDS: Final = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".tex": _latex,
}
"""The reader of each kind of file, by its suffix."""
