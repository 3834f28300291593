"""How a board says what it holds: titles, and how many systems in how many configurations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchsite.words import counted as count_of
from benchsite.words import number_word

if TYPE_CHECKING:
    from benchsite.tracks.retrieval.row import Row


def readable(fixture: str, item: str) -> str:
    """A fixture's id as a title says it: `three-notebooks-v1` as words; `locomo-10-turn` as the name `locomo-10`."""
    bare = re.sub(r"-v[0-9]+$", "", fixture).removesuffix(f"-{item}")
    return bare if any(char.isdigit() for char in bare) else bare.replace("-", " ")


def system_words(rows: Sequence[Row]) -> str:
    """Rows as what they are: `two systems`, `two configurations of a`, `two systems in three configurations`."""
    systems = len({row.name for row in rows})
    if systems == len(rows):
        return count_of(systems, "system")
    if systems == 1:
        return f"{number_word(len(rows))} {variants(rows)} of {rows[0].name}"
    return f"{count_of(systems, 'system')} in {number_word(len(rows))} {variants(rows)}"


def variants(rows: Iterable[Row]) -> str:
    """What tells rows of one name apart, in the plural: `versions`, `configurations`, or who made the `runs`."""
    versions: dict[str, set[str]] = defaultdict(set)
    labels: dict[str, set[str]] = defaultdict(set)
    senders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        versions[row.name].add(row.version)
        labels[row.name].add(row.label)
        senders[row.name, row.version, row.label].add(row.sent_by)
    told_by = {
        "versions": versions.values(),
        "configurations": labels.values(),
        "runs": senders.values(),
    }
    kinds = [kind for kind, sets in told_by.items() if any(len(found) > 1 for found in sets)]
    return " or ".join(kinds) or "configurations"


def category_names(rows: Iterable[Row]) -> tuple[list[str], list[str]]:
    """The categories that have a headline measure, and those that have none, each in name order."""
    found = [category for row in rows for category in row.categories]
    measured = {category.name for category in found if category.value is not None}
    return sorted(measured), sorted({category.name for category in found} - measured)
