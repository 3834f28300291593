"""Drafts: unsigned receipts in `.benchsite/drafts/`, canonical bytes, named by their id."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchsite import __version__, canonical, environment
from benchsite.errors import InputError, IntegrityError
from benchsite.log.posix import posix_seconds, utc_text
from benchsite.methodology import Methodology
from benchsite.pipeline import evidence, inbox
from benchsite.pipeline.files import read_bounded
from benchsite.pipeline.instance import Instance
from benchsite.receipt import SCHEMA_VERSION, Receipt, ReceiptError, UnsupportedSchema, compose, parse_draft
from benchsite.repo import write_atomically
from benchsite.track import Measurement

LARGEST_DRAFT = canonical.MAX_BYTES - 1024
"""Room is left for the signature."""

_AHEAD: Final = 10 * 60
"""Seconds that the clocks of two machines may lie apart."""


def begin(instance: Instance, *, at_least: int = 0) -> dict[str, Any]:
    """What a receipt records of the moment before its run: machine, tree, log head, who and when.

    Args:
        instance: where the run is made.
        at_least: the size of the smallest log head that may be named, where the run was announced in the log.
    """
    name, _ = instance.repository.identity()
    return {
        "environment": instance.environment(),
        "logHead": instance.log_head(at_least=at_least),
        "ranAt": environment.now(),
        "ranBy": environment.ran_by(name),
    }


def finish(
    begun: Mapping[str, Any], track: str, rules: Methodology, measured: Measurement, **links: str | None
) -> Receipt:
    """Join a measurement with what was recorded before it into a draft.

    Args:
        begun: the result of `begin`.
        track: the track's name.
        rules: the methodology it was scored under.
        measured: the runner's result.
        links: `supersedes`, `reproduces`, `intentId`, `derivedFrom`; absent ones are null.
    """
    document = {
        "schemaVersion": SCHEMA_VERSION,
        "track": track,
        "receiptId": environment.new_id(),
        "benchVersion": __version__,
        "origin": "native",
        "methodology": rules.reference,
        "config": dict(measured.config),
        "supersedes": None,
        "reproduces": None,
        "intentId": None,
        "derivedFrom": None,
        "evidence": [evidence.reference(item) for item in measured.evidence],
        "simulated": False,
        **begun,
        **links,
        **measured.payload,
    }
    draft = compose(document)
    if len(draft.data) > LARGEST_DRAFT:
        raise InputError(
            f"the receipt would have {len(draft.data):,} bytes, more than a receipt may have ({LARGEST_DRAFT:,})",
            hint="measure less at once: fewer queries (--limit), a smaller largest k (--k), fewer sheets, shorter notes",
        )
    return draft


def save(instance: Instance, draft: Receipt) -> Path:
    """Write a draft where `publish` looks for it."""
    instance.drafts.mkdir(parents=True, exist_ok=True)
    path = instance.drafts / f"{draft.receipt_id}.json"
    write_atomically(path, draft.file_bytes())
    return path


def load(path: Path) -> Receipt:
    """Read a draft.

    Raises:
        InputError: the file cannot be read, is no draft of the current schema, or is not canonical bytes.
    """
    data = read_bounded(path, canonical.MAX_BYTES)
    try:
        draft = parse_draft(data)
    except (ReceiptError, UnsupportedSchema, canonical.JsonError) as error:
        raise InputError(
            f"draft {path}: {error.message}", hint="run it again, or move the file away"
        ) from None
    if not draft.is_canonical:
        raise InputError(f"draft {path} is not canonical JSON", hint=f"benchsite canonicalize {path}")
    return draft


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
