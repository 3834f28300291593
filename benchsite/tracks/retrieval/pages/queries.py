"""The pages of a dataset's queries: the picture of all, and one for each with the rank of its relevant items by system.

A dataset of up to `STATIC` queries, whose ids can be paths, has a file for each query. Of another one, a single page
reads the query that its address names from the data file of the leaderboard: LoCoMo alone has 1,986 queries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.addresses import board_path, receipt_page_path
from benchsite.board import Board, Row
from benchsite.board.items import Listed, items_page
from benchsite.board.per_item import per_item_path, rows_of
from benchsite.receipt import Document
from benchsite.track import Page
from benchsite.tracks.retrieval import TRACK
from benchsite.tracks.retrieval.scores.scoring import Query
from benchsite.words import shortened

__all__ = ["STATIC", "listed", "query_pages", "texts_path"]

STATIC: Final = 1_000
"""Queries of a dataset up to which each has a file of its page."""
TITLE: Final = 160
"""Characters of a query that are the title of its page."""
RELEVANT: Final = 20
"""Relevant items that a page lists; the ranks of the first `RANKED` are columns."""
RANKED: Final = 8
_SAFE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


class Relevant(NamedTuple):
    """A relevant item; `text` and `when` are empty if its dataset may not be shown."""

    id: str
    grade: int
    text: str
    when: str


class Same(NamedTuple):
    """Systems that returned the relevant items of a query at the same ranks.

    Attributes:
        names: of each its name, version and configuration, and the page of its receipt.
        value: of the headline metric; None for a query that is not scored.
        ranks: of each relevant item; 0 if it was not returned.
        returned: how many items were returned; None if the query failed.
    """

    names: tuple[tuple[str, str, str], ...]
    value: float | None
    ranks: tuple[int, ...]
    returned: int | None


def texts_path(fixture: str) -> str:
    """Path of the texts of a fixture's queries."""
    return f"{board_path(TRACK.name, fixture)}queries.json"


def listed(made: Board) -> Listed:
    """Return what the page of a dataset's queries says."""
    path = f"{board_path(TRACK.name, made.target)}queries/"
    root = path if _is_static(made) else f"{board_path(TRACK.name, made.target)}query/?id="
    if made.library.fixture(made.target, made.sha256) is not None:
        return Listed(path, texts=texts_path(made.target), root=root)
    return Listed(
        path,
        root=root,
        withheld="Queries are listed by id: their texts aren't in this repository, or may not be shown.",
    )


def query_pages(made: Board) -> Iterator[Page]:
    """Yield the texts that may be shown, the picture of queries by systems, and the page of each query."""
    fixture = made.library.fixture(made.target, made.sha256)
    if fixture is not None:
        words = {query["id"]: query["query"] for query in fixture["queries"]}
        yield Page(path=texts_path(made.target), data=canonical.dumps(words))
    if made.picture is None:
        return
    found = listed(made)
    yield items_page(made, found)
    if _is_static(made):
        yield from _each(made, fixture, found)
        return
    yield Page(
        path=found.root.removesuffix("?id="),
        title=f"One query of {made.target}",
        description=f"Rank of each relevant item of a query of {made.target}, by system.",
        template="retrieval/any_query.html.j2",
        context={"board": made, "listed": found, "data": per_item_path(made)},
    )


def _is_static(made: Board) -> bool:
    """Whether each query has a file; upper and lower case may be one on a disk."""
    if made.picture is None or made.newest is None:
        return False
    ids = [row["queryId"] for row in made.newest["perQuery"]]
    names = {name.lower() for name in ids if _SAFE.fullmatch(name)}
    return len(ids) <= STATIC and len(names) == len(ids)


def _each(made: Board, fixture: Document | None, found: Listed) -> Iterator[Page]:
    """A page for each query, in the order of the picture; those without a score come last."""
    newest: Document = made.newest or {}
    asked = {row["queryId"]: row for row in newest["perQuery"]}
    drawn = [name for name in made.picture.items if name in asked] if made.picture else []
    names = list(dict.fromkeys((*drawn, *asked)))
    rows = rows_of(made)
    shared = Counter(made.about.name(row) for row in rows)
    systems = [_System.read(made, row, shared) for row in rows]
    texts = {one["id"]: one["query"] for one in fixture["queries"]} if fixture else {}
    items = {one["id"]: one for one in fixture["items"]} if fixture else {}
    for before, name, after in zip((None, *names), names, (*names[1:], None), strict=False):
        row, text = asked[name], texts.get(name, "")
        query = Query.from_row(row) if "expected" in row else None
        yield Page(
            path=f"{found.root}{name}/",
            title=shortened(" ".join(text.split()), TITLE) or name,
            description=f"Query {name} of {made.target}: the rank of each relevant item, by system.",
            template="retrieval/query.html.j2",
            many=True,
            context={
                "board": made,
                "listed": found,
                "id": name,
                "text": text if len(text) > TITLE or "\n" in text else "",
                "category": row.get("category") or "",
                "answerable": row.get("answerable", True),
                "k": max(newest["config"]["k"]),
                "relevant": _relevant(query, items)[:RELEVANT] if query else None,
                "total": len(query.relevant) if query else 0,
                "columns": RANKED,
                "groups": _groups(systems, name),
                "before": before,
                "after": after,
            },
        )


def _relevant(query: Query, items: Mapping[str, Any]) -> Sequence[Relevant]:
    return [
        Relevant(
            name, grade, items.get(name, {}).get("content", ""), items.get(name, {}).get("timestamp") or ""
        )
        for name, grade in zip(query.relevant, query.ideal, strict=True)
    ]


class _System(NamedTuple):
    """What the pages take from one receipt; `values` and `ranks` are of the scored queries."""

    name: tuple[str, str, str]
    values: Mapping[str, float]
    ranks: Mapping[str, tuple[int, ...]]
    returned: Mapping[str, int | None]

    @classmethod
    def read(cls, made: Board, row: Row, shared: Mapping[str, int]) -> _System:
        """Read the body of a row's receipt; a name that several rows have is followed by version and configuration."""
        document, about = made.bodies(row.header.receipt_id), made.about
        configured = " · ".join(part for part in (row.subject.version, row.subject.label, row.sent) if part)
        name = about.name(row)
        ranks, returned = {}, {}
        for one in document["perQuery"]:
            query = Query.from_row(one) if "expected" in one else None
            if query is not None:
                ranks[one["queryId"]] = tuple(query.ranks.get(item, 0) for item in query.relevant)
            returned[one["queryId"]] = None if one.get("error") else len(set(one["retrieved"]))
        return cls(
            (
                f"{name} {configured}" if shared[name] > 1 else name,
                configured,
                receipt_page_path(row.header.receipt_id),
            ),
            about.compared(document) if about.compared is not None else {},
            ranks,
            returned,
        )


def _groups(systems: Sequence[_System], query: str) -> Sequence[Same]:
    """The systems that asked a query, equal results together, best first."""
    together: dict[tuple[float | None, tuple[int, ...], int | None], list[tuple[str, str, str]]] = {}
    for one in systems:
        if query in one.returned:
            ranks = one.ranks.get(query, ())
            # How many were returned is a result only where nothing is relevant.
            count = one.returned[query]
            key = (one.values.get(query), ranks, count if not ranks or count is None else 0)
            together.setdefault(key, []).append(one.name)
    found = [Same(tuple(names), *key) for key, names in together.items()]
    return sorted(found, key=lambda same: (-(same.value or 0), [rank or 1_001 for rank in same.ranks]))
