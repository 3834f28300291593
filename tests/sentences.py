"""The sentences of a Markdown page and the number of their words (STYLE.md, "Words", rule 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

LONGEST: Final = 25
_UNREAD: Final = re.compile(r"^---\n.*?^---\n|^ *```.*?^ *```|<!--.*?-->|^ *\|.*?$", re.MULTILINE | re.DOTALL)
_BREAK: Final = re.compile(r"\n\s*\n|^#+ .*$|^ *(?:[-*]|\d+\.|:  ) +|^!!! .*$", re.MULTILINE)
_END: Final = re.compile(r"(?<=[.!?:])[*_)\"”]*\s+(?=[*_(\"“\[]*(?:[A-Z0-9`]))")
_WORD: Final = re.compile(r"[^\W\d_][\w'’./-]*")


class Sentence(NamedTuple):
    """A sentence and the number of its words."""

    words: int
    text: str


def sentences(page: str) -> Iterator[Sentence]:
    """The sentences of a page, without front matter, code blocks, tables and headings; inline code is one word.

    A list item is a sentence of its own, and so is what comes before a colon that a capital letter follows.
    """
    read = _UNREAD.sub("\n\n", page)
    for part in _BREAK.split(read):
        for text in _END.split(" ".join((part or "").split())):
            plain = re.sub(r"`[^`]*`", "code", re.sub(r"\]\([^)]*\)", "]", text))
            if words := len(_WORD.findall(plain)):
                yield Sentence(words, text)
