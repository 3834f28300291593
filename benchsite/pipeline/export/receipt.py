"""export: a receipt's evidence in the formats of other programs, asked of its track.

    receipt -> schema -> the track's part `exports` -> text

The signature isn't checked, because drafts are exported too: `benchsite verify` says whether a receipt is genuine.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchsite import plugins
from benchsite.errors import UsageError
from benchsite.pipeline.named import receipt_named
from benchsite.pipeline.snapshot import Snapshot

__all__ = ["export"]


def export(snapshot: Snapshot | None, name: str, wanted: Sequence[str]) -> dict[str, str]:
    """Return a receipt's evidence in each of the formats.

    Args:
        snapshot: the record, if there is one.
        name: a path (drafts included), an id or its first characters, or a web address.
        wanted: names of formats, such as `trec`.

    Raises:
        UsageError: there is no such receipt, its track has no such format, or the receipt lacks what it needs.
        ReceiptError: the receipt is malformed.
    """
    receipt = receipt_named(snapshot, name)
    track = plugins.track(receipt.track)
    track.check(receipt.document)
    known = track.exports.formats if track.exports is not None else {}
    made = {}
    for one in wanted:
        if one not in known:
            raise UsageError(
                f"receipts of track {receipt.track} have no export {one!r}",
                hint=f"available: {', '.join(sorted(known)) or 'none'}",
            )
        made[one] = known[one](receipt.document)
        if not made[one]:
            raise UsageError(
                f"receipt {receipt.receipt_id} holds nothing for {one!r}",
                hint="receipts of schema 0.0.1 record no relevance labels",
            )
    return made
