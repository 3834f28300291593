"""Which drafts wait to be published, and whether the numbers of one follow from its evidence."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchsite import environment
from benchsite.errors import InputError, IntegrityError
from benchsite.log.posix import posix_seconds, utc_text
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.publish import inbox
from benchsite.receipt import Receipt

_AHEAD: Final = 10 * 60
"""Seconds that the clocks of two machines may lie apart."""


def chosen(instance: Instance, names: Sequence[str]) -> list[Path]:
    """The drafts that were named by path, id or prefix; all of them, the inbox's too, where none was.

    Raises:
        InputError: a name fits no draft, or more than one; or it names a file of the inbox that may not be published.
    """
    waiting = [*instance.draft_paths(), *inbox.paths(instance)]
    if not names:
        return waiting
    found: list[Path] = []
    for name in names:
        is_file = os.path.isfile(name)  # noqa: PTH113 - a name too long is no file, and no error
        if is_file:
            path = Path(name)
            fits = [inbox.accepted(instance, path) if inbox.holds(instance, path) else path]
        else:
            fits = [p for p in waiting if p.name.startswith(name)]
        if len(fits) != 1:
            count = "no draft" if not fits else f"{len(fits)} drafts"
            raise InputError(f"{count} named {name!r}", hint="`benchsite status` lists the drafts")
        found.extend(fits)
    return list(dict.fromkeys(found))


def recheck(instance: Instance, draft: Receipt) -> None:
    """Score a draft again, everything included, and refuse numbers that do not follow, and a run at no moment or one to come.

    Raises:
        IntegrityError: a number differs, an invariant is broken, or it ran at a moment that is none, or is to come.
    """
    judge = instance.judges.get(draft.track)
    if judge is None:
        raise InputError(f"draft {draft.receipt_id}: no track {draft.track!r} is installed")
    judge.check(draft.document)
    _require_past(draft)
    judgement = judge.judge(draft, deep=True)
    for difference in judgement.differences:
        raise IntegrityError(
            f"draft {draft.receipt_id}: {difference.field} is {difference.recorded!r} "
            f"and comes out as {difference.computed!r}",
            hint="the draft was edited or made by other code: run it again",
        )
    for violation in judgement.violations:
        raise IntegrityError(
            f"draft {draft.receipt_id}: {violation.message}",
            hint="running it again leads here again: mend what it was made from (the adapter, or the sheets), "
            "run that, and delete this draft",
        )


def _require_past(draft: Receipt) -> None:
    """The log is ordered by when drafts ran: none may claim a place ahead of all others."""
    ran_at = str(draft.document["ranAt"])
    moment = posix_seconds(ran_at)
    if utc_text(moment) != ran_at:
        raise IntegrityError(
            f"draft {draft.receipt_id}: it says that it ran at {ran_at}, and no calendar has that moment",
            hint="the draft was edited or made by other code: run it again",
        )
    if moment > posix_seconds(environment.now()) + _AHEAD:
        raise IntegrityError(
            f"draft {draft.receipt_id}: it says that it ran at {ran_at}, and this machine's clock says {environment.now()}",
            hint="if this machine's clock is right, correct that of the machine it ran on and run it again there; "
            "if not, correct this one",
        )
