"""All systems of the catalog, by name and by group."""

from __future__ import annotations

import difflib
from typing import Final

from benchsite.errors import UsageError
from benchsite.track import System
from benchsite.tracks.retrieval.systems import dense, lexical, memory, stores

__all__ = ["SYSTEMS", "group_of", "system"]

SYSTEMS: Final[tuple[System, ...]] = (*lexical.SYSTEMS, *dense.SYSTEMS, *stores.SYSTEMS, *memory.SYSTEMS)


def system(name: str) -> System | None:
    """Return the system of a name; None if the catalog has none."""
    return next((one for one in SYSTEMS if one.name == name), None)


def group_of(name: str) -> tuple[System, ...]:
    """Return the systems that are installed together with a system, itself first, or those of a group.

    Raises:
        UsageError: neither a system nor a group has this name.
    """
    one = system(name)
    group = one.group if one else name
    found = tuple(other for other in SYSTEMS if other.group == group)
    if not found:
        known = sorted({word for entry in SYSTEMS for word in (entry.name, entry.group)})
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"available: {', '.join(known)}"
        raise UsageError(f"no system and no group named {name!r}", hint=hint)
    return tuple(sorted(found, key=lambda other: other.name != name))
