"""What pages show of a receipt's `actions.jsonl`: the calls of a run and how its final state differs, bounded.

The document is evidence of others: its texts are cut to a length, and one that cannot be read is shown as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.receipt import Document
from benchsite.track import Library
from benchsite.tracks.agents import actions
from benchsite.tracks.agents.columns import pinned

SHOWN: Final = 10
"""Actions, or changed cells, of one run that a page shows."""
LONGEST: Final = 300
"""Characters of one text that a page shows."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one run did.

    Attributes:
        calls: its actions, each with the reason for which it was skipped, or empty.
        changes: what is not as expected in its final state: place, expected cell, found cell; of a whole row, None and
            what became of it.
        more_calls, more_changes: how many are not shown.
        error: what ended the run; empty for none.
    """

    calls: tuple[tuple[str, str], ...]
    changes: tuple[tuple[str, str | None, str], ...]
    more_calls: int
    more_changes: int
    error: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The runs of a receipt by task and number; `missing` says why there are none, and is empty where they are at hand."""

    runs: Mapping[tuple[str, int], Shown]
    missing: str = ""


def evidence(document: Document, library: Library) -> Evidence:
    """What a receipt pins of its actions, where that is served."""
    entry = pinned(document, actions.NAME)
    if entry is None:
        return Evidence({}, "The receipt pins no actions.")
    data = library.document(entry["sha256"])
    if data is None:
        return Evidence({}, f"{actions.NAME} is not at hand (SHA-256 {entry['sha256']}).")
    try:
        return Evidence({(run.task, run.run): _shown(run) for run in actions.read(data)})
    except InputError as error:
        return Evidence({}, f"{actions.NAME} cannot be read: {error.message}.")


def _shown(run: actions.Acted) -> Shown:
    skipped = {item.get("action"): shortened(item.get("reason")) for item in run.skipped}
    return Shown(
        calls=tuple((shortened(text), skipped.get(i, "")) for i, text in enumerate(run.actions[:SHOWN])),
        changes=tuple(_changes(run.difference[:SHOWN])),
        more_calls=max(0, len(run.actions) - SHOWN),
        more_changes=max(0, len(run.difference) - SHOWN),
        error="" if run.error is None else shortened(run.error),
    )


_WHOLE_ROWS: Final = {
    "created": "row not expected",
    "deleted": "row missing",
    "order": "rows in another order",
}


def _changes(difference: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str | None, str]]:
    for item in difference:
        place = [item.get(name) for name in ("table", "row", "column")]
        words = ", ".join(shortened(part) for part in place if part not in (None, ""))
        kind = item.get("kind")
        if "before" in item or "after" in item:
            yield words, shortened(item.get("before")), shortened(item.get("after"))
        else:
            yield words, None, _WHOLE_ROWS.get(kind, shortened(kind)) if isinstance(kind, str) else ""


def shortened(value: Any) -> str:
    """A value as text of at most `LONGEST` characters, and how many more it has; a dash for none."""
    if value is None:
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… ({len(text) - LONGEST:,} more characters)"
