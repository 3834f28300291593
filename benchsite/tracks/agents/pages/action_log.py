"""What pages show of a receipt's `actions.jsonl`: the calls of a run and how its final state differs, bounded.

The document is evidence of others: its texts are cut to a length, and one that cannot be read is shown as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.receipt import Document
from benchsite.track import Library
from benchsite.tracks.agents.record import action_log
from benchsite.tracks.agents.record.columns import pinned
from benchsite.tracks.agents.tools import Action

SHOWN: Final = 10
"""Actions, or changed cells, of one run that a page shows."""
LONGEST: Final = 300
"""Characters of one text that a page shows."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one run did.

    Attributes:
        calls: its actions, each with the reason for which it was skipped, or empty.
        changes: what is not as expected in its final state: place, expected cell or row, found cell or row.
        more_calls, more_changes: how many are not shown.
        error: what ended the run; empty for none.
    """

    calls: tuple[tuple[str, str], ...]
    changes: tuple[tuple[str, str, str], ...]
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
    entry = pinned(document, action_log.NAME)
    if entry is None:
        return Evidence({}, "The receipt pins no actions.")
    data = library.document(entry["sha256"])
    if data is None:
        return Evidence({}, f"{action_log.NAME} is not at hand (SHA-256 {entry['sha256']}).")
    try:
        return Evidence({(run.task, run.run): _shown(run) for run in action_log.read(data)})
    except InputError as error:
        return Evidence({}, f"{action_log.NAME} cannot be read: {error.message}.")


def _shown(run: action_log.Acted) -> Shown:
    skipped = {item.action: shortened(item.reason) for item in run.skipped}
    return Shown(
        calls=tuple(
            (shortened(text_of(action)), skipped.get(i, "")) for i, action in enumerate(run.actions[:SHOWN])
        ),
        changes=tuple(_changes(run.difference[:SHOWN])),
        more_calls=max(0, len(run.actions) - SHOWN),
        more_changes=max(0, len(run.difference) - SHOWN),
        error="" if run.error is None else shortened(run.error),
    )


def text_of(action: Action) -> str:
    """An action as one line: `tool(name="value")`."""
    if isinstance(action, str):
        return action
    arguments = (
        f"{name}={canonical.dumps(value).decode('utf-8')}" for name, value in action.arguments.items()
    )
    return f"{action.tool}({', '.join(arguments)})"


def _changes(difference: Sequence[action_log.Change]) -> Iterator[tuple[str, str, str]]:
    for item in difference:
        place = (part for part in (item.table, item.row, item.column) if part)
        yield ", ".join(map(shortened, place)), shortened(item.before), shortened(item.after)


def shortened(text: str | None) -> str:
    """A text of at most `LONGEST` characters, and how many more it has; a dash for none."""
    if text is None:
        return "–"
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… ({len(text) - LONGEST:,} more characters)"
