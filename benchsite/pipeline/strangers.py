"""What is asked of drafts that the keeper of the log did not make: sent by strangers, or left by a measuring job.

A measuring job runs other people's systems, which may write any draft they like. Refused are links to other entries, the
name of another who ran it, people's judgements that no committed sheets come to, and rules that are not in force: which
rules apply is the keeper's to decide, by `benchsite methodology publish`. Drafts from the inbox (`pipeline.inbox`) were
read by whoever merged them, and only the last is asked of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

from benchsite import canonical, environment
from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.pipeline import evidence, run
from benchsite.pipeline.instance import Instance
from benchsite.receipt import Receipt
from benchsite.track import Track, Work

__all__ = ["require_known_rules", "require_unlinked"]

_LINKS: Final = ("supersedes", "reproduces", "intentId", "derivedFrom")
_LOOK: Final = "something in the measuring job made this draft: look there, and measure again"
_SHEETS: Final = "fixtures"
_REGULAR: Final = ("100644", "100755")


def require_known_rules(instance: Instance, pins: Collection[tuple[str, str]], draft: Receipt) -> None:
    """A draft that the keeper did not make changes no rules: a version that the log pins, or the newest before any.

    Args:
        instance: where the versions lie.
        pins: (track, version) of every version that the log pins.
        draft: the draft.

    Raises:
        PrerequisiteError: the version is neither.
    """
    name, version = draft.document["methodology"]["id"], draft.document["methodology"]["version"]
    pinned = {number for track, number in pins if track == name}
    if version not in (pinned or instance.rulebook.versions(name)[-1:]):
        raise PrerequisiteError(
            f"draft {draft.receipt_id}: the log does not pin {name} {version}, and this draft would put it there",
            hint=f"its keeper decides: benchsite methodology publish {name} {version}, then publish the draft",
        )


def require_unlinked(instance: Instance, draft: Receipt) -> None:
    """A measured system may have written this draft: what it says of others is not believed.

    Raises:
        IntegrityError: it acts on another entry, names another who ran it, or holds judgements of no committed sheets.
        BenchsiteError: those sheets cannot be scored.
    """
    document = draft.document
    linked = next((name for name in _LINKS if document[name] is not None), None)
    if linked is not None or document["ranBy"] != environment.ran_by(instance.repository.identity()[0]):
        raise IntegrityError(
            f"draft {draft.receipt_id}: {linked or 'ranBy'} is not what the suite writes", hint=_LOOK
        )
    track = instance.judges.get(draft.track)
    if track is not None and track.plugin_group is None:
        _require_own_sheets(instance, track, draft)


def _require_own_sheets(instance: Instance, track: Track, draft: Receipt) -> None:
    """People's judgements are what committed sheets come to: their digests alone could stand in any draft."""
    paths = _committed(instance, draft.document["config"]["sheets"])
    if paths is None:
        raise IntegrityError(
            f"draft {draft.receipt_id}: config.sheets names sheets that are not committed in {_SHEETS}/",
            hint=f"commit the sheets in a folder of {_SHEETS}/; if there are none, {_LOOK}",
        )
    (work,) = track.command().works(sheets=paths)
    scored = _scored(instance, work)
    unlike = [
        name
        for name, value in scored.items()
        if canonical.dumps(value) != canonical.dumps(draft.document[name])
    ]
    if unlike:
        raise IntegrityError(
            f"draft {draft.receipt_id}: {unlike[0]} is not what its sheets in {_SHEETS}/ come to", hint=_LOOK
        )


def _scored(instance: Instance, work: Work) -> dict[str, Any]:
    """The keys of a receipt that its sheets decide."""
    prepared = run.prepare(instance, work)
    with run.context(lambda _done, _total, _label: None) as made:
        measured = prepared.track.runner().run(work, prepared.resolved, made)
    return {
        "methodology": prepared.rules.reference,
        "config": measured.config,
        "evidence": [evidence.reference(item) for item in measured.evidence],
        **measured.payload,
    }


def _committed(instance: Instance, digests: Sequence[str]) -> list[Path] | None:
    """The files under `fixtures/` with these digests as HEAD holds them; None where one is missing."""
    held = {
        canonical.sha256_hex(instance.repository.blob(item.blob_id)): item.path
        for item in instance.repository.tree(_SHEETS)
        if item.mode in _REGULAR and item.path.endswith((".yaml", ".yml"))
    }
    if not held.keys() >= set(digests):
        return None
    return [instance.root / held[digest] for digest in digests]
