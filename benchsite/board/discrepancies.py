"""How a stated leaderboard differs from the one recomputed from the log: rows dropped, added, moved, reordered or altered.

Both are statements (`benchsite.board.statement`) whose shape was checked. `theme/verify/discrepancies.js` finds the same, in
the same order and in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.board.sentences import MESSAGES, said
from benchsite.history import differences
from benchsite.words import message, rank

__all__ = ["Discrepancy", "discrepancies"]

Kind = Literal[
    "row-dropped", "row-added", "row-repeated", "row-moved", "row-reordered", "row-altered", "heading-altered"
]
_HEADINGS: Final = ("track", "target", "methodology", "metric", "tested", "unreported", "declined")
_SECTIONS: Final = ("ranked", "baseline", "imported")
_Listed = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One difference: `receipt_id` and `field` are empty if it is of the whole leaderboard."""

    kind: Kind
    receipt_id: str
    field: str
    message: str


def discrepancies(stated: Mapping[str, Any], computed: Mapping[str, Any]) -> list[Discrepancy]:
    """Return every difference: of the whole, then of each receipt in log order, what was added, and the order of rows."""
    given, found = [*_listed(stated)], {one["receiptId"]: one for one in _listed(computed)}
    first: dict[str, _Listed] = {}
    repeated: list[_Listed] = []
    for one in given:
        if one["receiptId"] in first:
            repeated.append(one)
        else:
            first[one["receiptId"]] = one
    return [
        *_headings(stated, computed),
        *(one for there in sorted(found.values(), key=lambda one: one["index"]) for one in _of(first, there)),
        *(_added(one) for name, one in first.items() if name not in found),
        *(_told("row-repeated", one["receiptId"], receipt=one["receiptId"]) for one in repeated),
        *_reordered(first, found),
    ]


def _listed(made: Mapping[str, Any]) -> Iterator[_Listed]:
    """Every receipt with its section, in the order of the statement."""
    yield from made["rows"]
    for section in ("notRanked", "earlier"):
        for one in made[section]:
            yield {**one, "section": section}


def _headings(stated: Mapping[str, Any], computed: Mapping[str, Any]) -> Iterator[Discrepancy]:
    for name in _HEADINGS:
        for one in differences(stated[name], computed[name], name):
            values = {"stated": _shown(one.recorded), "computed": _shown(one.computed)}
            yield _told("heading-altered", "", one.field, field=one.field, **values)


def _of(stated: Mapping[str, _Listed], computed: _Listed) -> Iterator[Discrepancy]:
    """What is said otherwise of one receipt of the record."""
    name = computed["receiptId"]
    given = stated.get(name)
    if given is None:
        yield _told("row-dropped", name, receipt=name, index=f"{computed['index']:,}", place=_place(computed))
    elif given["section"] != computed["section"]:
        yield _told(
            "row-moved", name, "section", receipt=name, place=_place(given), computed=_place(computed)
        )
    else:
        for field in sorted(computed):
            for one in differences(given[field], computed[field], field):
                values = {"stated": _shown(one.recorded), "computed": _shown(one.computed)}
                yield _told("row-altered", name, one.field, field=one.field, receipt=name, **values)


def _added(stated: _Listed) -> Discrepancy:
    name = stated["receiptId"]
    return _told("row-added", name, receipt=name, place=_place(stated))


def _reordered(stated: Mapping[str, _Listed], computed: Mapping[str, _Listed]) -> Iterator[Discrepancy]:
    """The first place at which the rows differ that both have in the same section."""
    orders = [
        [
            name
            for name, one in these.items()
            if one["section"] in _SECTIONS and name in those and those[name]["section"] == one["section"]
        ]
        for these, those in ((stated, computed), (computed, stated))
    ]
    for place, (given, right) in enumerate(zip(*orders, strict=True), start=1):
        if given != right:
            yield _told("row-reordered", given, receipt=given, computed=right, place=str(place))
            return


def _place(one: _Listed) -> str:
    """Where a receipt is listed, in words."""
    if one["section"] == "notRanked":
        return said("as-excluded", reasons="; ".join(one["reasons"]))
    if one["section"] == "earlier":
        return said("as-earlier", by=one["by"])
    if one["rankFirst"] is None or one["rankLast"] is None:
        return said("as-unplaced", section=one["section"])
    return said("as-ranked", rank=rank(one["rankFirst"], one["rankLast"]))


def _shown(value: Any) -> str:
    """A value in a sentence: its canonical JSON, which every language writes alike."""
    return "absent" if value is None else canonical.dumps(value).decode()


def _told(kind: Kind, name: str, at: str = "", /, **values: str) -> Discrepancy:
    return Discrepancy(kind, name, at, message(MESSAGES, kind, **values))
