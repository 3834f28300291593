"""Names of the configurations of a system within an experiment: what they have in common, then in what they differ.

A name with one configuration on each benchmark stays as it is. Of a name that others are compared with (`sas`, its controls, `null`),
the configuration on the most benchmarks keeps it, of several the latest, so that there is one reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from benchsite.tracks.agents.systems.names import CONTROLS, budgeted

__all__ = ["Configured", "names_of"]

_REFERENCES: Final = frozenset({"sas", "null", *CONTROLS})
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class Configured:
    """One configuration of a system.

    Attributes:
        name: of the system, with its budget if it is a control.
        row: the digest of what makes a row of a leaderboard.
        facts: what a reader is told about it, by name.
    """

    name: str
    row: str
    facts: Mapping[str, str]

    @classmethod
    def of(cls, name: str, row: str, document: Mapping[str, Any]) -> Self:
        """Read the configuration of a receipt."""
        system, config = document["system"], document["config"]
        used = (system.get("models") or {}).items()
        facts = {
            "version": _text(system["version"]),
            **{key: _text(value) for key, value in sorted(config["options"].items())},
            "prompts": _digest(system.get("prompts")),
            "prices": _digest(config.get("prices")),
            **{f"{role}:": _text(one["responded"] or one["requested"]) for role, one in sorted(used)},
        }
        return cls(name, row, facts)


def names_of(configured: Sequence[tuple[str, Configured]]) -> list[str]:
    """Return a name for each (benchmark, configuration), where the latest is last; equal for equal configurations."""
    rows: dict[tuple[str, str], set[str]] = defaultdict(set)
    by_name: dict[str, dict[str, Configured]] = defaultdict(dict)
    places: dict[tuple[str, str], tuple[set[str], int]] = {}
    for place, (benchmark, one) in enumerate(configured):
        rows[benchmark, one.name].add(one.row)
        by_name[one.name][one.row] = one
        places[one.name, one.row] = {*places.get((one.name, one.row), (set(), 0))[0], benchmark}, place
    several = {name for (_, name), held in rows.items() if len(held) > 1}
    kept = {
        name: max(held, key=lambda row: (len(places[name, row][0]), places[name, row][1]))
        for name, held in by_name.items()
        if _is_reference(name)
    }
    labels = {name: _labels(list(held.values())) for name, held in by_name.items() if name in several}
    return [
        one.name
        if one.name not in several or kept.get(one.name) == one.row
        else f"{one.name} ({labels[one.name][one.row]})"
        for _, one in configured
    ]


def _is_reference(name: str) -> bool:
    return budgeted(name)[0] in _REFERENCES


def _labels(held: Sequence[Configured]) -> dict[str, str]:
    """What tells the configurations of a name apart, by row; the start of the row's digest where no fact does."""
    keys = list(dict.fromkeys(key for one in held for key in one.facts))
    differing = [key for key in keys if len({one.facts.get(key) for one in held}) > 1]
    said = {one.row: ", ".join(f"{key} {one.facts.get(key, '–')}" for key in differing) for one in held}
    texts = list(said.values())
    return {
        row: text if text and texts.count(text) == 1 else f"{text}, {row[:8]}".removeprefix(", ")
        for row, text in said.items()
    }


def _text(value: object) -> str:
    said = "–" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"


def _digest(value: object) -> str:
    """The start of a digest."""
    return "–" if value is None else str(value)[:8]
