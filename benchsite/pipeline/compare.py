"""compare: two receipts on the items that both have, after a check that they are comparable.

    receipts -> schema -> the track's part `paired` -> paired tests

Signatures aren't checked, because drafts are compared too: `benchsite verify` says whether a receipt is genuine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchsite import plugins
from benchsite.board.settings import differing, settings
from benchsite.board.two_systems import Line, by_category, by_metric
from benchsite.errors import UsageError
from benchsite.pipeline.named import receipt_named
from benchsite.pipeline.snapshot import Snapshot
from benchsite.receipt import Document, Receipt
from benchsite.track import Track

__all__ = ["Compared", "compare"]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two receipts compared.

    Attributes:
        names: the two systems, with version and options if their names are equal.
        receipts: their ids.
        target: the id of what both were run on.
        items: what an item is, in the plural.
        differing: settings in which they differ, each with both values; a reader decides whether they matter.
        metrics: the headline metric first.
        categories: of the headline metric.
        saturated: metrics that are not tested, in name order, because the cut-off reaches the size of a scope.
    """

    names: tuple[str, str]
    receipts: tuple[str, str]
    target: str
    items: str
    differing: Mapping[str, tuple[str, str]]
    metrics: Sequence[Line]
    categories: Sequence[Line]
    saturated: Sequence[str]


def compare(snapshot: Snapshot | None, first: str, second: str) -> Compared:
    """Compare two receipts, each a path, an id or its first characters, or a web address.

    Raises:
        UsageError: there is no such receipt, or the two are not comparable: of two tracks, on other data, or without common
            items.
        ReceiptError: a receipt is malformed.
    """
    receipts = receipt_named(snapshot, first), receipt_named(snapshot, second)
    tracks = [plugins.track(one.track) for one in receipts]
    for track, receipt in zip(tracks, receipts, strict=True):
        track.check(receipt.document)
    a, b = (one.document for one in receipts)
    part = tracks[0].paired
    _require_one(receipts, tracks)
    if part is None:
        raise UsageError(
            f"receipts of track {receipts[0].track} have no numbers per item",
            hint="compare receipts of the retrieval or the agents track",
        )
    found = part.per_item(a), part.per_item(b)
    full = found[0].saturated | found[1].saturated
    values = [{name: of.metrics[name] for name in of.metrics if name not in full} for of in found]
    lines = by_metric(values[0], values[1])
    if not lines:
        raise UsageError(
            f"not comparable: the receipts have no common {found[0].items}",
            hint="compare receipts of runs on the same items",
        )
    headline = lines[0].name
    categories = by_category(found[0].metrics[headline], found[1].metrics[headline], found[0].categories)
    return Compared(
        _names(tracks[0], a, b),
        (receipts[0].receipt_id, receipts[1].receipt_id),
        tracks[0].target(a).id,
        found[0].items,
        dict(differing(settings(tracks[0], a), settings(tracks[1], b))),
        lines,
        categories,
        sorted(full),
    )


def _require_one(receipts: Sequence[Receipt], tracks: Sequence[Track]) -> None:
    """Raise `UsageError` unless both receipts are of one track and of the same data."""
    a, b = receipts
    if a.track != b.track:
        raise UsageError(
            f"not comparable: one receipt is of track {a.track}, the other of {b.track}",
            hint="compare receipts of one track",
        )
    if a.receipt_id == b.receipt_id:
        raise UsageError(f"both names mean receipt {a.receipt_id}", hint="name two receipts")
    one, other = (track.target(receipt.document) for track, receipt in zip(tracks, receipts, strict=True))
    if (one.id, one.sha256) != (other.id, other.sha256):
        versions = [f"{of.id}{f' (SHA-256 {of.sha256[:12]}…)' if of.sha256 else ''}" for of in (one, other)]
        raise UsageError(
            f"not comparable: {versions[0]} and {versions[1]}",
            hint="compare receipts of one version of the data",
        )


def _names(track: Track, a: Document, b: Document) -> tuple[str, str]:
    """The names of the two systems; with version and options if they do not differ."""
    one, other = (track.summary(document, None).subject for document in (a, b))
    if one.name != other.name:
        return one.name, other.name
    longer = [" ".join(part for part in (of.name, of.version, of.label) if part) for of in (one, other)]
    return longer[0], longer[1]
