"""explain: why a receipt is, or is not, on its leaderboard, in the words of its page.

receipt of the record -> verified history -> leaderboards -> standing and reasons
draft                 -> what would keep it from being ranked
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchsite import plugins
from benchsite.addresses import board_path, is_slug
from benchsite.board import standings
from benchsite.errors import UsageError
from benchsite.history import SENTENCES, Header, History, unranked
from benchsite.pipeline.leaderboards import leaderboards
from benchsite.pipeline.named import receipt_named
from benchsite.pipeline.snapshot import Snapshot
from benchsite.receipt import Receipt

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A receipt and its leaderboard.

    Attributes:
        about: the system and what it was run on.
        verdict: of verification, or `DRAFT`.
        standing: its place; empty without one.
        reasons: why it has none.
        leaderboard: path of its page; empty without one.
        resolution: how many adjacent ranks of that leaderboard are separable.
    """

    receipt_id: str
    about: str
    verdict: str
    standing: str = ""
    reasons: Sequence[str] = ()
    leaderboard: str = ""
    resolution: str = ""


def explain(snapshot: Snapshot, name: str) -> Explanation:
    """Explain a receipt of the record, or a draft.

    Raises:
        UsageError: there is no such receipt, or it is not in the record.
        ReceiptError: it is malformed.
    """
    receipt = receipt_named(snapshot, name)
    history = snapshot.history() if snapshot.log is not None else None
    header = history.get(receipt.receipt_id) if history is not None else None
    if history is not None and header is not None:
        return _of_record(snapshot, history, header)
    if "signature" in receipt.document:
        raise UsageError(
            f"receipt {receipt.receipt_id} is not in this record",
            hint="run it in a clone of the repository that published the receipt",
        )
    return _of_draft(snapshot, receipt)


def _of_record(snapshot: Snapshot, history: History, header: Header) -> Explanation:
    summary = header.summary
    if summary is None:
        return Explanation(header.receipt_id, "", header.verdict.value, reasons=header.unranked)
    made = leaderboards(snapshot, history)
    of_track = made.tracks.get(header.track)
    wanted = summary.target, header.methodology
    found = [one for one in (of_track.boards if of_track else ()) if (one.target, one.methodology) == wanted]
    listed = (one for board in found for one in board.headers if one.receipt_id == header.receipt_id)
    place = standings(made, counted=True).get(header.receipt_id)
    return Explanation(
        header.receipt_id,
        " ".join(
            filter(
                None,
                (summary.subject.name, summary.subject.version, summary.subject.label, "on", summary.target),
            )
        ),
        header.verdict.value,
        place.words if place is not None else "",
        tuple(_reasons(next(listed, header))),
        board_path(header.track, summary.target) if is_slug(summary.target) else "",
        next((board.resolution for board in found), ""),
    )


def _reasons(header: Header) -> Iterator[str]:
    for reason in header.unranked:
        is_replaced = reason == SENTENCES[header.verdict] and header.superseded_by is not None
        yield f"superseded by receipt {header.superseded_by}" if is_replaced else reason


def _of_draft(snapshot: Snapshot, receipt: Receipt) -> Explanation:
    track, document = plugins.track(receipt.track), receipt.document
    track.check(document)
    summary = snapshot.summary(document)
    about = f"{summary.subject.name} {summary.subject.version} on {summary.target}"
    reasons = ("a draft: not published", *unranked(document, summary, track.limited))
    return Explanation(receipt.receipt_id, about, "DRAFT", reasons=reasons)
