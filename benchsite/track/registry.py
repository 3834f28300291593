"""Installed plug-ins of a track by role, for tracks that cannot know beforehand which one they need.

`benchsite.plugins` alone reads entry points; it connects itself here when it is imported. A track that reads a document
of a kind that another package registers asks by `Track.plugin`. Measured programs are never imported this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

__all__ = ["connect", "installed"]

_LOOK_UP: Final[list[Callable[[str], Mapping[str, str]]]] = []


def connect(look_up: Callable[[str], Mapping[str, str]]) -> None:
    """Set what gives the `module:attribute` of each plug-in of an entry-point group, by name."""
    _LOOK_UP[:] = [look_up]


def installed(group: str) -> Mapping[str, str]:
    """Return the `module:attribute` of each plug-in of a group, by name; empty if nothing is connected."""
    return _LOOK_UP[0](group) if _LOOK_UP else {}
