"""Findings of a record: pages of `content/findings/`, each with a question, a result in one sentence and its picture.

    ---
    title: Most ranks are ties
    question: How many ranks of a leaderboard can be told apart?
    finding: 176 of 180 adjacent ranks differ by less than chance explains.
    order: 1
    metric: ndcg_at_10
    plot:
      - {group: three-notebooks-v1, label: BM25, receipt: 3f25…}
      - {group: three-notebooks-v1, label: random order, receipt: 9c01…, baseline: true}
    ---

`finding` has its numbers. A page without it isn't a finding; the home page quotes those with the lowest `order`. Every
value of the picture comes from the receipts that `plot` names. `metric` is the receipts' headline if it is absent. A picture
that a command drew, such as `grid`, is an SVG file beside the page instead: `picture: locomo-grid.svg`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ConfigDict, Field

from benchsite import yaml_document
from benchsite.errors import InputError
from benchsite.schema import Bounded
from benchsite.site.pages.home import Finding

__all__ = ["FOLDER", "Drawn", "Written", "written_findings"]

FOLDER: Final = "findings"
_FENCE: Final = "---\n"
_INDEX: Final = "index.md"
_MOST: Final = 60
"""Rows of a picture."""


class Drawn(Bounded):
    """A row of the picture.

    Attributes:
        receipt: id of the receipt that has the value.
        group: heading above the row; consecutive rows of one group share it.
        category: a category of the receipt's items; all items if it is empty.
        baseline: whether the value is the dashed line of its group.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    label: str = Field(min_length=1, max_length=120)
    receipt: str = Field(min_length=1, max_length=80)
    group: str = Field(default="", max_length=160)
    category: str = ""
    baseline: bool = False


class _Front(Bounded):
    model_config = ConfigDict(strict=True)

    plot: list[Drawn] = Field(default=[], max_length=_MOST)


class Written(NamedTuple):
    """The front matter of a finding.

    Attributes:
        finding: what the home page quotes.
        picture: SVG markup of a picture that a command drew; empty for none.
        document: front matter, for errors that name a line.
    """

    finding: Finding
    question: str
    metric: str
    rows: tuple[Drawn, ...]
    picture: str
    document: yaml_document.YamlDocument


def written_findings(prose: Path) -> tuple[Written, ...]:
    """Read the findings of a folder of prose, in their order.

    Raises:
        InputError: the front matter of one is malformed, with file and line; or no page lists them.
    """
    pages = sorted((prose / FOLDER).glob("*.md"))
    found = [one for page in pages for one in _written(page)]
    if found and not (prose / FOLDER / _INDEX).is_file():
        raise InputError(f"content/{FOLDER}/ has no {_INDEX}", hint="add the page that lists the findings")
    return tuple(one for _, one in sorted(found, key=lambda item: item[0]))


def _written(page: Path) -> Iterator[tuple[tuple[float, str], Written]]:
    """Yield the finding of a page after what it is sorted by; nothing if the page has none."""
    where = f"content/{FOLDER}/{page.name}"
    text = page.read_text(encoding="utf-8").replace("\r\n", "\n")
    head, closed, _ = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    if not text.startswith(_FENCE) or not closed:
        return
    document = yaml_document.load(f"\n{head}\n".encode(), where)
    meta = document.value if isinstance(document.value, dict) else {}
    if "finding" not in meta:
        return
    title, sentence = (_words(document, key) for key in ("title", "finding"))
    question, metric = (_words(document, key) if key in meta else "" for key in ("question", "metric"))
    order = meta.get("order", math.inf)
    if isinstance(order, bool) or not isinstance(order, int | float):
        raise document.error(["order"], f"{order!r} is not a number", hint="write `order: 1`, or remove it")
    rows = tuple(document.check(_Front).plot)
    path = FOLDER if page.stem == "index" else f"{FOLDER}/{page.stem}"
    finding = Finding(title, sentence, f"{path}/")
    yield (
        (float(order), page.name),
        Written(finding, question, metric, rows, _picture(page, document), document),
    )


def _picture(page: Path, document: yaml_document.YamlDocument) -> str:
    """Return the SVG file that the front matter names; raises `InputError` if there is none."""
    if "picture" not in document.value:
        return ""
    name = _words(document, "picture")
    path = page.parent / name
    if path.suffix != ".svg" or path.parent != page.parent or not path.is_file():
        raise document.error(["picture"], f"no SVG file {name} here", hint="add it to the folder of the page")
    return path.read_text(encoding="utf-8").strip()


def _words(document: yaml_document.YamlDocument, key: str) -> str:
    """Return a text of the front matter; raises `InputError` if there is none."""
    value = document.value.get(key)
    if isinstance(value, str) and value.strip():
        return " ".join(value.split())
    if key in document.value:
        raise document.error([key], "must be text", hint=f"write `{key}: …` in quotes")
    raise InputError(f"{document.where}: no {key}", hint=f"add `{key}: …` to its front matter")
