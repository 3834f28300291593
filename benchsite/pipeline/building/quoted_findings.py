"""Findings that the home page quotes: pages of `content/findings/` whose front matter has a `finding`.

    ---
    title: Most ranks are ties
    finding: 176 of 180 adjacent ranks differ by less than chance explains.
    order: 1
    ---

`finding` is one sentence with its numbers. A page without it isn't quoted; those with the lowest `order` are.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

from benchsite import yaml_document
from benchsite.errors import InputError
from benchsite.site.pages.home import Finding

FOLDER: Final = "findings"
_FENCE: Final = "---\n"


def quoted_findings(prose: Path) -> tuple[Finding, ...]:
    """Read the findings of a folder of prose, in their order.

    Raises:
        InputError: the front matter of one is malformed; file and line in the message.
    """
    pages = sorted((prose / FOLDER).glob("*.md"))
    found = [one for page in pages if (one := _finding(page)) is not None]
    return tuple(one for _, one in sorted(found, key=lambda item: item[0]))


def _finding(page: Path) -> tuple[tuple[float, str], Finding] | None:
    """The finding of a page after what it is sorted by; None if the page has none."""
    where = f"content/{FOLDER}/{page.name}"
    text = page.read_text(encoding="utf-8").replace("\r\n", "\n")
    head, closed, _ = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    if not text.startswith(_FENCE) or not closed:
        return None
    document = yaml_document.load(f"\n{head}\n".encode(), where)
    meta = document.value if isinstance(document.value, dict) else {}
    if "finding" not in meta:
        return None
    title, sentence = (_words(document, meta, key) for key in ("title", "finding"))
    order = meta.get("order", math.inf)
    if isinstance(order, bool) or not isinstance(order, int | float):
        raise document.error(["order"], f"{order!r} is not a number", hint="write `order: 1`, or remove it")
    path = FOLDER if page.stem == "index" else f"{FOLDER}/{page.stem}"
    return (float(order), page.name), Finding(title, sentence, f"{path}/")


def _words(document: yaml_document.YamlDocument, meta: dict[str, Any], key: str) -> str:
    """A text of the front matter.

    Raises:
        InputError: there is none.
    """
    value = meta.get(key)
    if isinstance(value, str) and value.strip():
        return " ".join(value.split())
    if key in meta:
        raise document.error([key], "must be text", hint=f"write `{key}: …` in quotes")
    raise InputError(f"{document.where}: no {key}", hint=f"add `{key}: …` to its front matter")
