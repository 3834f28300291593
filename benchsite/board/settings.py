"""The settings of a receipt that decide whether it is comparable with another one, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchsite import canonical
from benchsite.receipt import Document
from benchsite.track import Track

__all__ = ["differing", "settings"]


def settings(track: Track, document: Document) -> Mapping[str, Any]:
    """Return the settings of every track, then the track's own; the machine matters for times only."""
    rules, machine = document["methodology"], document.get("environment") or {}
    part = track.paired
    return {
        "methodology": rules.get("version") if isinstance(rules, Mapping) else rules,
        "origin": document.get("origin"),
        "simulated": document.get("simulated", False),
        "machine": machine.get("cpu"),
        **(part.settings(document) if part is not None else {}),
    }


def differing(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the settings that differ, each with both values in words."""
    for name in a:
        if a[name] != b.get(name):
            yield name, (shown(a[name]), shown(b.get(name)))


def shown(value: Any) -> str:
    """Return a setting in words."""
    return value if isinstance(value, str) else "none" if value is None else canonical.dumps(value).decode()
