"""Checks of one draft before it is signed: its schema, its scores computed again, and the date it claims."""

from __future__ import annotations

from typing import Final

from benchsite import environment
from benchsite.dates import is_in_calendar, posix_seconds
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.history import Rescore, Rescoring, UncheckedError, rescored
from benchsite.pipeline.snapshot import Snapshot
from benchsite.receipt import Receipt, ReceiptError

__all__ = ["recheck", "require_shape", "require_track"]

_AHEAD: Final = 10 * 60
"""Seconds by which the clocks of two machines may differ."""


def require_track(snapshot: Snapshot, draft: Receipt) -> None:
    """Raise `PrerequisiteError` unless the track of a draft is installed."""
    if draft.track not in snapshot.tracks:
        raise PrerequisiteError(
            f"draft {draft.receipt_id}: no track {draft.track!r} is installed",
            hint=f"install the package of the track, or: benchsite drafts discard {draft.receipt_id[:8]}",
        )


def require_shape(snapshot: Snapshot, draft: Receipt) -> None:
    """Check a draft against its track's schema, without scoring."""
    require_track(snapshot, draft)
    try:
        snapshot.tracks[draft.track].check(draft.document)
    except ReceiptError as error:
        raise ReceiptError(
            f"draft {draft.receipt_id}: {error.message}", field=error.field, hint=error.hint
        ) from None


def recheck(snapshot: Snapshot, draft: Receipt) -> Rescoring:
    """Re-score a draft, everything included, the evaluator of its benchmark too.

    Raises:
        PrerequisiteError: its track is not installed, or this release cannot compute its methodology.
        IntegrityError: a field breaks the track's schema, a number differs, an invariant is broken, or it ran on no date,
            or on one to come.
    """
    require_track(snapshot, draft)
    try:
        _, rescoring = rescored(draft, snapshot.tracks, snapshot.materials_with(evaluate=True), deep=True)
    except ReceiptError as error:
        raise ReceiptError(
            f"draft {draft.receipt_id}: {error.message}", field=error.field, hint=error.hint
        ) from None
    except UncheckedError as error:
        raise PrerequisiteError(f"draft {draft.receipt_id}: {error.message}", hint=error.hint) from None
    _require_past(draft)
    # Whether its methodology is the one here is asked of each candidate before it is sealed.
    known = snapshot.materials.methodology(draft.document["methodology"]["sha256"]) is not None
    if rescoring.rescore is Rescore.NOT_RESCORABLE and known:
        raise PrerequisiteError(
            f"draft {draft.receipt_id} cannot be re-scored: {rescoring.reason}",
            hint="only re-scored drafts are signed: add what is missing, or re-run it",
        )
    for step in rescoring.further:
        if step.state == "not checked" and not step.declared:
            raise PrerequisiteError(
                f"draft {draft.receipt_id}: {step.detail}",
                hint="only drafts whose evidence was checked in this clone are signed",
            )
    for difference in rescoring.differences:
        raise IntegrityError(
            f"draft {draft.receipt_id}: {difference.field} recorded {difference.recorded!r}, "
            f"recomputed {difference.computed!r}",
            hint="the draft was edited or made by other code: re-run it",
        )
    for violation in rescoring.violations:
        raise IntegrityError(
            f"draft {draft.receipt_id}: {violation.message}",
            hint="a re-run gives the same result: fix the adapter or the sheets, "
            "re-run, and discard this draft",
        )
    return rescoring


def _require_past(draft: Receipt) -> None:
    """The log is ordered by when drafts ran: none may claim a place ahead of all others."""
    ran_at = str(draft.document["ranAt"])
    if not is_in_calendar(ran_at):
        raise IntegrityError(
            f"draft {draft.receipt_id}: ranAt {ran_at} is not a valid date",
            hint="the draft was edited or made by other code: re-run it",
        )
    if posix_seconds(ran_at) > posix_seconds(environment.now()) + _AHEAD:
        raise IntegrityError(
            f"draft {draft.receipt_id}: ranAt is in the future: {ran_at}, this machine's clock: {environment.now()}",
            hint="if this machine's clock is right, fix the clock of the machine that ran it and re-run there; "
            "if not, fix this one",
        )
