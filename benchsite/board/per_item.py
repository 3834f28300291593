"""The data file of a leaderboard's items: what each system did with each, so that a browser scores and compares again.

A track whose scoring file reads evidence by item gives it here; the browser computes every metric from it by the same
code that re-scores receipts. Of other tracks the values are those of the receipts. At most `ROWS` systems, the best ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from benchsite import canonical
from benchsite.board.board import Board
from benchsite.board.compare import SideBySide, by_value
from benchsite.board.data import head, stem
from benchsite.board.picture import ROWS
from benchsite.board.rows import Row
from benchsite.board.settings import settings, shown
from benchsite.receipt import Document
from benchsite.track import Page

__all__ = ["Evidence", "metrics_of", "per_item", "per_item_path", "rows_of"]


class Evidence(NamedTuple):
    """What scoring reads, by item id.

    Attributes:
        shared: of the item: grades of the relevant items, whether an action is needed.
        own: of what the system did: ranks of the relevant items, outcomes of runs.
        relevant: ids of the items that `own` has the ranks of; empty for tracks without.
    """

    shared: Mapping[str, Any]
    own: Mapping[str, Any]
    relevant: Mapping[str, Sequence[str]] = MappingProxyType({})


def per_item_path(made: Board) -> str:
    """`api/v1/retrieval/locomo-10-turn/per-query.json`."""
    return f"{stem(made.path)}/per-query.json"


def metrics_of(made: Board) -> Sequence[str]:
    """Return the metrics of which two systems are compared, the headline first.

    A metric that the receipt of the best system calls saturated is omitted, because a test of it says nothing, and one that no
    receipt has, such as harm where a benchmark records none.
    """
    about, part, rows = made.about, made.about.track.paired, rows_of(made)
    if not about.metrics or not rows:
        return about.metrics or (about.headline,)
    full = part.per_item(made.bodies(rows[0].header.receipt_id)).saturated if part is not None else ()
    scores = [made.bodies(row.header.receipt_id)["scores"] for row in rows]
    stated = {key for key in about.metrics if any(one.get(key) is not None for one in scores)}
    return tuple(key for key in about.metrics if key == about.headline or (key in stated and key not in full))


def rows_of(made: Board) -> tuple[Row, ...]:
    """The systems of the file, best first."""
    if made.picture is not None:
        return made.picture.rows
    return tuple(by_value((*made.rows, *made.imported.ranked))[:ROWS])


def per_item(made: Board, compared: SideBySide) -> Page:
    """Return the data file; reads the body of each of its systems."""
    found = made.picture
    rows = rows_of(made)
    items = found.items if found else compared.matrix.items
    groups = [(group.name, group.size) for group in found.groups] if found else [("", len(items))]
    shared: dict[str, Any] = {}
    relevant: dict[str, Sequence[str]] = {}
    systems = [_system(made, row, items, shared, relevant) for row in rows]
    value: dict[str, Any] = {
        **head(made),
        "metrics": [_metric(made, key) for key in metrics_of(made)],
        "test": _test(made),
        "more": len(made.rows) + len(made.imported.ranked) - len(rows),
        "items": {
            "id": list(items),
            "categories": [{"name": name, "items": size} for name, size in groups],
            "shared": [shared.get(item) for item in items],
            **({"relevant": [relevant.get(item) for item in items]} if relevant else {}),
        },
        "systems": systems,
    }
    if found:
        value |= {"kinds": [kind._asdict() for kind in found.kinds], "step": found.step, "gap": found.gap}
    return Page(path=per_item_path(made), data=canonical.dumps(value))


def _metric(made: Board, key: str) -> Mapping[str, Any]:
    found = made.about.track.metric(key)
    return {"key": key, "label": found.label, "digits": found.digits, "percent": found.percent}


def _test(made: Board) -> Mapping[str, Any] | None:
    """The paired test; the seed is text, because a double does not hold it."""
    if made.about.compared is None:
        return None
    return {"seed": str(made.test.seed), "flips": made.test.flips, "level": made.test.level}


def _system(
    made: Board, row: Row, items: Sequence[str], shared: dict[str, Any], relevant: dict[str, Sequence[str]]
) -> Mapping[str, Any]:
    about, document = made.about, made.bodies(row.header.receipt_id)
    summary = row.header.summary
    pinned = f"{summary.target} {summary.target_sha256}".strip() if summary else ""
    found: dict[str, Any] = {
        "receiptId": row.header.receipt_id,
        "path": row.header.path,
        "name": about.name(row),
        "version": row.subject.version,
        "label": row.subject.label,
        "sent": row.sent,
        "baseline": row.baseline,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "once": row.header.receipt_id in made.test.once,
        "settings": {
            "data": pinned,
            **{name: shown(value) for name, value in settings(about.track, document).items()},
        },
    }
    if made.picture is not None:
        found["cells"] = made.picture.cells[made.picture.rows.index(row)]
    return {**found, **dict(_evidence(made, document, items, shared, relevant))}


def _evidence(
    made: Board,
    document: Document,
    items: Sequence[str],
    shared: dict[str, Any],
    relevant: dict[str, Sequence[str]],
) -> Iterator[tuple[str, Any]]:
    """What is scored: `own` evidence, with `shared` if it is not that of the first system; else `values`."""
    about = made.about
    if about.evidence is None:
        read = about.items or about.compared
        values = read(document) if read is not None else {}
        yield "values", [values.get(item) for item in items]
        return
    of_items, own, named = about.evidence(document)
    for item, ids in named.items():
        relevant.setdefault(item, ids)
    yield "own", [own.get(item) for item in items]
    if any(shared.setdefault(item, of_item) != of_item for item, of_item in of_items.items()):
        yield "shared", [of_items.get(item) for item in items]
