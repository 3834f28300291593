"""`benchsite rescore --fixture` and `--methodology VERSION`: what a correction moves, and the drafts of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchsite.cli import here, output
from benchsite.errors import UsageError
from benchsite.pipeline import correct as correcting
from benchsite.pipeline.correct import Correction, Corrections, Flip
from benchsite.schema import SEMVER
from benchsite.words import amount, difference, figure, shown_path

__all__ = ["Asked", "split", "tell"]

_SEMVER: Final = re.compile(SEMVER)
_SHOWN: Final = 20
"""Items of the flip table that are printed; `--json` has them all."""
_WIDE: Final = 3
"""Receipts that have a column each in the flip table; of more, it counts those that moved and shows the largest change."""
_SAME: Final = "="


class Asked(NamedTuple):
    """The options of a correction."""

    fixture: str | None
    version: str | None
    draft: bool
    supersede: bool


def split(given: Sequence[str]) -> tuple[str | None, list[Path]]:
    """Return the version to score under and the folders to search, of the values of `--methodology`."""
    folders = [Path(value) for value in given if Path(value).is_dir()]
    versions = [value for value in given if not Path(value).is_dir()]
    wrong = next((value for value in versions if not _SEMVER.fullmatch(value)), None)
    if wrong is not None:
        raise UsageError(
            f"--methodology {wrong!r} is neither a folder nor a version",
            hint="for example: --methodology 1.1.0",
        )
    if len(versions) > 1:
        raise UsageError(
            f"--methodology names {len(versions)} versions", hint="score under one version at a time"
        )
    return next(iter(versions), None), folders


def tell(names: Sequence[str], asked: Asked, *, everything: bool, as_json: bool) -> None:
    """Correct and print."""
    workspace, snapshot = here.opened()
    found = correcting.correct(
        workspace,
        snapshot,
        names,
        everything=everything,
        fixture=asked.fixture,
        version=asked.version,
        draft=asked.draft,
        supersede=asked.supersede,
    )
    if as_json:
        output.emit(_record(found))
        return
    for one in found.corrected:
        output.say(_line(one))
        if one.path is not None:
            output.say(f"  draft {shown_path(str(one.path.relative_to(workspace.root)))}")
    for reason, receipts in _by_reason(found.skipped).items():
        which = receipts[0] if len(receipts) == 1 else amount(len(receipts), "receipt")
        output.say(f"  {output.mark('not checked')} {which} skipped: {reason}")
    _flip_table(found.corrected)
    for flip in found.flips:
        output.say(_flip(flip))
    if len(found.corrected) > 1 and not found.flips:
        output.say("no adjacent ranks flip")


def _by_reason(skipped: Sequence[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    """Reason to the receipts skipped for it; a record has hundreds of receipts, and few reasons."""
    found: dict[str, list[str]] = {}
    for name, reason in skipped:
        found.setdefault(reason.removeprefix(f"receipt {name}: "), []).append(name)
    return found


def _line(one: Correction) -> str:
    """The headline number before and after."""
    (before, after), (name, renamed) = one.found.scores, one.found.metrics
    shown = name if name == renamed else f"{name} -> {renamed}"
    moved = amount(len(one.found.moved), "item")
    change = "" if before is None or after is None else f" ({difference(after - before)})"
    return (
        f"{one.receipt.receipt_id[:8]}  {one.subject} on {one.target[0]}: {shown} {figure(before)} -> {figure(after)}{change}; "
        f"{moved} moved, {one.found.relabeled:,} with other labels"
    )


def _flip_table(corrected: Sequence[Correction]) -> None:
    """Each item that moved, by receipt."""
    rows = _rows(corrected)
    if not rows:
        return
    shown = list(rows.items())[:_SHOWN]
    names = [f"{one.subject} on {one.target[0]}" for one in corrected]
    output.say("")
    if len(names) <= _WIDE:
        cells = [
            (item, why, *(_cell(moves.get(place)) for place in range(len(names))))
            for (_, item, why), moves in shown
        ]
        output.table(("item", "why", *names), cells)
    else:
        columns = ("item", "why", "receipts moved", "largest change")
        output.table(columns, [(item, why, *_summary(moves, corrected)) for (_, item, why), moves in shown])
    if len(rows) > _SHOWN:
        output.say(f"and {len(rows) - _SHOWN:,} more: --json lists them all")


def _rows(corrected: Sequence[Correction]) -> Mapping[tuple[str, str, str], Mapping[int, tuple[Any, Any]]]:
    """(dataset, item, why) to the values before and after, by the receipt's place."""
    rows: dict[tuple[str, str, str], dict[int, tuple[Any, Any]]] = {}
    for place, one in enumerate(corrected):
        for moved in one.found.moved:
            rows.setdefault((one.target[0], moved.item, moved.why), {})[place] = moved.before, moved.after
    return rows


def _summary(moves: Mapping[int, tuple[Any, Any]], corrected: Sequence[Correction]) -> tuple[str, str]:
    """Of how many receipts of its dataset an item moved, and by how much at most; a value that appears or disappears counts from 0."""
    place = max(moves, key=lambda one: abs((moves[one][1] or 0) - (moves[one][0] or 0)))
    name, (target, _) = corrected[place].subject, corrected[place].target
    total = sum(one.target[0] == target for one in corrected)
    return f"{len(moves):,} of {total:,}", f"{_cell(moves[place])} ({name} on {target})"


def _cell(values: tuple[Any, Any] | None) -> str:
    return _SAME if values is None else f"{figure(values[0])} -> {figure(values[1])}"


def _flip(flip: Flip) -> str:
    (rank, above, *first), (next_rank, below, *second) = flip.above, flip.below
    return (
        f"ranks {rank} and {next_rank} flip on {flip.target}: {above} {figure(first[0])} -> {figure(first[1])}, "
        f"{below} {figure(second[0])} -> {figure(second[1])}"
    )


def _record(found: Corrections) -> dict[str, Any]:
    return {
        "corrections": [
            {
                "receiptId": one.receipt.receipt_id,
                "system": one.subject,
                "target": one.target[0],
                "draft": one.draft.receipt_id if one.path is not None else None,
                "metrics": list(one.found.metrics),
                "before": one.found.scores[0],
                "after": one.found.scores[1],
                "relabeled": one.found.relabeled,
                "moved": [moved._asdict() for moved in one.found.moved],
            }
            for one in found.corrected
        ],
        "flips": [flip._asdict() for flip in found.flips],
        "skipped": [{"receiptId": name, "reason": reason} for name, reason in found.skipped],
    }
